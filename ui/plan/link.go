package plan

import (
	"errors"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"ghostcube/net/link"
	"ghostcube/ui/stage"
)

// Link is a session as a link: settings in the spelling of the flags, and the moment to look at.
type Link struct {
	Page     string // address of the page before the question mark; empty: none
	Settings Settings
	Lesson   string        // of the tour; it excludes Settings and At
	Show     string        // display settings, as stage.ParseShow takes them
	At       time.Duration // session time at which the session is paused, up to MaxSeconds; 0: it is not
	Embed    bool          // the panes alone, for articles
	Knobs    string        // controls under the embedded picture, as LiveKnobs takes them
}

// ExamplePage stands for the address of a page that is not known.
const ExamplePage = "https://example.org/lab/"

// MaxLink is the length of the longest link that ParseLink reads, in bytes.
const MaxLink = 64 << 10

// trackers are parameters that other sites append to the links on them. They say nothing about a session.
var trackers = []string{"fbclid", "gclid", "msclkid"}

// ParseLink reads a link: an address with a query, or the query alone. It does not look up the names in it, which
// Library.New does. An error in a parameter is a *SettingError, or a *link.UnknownNameError if there is none of that
// name. A link comes from elsewhere, so it cannot name files.
func ParseLink(text string) (*Link, error) {
	if len(text) > MaxLink {
		return nil, fmt.Errorf("it has %d characters: want at most %d", len(text), MaxLink)
	}
	x := &Link{}
	text, _, _ = strings.Cut(text, "#")
	before, query, found := strings.Cut(text, "?")
	if !found && !isPage(before) {
		before, query = "", text
	}
	if isPage(before) && checkText(before) == nil {
		x.Page = before
	}
	var given []string
	for part := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(part, "=")
		name, value = unescape(name), unescape(value)
		if part == "" || slices.Contains(trackers, name) || strings.HasPrefix(name, "utm_") {
			continue
		}
		if slices.Contains(given, name) {
			return nil, &SettingError{name, value, errors.New("the parameter is given twice")}
		}
		if err := x.set(name, value); err != nil {
			return nil, err
		}
		given = append(given, name)
	}
	return x, x.check()
}

// isPage reports whether a text is the address of a page.
func isPage(text string) bool {
	scheme, _, ok := strings.Cut(text, "://")
	return ok && slices.Contains([]string{"http", "https", "file"}, scheme)
}

// checkText returns why a text is not fit to be shown.
func checkText(text string) error {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return errors.New("it contains control characters, or is not UTF-8")
	}
	return nil
}

// parameters are the names of all parameters, in the order in which links have them.
var parameters = []string{"compare", "lesson", "scene", "panes", "network", "seat", "seed", "rate", "fault-every",
	"fault", "seconds", "show", "at", "embed", "knobs", "tape"}

// set sets a parameter.
func (l *Link) set(name, value string) (err error) {
	bad := func(format string, args ...any) error {
		return &SettingError{name, value, fmt.Errorf(format, args...)}
	}
	s := &l.Settings
	if !slices.Contains(parameters, name) {
		return &link.UnknownNameError{Kind: "parameter", Name: name, Choices: parameters}
	}
	if value == "" {
		return bad("the parameter has no value")
	}
	if err := checkText(value); err != nil {
		return &SettingError{name, strconv.Quote(value), err}
	}
	switch name {
	case "fault-every":
		if s.FaultEvery, err = time.ParseDuration(value); err != nil || s.FaultEvery <= 0 || s.FaultEvery > time.Hour {
			return bad("want a duration up to 1h0m0s, such as 5s")
		}
	case "seconds":
		if s.Seconds, err = strconv.ParseFloat(value, 64); err != nil || !(s.Seconds > 0 && s.Seconds <= MaxSeconds) {
			return bad("want a number of seconds up to %d", MaxSeconds)
		}
	case "at":
		if l.At, err = time.ParseDuration(value); err != nil || l.At <= 0 || l.At > MaxSeconds*time.Second {
			return bad("want a time after the start of the session, such as 12.5s, up to %v", MaxSeconds*time.Second)
		}
	case "embed":
		if value != "0" && value != "1" {
			return bad("want 0 or 1")
		}
		l.Embed = value == "1"
	default:
		for _, x := range append(s.texts(), setting{"lesson", &l.Lesson}, setting{"show", &l.Show}, setting{"knobs", &l.Knobs}) {
			if x.name == name {
				*x.value = value
			}
		}
	}
	return nil
}

