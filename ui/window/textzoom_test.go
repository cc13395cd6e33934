package window

import (
	"fmt"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/render"
)

// TestTextZoom promises that Ctrl + and Ctrl - change the size of all texts and controls in steps and Ctrl 0 brings back the
// usual one, and that in every size no text of panel or picture is cut by its rectangle or covers another one.
func TestTextZoom(t *testing.T) {
	experiment.Skip(t)
	g := newTestGame(t, "rewind", "snapshot", "noprediction", "statesync")
	comparisons, err := g.session.Library.Comparisons()
	if err != nil {
		t.Fatal(err)
	}
	g.session.Comparisons = comparisons
	g.session.Do(lab.Command{Verb: "show", Pane: lab.AllPanes, Name: "headline", Value: "path_error_rms_m"})
	g.runTicks(t, 100)
	largest := func() (size int) {
		f, _ := g.frameOf(windowSize{1280, 720, 1})
		for _, it := range f.Overlay.Items {
			if it.Kind == render.TextKind {
				size = max(size, it.Font.Size)
			}
		}
		return size
	}
	const larger, smaller, usual = 0, 2, 4 // indices of keys
	usualSize := largest()
	for _, c := range []struct {
		key  int
		want float32
	}{{larger, 1.25}, {larger, 1.5}, {larger, 2}, {larger, 2}, {usual, 1}, {smaller, 0.9}, {smaller, 0.9}, {larger, 1}, {larger + 1, 1.25}, {larger, 1.5}} {
		g.zoomKey(c.key, false)
		// The picture is narrower beside a wider panel.
		if got, size := g.screen.textZoom(), float32(largest())/float32(usualSize); got != c.want || size < 0.9*c.want || size > 1.1*c.want {
			t.Fatalf("the size is %v, of a text %v, want %v", got, size, c.want)
		}
	}
	for steps := -usualZoom; steps <= 2; steps++ {
		g.screen.zoomSteps = steps
		for _, size := range []windowSize{{900, 600, 1}, {1280, 720, 1}, {1920, 1080, 1}, {3840, 2160, 2}} {
			what := fmt.Sprintf("%+v, texts at %v", size, g.screen.textZoom())
			f, picture := g.frameOf(size)
			checkTexts(t, what, &f.Overlay, picture)
			g.screen.panelCollapsed = false
			for _, p := range pages() {
				g.openPage(t, p.name)
				if cut := g.panel.ui.Cut(); len(cut) > 0 {
					t.Errorf("%s, page %s: cut %q", what, p.name, cut)
				}
				if b := g.screen.panelBounds(); b.Dx() > size.w/2 && !g.screen.compact {
					t.Errorf("%s: the panel takes %v", what, b)
				}
			}
		}
	}
	g.screen.zoomSteps, g.session.Platform.InPage = 0, true
	if g.zoomKey(larger, false); g.screen.zoomSteps != 0 {
		t.Error("a page zooms texts itself, beside its browser")
	}
}
