package hud

import (
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/ui/stage/stagetest"
)

// TestGraphs promises that graphs show the lag error with a mark for each correction, the bits per second
// that were sent, and the RTT, and holds the ends of scales.
func TestGraphs(t *testing.T) {
	l := stagetest.Session(t, "latency=75ms", "rewind")
	var s HUD
	stagetest.Roll(t, &s, l, 300)
	l.Tick(lab.Entry{Commands: []lab.Command{{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "1"}}})
	s.Tick(l)
	stagetest.Roll(t, &s, l, 60)
	g := s.Graph(0, LagErrorGraph)
	marks := 0
	for i := range g.Len() {
		if _, m := g.At(i); m {
			marks++
		}
	}
	if marks == 0 || marks != int(l.Panes[0].Counters.Value("corrections")) {
		t.Errorf("%d marks for %v corrections", marks, l.Panes[0].Counters.Value("corrections"))
	}
	if g.Len() != 300 || g.Last() != float32(l.Panes[0].Score.LagError()) {
		t.Errorf("%d values, the last %v", g.Len(), g.Last())
	}
	sent := l.Panes[0].Clients[0].Endpoint.Stats
	mean := float64(sent.BytesSent) * 8 / 361 * 60 / 1000
	if up := float64(s.Graph(0, UplinkGraph).Last()); up < 0.7*mean || up > 1.4*mean {
		t.Errorf("uplink %v kbit/s, mean %v", up, mean)
	}
	if rtt := s.Graph(0, RTTGraph).Last(); rtt < 149 || rtt > 151 {
		t.Errorf("RTT %v ms", rtt)
	}
	for _, c := range []struct{ minimum, v, want float32 }{{0.1, 0, 0.1}, {0.1, 0.3, 0.5}, {0.1, 700, 1000}} {
		var g Graph
		g.Add(c.v, false)
		if got := g.ScaleMax(c.minimum); got != c.want {
			t.Errorf("the scale of %v ends at %v, want %v", c.v, got, c.want)
		}
	}
}

// TestSignedGraph promises that zero lies in the middle of a graph of a signed number, with the same scale
// above and below.
func TestSignedGraph(t *testing.T) {
	for _, signed := range []bool{true, false} {
		g := Graph{Signed: signed}
		for _, v := range []float32{0, 3, -7, 1} {
			g.Add(v, false)
		}
		if top := g.ScaleMax(1); top != 10 {
			t.Errorf("the scale ends at %v", top)
		}
		var list render.DrawList
		DrawGraph(&list, &g, 0, 100, 300, 42, 10, 1)
		zero := float32(141)
		if signed {
			zero = 121
		}
		if line := list.Items[0]; line.Y != zero {
			t.Errorf("signed %v: zero lies at %v", signed, line.Y)
		}
		if n := len(list.Items[1].Points); n != 4 {
			t.Fatalf("%d points", n)
		}
		for i, p := range list.Items[1].Points {
			v, _ := g.At(i)
			if p.Y < 100 || p.Y > 142 || signed && (p.Y > zero) != (v < 0) {
				t.Errorf("signed %v: %v lies at %v", signed, v, p.Y)
			}
		}
	}
}

// TestInputBitsGraph promises that the graph shows the bits of inputs in the last packet: at one second
// of latency a hundred inputs, of a bit each with delta encoding and of seven without.
func TestInputBitsGraph(t *testing.T) {
	l := stagetest.Session(t, "latency=1s", "lockstep", "lockstep:input-delta=off")
	var s HUD
	stagetest.Rest(t, &s, l, 300, sim.Shot{})
	on, off := s.Graph(0, InputBitsGraph).Last(), s.Graph(1, InputBitsGraph).Last()
	if on < 140 || on > 170 || off < 860 || off > 920 {
		t.Errorf("%v bits with delta encoding, %v without", on, off)
	}
}

// TestRatesBeginAtTheirGraph promises that the graphs of another player's screen, which begin in the middle of a session, do not
// begin with all that was sent before.
func TestRatesBeginAtTheirGraph(t *testing.T) {
	l := stagetest.Session(t, "latency=75ms", "rewind")
	if err := l.Tick(lab.Entry{Commands: []lab.Command{{Verb: "scene", Pane: lab.AllPanes, Name: "two-players"}}}); err != nil {
		t.Fatal(err)
	}
	var s HUD
	stagetest.Roll(t, &s, l, 300)
	largest := func(which int) (v float32) {
		g := s.Graph(0, which)
		for i := range g.Len() {
			x, _ := g.At(i)
			v = max(v, x)
		}
		return v
	}
	rate, bytes := largest(DownlinkGraph), largest(BytesDownGraph)
	stagetest.Show(t, l, "player=2")
	stagetest.Roll(t, &s, l, 60)
	if r, b := largest(DownlinkGraph), largest(BytesDownGraph); s.Client(0) != 1 || r > 2*rate || b > 2*bytes || r == 0 || b == 0 {
		t.Errorf("screen of client %d: %v kbit/s and %v bytes a tick at most; of the first one %v and %v", s.Client(0), r, b, rate, bytes)
	}
}
