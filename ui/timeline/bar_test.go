package timeline_test

import (
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/render"
	"ghostcube/ui/stage"
	"ghostcube/ui/timeline"
)

// longSession returns a session of four panes whose timeline has some hours behind it. The hours are the same ticks
// again and again.
func longSession(t testing.TB, hours float64) *session {
	s := newSession(t, "zen", badNetwork, "rewind", "snapshot", "statesync", "lockstep")
	s.Limit(4)
	n := int(hours * 3600 * 60)
	s.play(600)
	s.Repeat(n - 600)
	return s
}

// state is what the bar shows of a session that runs.
var state = timeline.State{Playing: true, Speed: 1, Rate: 60}

// place is the place of the bar in a picture of 1280 by 720.
var place = stage.Rect{Y: 640, W: 1280, H: 80}

// TestBarAllocations promises that the bar of a long session allocates nothing per frame.
func TestBarAllocations(t *testing.T) {
	experiment.Skip(t)
	s := longSession(t, 0.5)
	var bar timeline.Bar
	var list render.DrawList
	draw := func() {
		list.Reset()
		bar.Layout(place, 1, s.Timeline, 60)
		bar.Draw(&list, s.Timeline, &state)
	}
	draw()
	s.Repeat(600)
	draw()
	if n := testing.AllocsPerRun(50, draw); n > 0 {
		t.Errorf("%v allocations a frame", n)
	}
	if len(list.Items) < 40 {
		t.Errorf("%d items: the bar shows nothing", len(list.Items))
	}
}

// TestBarLegend promises that a narrow bar explains the marks that most sessions have, and a wide one all.
func TestBarLegend(t *testing.T) {
	s := newSession(t, "zen", badNetwork, "rewind")
	s.play(10)
	for width, want := range map[int]string{
		1280: "bookmarks, faults, taken back, effects, stalls, shots, corrections, losses",
		550:  "faults, stalls, shots, corrections, losses",
	} {
		var bar timeline.Bar
		var list render.DrawList
		bar.Layout(stage.Rect{W: width, H: timeline.BarHeight(1, 1)}, 1, s.Timeline, 60)
		bar.Draw(&list, s.Timeline, &state)
		var names []string
		for _, it := range list.Items {
			if it.Text != "" && strings.Contains("losses corrections shots stalls effects taken back faults bookmarks", it.Text) {
				names = append(names, it.Text)
			}
		}
		if got := strings.Join(names, ", "); got != want {
			t.Errorf("width %d: %s, want %s", width, got, want)
		}
	}
}

// TestBarInside promises that the bar draws nothing outside its place, at any size and in any state.
func TestBarInside(t *testing.T) {
	experiment.Skip(t)
	s := newSession(t, "zen", badNetwork, "rewind", "lockstep:transport=tcp")
	s.play(900)
	s.Bookmark()
	for _, scale := range []float32{1, 1.5, 2} {
		for _, width := range []int{400, 930, 1280, 3840} {
			at := stage.Rect{X: 10, Y: 100, W: width, H: timeline.BarHeight(2, scale)}
			var bar timeline.Bar
			for _, zoom := range []float64{1, 0.3, 0.01} {
				bar.Layout(at, scale, s.Timeline, 60)
				bar.Zoom(at.X+width/3, zoom, s.Timeline, 60)
				var list render.DrawList
				bar.Draw(&list, s.Timeline, &timeline.State{Playing: true, Speed: 0.125, Loop: [2]int{100, 900}, Rate: 60,
					Note: "correction in pane 1 at 0.50 s: a click goes there"})
				for _, it := range list.Items {
					w, top := it.W, it.Y
					if it.Text != "" {
						w, top = it.Font.Width(it.Text), it.Y-it.Font.Ascent()
					}
					if it.X < float32(at.X)-1 || top < float32(at.Y)-1 || it.X+w > float32(at.X+at.W)+1 && width > 400 || it.Y+it.H > float32(at.Y+at.H)+1 {
						t.Fatalf("width %d, scale %v, zoom %v: %+v lies outside %v", width, scale, zoom, it, at)
					}
				}
			}
		}
	}
}

// TestBarTicks promises that the pixel of a tick means that tick, zoomed or not, and that zooming keeps the tick at
// the pointer.
func TestBarTicks(t *testing.T) {
	experiment.Skip(t)
	s := newSession(t, "zen", "perfect", "rewind")
	s.play(3000)
	var bar timeline.Bar
	bar.Layout(place, 1, s.Timeline, 60)
	for range 8 {
		before := bar.TickAt(500)
		bar.Zoom(500, 0.7, s.Timeline, 60)
		if after := bar.TickAt(500); after < before-3 || after > before+3 {
			t.Errorf("zooming moves the tick at the pointer from %d to %d", before, after)
		}
		bar.Layout(place, 1, s.Timeline, 60)
	}
	bar.Follow(2990, s.Timeline)
	if bar.TickAt(0) > 2990 || bar.TickAt(1280) < 2990 {
		t.Errorf("the bar shows ticks %d to %d, not 2990", bar.TickAt(0), bar.TickAt(1280))
	}
	for range 60 {
		bar.Zoom(600, 1.4, s.Timeline, 60)
	}
	if bar.TickAt(1280) < 3000 {
		t.Errorf("zoomed out, the bar ends at tick %d", bar.TickAt(1280))
	}
}

// BenchmarkBar measures a frame of the bar with two hours of a session of four panes behind it: with nothing new, and
// drawn anew.
func BenchmarkBar(b *testing.B) {
	s := longSession(b, 2)
	var bar timeline.Bar
	var list render.DrawList
	for _, c := range []struct {
		name  string
		dirty bool
	}{{"kept", false}, {"anew", true}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				list.Reset()
				if c.dirty {
					bar.Changed()
				}
				bar.Layout(place, 1, s.Timeline, 60)
				bar.Draw(&list, s.Timeline, &state)
			}
			b.ReportMetric(float64(len(list.Items)), "items")
		})
	}
}
