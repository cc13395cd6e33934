package window

import (
	"image"
	"slices"
	"testing"

	"ghostcube/internal/inputtest"
	"ghostcube/predict/lab"
)

// touchUpdate makes an update of the panel with fingers at some places, read from the screen as the window does.
func (g *game) touchUpdate(t *testing.T, fingers ...image.Point) {
	t.Helper()
	inputtest.Touch(fingers...)
	g.session.HUD.Refresh(g.session.Lab)
	g.readPointer()
	g.updatePanel()
	if err := g.applyPanel(); err != nil {
		t.Fatal(err)
	}
}

// tapControl taps the middle of a control.
func (g *game) tapControl(t *testing.T, name string) {
	t.Helper()
	r := g.bounds(t, name)
	at := r.Min.Add(r.Size().Div(2))
	for range 3 {
		g.touchUpdate(t, at)
	}
	for range 3 {
		g.touchUpdate(t)
	}
}

// TestPanelByTouch promises that fingers use the panel: a tap presses a button, toggles a switch, sets a slider and chooses
// from a list; a drag along a slider moves it; and a drag that scrolls changes nothing on its way, wherever it begins.
func TestPanelByTouch(t *testing.T) {
	g := newTestGame(t, "rewind", "statesync")
	g.screen.w, g.screen.h, g.screen.scale = 1280, 720, 1
	g.touchUpdate(t, image.Pt(300, 300)) // a finger makes the rows higher
	g.openPage(t, "Network")
	for range 4 {
		g.touchUpdate(t)
	}
	latency := func() float64 { return float64(g.session.Lab.Network().Up.Latency.Milliseconds()) }
	g.tapControl(t, "latency")
	if got := latency(); got < 200 || got > 300 { // the slider goes to 500
		t.Errorf("a tap in the middle of the slider sets %g ms", got)
	}
	r := g.bounds(t, "latency")
	at := image.Pt(r.Min.X+r.Dx()/10, (r.Min.Y+r.Max.Y)/2)
	for range 30 {
		g.touchUpdate(t, at)
		at.X += 3
	}
	dragged := latency()
	g.touchUpdate(t)
	g.touchUpdate(t)
	if dragged < 300 || latency() != dragged {
		t.Errorf("a drag sets %g ms, %g after its end", dragged, latency())
	}

	g.tapControl(t, "profile")
	if !g.panel.ui.Open() {
		t.Fatal("a tap opens no list")
	}
	option := slices.IndexFunc(g.panel.controls, func(c control) bool { return c.name == "profile wifi-good" })
	if option < 0 {
		t.Fatalf("the list has no wifi-good: %v", g.panel.controls)
	}
	g.tapControl(t, "profile wifi-good")
	if g.panel.ui.Open() || latency() == dragged {
		t.Errorf("a tap on an option: open %v, %g ms", g.panel.ui.Open(), latency())
	}

	g.tapControl(t, "tab Strategy")
	for range 3 {
		g.touchUpdate(t)
	}
	specs := func() (list []string) {
		for _, p := range g.session.Lab.Panes {
			list = append(list, p.Spec())
		}
		return list
	}
	before := specs()
	for _, name := range []string{"smoothing", "smooth-slerp", "smooth-factor number", "smooth-factor-small", "add pane"} {
		if !slices.ContainsFunc(g.panel.controls, func(c control) bool { return c.name == name }) {
			t.Fatalf("no control %s is in sight", name)
		}
		r := g.bounds(t, name)
		at, first := r.Min.Add(r.Size().Div(2)), r.Min.Y
		for i := range 20 {
			g.touchUpdate(t, at.Sub(image.Pt(0, 6*i)))
		}
		moved := 0
		for _, c := range g.panel.controls {
			if c.name == name {
				moved = first - c.bounds.Min.Y
			}
		}
		for range 3 {
			g.touchUpdate(t)
		}
		if moved == 0 && slices.ContainsFunc(g.panel.controls, func(c control) bool { return c.name == name }) {
			t.Errorf("a vertical drag from %q does not scroll", name)
		}
		if after := specs(); !slices.Equal(after, before) || g.panel.ui.Open() || g.panel.ui.Focused() != "" {
			t.Fatalf("a drag that scrolls from %q leads from %q to %q; open %v", name, before, after, g.panel.ui.Open())
		}
		for i := range 20 {
			g.touchUpdate(t, at.Add(image.Pt(0, 6*i-60)))
		}
		g.touchUpdate(t)
	}
	g.session.Do(lab.Command{Verb: "set", Pane: 0, Name: "resync", Value: "on"})
	for range 3 {
		g.touchUpdate(t)
	}
	g.tapControl(t, "add pane")
	if len(g.session.Lab.Panes) != 3 {
		t.Errorf("a tap adds no pane: %d", len(g.session.Lab.Panes))
	}
}
