package window

import (
	"image"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/ui/plan"
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

// TestSearchFindsPresetsAndTerms types words of the field into the panel's search: every preset and every term is found
// by its name, and a click on what is found gives the pane that strategy or preset, or searches for its knob.
func TestSearchFindsPresetsAndTerms(t *testing.T) {
	experiment.Skip(t)
	g := newTestGame(t, "rewind")
	g.screen.w, g.screen.h, g.screen.scale = 1280, 6000, 1
	g.openPage(t, "Strategy")
	library := g.session.Library
	presets, err := library.Presets()
	if err != nil || len(presets) == 0 {
		t.Fatal(err)
	}
	terms, err := library.Terms()
	if err != nil || len(terms) == 0 {
		t.Fatal(err)
	}
	for i := range presets {
		g.typeText(t, "search knobs", presets[i].Name)
		g.lay(t, widget.Input{})
		g.bounds(t, "found "+presets[i].Name)
	}
	for i := range terms {
		g.typeText(t, "search knobs", terms[i].Name)
		g.lay(t, widget.Input{})
		g.bounds(t, "term "+terms[i].Name)
	}
	for _, x := range []struct{ typed, click, pane, filter string }{
		{"ggpo", "term GGPO", "rollback", "ggpo"},
		{"cl_interp", "term interpolation delay", "snapshot", "interpolation-delay"},
		{"command slack", "term command slack", "rewind", "lead"},
		{"rocket", "found rocket-league", "rocket-league", "rocket"},
		{"overwatch", "found shooter", "shooter", "overwatch"},
	} {
		g.typeText(t, "search knobs", x.typed)
		g.lay(t, widget.Input{})
		g.click(t, x.click)
		p := g.session.Lab.Panes[0]
		want := x.pane
		if preset := library.PresetOf(p); preset != nil {
			opened, err := library.New(plan.Settings{Panes: preset.Name}, plan.Settings{}, "")
			if err != nil {
				t.Fatal(err)
			}
			l, err := opened.NewLab()
			if err != nil {
				t.Fatal(err)
			}
			want = l.Panes[0].Spec()
			if x.pane != preset.Name {
				t.Errorf("%s: the pane is the preset %s", x.click, preset.Name)
			}
		}
		if p.Spec() != want || g.panel.strategy.filter != x.filter {
			t.Errorf("%s: pane %s, search %q, want %s and %q; notices %v", x.click, p.Spec(), g.panel.strategy.filter, want, x.filter,
				g.session.Notices.Texts())
		}
	}
}

// TestPresetInPanel promises that the list of a pane's strategies has the presets, that the pane keeps the preset's name
// when a knob is turned, and that a reset sets the preset's values.
func TestPresetInPanel(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.screen.w, g.screen.h, g.screen.scale = 1280, 3000, 1
	g.openPage(t, "Strategy")
	spec := func() string { return g.session.Lab.Panes[0].Spec() }
	g.click(t, "strategy 1")
	g.click(t, "strategy 1 fighting")
	if spec() != "fighting=rollback:input-delay=3" {
		t.Fatalf("the pane is %s; notices %v", spec(), g.session.Notices.Texts())
	}
	g.openPage(t, "Strategy")
	g.typeText(t, "input-delay number", "5")
	g.typeText(t, "lead number", "4")
	if spec() != "fighting=rollback:input-delay=5:lead=4" {
		t.Errorf("turned, the pane is %s", spec())
	}
	g.lay(t, widget.Input{})
	g.click(t, "reset input-delay")
	if spec() != "fighting=rollback:input-delay=3:lead=4" {
		t.Errorf("with input-delay reset, the pane is %s", spec())
	}
	g.click(t, "strategy 1")
	g.click(t, "strategy 1 rollback")
	if spec() != "rollback" {
		t.Errorf("the strategy without the preset is %s", spec())
	}
	g.click(t, "strategy 1")
	g.click(t, "strategy 1 fighting")
	g.lay(t, widget.Input{})
	if spec() != "fighting=rollback:input-delay=3:lead=4" {
		t.Errorf("back at the preset, the pane is %s", spec())
	}
	g.click(t, "reset all knobs")
	if spec() != "fighting=rollback:input-delay=3" {
		t.Errorf("after the reset of all, the pane is %s", spec())
	}
}
