package hud

import (
	"fmt"
	"strings"
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/ui/stage"
	"ghostcube/ui/stage/stagetest"
)

// TestNetGraph promises the figures of the connection in the picture of each pane while the setting is on, a dash where a
// strategy has none, all of them inside the client's picture, and none in a picture that they would cover.
func TestNetGraph(t *testing.T) {
	for _, split := range []string{"on", "off"} {
		l := stagetest.Session(t, "latency=75ms", "rewind", "noprediction")
		stagetest.Show(t, l, "split="+split)
		var s HUD
		stagetest.Roll(t, &s, l, 200)
		if all := s.frame(l); strings.Contains(all.texts(), "RTT ") {
			t.Error("there is a net graph that nobody asked for")
		}
		stagetest.Show(t, l, "net-graph=on")
		s.Refresh(l)
		picture := s.frame(l)
		f := &picture
		all := f.texts()
		for _, want := range []string{"RTT 1", " ms", "down ", "up ", " kbit/s", " inputs", "resim 0 ticks", "resim -"} {
			if !strings.Contains(all, want) {
				t.Errorf("split %s: no %q in\n%s", split, want, all)
			}
		}
		for i := range f.Overlay.Items {
			it := &f.Overlay.Items[i]
			if it.Kind != render.TextKind || !strings.HasPrefix(it.Text, "RTT ") && !strings.HasPrefix(it.Text, "resim ") {
				continue
			}
			inside := 0
			for n, v := range f.Viewports {
				if client := split == "off" || n%2 == 0; client && it.X >= float32(v.X) && it.X+it.Font.Width(it.Text) <= float32(v.X+v.W) &&
					it.Y >= float32(v.Y) && it.Y <= float32(v.Y+v.H) {
					inside++
				}
			}
			if inside != 1 {
				t.Errorf("split %s: %q at %v, %v is in %d pictures of clients", split, it.Text, it.X, it.Y, inside)
			}
		}
		for _, o := range []Options{{}, {TextZoom: 1.5}, {Scale: 2, TextZoom: 1.5}} {
			for _, size := range []Rect{{W: 1280, H: 720}, {W: 878, H: 500}, {W: 550, H: 500}, {W: 1920, H: 1080}, {W: 3800, H: 2100}} {
				s.Compose(f, l, size, o, 1)
				checkNetGraphTexts(t, fmt.Sprintf("split %s, %v, scale %v, texts at %v", split, size, o.Scale, o.TextZoom), f)
			}
		}
		var small Frame
		s.Compose(&small, l, stage.Rect{W: 300, H: 180}, Options{}, 1)
		if strings.Contains(small.texts(), "RTT ") {
			t.Error("the net graph covers a small picture")
		}
	}
}

// TestNetGraphOfSilence cuts the network: after two seconds the net graph has a dash in place of the last round trip, until there is
// another one.
func TestNetGraphOfSilence(t *testing.T) {
	l := stagetest.Session(t, "latency=75ms", "rewind")
	stagetest.Show(t, l, "net-graph=on")
	var s HUD
	expect := func(seconds int, want string) {
		t.Helper()
		stagetest.Roll(t, &s, l, 60*seconds)
		picture := s.frame(l)
		if all := picture.texts(); !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	set := func(network string) {
		stagetest.Apply(t, l, lab.Command{Verb: "network", Pane: lab.AllPanes, Value: network})
	}
	expect(2, "RTT 15")
	set("latency=75ms,loss=100%")
	expect(1, "RTT 15")
	expect(2, "RTT -")
	set("latency=75ms")
	expect(1, "RTT 1")
}

// checkNetGraphTexts checks that the texts of net graphs end before their curves and that no two of a graph overlap.
func checkNetGraphTexts(t *testing.T, what string, f *Frame) {
	t.Helper()
	for i := range f.Overlay.Items {
		it := &f.Overlay.Items[i]
		if it.Kind != render.TextKind || !strings.HasPrefix(it.Text, "RTT ") && !strings.HasPrefix(it.Text, "resim ") &&
			!strings.HasPrefix(it.Text, "down ") && !strings.HasPrefix(it.Text, "up ") && !strings.HasPrefix(it.Text, "waiting ") {
			continue
		}
		right, top := it.X+it.Font.Width(it.Text), it.Y-it.Font.Ascent()
		for k := range f.Overlay.Items {
			o := &f.Overlay.Items[k]
			switch {
			case o.Kind == render.RectKind && o.Color == stage.GridlineColor && o.X > it.X && o.X < right && o.Y > top && o.Y < it.Y+0.3*it.Font.Height():
				t.Errorf("%s: the curve beside %q begins at %v, the text ends at %v", what, it.Text, o.X, right)
			case o.Kind == render.TextKind && o.X == it.X && o.Y > it.Y && o.Y < it.Y+0.9*it.Font.Height():
				t.Errorf("%s: %q lies %v below %q", what, o.Text, o.Y-it.Y, it.Text)
			}
		}
	}
}
