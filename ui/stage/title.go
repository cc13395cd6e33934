package stage

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Title is a title that the viewer has given a session. Show commands have it escaped, as the query of an address is:
// spaces as plus signs.
type Title string

// maxTitle is the length of the longest title, in characters.
const maxTitle = 60

var titleAllowed = fmt.Sprintf("a line of at most %d characters, spaces as + in a tape", maxTitle)

// String returns the title as parseTitle takes it.
func (t Title) String() string {
	text := url.QueryEscape(string(t))
	if strings.Trim(text, "-") == "" { // a command has a dash for nothing
		text = strings.ReplaceAll(text, "-", "%2D")
	}
	return text
}

// parseTitle returns the title of an escaped text.
func parseTitle(text string) (Title, error) {
	title, err := url.QueryUnescape(text)
	if err != nil {
		return "", err
	}
	if n := utf8.RuneCountInString(title); n > maxTitle {
		return "", fmt.Errorf("it has %d characters", n)
	}
	if strings.ContainsFunc(title, func(r rune) bool { return !unicode.IsPrint(r) }) || !utf8.ValidString(title) {
		return "", fmt.Errorf("%q cannot be printed", title)
	}
	return Title(title), nil
}
