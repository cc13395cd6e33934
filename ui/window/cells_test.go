package window

import (
	"image"
	"slices"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/ui/widget"
)

// TestCells promises that every control of every page is one of debugui's, in the rectangle that is drawn: a press on
// each of its corners hits it, and one beside them does not.
func TestCells(t *testing.T) {
	experiment.Skip(t)
	g := newTestGame(t, "rewind", "statesync", "noprediction")
	g.session.Comparisons, _ = g.session.Library.Comparisons()
	g.session.Do(lab.Command{Verb: "set", Pane: 0, Name: "smoothing", Value: "none"})
	sizes := windowSizes
	if !experiment.Long() {
		sizes = []windowSize{windowSizes[0], windowSizes[2], windowSizes[4], windowSizes[6], windowSizes[len(windowSizes)-1]}
	}
	pressed := func(at image.Point) string {
		g.lay(t, widget.Input{Pointer: at})
		g.lay(t, widget.Input{Pointer: at, Down: true, Pressed: true})
		hit := g.panel.ui.Pressed()
		g.lay(t, widget.Input{Pointer: at, Down: true, Escape: true}) // so that it is no click
		g.lay(t, widget.Input{Pointer: at})
		return hit
	}
	for _, size := range sizes {
		g.screen.w, g.screen.h, g.screen.scale = size.w, size.h, size.scale
		for _, p := range pages() {
			g.openPage(t, p.name)
			g.lay(t, widget.Input{})
			list := slices.Clone(g.panel.controls)
			if len(list) < 10 {
				t.Fatalf("%s at %+v: only %d controls", p.name, size, len(list))
			}
			hits := 0
			for _, c := range list {
				// A press may change a value, and so the places: they are looked up before each.
				place := func() image.Rectangle { return g.bounds(t, c.name) }
				last := func() image.Point { return place().Max.Sub(image.Pt(1, 1)) }
				got := pressed(place().Min)
				if got == "" {
					continue // it is disabled
				}
				hits++
				if again := pressed(last()); got != c.name || again != c.name {
					t.Errorf("%s at %+v: presses on %q at %v hit %q and %q", p.name, size, c.name, place(), got, again)
				}
				for i := range 4 {
					at := []image.Point{place().Min.Sub(image.Pt(1, 0)), place().Min.Sub(image.Pt(0, 1)), last().Add(image.Pt(1, 0)), last().Add(image.Pt(0, 1))}[i]
					if pressed(at) == c.name {
						t.Errorf("%s at %+v: a press at %v, beside %q at %v, hits it", p.name, size, at, c.name, place())
					}
				}
			}
			if hits < len(list)/2 {
				t.Errorf("%s at %+v: %d of %d controls react", p.name, size, hits, len(list))
			}
		}
	}
}
