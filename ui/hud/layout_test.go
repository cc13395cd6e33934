package hud

import (
	"fmt"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/ui/stage"
	"ghostcube/ui/stage/stagetest"
)

// TestPanesAreAlike promises that the pictures of all panes have one size and keep their share of the pane,
// although the panes have gauges of different heights, and that gauges that find no room are replaced by words.
func TestPanesAreAlike(t *testing.T) {
	experiment.Skip(t)
	l := stagetest.Katamari(t, "wifi-bad", "statesync:smoothing=none:budget=64", "snapshot", "noprediction", "rewind")
	stagetest.Show(t, l, "packet=on,ages=on,latency=on,split=off")
	var s HUD
	stagetest.RollAndPull(t, &s, l, 150)
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
			if y.hidden > 0 != strings.Contains(paneTexts(&f, y.pane), countText(y.hidden, "gauge")+" hidden") {
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

// TestEqualShapes promises that the panes of a session have one shape: two or three in a row or, in a tall
// rectangle, one above the other, and four in two rows.
func TestEqualShapes(t *testing.T) {
	for n := 1; n <= 4; n++ {
		for _, size := range [][2]int{{900, 600}, {1280, 720}, {1920, 1080}, {570, 600}, {1080, 1080}, {1080, 1920}} {
			rects := appendPaneRects(nil, n, 3, 5, size[0], size[1])
			columns, rows := 1, 1
			for _, r := range rects {
				if r.W != rects[0].W || r.H != rects[0].H {
					t.Errorf("%d panes, %v: %v beside %v", n, size, r, rects[0])
				}
				columns, rows = max(columns, 1+(r.X-3)*n/size[0]), max(rows, 1+(r.Y-5)*n/size[1])
			}
			wantColumns, wantRows := n, 1
			if tall := size[0] < size[1]*6/5; n == 3 && tall || n == 2 && size[0] < size[1]*3/4 {
				wantColumns, wantRows = 1, n
			}
			if n == 4 { // their second column and row begin in the middle
				wantColumns, wantRows = 3, 3
			}
			if len(rects) != n || columns != wantColumns || rows != wantRows {
				t.Errorf("%d panes, %v: %v", n, size, rects)
			}
		}
	}
}

// TestTallPanesStackTheirSides promises that a tall pane has its server below its client, each with its label.
func TestTallPanesStackTheirSides(t *testing.T) {
	l := stagetest.Session(t, "perfect", "rewind", "rewind", "rewind")
	stagetest.Show(t, l, "split=on")
	var s HUD
	stagetest.Roll(t, &s, l, 2)
	f := s.frame(l)
	for i := range l.Panes {
		client, server := &f.Viewports[2*i], &f.Viewports[2*i+1]
		if client.X != server.X || client.W != server.W || client.H != server.H || server.Y < client.Y+client.H {
			t.Errorf("the client's picture is at %d,%d, %dx%d, the server's at %d,%d, %dx%d", client.X, client.Y, client.W, client.H, server.X, server.Y,
				server.W, server.H)
		}
		for _, v := range f.Viewports[2*i : 2*i+2] {
			label := map[stage.Side]string{stage.ClientSide: "client\n", stage.ServerSide: "server\n"}[v.Side]
			if texts := paneTexts(&f, v.Rect); texts != label {
				t.Errorf("the picture with the label %q has the texts %q", label, texts)
			}
		}
	}
}

// TestPicturesKeepTheirSize promises that the pictures do not change their size while lines of captions come and
// go, and that they grow again when a setting changes.
func TestPicturesKeepTheirSize(t *testing.T) {
	l := stagetest.Session(t, "latency=50ms,outage=300ms,outage-every=2s", "lockstep", "rewind")
	stagetest.Show(t, l, "split=off")
	var s HUD
	var f Frame
	compose := func() int {
		s.Compose(&f, l, Rect{W: 1280, H: 360}, Options{}, 1)
		return f.Viewports[0].H
	}
	stagetest.Roll(t, &s, l, 10)
	heights, last := 0, compose()
	for range 400 {
		stagetest.Roll(t, &s, l, 1)
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
	stagetest.Show(t, l, "graphs=off,explain=off")
	if h := compose(); h <= last {
		t.Errorf("without strips the pictures have %d pixels, with them %d", h, last)
	}
}

// paneTexts returns the texts in a rectangle of a frame.
func paneTexts(f *Frame, r Rect) (texts string) {
	for _, it := range f.Overlay.Items {
		if it.Text != "" && r.Contains(it.X, it.Y) {
			texts += fmt.Sprintln(it.Text)
		}
	}
	return texts
}

// TestStripShowsTheHeadline promises that the strip below a headline in the frame of the parent has the errors in that frame.
func TestStripShowsTheHeadline(t *testing.T) {
	l := stagetest.Session(t, "latency=75ms", "rewind")
	var s HUD
	stagetest.Roll(t, &s, l, 2)
	for headline, want := range map[string]string{"path_error_in_parent_rms_m": "in parent now", "path_error_rms_m": "path error now"} {
		stagetest.Show(t, l, "headline="+headline)
		s.Refresh(l)
		f := s.frame(l)
		if texts := paneTexts(&f, s.layouts[0].pane); !strings.Contains(texts, want+"\n0.00 of ") {
			t.Errorf("%s: %s", headline, texts)
		}
	}
}

// TestOneScale promises that the graphs, the snapshot gauges and the latency gauges of all panes have the same
// scale, although one pane has far larger values.
func TestOneScale(t *testing.T) {
	l := stagetest.Katamari(t, "latency=50ms,loss=10%", "snapshot:compression=raw", "snapshot:compression=arithmetic:interpolation=none")
	stagetest.Show(t, l, "packet=on,latency=on,split=off")
	var s HUD
	stagetest.RollAndPull(t, &s, l, 200)
	f := s.frame(l)
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

// TestPicturesKeepTheirHeight promises that the notes which come during a session, such as that there were corrections, take no
// room from pictures of usual size.
func TestPicturesKeepTheirHeight(t *testing.T) {
	for _, c := range []struct {
		w, h  int
		panes []string
	}{{1280, 720, []string{"rewind", "snapshot", "rewind"}}, {930, 660, []string{"rewind", "noprediction"}}, {930, 660, []string{"rewind"}}} {
		l := stagetest.Session(t, "3g", c.panes...)
		var s HUD
		var f Frame
		height := 0
		for i := range 400 {
			if i == 200 {
				stagetest.Apply(t, l, lab.Command{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "1"})
			}
			stagetest.Roll(t, &s, l, 1)
			s.Compose(&f, l, Rect{W: c.w, H: c.h}, Options{}, 1)
			if i == 60 {
				height = f.Viewports[0].H
			}
			if got := f.Viewports[0].H; i > 60 && got != height {
				t.Fatalf("%v: after %d ticks the pictures are %d pixels high, %d before:\n%s", c, i, got, height, f.texts())
			}
		}
		if l.Panes[0].Corrections.Total() == 0 {
			t.Errorf("%v: no correction", c)
		}
	}
}

// TestSmallPanesArePictures promises that pictures take more than half of four small panes, which say what happens in their
// captions.
func TestSmallPanesArePictures(t *testing.T) {
	l := stagetest.Session(t, "3g", "rewind", "snapshot", "rollback", "noprediction")
	stagetest.Show(t, l, "split=off")
	var s HUD
	var f Frame
	stagetest.Roll(t, &s, l, 120)
	stagetest.Apply(t, l, lab.Command{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "1"})
	stagetest.Roll(t, &s, l, 10)
	s.Compose(&f, l, Rect{W: 800, H: 450}, Options{}, 1)
	for i, v := range f.Viewports {
		if pane := s.layouts[i].pane; 2*v.H <= pane.H {
			t.Errorf("the picture of pane %d has %d of %d pixels", i+1, v.H, pane.H)
		}
	}
	if texts := f.texts(); !strings.Contains(texts, "forced fault") {
		t.Errorf("nothing says what happened:\n%s", texts)
	}
}
