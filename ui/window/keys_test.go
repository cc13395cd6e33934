package window

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/ui/stage"
)

// TestStick holds the buttons of stick positions.
func TestStick(t *testing.T) {
	for _, c := range []struct {
		x, y float64
		want sim.Buttons
	}{
		{0, 0, 0}, {0.3, 0.3, 0}, {0.2, -0.2, 0},
		{1, 0, sim.Right}, {-1, 0, sim.Left}, {0, -1, sim.Forward}, {0, 1, sim.Back},
		{0.7, -0.7, sim.Right | sim.Forward}, {-0.7, 0.7, sim.Left | sim.Back},
		{0.95, -0.3, sim.Right}, {0.3, 0.95, sim.Back},
	} {
		if got := stickButtons(c.x, c.y); got != c.want {
			t.Errorf("the stick at %g, %g presses %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

// TestKeyPage promises that the list in docs/keys.md is the one that F1 shows.
func TestKeyPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/keys.md")
	if err != nil {
		t.Fatal(err)
	}
	list := ""
	for _, row := range keyHelp(false, false) {
		if row[0] != "" {
			list += "- **" + row[0] + "**: " + row[1] + "\n"
		}
	}
	if !bytes.Contains(page, []byte("\n\n"+list+"\n")) {
		t.Errorf("docs/keys.md lacks this list:\n%s", list)
	}
}

// TestBindings promises that no key does two things, that a row's label names its letters, and that a row
// which reacts to keys has some.
func TestBindings(t *testing.T) {
	type chord struct {
		key  ebiten.Key
		ctrl bool
	}
	seen := map[chord]string{}
	use := func(b *binding, k ebiten.Key, named bool) {
		if other, ok := seen[chord{k, b.ctrl}]; ok {
			t.Errorf("%v belongs to %q and to %q", k, other, b.label)
		}
		seen[chord{k, b.ctrl}] = b.label
		if name := k.String(); named && len(name) == 1 && !strings.Contains(b.label, name) {
			t.Errorf("the label %q does not name %s", b.label, name)
		}
	}
	for _, group := range bindings {
		for i := range group {
			b := &group[i]
			for _, k := range b.keys {
				use(b, k, true)
			}
			for _, k := range b.hold {
				use(b, k.key, true)
				use(b, k.second, false)
			}
			if b.label == "" || b.help == "" || (b.press == nil) != (len(b.keys) == 0) {
				t.Errorf("the row %q, %q has %d keys", b.label, b.help, len(b.keys))
			}
		}
	}
}

// TestDisplayKeys promises that the key of every display setting changes it, that Shift goes back, and that a
// whole round of presses restores it.
func TestDisplayKeys(t *testing.T) {
	g := newTestGame(t, "rewind")
	for i := range stage.SettingTable {
		d := &stage.SettingTable[i]
		if d.Key == "" {
			continue
		}
		value := func() string {
			show := g.session.Settings()
			return d.Value(&show)
		}
		first := value()
		for k := range d.Options() {
			before := value()
			g.session.Controls.CycleSetting(d, false)
			after := value()
			g.session.Controls.CycleSetting(d, true)
			if after == before || value() != before {
				t.Errorf("%s: press %d sets %s to %s, and Shift sets %s", d.Name, k, before, after, value())
			}
			g.session.Controls.CycleSetting(d, false)
		}
		if value() != first {
			t.Errorf("%s: %s becomes %s in a whole round", d.Name, first, value())
		}
	}
}

// TestHelpFits promises that the list of keys lies inside usual windows.
func TestHelpFits(t *testing.T) {
	for _, place := range []stage.Rect{{W: 950, H: 720}, {W: 1280, H: 720}, {W: 1590, H: 1080}, {W: 900, H: 600}} {
		var l render.DrawList
		drawHelp(&l, keyHelp(false, false), place)
		for _, it := range l.Items {
			if it.X < 0 || it.Y < 0 || it.X+max(it.W, it.Font.Width(it.Text)) > float32(place.W) || it.Y+it.H > float32(place.H) {
				t.Errorf("%v: %q lies at %v, %v", place, it.Text, it.X, it.Y)
			}
		}
	}
}

// TestDigitKeys promises the keys 1 to 9 above the letters, then those of the number pad.
func TestDigitKeys(t *testing.T) {
	list := digitKeys()
	want := keys{ebiten.KeyDigit1, ebiten.KeyDigit2, ebiten.KeyDigit3, ebiten.KeyDigit4, ebiten.KeyDigit5,
		ebiten.KeyDigit6, ebiten.KeyDigit7, ebiten.KeyDigit8, ebiten.KeyDigit9,
		ebiten.KeyNumpad1, ebiten.KeyNumpad2, ebiten.KeyNumpad3, ebiten.KeyNumpad4, ebiten.KeyNumpad5, ebiten.KeyNumpad6,
		ebiten.KeyNumpad7, ebiten.KeyNumpad8, ebiten.KeyNumpad9}
	if fmt.Sprint(list) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", list, want)
	}
}

// TestListTakesPointer promises that a press while the list of keys is shown closes it and reaches nothing else.
func TestListTakesPointer(t *testing.T) {
	c := controls{helpShown: true}
	if !c.takesPointer(&pointer{}) || !c.helpShown {
		t.Error("the list does not keep the pointer")
	}
	if !c.takesPointer(&pointer{pressed: true}) || c.helpShown {
		t.Error("a press reaches more than the list, or leaves it")
	}
	if c.takesPointer(&pointer{pressed: true}) {
		t.Error("the list takes the pointer when it is closed")
	}
}
