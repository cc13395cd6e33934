package window

import (
	"strings"
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/ui/hud"
)

// TestNoticesFit promises that messages of any length, four at once, are shown in full and inside the picture, in all
// windowSizes with the panel open.
func TestNoticesFit(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.session.Do(lab.Command{Verb: "show", Pane: lab.AllPanes, Name: "headline", Value: "nonsense"})
	g.session.Do(lab.Command{Verb: "network", Pane: lab.AllPanes, Value: "latency=nonsense"})
	g.session.Do(lab.Command{Verb: "scene", Pane: lab.AllPanes, Name: "nonsense"})
	g.session.Notices.Post("screenshot: " + strings.Repeat("/a-folder-with-a-long-name", 6) + "/screenshot-20260102-030405.png")
	if len(g.session.Notices.Texts()) != 4 {
		t.Fatalf("notices %v", g.session.Notices.Texts())
	}
	for _, size := range windowSizes {
		g.screen.w, g.screen.h, g.screen.scale = size.w, size.h, size.scale
		picture := g.pictureRect()
		var l render.DrawList
		drawNotices(&l, g.session.Notices.Texts(), picture, 0, g.screen.uiScale())
		shown := ""
		for _, it := range l.Items {
			w, top, bottom := it.W, it.Y, it.Y+it.H
			if it.Kind == render.TextKind {
				shown += it.Text
				w, top, bottom = it.Font.Width(it.Text), it.Y-it.Font.Ascent(), it.Y
			}
			if it.X < float32(picture.X) || it.X+w > float32(picture.X+picture.W) || top < float32(picture.Y) || bottom > float32(picture.Y+picture.H) {
				t.Errorf("%+v: %q lies at %v, %v", size, it.Text, it.X, it.Y)
			}
		}
		for _, n := range g.session.Notices.Texts() {
			if without := func(s string) string { return strings.ReplaceAll(s, " ", "") }; !strings.Contains(without(shown), without(n)) {
				t.Errorf("%+v: %q is not shown in full", size, n)
			}
		}
	}
}

// TestHidingSaysHowToComeBack promises that whoever hides panel and texts reads which key shows them again, and nothing else.
func TestHidingSaysHowToComeBack(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.session.Notices.Post("bookmark")
	g.screen.hide()
	if got := g.screen.notices(); len(got) != 1 || !strings.Contains(got[0], "H shows") {
		t.Errorf("hidden: %q", got)
	}
	g.screen.hide()
	if got := g.screen.notices(); len(got) != 1 || got[0] != "bookmark" {
		t.Errorf("shown again: %q", got)
	}
}

// TestNoticesCoverNoPicture promises that a usual message covers nothing of a pane, neither picture nor strip, in all windowSizes.
func TestNoticesCoverNoPicture(t *testing.T) {
	g := newTestGame(t, "rewind", "snapshot", "statesync")
	g.runTicks(t, 100)
	g.session.Notices.Post("all packets dropped for 0.25 s")
	for _, size := range windowSizes {
		g.screen.w, g.screen.h, g.screen.scale = size.w, size.h, size.scale
		var f hud.Frame
		g.session.HUD.Compose(&f, g.session.Lab, g.pictureRect(), g.stageOptions("", ""), 1)
		var l render.DrawList
		drawNotices(&l, g.session.Notices.Texts(), g.pictureRect(), f.FooterHeight, g.screen.uiScale())
		if p := g.pictureRect(); f.FooterHeight == 0 || l.Items[0].Y < float32(p.Y+p.H-f.FooterHeight) {
			t.Errorf("%+v: the message at %v covers the strip of the panes, which ends at the footer", size, l.Items[0].Y)
		}
		for _, v := range f.Viewports {
			if l.Items[0].Y < float32(v.Y+v.H) && float32(v.Y) < l.Items[0].Y+l.Items[0].H {
				t.Errorf("%+v: the message at %v covers the picture that ends at %d", size, l.Items[0].Y, v.Y+v.H)
			}
		}
	}
}
