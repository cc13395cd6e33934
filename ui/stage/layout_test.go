package stage

import (
	"fmt"
	"strings"
	"testing"
)

// TestPanesAreAlike promises that the pictures of all panes have one size and keep their share of the pane,
// although the panes have gauges of different heights, and that gauges that find no room are replaced by words.
func TestPanesAreAlike(t *testing.T) {
	l := newKatamari(t, "wifi-bad", "statesync:smoothing=none:budget=64", "snapshot", "noprediction", "rewind")
	setDisplay(t, l, "packet=on,ages=on,latency=on,split=off")
	var s Stage
	rollAndPull(t, &s, l, 150)
	words := 0
	for _, size := range [][2]int{{1920, 1080}, {1280, 720}, {950, 720}, {900, 600}, {570, 600}, {640, 360}} {
		var f Frame
		rect := Rect{X: 3, Y: 5, W: size[0], H: size[1]}
		s.Compose(&f, l, rect, Options{}, 1)
		_, texts, _ := findOverlaps(&f, rect)
		for i := range f.Viewports {
			if v := &f.Viewports[i]; v.W != f.Viewports[0].W || v.H != f.Viewports[0].H || v.H < s.layouts[i].pane.H*32/100 {
				t.Errorf("%v: the picture of pane %d has %d x %d pixels of %v", size, i+1, v.W, v.H, s.layouts[i].pane)
			}
			y := &s.layouts[i]
			if y.hidden > 0 {
				words++
			}
			if y.hidden > 0 != strings.Contains(paneTexts(&f, y.pane), hiddenText(y.hidden)) {
				t.Errorf("%v: %d gauges of pane %d are hidden, and it says\n%s", size, y.hidden, i+1, paneTexts(&f, y.pane))
			}
		}
		if size[0] >= 950 && strings.Contains(texts, "hidden") {
			t.Errorf("%v: gauges are hidden", size)
		}
	}
	if words == 0 {
		t.Error("no gauge is hidden at any size")
	}
}

// TestPicturesKeepTheirSize promises that the pictures do not change their size while lines of captions come and
// go, and that they grow again when a setting changes.
func TestPicturesKeepTheirSize(t *testing.T) {
	l := newSession(t, "latency=50ms,outage=300ms,outage-every=2s", "lockstep", "rewind")
	setDisplay(t, l, "split=off")
	var s Stage
	var f Frame
	compose := func() int {
		s.Compose(&f, l, Rect{W: 1280, H: 360}, Options{}, 1)
		return f.Viewports[0].H
	}
	runTicks(t, &s, l, 10)
	heights, last := 0, compose()
	for range 400 {
		runTicks(t, &s, l, 1)
		h := compose()
		if h > last {
			t.Fatalf("after %d ticks the pictures grow from %d to %d pixels", l.Ticks(), last, h)
		}
		if h != last {
			heights++
		}
		last = h
	}
	if heights > 3 {
		t.Errorf("the height changes %d times", heights)
	}
	setDisplay(t, l, "graphs=off,explain=off")
	if h := compose(); h <= last {
		t.Errorf("without strips the pictures have %d pixels, with them %d", h, last)
	}
}

// paneTexts returns the texts in a rectangle of a frame.
func paneTexts(f *Frame, r Rect) (texts string) {
	for _, it := range f.Overlay.Items {
		if it.Text != "" && it.X >= float32(r.X) && it.X < float32(r.X+r.W) && it.Y >= float32(r.Y) && it.Y < float32(r.Y+r.H) {
			texts += fmt.Sprintln(it.Text)
		}
	}
	return texts
}

// TestOneScale promises that the graphs, the snapshot gauges and the latency gauges of all panes have the same
// scale, although one pane has far larger values.
func TestOneScale(t *testing.T) {
	l := newKatamari(t, "latency=50ms,loss=10%", "snapshot:compression=raw", "snapshot:compression=arithmetic:interpolation=none")
	setDisplay(t, l, "packet=on,latency=on,split=off")
	var s Stage
	rollAndPull(t, &s, l, 200)
	var f Frame
	s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{}, 1)
	for i := range l.Panes {
		texts := paneTexts(&f, s.layouts[i].pane)
		if !strings.Contains(texts, "of 400 bits") {
			t.Errorf("the scale of the snapshots of pane %d is not that of the larger: %s", i+1, texts)
		}
		if scale := fmt.Sprintf("of %g m", s.scaleMax(PathErrorGraph, minPathErrorScale)); !strings.Contains(texts, scale) {
			t.Errorf("the graph of pane %d does not end at %q: %s", i+1, scale, texts)
		}
	}
}
