package window

import (
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/render"
	"ghostcube/ui/timeline"
)

// TestBarPointer promises that a press on the bar shows the moment below the pointer, that one near a mark goes to the
// mark, that a drag with Shift plays its span in a loop, and that the camera does not turn meanwhile.
func TestBarPointer(t *testing.T) {
	experiment.Skip(t)
	g := newTestGame(t, "rewind", "snapshot")
	g.screen.w, g.screen.h, g.screen.scale = 1280, 720, 1
	g.playPast(t, 300)
	g.session.Controls.NudgeServer()
	g.playPast(t, 600)
	var list render.DrawList
	g.bar.draw(&list, g.pictureRect())
	picture := g.pictureRect()
	if g.bar.height() == 0 || picture.H+g.bar.height() != 720 {
		t.Fatalf("a bar of %d pixels below a picture of %d", g.bar.height(), picture.H)
	}
	find := func(tick int) (x int) {
		for g.bar.TickAt(x) < tick {
			x++
		}
		return x
	}
	rowOf := func(pane int) (y int) {
		for y = picture.H; g.bar.PaneAt(y) != pane; y++ {
		}
		return y + 3
	}
	settle := func() {
		for g.session.Past.Timeline.Remaining() > 0 {
			g.session.Past.Update()
		}
	}
	x := find(600)
	for _, _, _, near := g.bar.MarkAt(x, rowOf(1), g.session.Past.Timeline); near; _, _, _, near = g.bar.MarkAt(x, rowOf(1), g.session.Past.Timeline) {
		x++
	}
	if !g.bar.pointAt(x, rowOf(1), capture{}, true, true, false, 0) {
		t.Error("the bar does not take the pointer")
	}
	settle()
	if at := int(g.session.Lab.Ticks()); at != g.bar.TickAt(x) || !g.session.Paused {
		t.Errorf("a press at tick %d shows tick %d", g.bar.TickAt(x), at)
	}
	g.bar.pointAt(find(200), 10, capture{}, true, false, false, 0)
	settle()
	if at := int(g.session.Lab.Ticks()); at != g.bar.TickAt(find(200)) {
		t.Errorf("a drag to tick 200 shows tick %d", at)
	}
	g.bar.pointAt(find(200), 10, capture{}, false, false, false, 0)

	fault := g.session.Past.Timeline.NextMark(0, timeline.Corrections, 301, 900)
	if fault < 0 {
		t.Fatal("no correction after the nudge")
	}
	g.bar.pointAt(find(fault), rowOf(0), capture{}, false, false, false, 0)
	if !strings.Contains(g.bar.note, "in pane 1") {
		t.Errorf("the note %q about a correction", g.bar.note)
	}
	g.bar.pointAt(find(fault), rowOf(0), capture{}, true, true, false, 0)
	settle()
	now, marks := int(g.session.Lab.Ticks()), g.session.Past.Timeline
	if marks.NextMark(0, timeline.Corrections, now, now+1) < 0 && marks.NextMark(0, timeline.Faults, now, now+1) < 0 {
		t.Errorf("a press near a mark shows tick %d, which has no mark", g.session.Lab.Ticks())
	}
	g.bar.pointAt(0, 0, capture{}, false, false, false, 0)

	g.bar.pointAt(find(400), rowOf(0), capture{}, true, true, true, 0)
	g.bar.pointAt(find(460), rowOf(0), capture{}, true, false, true, 0)
	g.bar.pointAt(find(460), rowOf(0), capture{}, false, false, true, 0)
	settle()
	seen := map[int]int{}
	for range 200 {
		g.playPast(t, 1)
		for g.session.Past.Timeline.Remaining() > 0 {
			g.session.Past.Update()
		}
		seen[int(g.session.Lab.Ticks())]++
	}
	for n := range seen {
		if n < 395 || n > 465 {
			t.Errorf("the loop from 400 to 460 shows tick %d", n)
		}
	}
	if seen[430] < 2 {
		t.Errorf("tick 430 was shown %d times in 200 ticks of a loop", seen[430])
	}
}
