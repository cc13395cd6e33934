package hud

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/trace"
	"ghostcube/render"
	"ghostcube/ui/stage"
	"ghostcube/ui/stage/stagetest"
)

const laneNetwork = "latency=60ms,jitter=15ms,loss=10%,duplicate=5%,reorder=5%,reorder-delay=40ms"

// openLanes opens panes with lanes after some seconds of a session.
func openLanes(t testing.TB, display string, seconds int, specs ...string) (*lab.Lab, *HUD) {
	l := stagetest.Open(t, lab.Config{Scene: "katamari:cubes=60", Rate: 60}, laneNetwork, specs...)
	stagetest.Show(t, l, display)
	s := &HUD{}
	stagetest.RollAndPull(t, s, l, 60*seconds)
	return l, s
}

// TestLanesShowEveryPacket compares the lines and crosses of a lane with the recorded datagrams: one from the place of
// its sending to that of its arrival, or to the cross, for every datagram that is no fragment, and no other.
func TestLanesShowEveryPacket(t *testing.T) {
	experiment.Skip(t)
	for _, spec := range []string{"rewind", "lockstep:transport=tcp", "statesync", "snapshot:compression=delta", "noprediction", "animated",
		"historyoffset", "relative"} {
		for _, mode := range []string{"on", "between"} {
			l, s := openLanes(t, "lanes="+mode, 4, spec)
			f := s.frame(l)
			if len(s.lanes) != 1 || s.lanes[0].ticks != 1 || s.lanes[0].to != l.Now() {
				t.Fatal(spec, s.lanes)
			}
			d := &s.lanes[0]
			drawn := map[[2]render.Point]int{} // lines
			crosses := 0
			for _, it := range f.Overlay.Items {
				if it.Kind == render.LineKind && len(it.Points) == 2 {
					if it.Color == stage.AlertColor {
						crosses++
					} else {
						drawn[[2]render.Point{it.Points[0], it.Points[1]}]++
					}
				}
			}
			want, lost := 0, 0
			for _, direction := range []link.Direction{link.Up, link.Down} {
				flow := l.Panes[0].Datagrams().Flow(0, direction)
				for i := flow.First(); i < flow.Total(); i++ {
					r := flow.At(i)
					path := flight{direction, r.SentAt, r.Arrival}
					if r.SentAt < d.from || r.Arrival > d.to || r.Kind == predict.Fragments {
						continue
					}
					want++
					end := float32(1)
					if r.Vanishes() {
						end, lost = lostShare, lost+1
					}
					ends := [2]render.Point{d.point(path, 0), d.point(path, end)}
					// By hand: time across, and the two lines.
					along := func(at time.Duration) float64 {
						return float64(d.start) + (at-d.from).Seconds()/(d.to-d.from).Seconds()*float64(d.end-d.start)
					}
					x, y := float64(ends[0].X), float64(ends[0].Y)
					if mode == "between" {
						x, y = y, x
					}
					if side := map[link.Direction]float32{link.Up: d.client, link.Down: d.server}[direction]; math.Abs(x-along(r.SentAt)) > 0.01 || y != float64(side) {
						t.Fatalf("%s: sent at %v, %v, want %v, %v", spec, x, y, along(r.SentAt), side)
					}
					if drawn[ends] == 0 {
						t.Fatalf("%s %s: no line for %+v from %v to %v", spec, mode, *r, ends[0], ends[1])
					}
					drawn[ends]--
				}
			}
			if want < 60 || lost < 4 && spec != "lockstep:transport=tcp" || crosses < 2*lost {
				t.Errorf("%s %s: %d packets, %d lost, %d lines of crosses", spec, mode, want, lost, crosses)
			}
		}
	}
}

// TestLaneFans checks that the fragments of a packet become a fan, and that those of several ticks are grouped in a long
// span: there are no more lines than there is room for.
func TestLaneFans(t *testing.T) {
	for _, c := range []struct {
		span        string
		least, most int
	}{{"0.25", 80, 400}, {"10", 60, 700}} {
		l, s := openLanes(t, "lanes=on,lane-span="+c.span, 12, "snapshot")
		f := s.frame(l)
		if n := f.count(func(it *render.Item) bool { return it.Kind == render.LineKind }); n < c.least || n > c.most {
			t.Errorf("a span of %s s has %d lines", c.span, n)
		}
	}
}

// TestPacketAt points at the middle of the path of each packet in a lane, and expects that packet, or one that is as near.
func TestPacketAt(t *testing.T) {
	l, s := openLanes(t, "lanes=on", 4, "rewind", "statesync")
	f := s.frame(l)
	found, other := 0, 0
	for i := range s.lanes {
		d := &s.lanes[i]
		for _, direction := range []link.Direction{link.Up, link.Down} {
			flow := l.Panes[i].Datagrams().Flow(0, direction)
			first, end := flow.Span(d.from, d.to-200*time.Millisecond)
			for k := first; k < end; k++ {
				r := flow.At(k)
				at := d.point(flight{direction, r.SentAt, r.Arrival}, 0.25)
				p, ok := s.PacketAt(int(at.X+0.5), int(at.Y+0.5))
				if !ok || p.Pane != i {
					t.Fatalf("%v: no packet, want %+v", at, *r)
				}
				if p.Direction == direction && p.Index == k {
					found++
				} else {
					other++
				}
			}
		}
	}
	if found < 4*other || found < 100 {
		t.Errorf("%d packets found, %d others", found, other)
	}
	if _, ok := s.PacketAt(300, 60); ok {
		t.Error("a packet in the caption")
	}
	p, ok := s.PacketAt(int(s.lanes[0].start)+200, int(s.lanes[0].client+s.lanes[0].server)/2)
	p.Lines = []string{"a packet", "its header"}
	s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{Packet: &p}, 1)
	highlights := f.count(func(it *render.Item) bool { return it.Kind == render.LineKind && it.Color == stage.FocusColor })
	if !ok || !strings.Contains(f.texts(), "a packet\nits header\n") || highlights < 1 {
		t.Error(ok, f.texts(), highlights)
	}
}

