package hud

import (
	"fmt"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/ui/stage"
	"ghostcube/ui/stage/stagetest"
)

// TestGaugesDoNotOverlap promises that captions and gauges cover no picture, and that no text covers a text and
// no box a box, for any number of panes, size, colouring and length of captions; and
// that at usual sizes no gauge is left out.
func TestGaugesDoNotOverlap(t *testing.T) {
	experiment.Skip(t)
	specs := []string{
		"statesync:compression=delta:budget=64:smoothing=none:congestion=off:reliable-rest=off:position-steps=512:rotation-bits=9:jitter-buffer=9",
		"statesync", "snapshot", "statesync:position-steps=512:rotation-bits=9:reliable-rest=off:velocities=off:priority=current",
	}
	for n := 1; n <= 4; n++ {
		l := stagetest.Katamari(t, "wifi-bad", specs[:n]...)
		stagetest.Show(t, l, "packet=on,ages=on,simulated=on,latency=on")
		var s HUD
		stagetest.RollAndPull(t, &s, l, 150)
		for _, coloring := range []string{"off", "priority", "age", "encoding", "authority", "joint-depth"} {
			for _, split := range []string{"on", "off"} {
				stagetest.Show(t, l, "color="+coloring+",split="+split)
				s.Refresh(l)
				for _, size := range [][2]int{{1280, 720}, {950, 720}, {1590, 1080}, {1920, 1080}, {640, 480}, {500, 900}, {1280, 420}, {1280, 330}, {950, 300}} {
					var f Frame
					rect := Rect{X: 3, Y: 5, W: size[0], H: size[1]}
					s.Compose(&f, l, rect, Options{Footer: "tape katamari-ball"}, 1)
					name := fmt.Sprintf("%d panes, color=%s, split=%s, %v", n, coloring, split, size)
					small := size[0] < 900 // captions may overlap here, gauges not
					boxes, texts, wrong := findOverlaps(&f, rect)
					for _, w := range wrong {
						if !small || strings.Contains(w, "age, ") || strings.Contains(w, "p50 ") || strings.Contains(w, "packet ") ||
							strings.Contains(w, "bits per cube") || strings.Contains(w, "header ") {
							t.Errorf("%s: %s", name, w)
						}
					}
					budgets := min(n, 2) // panes of statesync, which has a packet budget
					if n == 4 {
						budgets = 3
					}
					for text, want := range map[string]int{"packet ": budgets, "age, ": n, " bits per cube": n - budgets, "key to screen, ms": n} {
						if got := strings.Count(texts, text); !small && size[1] > 500 && got != want {
							t.Errorf("%s: %d gauges with %q, want %d", name, got, text, want)
						}
					}
					for text := range strings.Lines(texts) {
						title := strings.HasPrefix(text, "key to screen,") || strings.Contains(text, "age") || strings.HasPrefix(text, "packet")
						if title && strings.Contains(text, "…") && !small {
							t.Errorf("%s: the title %q is cut", name, text)
						}
					}
					if boxes+strings.Count(texts, " hidden: ") < n {
						t.Errorf("%s: %d boxes", name, boxes)
					}
				}
			}
		}
	}
}

