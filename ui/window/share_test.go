package window

import (
	"strings"
	"testing"
	"testing/fstest"

	"ghostcube/internal/experiment"
)

// TestShareButtons promises that each button of the part Share copies what it says, and that the buttons of saved sessions save and
// load.
func TestShareButtons(t *testing.T) {
	experiment.Skip(t)
	g := newTestGame(t, "rewind")
	g.runTicks(t, 30)
	var copied string
	g.session.Platform.CopyText = func(s string) error {
		copied = s
		return nil
	}
	g.openPage(t, "Session")
	for button, want := range map[string]string{"copy link with tape": "?tape=deflate:", "copy link": "?",
		"copy frame": "<iframe ", "copy command": "ghostcube --"} {
		if g.click(t, button); !strings.HasPrefix(copied, want) {
			t.Errorf("%s copies %s, want %s", button, copied, want)
		}
	}
	g.typeText(t, "session name", "class-3")
	g.click(t, "save session")
	g.click(t, "load session")
	g.click(t, "load session class-3")
	if g.session.Lab.Ticks() != 0 {
		t.Errorf("the saved session is not loaded; notices %v", g.session.Notices.Texts())
	}
	if checkSessionName("../up") == nil || checkSessionName("a b") == nil || checkSessionName("Good-1") != nil {
		t.Error("names of saved sessions")
	}
}

// TestReadDropped promises that a dropped file of a known kind is read, and that any other one is refused with what can be
// dropped.
func TestReadDropped(t *testing.T) {
	for name, want := range map[string]string{
		"hand.tape":     "",
		"room.TOML":     "",
		"big.toml":      "big.toml: it has more than 64 kB",
		"photo.jpg":     "photo.jpg: want a tape (.tape), a settings file (.toml) or a trace (.csv)",
		"folder.tape/x": "folder.tape: want a tape",
	} {
		text := "x"
		if name == "big.toml" {
			text = strings.Repeat("#", 64<<10+1)
		}
		f := readDropped(fstest.MapFS{name: {Data: []byte(text)}})
		if want == "" && (f.err != nil || f.name != name || string(f.text) != text) || want != "" && (f.err == nil || !strings.Contains(f.err.Error(), want)) {
			t.Errorf("%s: %v, want %s", name, f.err, want)
		}
	}
}