// TestLanesOfPast shows the packets of a session at a moment of its past, from the records of the session itself, and
// compares them with those drawn at that moment.
func TestLanesOfPast(t *testing.T) {
	l, s := openLanes(t, "lanes=on", 3, "rewind")
	past := l.Fork()
	follower := s.Fork(past)
	var then, now Frame
	s.Compose(&then, l, Rect{W: 1280, H: 720}, Options{}, 1)
	stagetest.RollAndPull(t, s, l, 120)
	follower.Traces[0] = l.Panes[0].Datagrams()
	follower.Compose(&now, past, Rect{W: 1280, H: 720}, Options{}, 1)
	lines := func(f *Frame) (list []string) {
		for _, it := range f.Overlay.Items {
			if it.Kind == render.LineKind && len(it.Points) == 2 {
				list = append(list, fmt.Sprint(it.Points, it.Color))
			}
		}
		return list
	}
	a, b := lines(&then), lines(&now)
	if len(a) < 60 || !slices.Equal(a, b) {
		t.Fatalf("the lines then\n%q\nand now\n%q", a, b)
	}
}

// TestLanesOfPeers compares the lines of a lane between two clients of a mesh with the datagrams that they have sent
// each other. A relay has none, and its lane stays that of client and server.
func TestLanesOfPeers(t *testing.T) {
	experiment.Skip(t)
	for _, mode := range []string{"on", "between"} {
		l := stagetest.Open(t, lab.Config{Scene: "katamari:cubes=9:players=3", Rate: 60}, "latency=60ms", "rollback:topology=mesh", "rollback")
		stagetest.Show(t, l, "player=2,lane-peer=3,lanes="+mode)
		s := &HUD{}
		stagetest.RollAndPull(t, s, l, 120)
		f := s.frame(l)
		drawn := map[[2]render.Point]bool{}
		for _, it := range f.Overlay.Items {
			if it.Kind == render.LineKind && len(it.Points) == 2 {
				drawn[[2]render.Point{it.Points[0], it.Points[1]}] = true
			}
		}
		log, d, n := l.Panes[0].Datagrams(), &s.lanes[0], 0
		for direction, flow := range [...]*trace.Flow{log.PeerFlow(1, 2), log.PeerFlow(2, 1)} {
			if flow != s.LaneFlow(0, link.Direction(direction)) {
				t.Errorf("direction %d is of another flow", direction)
			}
			for i := flow.First(); i < flow.Total(); i++ {
				r := flow.At(i)
				path := flight{link.Direction(direction), r.SentAt, r.Arrival}
				if r.SentAt < d.from || r.Arrival > d.to {
					continue
				}
				if n++; !drawn[[2]render.Point{d.point(path, 0), d.point(path, 1)}] {
					t.Fatalf("%s: no line for %+v", mode, *r)
				}
			}
		}
		if text := f.texts(); n < 100 || s.Peer(0) != 2 || !strings.Contains(text, "player 2\n") || !strings.Contains(text, "player 3\n") {
			t.Errorf("%s: %d packets between peers, %q", mode, n, text)
		}
		if s.Peer(1) != -1 || s.LaneFlow(1, link.Up) != l.Panes[1].Datagrams().Flow(1, link.Up) {
			t.Errorf("%s: a relay shows a link of peers", mode)
		}
	}
}

// longTrace returns the records of two hours at 60 packets a second in both directions, up to now.
func longTrace(now time.Duration) *trace.Log {
	l := &trace.Log{}
	b := make([]byte, 200)
	for n := 2 * 3600 * 60; n > 0; n-- {
		at := now - time.Duration(n)*time.Second/60
		for _, d := range []link.Direction{link.Up, link.Down} {
			i := uint64(2*3600*60 - n + 1)
			s := link.Sending{Number: i, SentAt: at, Arrival: at + 60*time.Millisecond + time.Duration(i*7919%20)*time.Millisecond, Lost: i%10 == 0,
				Duplicated: i%20 == 1, DuplicateArrival: at + 80*time.Millisecond}
			l.Flow(0, d).AddSending(trace.Sent{Kind: predict.Inputs + predict.PacketKind(d), Sending: s, Header: &packet.Header{Sequence: uint16(i)}}, b)
			l.Flow(0, d).AddArrival(link.Datagram{Number: i, Reordered: i%30 == 0}, packet.Accepted)
		}
	}
	return l
}

// BenchmarkLanes measures a frame of four panes with the packets of two hours behind, by the time that the lanes show.
// off is the frame without lanes.
func BenchmarkLanes(b *testing.B) {
	for _, show := range []string{"lanes=off", "lanes=on,lane-span=1", "lanes=on,lane-span=10", "lanes=between,lane-span=2"} {
		b.Run(show, func(b *testing.B) {
			l, s := openLanes(b, show, 2, "rewind", "snapshot:compression=delta", "statesync", "lockstep")
			for i := range s.panes {
				s.Traces[i] = longTrace(l.Now())
			}
			f := s.frame(l)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{}, 1)
			}
		})
	}
}
