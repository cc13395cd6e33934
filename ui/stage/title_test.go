package stage

import (
	"strings"
	"testing"

	"ghostcube/predict/lab"
)

// TestTitles checks that a title comes back whole from a line of a tape and from --show, and what is refused.
func TestTitles(t *testing.T) {
	for _, title := range []string{"", "Two cubes", "-", "--", "a=b,c:d+e%20", "ä → b", strings.Repeat("x", maxTitle)} {
		command, err := lab.ParseCommand(ShowTitle(title).String())
		if err != nil {
			t.Fatal(err)
		}
		var fromTape, fromShow Settings
		fromTape.Apply(command)
		list, err := ParseShow("title=" + Title(title).String())
		if err != nil {
			t.Fatal(err)
		}
		fromShow.Apply(list[0])
		if string(fromTape.Title) != title || string(fromShow.Title) != title {
			t.Errorf("%q becomes %q and %q", title, fromTape.Title, fromShow.Title)
		}
	}
	for _, bad := range []string{"%", "%zz", "%0A", "%FF", strings.Repeat("x", maxTitle+1)} {
		if err := CheckCommand(Show("title", bad)); err == nil || !strings.Contains(err.Error(), titleAllowed) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