// check returns why the parameters do not go together, or which of them names a file.
func (l *Link) check() error {
	s := &l.Settings
	if l.Lesson != "" && (*s != (Settings{}) || l.At != 0) {
		return &SettingError{"lesson", l.Lesson, errors.New("a lesson has a session of its own: want no other parameters but show, embed and knobs")}
	}
	if _, err := stage.ParseShow(l.Show); err != nil {
		return &SettingError{"show", "", err}
	}
	if isFile(s.Tape) && !strings.HasPrefix(s.Tape, inlinePrefix) {
		return &SettingError{"tape", s.Tape, errors.New("a link cannot name files: want a built-in tape, or the tape itself")}
	}
	for spec := range strings.SplitSeq(s.Panes, ",") {
		if name, _, _ := strings.Cut(spec, ":"); isFile(name) {
			return &SettingError{"panes", spec, errors.New("a link cannot name files: want a strategy or a built-in preset")}
		}
	}
	for _, item := range strings.Split(s.Network, ",") {
		if name, ok := traceName(item); ok && isFile(name) {
			return &SettingError{"network", item, errors.New("a link cannot name files: want a built-in trace, or its samples")}
		}
	}
	return nil
}

// String returns the link with the address of its page. ParseLink reads it as the same link.
func (l *Link) String() string { return l.Page + l.Query() }

// Query returns the link without the address of its page: a question mark and the parameters that are set.
func (l *Link) Query() string {
	values := map[string]string{"lesson": l.Lesson, "show": l.Show, "knobs": l.Knobs}
	for _, i := range l.Settings.items() {
		values[i.name] = i.value
	}
	if l.At > 0 {
		values["at"] = l.At.String()
	}
	if l.Embed {
		values["embed"] = "1"
	}
	var parts []string
	for _, name := range parameters {
		if v := values[name]; v != "" {
			parts = append(parts, name+"="+escape(v))
		}
	}
	return "?" + strings.Join(parts, "&")
}

// ErrLongLink is the error of a link that servers and other programs would cut.
var ErrLongLink = fmt.Errorf("it would be longer than %d characters", MaxTapeLink)

// CheckLength returns ErrLongLink if the link is longer than MaxTapeLink.
func (l *Link) CheckLength() error {
	if len(l.String()) > MaxTapeLink {
		return ErrLongLink
	}
	return nil
}

// HasTape reports whether the link has a tape of its own inside, and not the name of a built-in one.
func (l *Link) HasTape() bool { return strings.HasPrefix(l.Settings.Tape, inlinePrefix) }

// Frame returns the line of HTML that shows the session in another page: the panes alone, 640 by 360, without a script. Controls
// are below them.
func (l *Link) Frame(title string) string {
	embedded := *l
	embedded.Embed = true
	height := 360
	if l.Knobs != "" {
		height += KnobsHeight
	}
	escape := func(s string) string { return strings.ReplaceAll(html.EscapeString(s), "&#34;", "&quot;") }
	return fmt.Sprintf(`<iframe src="%s" width="640" height="%d" title="%s" `+
		`loading="lazy" frameborder="0" allow="fullscreen; gamepad; clipboard-write"></iframe>`, escape(embedded.String()), height, escape(title))
}

// Ticks returns the moment of the link in ticks of a session with a rate, to the nearest one; 0: it has none.
func (l *Link) Ticks(rate int) int {
	return int((l.At*time.Duration(rate) + time.Second/2) / time.Second)
}

// SetTicks makes a tick the moment of the link. The time is rounded to milliseconds, from which Ticks finds the tick.
func (l *Link) SetTicks(n, rate int) {
	l.At = (time.Duration(n) * time.Second / time.Duration(rate)).Round(time.Millisecond)
}

// plainBytes need no escaping in the value of a query, and no program that finds links in texts ends one at them.
const plainBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~,:=/@"

// escape returns a value as queries have it.
func escape(value string) string {
	var b strings.Builder
	for i := range len(value) {
		if strings.IndexByte(plainBytes, value[i]) >= 0 {
			b.WriteByte(value[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", value[i])
		}
	}
	return b.String()
}

// unescape returns the value of an escaped one. A percent sign that begins no escape stands for itself, so that
// loss=5% can be typed.
func unescape(text string) string {
	if !strings.ContainsAny(text, "%+") {
		return text
	}
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '+':
			c = ' '
		case c == '%' && i+2 < len(text):
			if n, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				c = byte(n)
				i += 2
			}
		}
		b = append(b, c)
	}
	return string(b)
}
