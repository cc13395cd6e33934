package window

import (
	"strings"
	"testing"

	"ghostcube/render"
	"ghostcube/ui/hud"
	"ghostcube/ui/stage"
	"ghostcube/ui/timeline"
)

// TestBarPointer promises that a press on the bar shows the moment below the pointer, that one near a mark goes to the
// mark, that a drag with Shift plays its span in a loop, and that the camera does not turn meanwhile.
func TestBarPointer(t *testing.T) {
	g := newTestGame(t, "rewind", "snapshot")
	g.screen.w, g.screen.h, g.screen.scale = 1280, 720, 1
	g.playPast(t, 300)
	g.nudgeServer()
	g.playPast(t, 600)
	var list render.DrawList
	g.drawBar(&list)
	picture := g.pictureRect()
	if g.barHeight() == 0 || picture.H+g.barHeight() != 720 {
		t.Fatalf("a bar of %d pixels below a picture of %d", g.barHeight(), picture.H)
	}
	find := func(tick int) (x int) {
		for g.past.bar.TickAt(x) < tick {
			x++
		}
		return x
	}
	rowOf := func(pane int) (y int) {
		for y = picture.H; g.past.bar.PaneAt(y) != pane; y++ {
		}
		return y + 3
	}
	settle := func() {
		for g.past.timeline.Remaining() > 0 {
			g.updatePast()
		}
	}
	x := find(600)
	for _, _, _, near := g.past.bar.MarkAt(x, rowOf(1), g.past.timeline); near; _, _, _, near = g.past.bar.MarkAt(x, rowOf(1), g.past.timeline) {
		x++
	}
	if !g.pointAtBar(x, rowOf(1), capture{}, true, true, false, 0) {
		t.Error("the bar does not take the pointer")
	}
	settle()
	if at := int(g.lab.Ticks()); at != g.past.bar.TickAt(x) || !g.paused {
		t.Errorf("a press at tick %d shows tick %d", g.past.bar.TickAt(x), at)
	}
	g.pointAtBar(find(200), 10, capture{}, true, false, false, 0)
	settle()
	if at := int(g.lab.Ticks()); at != g.past.bar.TickAt(find(200)) {
		t.Errorf("a drag to tick 200 shows tick %d", at)
	}
	g.pointAtBar(find(200), 10, capture{}, false, false, false, 0)

	fault := g.past.timeline.NextMark(0, timeline.Corrections, 301, 900)
	if fault < 0 {
		t.Fatal("no correction after the nudge")
	}
	g.pointAtBar(find(fault), rowOf(0), capture{}, false, false, false, 0)
	if !strings.Contains(g.past.note, "in pane 1") {
		t.Errorf("the note %q about a correction", g.past.note)
	}
	g.pointAtBar(find(fault), rowOf(0), capture{}, true, true, false, 0)
	settle()
	if kind := g.past.timeline; kind.NextMark(0, timeline.Corrections, int(g.lab.Ticks()), int(g.lab.Ticks())+1) < 0 && kind.NextMark(0, timeline.Faults, int(g.lab.Ticks()), int(g.lab.Ticks())+1) < 0 {
		t.Errorf("a press near a mark shows tick %d, which has no mark", g.lab.Ticks())
	}
	g.pointAtBar(0, 0, capture{}, false, false, false, 0)

	g.pointAtBar(find(400), rowOf(0), capture{}, true, true, true, 0)
	g.pointAtBar(find(460), rowOf(0), capture{}, true, false, true, 0)
	g.pointAtBar(find(460), rowOf(0), capture{}, false, false, true, 0)
	settle()
	seen := map[int]int{}
	for range 200 {
		g.playPast(t, 1)
		for g.past.timeline.Remaining() > 0 {
			g.updatePast()
		}
		seen[int(g.lab.Ticks())]++
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

// TestShowCorrection promises that a correction chosen in the panel or on the bar is shown at its tick, with ghosts of
// where its body was drawn before and is simulated now, and with an arrow between the two.
func TestShowCorrection(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.screen.w, g.screen.h, g.screen.scale = 1280, 720, 1
	g.playPast(t, 200)
	g.nudgeServer()
	g.playPast(t, 200)
	p := g.lab.Panes[0]
	if p.Corrections.Total() == 0 {
		t.Fatal("no correction after a nudge")
	}
	n := p.Corrections.FirstIndex()
	x := *p.Corrections.At(n)
	compose := func() (lines, arrows int) {
		var f hud.Frame
		g.stage.Compose(&f, g.lab, g.pictureRect(), g.stageOptions("", ""), 1)
		for _, it := range f.Overlay.Items {
			if it.Kind == render.LineKind && it.Color != stage.CurveColor {
				arrows++
			}
		}
		return len(f.Viewports[0].Scene.Lines), arrows
	}
	for _, way := range []string{"bar", "panel"} {
		g.selected = nil
		g.goLive()
		if way == "bar" {
			g.showMark(0, timeline.Corrections, int(x.SessionTick)+1)
		} else {
			g.toggleSelection(p, n)
		}
		if g.selected == nil || g.selected.correction.SessionTick != x.SessionTick || g.lab.Ticks() != x.SessionTick+1 {
			t.Fatalf("%s: tick %d with the selection %+v, want the correction of tick %d", way, g.lab.Ticks(), g.selected, x.SessionTick)
		}
		if m := g.callout(); m == nil || !m.Corrected || !strings.Contains(m.Lines[len(m.Lines)-1], "m away") {
			t.Errorf("%s: the callout %+v", way, m)
		}
		if d := g.stage.CorrectionOffset(0, x.Body); d < 0.5*x.Shift || d > x.Shift+0.3 {
			t.Errorf("%s: the arrow is %.3f m long, and the correction moved the cube by %.3f m", way, d, x.Shift)
		}
		lines, arrows := compose()
		g.selected = nil
		without, none := compose()
		if lines < without+6 || arrows != none+2 {
			t.Errorf("%s: %d lines and %d arrows with the callout, %d and %d without", way, lines, arrows, without, none)
		}
	}
	g.seekFully(int(x.SessionTick) + 3)
	g.selected = &selection{p, n, x}
	if m := g.callout(); m == nil || m.Corrected {
		t.Errorf("two ticks after the correction the callout still has its arrow: %+v", m)
	}
}
