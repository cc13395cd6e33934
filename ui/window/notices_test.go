package window

import (
	"strings"
	"testing"
	"time"

	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/ui/hud"
)

// TestNoticesLastSeconds promises that a message stays for four seconds by the clock, whether the machine makes two
// Updates in them or a thousand, and that a repeated one stays longer.
func TestNoticesLastSeconds(t *testing.T) {
	for _, updates := range []int{2, 1000} {
		g := newTestGame(t, "rewind")
		now := time.Unix(0, 0)
		g.notices.clock = func() time.Time { return now }
		g.notices.post("first")
		for range updates {
			now = now.Add(3900 * time.Millisecond / time.Duration(updates))
			g.notices.update(g)
		}
		if len(g.notices.list) != 1 {
			t.Errorf("%d updates: the message is gone after 3.9 s", updates)
		}
		g.notices.post("first")
		now = now.Add(3 * time.Second)
		if g.notices.update(g); len(g.notices.list) != 1 {
			t.Errorf("%d updates: a repeated message does not stay longer", updates)
		}
		now = now.Add(1100 * time.Millisecond)
		if g.notices.update(g); len(g.notices.list) != 0 {
			t.Errorf("%d updates: the message is still there after 4.1 s", updates)
		}
	}
}

// TestNoticesFit promises that messages of any length, four at once, are shown in full and inside the picture, in all
// windowSizes with the panel open.
func TestNoticesFit(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.execute(lab.Command{Verb: "show", Pane: lab.AllPanes, Name: "headline", Value: "nonsense"})
	g.execute(lab.Command{Verb: "network", Pane: lab.AllPanes, Value: "latency=nonsense"})
	g.execute(lab.Command{Verb: "scene", Pane: lab.AllPanes, Name: "nonsense"})
	g.notices.post("screenshot: " + strings.Repeat("/a-folder-with-a-long-name", 6) + "/screenshot-20260102-030405.png")
	if len(g.notices.list) != 4 {
		t.Fatalf("notices %v", g.notices.list)
	}
	for _, size := range windowSizes {
		g.screen.w, g.screen.h, g.screen.scale = size.w, size.h, size.scale
		picture := g.pictureRect()
		var l render.DrawList
		g.notices.draw(&l, picture, g.screen.uiScale())
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
		for _, n := range g.notices.list {
			if without := func(s string) string { return strings.ReplaceAll(s, " ", "") }; !strings.Contains(without(shown), without(n.text)) {
				t.Errorf("%+v: %q is not shown in full", size, n.text)
			}
		}
	}
}

// TestNoticesCoverNoPicture promises that a usual message covers nothing of a pane's picture, in all windowSizes.
func TestNoticesCoverNoPicture(t *testing.T) {
	g := newTestGame(t, "rewind", "snapshot", "statesync")
	g.runTicks(t, 100)
	g.notices.post("all packets dropped for 0.25 s")
	for _, size := range windowSizes {
		g.screen.w, g.screen.h, g.screen.scale = size.w, size.h, size.scale
		var f hud.Frame
		g.stage.Compose(&f, g.lab, g.pictureRect(), g.stageOptions("", ""), 1)
		var l render.DrawList
		g.notices.draw(&l, g.pictureRect(), g.screen.uiScale())
		for _, v := range f.Viewports {
			if l.Items[0].Y < float32(v.Y+v.H) && float32(v.Y) < l.Items[0].Y+l.Items[0].H {
				t.Errorf("%+v: the message at %v covers the picture that ends at %d", size, l.Items[0].Y, v.Y+v.H)
			}
		}
	}
}
