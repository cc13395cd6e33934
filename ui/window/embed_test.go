package window

import (
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/render"
	"ghostcube/ui/plan"
	"ghostcube/ui/stage"
)

// newEmbedded returns the embedded game of a session, in a frame of 640 by 360 pixels.
func newEmbedded(t *testing.T, s plan.Settings) *game {
	t.Helper()
	g := playSettings(t, s)
	g.session.Embed = true
	g.session.Paused = true
	g.session.Reset()
	if err := g.applyPanel(); err != nil {
		t.Fatal(err)
	}
	g.frameOf(windowSize{640, 360, 1})
	return g
}

// updateFrame makes an Update with the pointer at a place, pressed or not.
func (g *game) updateFrame(t *testing.T, at image.Point, pressed bool) {
	t.Helper()
	g.pointer = pointer{at: at, down: pressed, pressed: pressed}
	g.embed.update(&g.pointer)
	if err := g.applyPanel(); err != nil {
		t.Fatal(err)
	}
	g.session.HUD.Refresh(g.session.Lab)
	g.runTicks(t, g.session.DueTicks())
	if g.session.Ended {
		g.session.Paused = true
	}
}

// press presses a button of the embedded layout.
func (g *game) press(t *testing.T, name string) {
	t.Helper()
	g.embed.lay()
	for _, b := range g.embed.buttons {
		if b.name == name {
			g.updateFrame(t, b.bounds.Min.Add(b.bounds.Size().Div(2)), true)
			return
		}
	}
	t.Fatalf("no button %q in %v", name, g.embed.buttons)
}

// TestEmbedPlays promises that an embedded session shows its first picture and makes no tick before it is played, by
// its large button or the small one, that it pauses, that reset shows the first picture, paused or playing as before,
// and that it ends with its tape and plays again from the beginning.
func TestEmbedPlays(t *testing.T) {
	name := filepath.Join(t.TempDir(), "hand.tape")
	if err := os.WriteFile(name, []byte("ghostcube tape 2\nscene zen\nnetwork perfect\n---\n60 W\nend 60\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	g := newEmbedded(t, plan.Settings{Panes: "rewind", Tape: name})
	wait := func(n int) {
		for range n {
			g.updateFrame(t, nowhere, false)
		}
	}
	wait(10)
	if g.session.Lab.Ticks() != 0 {
		t.Fatalf("%d ticks before it is played", g.session.Lab.Ticks())
	}
	g.press(t, "large play")
	wait(20)
	if n := g.session.Lab.Ticks(); n != 21 || g.session.LastInput.Buttons == 0 {
		t.Errorf("played for 21 updates: %d ticks, input %v", n, g.session.LastInput.Buttons)
	}
	g.press(t, "play")
	wait(5)
	if n := g.session.Lab.Ticks(); n != 21 || !g.session.Paused {
		t.Errorf("paused: %d ticks", n)
	}
	g.press(t, "reset")
	wait(5)
	if n := g.session.Lab.Ticks(); n != 0 || !g.session.Paused {
		t.Errorf("reset while paused: %d ticks, paused %v", n, g.session.Paused)
	}
	g.press(t, "play")
	wait(10)
	g.press(t, "reset")
	wait(3)
	if n := g.session.Lab.Ticks(); n != 4 || g.session.Paused {
		t.Errorf("reset while playing: %d ticks, paused %v", n, g.session.Paused)
	}
	wait(100)
	if n := g.session.Lab.Ticks(); n != 60 || !g.session.Paused || !g.session.Ended {
		t.Errorf("after the tape: %d ticks, paused %v", n, g.session.Paused)
	}
	g.press(t, "large play")
	wait(5)
	if n := g.session.Lab.Ticks(); n == 0 || n > 7 || g.session.Paused {
		t.Errorf("played again: %d ticks, paused %v", n, g.session.Paused)
	}
	if tapes, _ := filepath.Glob(filepath.Join(g.session.OutDir, "*")); len(tapes) > 0 {
		t.Errorf("an embedded session writes %v", tapes)
	}
	g.session.TakeOver()
	wait(100)
	if g.session.Paused {
		t.Error("a session that keys have taken over ends with its tape")
	}
}

// TestEmbedShows promises that the embedded layout of every comparison has the whole title, the first changed knob of all
// panes, the legend and the buttons in a frame of 640 by 360, that no text leaves it or covers another, that the pictures keep
// most of its height, or with gauges and lanes three tenths, and that it has neither panel nor timeline nor keys.
func TestEmbedShows(t *testing.T) {
	experiment.Skip(t)
	library := playSettings(t, plan.Settings{}).session.Library
	list, err := library.Comparisons()
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range list {
		if i%experiment.Pick(12, 2, 1) != 0 {
			continue
		}
		g := newEmbedded(t, plan.Settings{Compare: c.Name})
		for _, ticks := range []int{0, 30} {
			g.runTicks(t, ticks)
			for _, size := range []windowSize{{640, 360, 1}, {1280, 720, 2}} {
				f, picture := g.frameOf(size)
				if picture != (stage.Rect{W: size.w, H: size.h}) || g.bar.height() != 0 || !g.screen.panelBounds().Empty() {
					t.Fatalf("%s: the panes have %v", c.Name, picture)
				}
				var l render.DrawList
				l.Append(&f.Overlay)
				g.embed.draw(&l, g.pointer.at)
				checkTexts(t, c.Name, &l, picture)
				all := "\n"
				for _, it := range l.Items {
					all += it.Text + "\n"
				}
				for _, want := range []string{c.Title, "\nplay\n", "\nreset\n", "\nclient\n"} {
					if !strings.Contains(all, want) {
						t.Errorf("%s at %+v: no %q in %q", c.Name, size, want, all)
					}
				}
				for i, p := range g.session.Lab.Panes {
					knobs := string(p.Knobs.AppendChanged(nil, " "))
					if first, _, _ := strings.Cut(knobs, " "); !strings.Contains(all, first) {
						t.Errorf("%s at %+v: pane %d has no %q in %q", c.Name, size, i+1, first, all)
					}
				}
				if strings.Contains(all, "\nW\n") {
					t.Errorf("%s: keys in %q", c.Name, all)
				}
				upper, lower := edgesOf(f.Viewports, picture)
				if lower-upper < size.h*3/10 {
					t.Errorf("%s at %+v: the pictures have %d pixels", c.Name, size, lower-upper)
				}
			}
		}
	}
}