// findOverlaps returns the number of boxes of a frame, all its texts, and which texts cover texts, which
// boxes cover boxes, and which of them leave the rectangle or cover a picture. The labels of the sides may.
func findOverlaps(f *Frame, rect Rect) (boxes int, texts string, wrong []string) {
	type box struct {
		x0, y0, x1, y1 float32
		text           string
		gauge          bool
	}
	var all [2][]box
	for _, it := range f.Overlay.Items {
		var b box
		kind := 0
		switch {
		case it.Kind == render.TextKind && it.Text != "":
			b = box{it.X, it.Y - 0.7*float32(it.Font.Size), it.X + it.Font.Width(it.Text), it.Y + 0.2*float32(it.Font.Size), it.Text, true}
			texts += it.Text + "\n"
		case it.Kind == render.RectKind && (it.Color == stage.PanelColor || it.Color == stage.GaugePanelColor):
			b, kind = box{it.X, it.Y, it.X + it.W, it.Y + it.H, "a box", it.Color == stage.GaugePanelColor}, 1
			boxes++
		default:
			continue
		}
		if b.x0 < float32(rect.X) || b.y0 < float32(rect.Y) || b.x1 > float32(rect.X+rect.W) || b.y1 > float32(rect.Y+rect.H) {
			wrong = append(wrong, fmt.Sprintf("%q lies at %v", b.text, b))
		}
		if (kind == 0 || b.gauge) && it.Text != "client" && it.Text != "server" && coversViewport(f.Viewports, b.x0, b.y0, b.x1, b.y1) {
			wrong = append(wrong, fmt.Sprintf("%q at %v covers a picture (packet )", b.text, b))
		}
		for _, o := range all[kind] {
			if b.x0 < o.x1 && o.x0 < b.x1 && b.y0 < o.y1 && o.y0 < b.y1 {
				wrong = append(wrong, fmt.Sprintf("%q covers %q", b.text, o.text))
			}
		}
		all[kind] = append(all[kind], b)
	}
	return boxes, texts, wrong
}

// TestSidebandGauge promises that the gauge of messages and blocks shows the slices of a world that is
// being downloaded and the acknowledged packets, and that it fits beside the other gauges.
func TestSidebandGauge(t *testing.T) {
	l := stagetest.Katamari(t, "wifi-bad", "rewind:messages=reliable:block-rate=64", "noprediction:messages=reliable:block-rate=64")
	stagetest.Show(t, l, "packet=on,ages=on,latency=on")
	var s HUD
	stagetest.RollAndPull(t, &s, l, 100)
	compose := func() (texts string, sent, acked int) {
		s.Refresh(l)
		var f Frame
		rect := Rect{W: 1280, H: 720}
		s.Compose(&f, l, rect, Options{}, 1)
		_, texts, wrong := findOverlaps(&f, rect)
		if len(wrong) > 0 {
			t.Error(wrong)
		}
		boxes := func(c render.Color) int {
			return f.count(func(it *render.Item) bool { return it.Kind == render.RectKind && it.Color == c })
		}
		return texts, boxes(stage.InputColor), boxes(stage.RotationColor)
	}
	if texts, _, acked := compose(); strings.Count(texts, "no block, 0 messages") != 2 || strings.Count(texts, " in flight") != 2 || acked < 30 {
		t.Errorf("%d acknowledged packets; %s", acked, texts)
	}
	stagetest.Apply(t, l, lab.Command{Verb: "rejoin", Pane: lab.AllPanes, Name: "1"})
	stagetest.RollAndPull(t, &s, l, 30) // a client that is joining acknowledges no states
	if texts, sent, acked := compose(); strings.Count(texts, "block: ") != 2 || !strings.Contains(texts, "joining: ") || sent == 0 || acked < 10 {
		t.Errorf("%d slices sent, %d acknowledged, slices and packets; %s", sent, acked, texts)
	}
}

// coversViewport reports whether a box covers a part of a viewport.
func coversViewport(views []stage.Viewport, x0, y0, x1, y1 float32) bool {
	for i := range views {
		v := &views[i]
		if x0 < float32(v.X+v.W) && x1 > float32(v.X) && y0 < float32(v.Y+v.H) && y1 > float32(v.Y) {
			return true
		}
	}
	return false
}

