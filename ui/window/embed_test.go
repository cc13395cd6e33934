package window

import (
	"image"
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
	g.Embed = true
	g.embed.halted = true
	if err := g.startPlan(g.plan); err != nil {
		t.Fatal(err)
	}
	g.frameOf(windowSize{640, 360, 1})
	return g
}

// updateFrame makes an Update with the pointer at a place, pressed or not.
func (g *game) updateFrame(t *testing.T, at image.Point, pressed bool) {
	t.Helper()
	g.pointer = pointer{at: at, down: pressed, pressed: pressed}
	g.updateEmbed()
	if err := g.applyPanel(); err != nil {
		t.Fatal(err)
	}
	g.stage.Refresh(g.lab)
	g.runTicks(t, g.dueTicks())
	if g.embed.ended {
		g.paused = true
	}
}

// press presses a button of the embedded layout.
func (g *game) press(t *testing.T, name string) {
	t.Helper()
	g.layEmbed()
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
	g := newEmbedded(t, plan.Settings{Panes: "rewind", Tape: writeTape(t, "60 W\nend 60\n")})
	wait := func(n int) {
		for range n {
			g.updateFrame(t, nowhere, false)
		}
	}
	wait(10)
	if g.lab.Ticks() != 0 {
		t.Fatalf("%d ticks before it is played", g.lab.Ticks())
	}
	g.press(t, "large play")
	wait(20)
	if n := g.lab.Ticks(); n != 21 || g.lastInput.Buttons == 0 {
		t.Errorf("played for 21 updates: %d ticks, input %v", n, g.lastInput.Buttons)
	}
	g.press(t, "play")
	wait(5)
	if n := g.lab.Ticks(); n != 21 || !g.paused {
		t.Errorf("paused: %d ticks", n)
	}
	g.press(t, "reset")
	wait(5)
	if n := g.lab.Ticks(); n != 0 || !g.paused {
		t.Errorf("reset while paused: %d ticks, paused %v", n, g.paused)
	}
	g.press(t, "play")
	wait(10)
	g.press(t, "reset")
	wait(3)
	if n := g.lab.Ticks(); n != 4 || g.paused {
		t.Errorf("reset while playing: %d ticks, paused %v", n, g.paused)
	}
	wait(100)
	if n := g.lab.Ticks(); n != 60 || !g.paused || !g.embed.ended {
		t.Errorf("after the tape: %d ticks, paused %v", n, g.paused)
	}
	g.press(t, "large play")
	wait(5)
	if n := g.lab.Ticks(); n == 0 || n > 7 || g.paused {
		t.Errorf("played again: %d ticks, paused %v", n, g.paused)
	}
	if g.sessionTape != nil {
		t.Error("an embedded session writes a tape")
	}
	g.takeOver()
	wait(100)
	if g.paused {
		t.Error("a session that keys have taken over ends with its tape")
	}
}

// TestEmbedShows promises that the embedded layout of every comparison has the whole title, the first changed knob of all
// panes, the legend and the buttons in a frame of 640 by 360, that no text leaves it or covers another, that the pictures keep
// most of its height, or with gauges and lanes three tenths, and that it has neither panel nor timeline nor keys.
func TestEmbedShows(t *testing.T) {
	library := playSettings(t, plan.Settings{}).Library
	list, err := library.Comparisons()
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range list {
		if experiment.Brief() && i%6 != 0 {
			continue
		}
		g := newEmbedded(t, plan.Settings{Compare: c.Name})
		for _, ticks := range []int{0, 30} {
			g.runTicks(t, ticks)
			for _, size := range []windowSize{{640, 360, 1}, {1280, 720, 2}} {
				f, picture := g.frameOf(size)
				if picture != (stage.Rect{W: size.w, H: size.h}) || g.barHeight() != 0 || !g.panelBounds().Empty() {
					t.Fatalf("%s: the panes have %v", c.Name, picture)
				}
				var l render.DrawList
				l.Append(&f.Overlay)
				g.drawEmbed(&l)
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
				for i, p := range g.lab.Panes {
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

// TestLinkOfEmbedded promises that the link of an embedded session, from which the lab is opened, has the display settings
// of the session and not those of the layout, which would hide graphs and explanations in the lab.
func TestLinkOfEmbedded(t *testing.T) {
	g := newEmbedded(t, plan.Settings{Compare: "csp-smoothing"})
	for name, link := range map[string]func() (*plan.Link, error){"settings": g.settingsLink, "tape": g.tapeLink} {
		if name == "tape" {
			g.paused = false
			g.runTicks(t, 3)
		}
		x, err := link()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(x.Show, "graphs") || strings.Contains(x.Show, "explain") || !x.Embed {
			t.Errorf("the link with %s is %s", name, x.Query())
		}
	}
}
