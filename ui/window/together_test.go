package window

import (
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/ui/hud"
	"ghostcube/ui/plan"
	"ghostcube/ui/stage"
	"ghostcube/ui/widget"
)

// TestAllAtOnce shows what a window can have in any combination: panel, card of a lesson and net graph, with a message and
// the list of keys, in windows from 900x600 to 3840x2160 and texts of 100 and 150 %. It promises that no text is cut, leaves
// its place or covers another one, that panes, timeline, card and panel cover nothing of each other, that each pane keeps its
// picture, and that a message covers neither a picture nor a key of the footer. Only in four panes above a card, which no
// lesson has, pictures may be smaller.
func TestAllAtOnce(t *testing.T) {
	experiment.Skip(t)
	for _, panes := range []int{2, 4} {
		g := newTestGame(t, "rewind")
		now := time.Unix(0, 0)
		g.session.Notices.Clock = func() time.Time { return now }
		list := lessonsOf(t, g)
		longest := slices.MaxFunc(list, func(a, b plan.Lesson) int { return len(a.Look) + len(a.Do) - len(b.Look) - len(b.Do) })
		p, err := g.session.Library.NewLesson(&longest)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.start(p); err != nil {
			t.Fatal(err)
		}
		for len(g.session.Lab.Panes) < panes {
			g.session.Do(lab.Command{Verb: "open", Pane: lab.AllPanes, Name: "noprediction"})
		}
		g.runTicks(t, 100)
		run := g.session.Lesson.Run
		for _, size := range []windowSize{{900, 600, 1}, {1280, 720, 1}, {1920, 1080, 1}, {3840, 2160, 1}, {3840, 2160, 2}} {
			for bits := range 16 {
				has := func(i int) bool { return bits>>i&1 == 1 }
				g.screen.zoomSteps = 0
				if has(0) {
					g.screen.zoomSteps = 2
				}
				g.screen.resize(size.w, size.h, size.scale)
				if !g.screen.compact { // a sheet lies over the panes
					g.screen.panelCollapsed = has(1)
				} else if has(1) {
					continue
				}
				g.session.Lesson.Run = nil
				if has(2) {
					g.session.Lesson.Run = run
				}
				g.session.Do(stage.Show("net-graph", []string{"off", "on"}[bits>>3&1]))
				now = now.Add(time.Hour)
				g.session.Notices.Post("all packets dropped for 0.25 s")
				g.lay(t, widget.Input{})
				what := fmt.Sprintf("%d panes, %+v, texts at %v, closed panel %t, card %t, net graph %t",
					panes, size, g.screen.textZoom(), has(1), has(2), has(3))
				g.checkAllAtOnce(t, what)
				var help render.DrawList
				drawHelp(&help, keyHelp(false, false), g.screen.helpRect())
				checkTexts(t, what+", keys", &help, g.screen.helpRect())
			}
		}
	}
}

// checkAllAtOnce checks the present window of TestAllAtOnce.
func (g *game) checkAllAtOnce(t *testing.T, what string) {
	t.Helper()
	s, picture, card := &g.screen, g.pictureRect(), g.card.bounds()
	var f hud.Frame
	g.session.HUD.Refresh(g.session.Lab)
	g.session.HUD.Compose(&f, g.session.Lab, picture, g.stageOptions(g.session.Title, s.alert()), 1)
	for i := range f.Viewports {
		if v := &f.Viewports[i]; v.H < s.h/12 && (card.Empty() || len(f.Viewports) < 4) || v.W < s.w/12 {
			t.Errorf("%s: picture %d has %dx%d pixels", what, i, v.W, v.H)
		}
	}
	var below render.DrawList
	g.bar.draw(&below, picture)
	checkTexts(t, what+", picture", &f.Overlay, picture)
	checkTexts(t, what+", timeline", &below, stage.Rect{Y: picture.Y + picture.H, W: picture.W, H: g.bar.height()})
	if end := picture.Y + picture.H + g.bar.height() + card.Dy(); end != s.h || !s.compact && picture.W != s.panelBounds().Min.X {
		t.Errorf("%s: picture %v, timeline %d, card %v, panel %v", what, picture, g.bar.height(), card, s.panelBounds())
	}
	for _, u := range []*widget.UI{&g.card.texts, &g.card.figures, &g.panel.ui} {
		if cut := u.Cut(); len(cut) > 0 {
			t.Errorf("%s: cut %q", what, cut)
		}
	}
	for part, u := range []*widget.UI{&g.card.texts, &g.card.figures} {
		for _, it := range slices.Concat(u.Frame.Items, u.Body.Items) {
			if !card.Empty() {
				checkCardItem(t, g.session.Lesson.Run.Lesson, windowSize{s.w, s.h, s.scale}, part, &it, card)
			}
		}
	}
	if card.Empty() || len(f.Viewports) < 4 {
		g.checkNotices(t, what, &f)
	}
}

// checkNotices checks that the messages cover no key of the footer.
func (g *game) checkNotices(t *testing.T, what string, f *hud.Frame) {
	t.Helper()
	var l render.DrawList
	drawNotices(&l, g.screen.notices(), g.screen.noticesRect(g.pictureRect()), g.screen.uiScale())
	for _, it := range l.Items {
		if it.Kind != render.RectKind {
			continue
		}
		box := image.Rect(int(it.X), int(it.Y), int(it.X+it.W), int(it.Y+it.H))
		for _, o := range f.Overlay.Items {
			if o.Kind == render.TextKind && strings.Contains(" W A S D space Z Q , ", " "+o.Text+" ") &&
				image.Rect(int(o.X), int(o.Y)-o.Font.Size, int(o.X+o.Font.Width(o.Text)), int(o.Y)).Overlaps(box) {
				t.Errorf("%s: a message at %v covers the key %s", what, box, o.Text)
			}
		}
	}
}