// TestPacketHistory promises that the fill ratio is that of all bits of the last second, and of the last
// packet where there was none in that second.
func TestPacketHistory(t *testing.T) {
	var s packetHistory
	p := predict.PacketBreakdown{BudgetBits: 1000, HeaderBits: 100, BodyBits: 300}
	if got := s.fillRatio(&p, 60); got != 0.4 {
		t.Error(got)
	}
	for range 60 {
		s.add(&p, true, 60)
	}
	p.BodyBits = 900
	for range 30 {
		s.add(&p, true, 60)
	}
	if got := s.fillRatio(&p, 60); got < 0.699 || got > 0.701 {
		t.Error(got)
	}
	for range 60 {
		s.add(&p, false, 60) // none is sent
	}
	if got := s.fillRatio(&predict.PacketBreakdown{BudgetBits: 10, HeaderBits: 1}, 60); got != 0.1 {
		t.Error(got)
	}
}

// TestBitsPerCube promises that the mean is that of the snapshots of the last second, or of the last one
// where there was none; that the bar has room for it; and that every part of a snapshot is labelled with its
// bits.
func TestBitsPerCube(t *testing.T) {
	experiment.Skip(t)
	var s packetHistory
	p := predict.PacketBreakdown{BodyCount: 100, Parts: predict.SnapshotBits{Index: 100, Rotation: 200}}
	if got := s.bitsPerCube(&p, 60); got != 3 {
		t.Error(got)
	}
	for range 30 {
		s.add(&p, true, 60)
		s.add(&p, false, 60) // none is sent
	}
	p.Parts.Other = 400
	for range 15 {
		s.add(&p, true, 60)
		s.add(&p, false, 60)
	}
	if got := s.bitsPerCube(&p, 60); got != 5 {
		t.Error(got)
	}
	for bits, want := range map[float32]float32{0.1: 0.5, 0.49: 1, 4.3: 5, 4.4: 10, 80: 100, 321: 400, 1000: 400} {
		if got := bitScale(bits); got != want {
			t.Errorf("%v bits have a scale of %v", bits, got)
		}
	}
	for _, c := range []struct {
		level string
		parts []string
	}{{"raw", []string{"position 96.0", "rotation 128", "velocity 96.0", "other 1."}}, {"arithmetic", []string{"index 0.", "position ", "rotation ", "other "}}} {
		l := stagetest.Katamari(t, "latency=50ms", "snapshot:compression="+c.level)
		stagetest.Show(t, l, "packet=on")
		var st HUD
		stagetest.RollAndPull(t, &st, l, 300)
		f := st.frame(l)
		for _, part := range c.parts {
			if !strings.Contains(f.texts(), part) {
				t.Errorf("%s: no %q in %q", c.level, part, f.texts())
			}
		}
	}
}

// TestAgeHistogram promises that the histogram counts each moving body by its age, and holds quantiles and
// the texts of ages.
func TestAgeHistogram(t *testing.T) {
	l := stagetest.Katamari(t, "latency=50ms,loss=5%", "statesync")
	stagetest.Show(t, l, "ages=on")
	var s HUD
	stagetest.RollAndPull(t, &s, l, 300)
	p := s.panes[0]
	var st ageHistogram
	st.count(p)
	moving := 0
	for i, b := range l.Panes[0].Clients[0].World.Bodies() {
		if !b.Asleep {
			moving++
			if st.bins[p.inspection.Age[i]] == 0 {
				t.Errorf("body %d of age %d is not counted", i, p.inspection.Age[i])
			}
		}
	}
	if st.total != moving || moving < 5 {
		t.Errorf("%d counted of %d", st.total, moving)
	}
	st = ageHistogram{total: 100}
	st.bins[3], st.bins[9], st.bins[300] = 50, 49, 1
	for share, want := range map[float64]int{0: 3, 0.49: 3, 0.5: 9, 0.98: 9, 0.99: 300} {
		if got := st.quantile(share); got != want {
			t.Errorf("%v: %d, want %d", share, got, want)
		}
	}
	for ticks, want := range map[int]string{0: "0 ms", 3: "50 ms", 59: "983 ms", 66: "1.10 s", ageBinCount - 1: "> 40 s"} {
		if got := (&texts{}).age(ticks, 60).end(); got != want {
			t.Errorf("%d ticks are %q", ticks, got)
		}
	}
}
