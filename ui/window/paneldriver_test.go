package window

import (
	"image"
	"slices"
	"testing"

	"ghostcube/internal/inputtest"
	"ghostcube/ui/widget"
)

// lay lays out the panel in a window, with the pointer outside unless in says otherwise, and applies its commands.
func (g *game) lay(t *testing.T, in widget.Input) {
	t.Helper()
	if g.screen.w == 0 {
		g.screen.w, g.screen.h, g.screen.scale = 1280, 720, 1
	}
	g.session.HUD.Refresh(g.session.Lab)
	inputtest.Mouse(in.Pointer, in.Down, in.Pressed, in.Wheel)
	g.panel.build(in)
	g.card.build(in)
	if err := g.applyPanel(); err != nil {
		t.Fatal(err)
	}
}

// openPage lays out a page of the panel.
func (g *game) openPage(t *testing.T, name string) {
	t.Helper()
	g.panel.page = slices.IndexFunc(pages(), func(p page) bool { return p.name == name })
	g.lay(t, widget.Input{})
	g.lay(t, widget.Input{})
}

// bounds returns the place of a control in the last layout, in pixels.
func (g *game) bounds(t *testing.T, name string) image.Rectangle {
	t.Helper()
	for _, c := range g.panel.controls {
		if c.name == name {
			return c.bounds
		}
	}
	t.Fatalf("no control %q in %v", name, g.panel.controls)
	return image.Rectangle{}
}

// click clicks the middle of a control.
func (g *game) click(t *testing.T, name string) {
	t.Helper()
	r := g.bounds(t, name)
	at := r.Min.Add(r.Size().Div(2))
	g.lay(t, widget.Input{Pointer: at, Down: true, Pressed: true})
	g.lay(t, widget.Input{Pointer: at})
	g.lay(t, widget.Input{})
}

// typeText replaces the text of a field.
func (g *game) typeText(t *testing.T, name, text string) {
	t.Helper()
	g.click(t, name)
	g.lay(t, widget.Input{Text: text})
	g.lay(t, widget.Input{Enter: true})
}

// windowSize is a size of the window in pixels, and the pixels per point of its display.
type windowSize struct {
	w, h  int
	scale float64
}

// windowSizes are the windows in which every text fits: three sizes in points at four scales of the display, and
// 1920x1080 pixels at all of them, and the usual window with texts at 150 %.
var windowSizes = func() (list []windowSize) {
	for _, scale := range []float64{1, 1.25, 1.5, 2} {
		for _, points := range [][2]float64{{900, 600}, {1280, 720}, {1920, 1080}} {
			list = append(list, windowSize{int(points[0] * scale), int(points[1] * scale), scale})
		}
		if scale > 1 {
			list = append(list, windowSize{1920, 1080, scale})
		}
	}
	return append(list, windowSize{1280, 720, 1.5})
}()
