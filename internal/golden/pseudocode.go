package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// maxPseudoLines is the largest number of lines of a guide's pseudo-code.
const maxPseudoLines = 25

// The marks around the pseudo-code of a guide.
const (
	pseudoBegin = "\n## In pseudo-code\n\n```\n"
	pseudoEnd   = "```\n"
)

var (
	pseudoLine = regexp.MustCompile(`^(\t*)(\S.*?)\s*// (.+)$`)
	closing    = regexp.MustCompile(`^\t*\}?$`)
)

// PseudoCode checks that the pseudo-code of a guide, docs/guides/GUIDE.md, is that of a Go file in the folder of the test:
// the comments behind the lines of all functions whose first line has one, each indented as its line. Every line of
// such a function has one, but blank lines and closing braces. With -update it writes the guide.
func PseudoCode(t testing.TB, guide, file string) {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := pseudoCode(string(source))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	folder := "docs/guides"
	for range 8 {
		if _, err := os.Stat(folder); err == nil {
			break
		}
		folder = filepath.Join("..", folder)
	}
	page := filepath.Join(folder, guide+".md")
	old, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(old), pseudoBegin)
	written, after, ended := strings.Cut(rest, pseudoEnd)
	switch {
	case !ok || !ended:
		t.Fatalf("%s has no pseudo-code", page)
	case written == text:
	case Updating():
		if err := os.WriteFile(page, []byte(before+pseudoBegin+text+pseudoEnd+after), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the pseudo-code of %s is not that of %s: go test -run TestGuide -update writes it", page, file)
	}
}

// pseudoCode returns the pseudo-code of a Go file.
func pseudoCode(source string) (string, error) {
	var b strings.Builder
	lines, inside := 0, false
	for n, line := range strings.Split(source, "\n") {
		m := pseudoLine.FindStringSubmatch(line)
		if inside = inside || m != nil && strings.HasPrefix(line, "func "); !inside {
			continue
		}
		switch {
		case m != nil:
			fmt.Fprintf(&b, "%s%s\n", strings.Repeat("  ", len(m[1])), m[3])
			lines++
		case !closing.MatchString(line):
			return "", fmt.Errorf("line %d has no pseudo-code", n+1)
		}
		inside = line != "}"
	}
	if lines == 0 || lines > maxPseudoLines {
		return "", fmt.Errorf("%d lines of pseudo-code, want 1 to %d", lines, maxPseudoLines)
	}
	return b.String(), nil
}
