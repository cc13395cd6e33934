package window

import (
	"image"
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/ui/widget"
)

// TestKnobControls promises that a knob is set by keyboard, that its reset and the reset of all restore defaults, and
// that a knob without effect does not react.
func TestKnobControls(t *testing.T) {
	g := newTestGame(t, "noprediction", "rewind")
	g.session.Do(lab.Command{Verb: "focus", Pane: 1})
	g.screen.w, g.screen.h, g.screen.scale = 1280, 3000, 1
	g.openPage(t, "Strategy")
	value := func(name string) string { return g.session.Lab.Panes[1].Knobs.Lookup(name).Value() }
	g.typeText(t, "lead number", "9")
	g.typeText(t, "snap-distance number", "1.25")
	if value("lead") != "9" || value("snap-distance") != "1.25" {
		t.Fatalf("lead %s, snap-distance %s; notices %v", value("lead"), value("snap-distance"), g.session.Notices.Texts())
	}
	g.lay(t, widget.Input{})
	g.click(t, "reset lead")
	if value("lead") != "5" || value("snap-distance") != "1.25" {
		t.Errorf("after the reset of lead: lead %s, snap-distance %s", value("lead"), value("snap-distance"))
	}
	g.click(t, "reset all knobs")
	if changed := g.session.Lab.Panes[1].Knobs.Changed(); len(changed) > 0 {
		t.Errorf("after the reset of all: %v", changed)
	}
	r := g.bounds(t, "smooth-factor") // needs smoothing=single
	g.lay(t, widget.Input{Pointer: r.Max.Sub(image.Pt(3, 3)), Down: true, Pressed: true})
	g.lay(t, widget.Input{})
	if value("smooth-factor") != "0.9" {
		t.Errorf("a knob without effect was set to %s", value("smooth-factor"))
	}
	g.panel.strategy.filter = "smooth-turn"
	g.lay(t, widget.Input{})
	for _, c := range g.panel.controls {
		if c.name == "lead" {
			t.Error("a search for smooth-turn shows lead")
		}
	}
	g.bounds(t, "smooth-turn-small")
}
