package lab_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/predict"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/predict/lab/trace"
)

// tracedNetwork has everything that can happen to a datagram.
const tracedNetwork = "latency=60ms,jitter=15ms,loss=10%,duplicate=5%,reorder=5%,reorder-delay=40ms,corrupt=1%,foreign=1%"

// tracedSpecs are all strategies, and some of their variants with traffic of their own.
func tracedSpecs() []string {
	specs := []string{"lockstep:transport=tcp", "snapshot:compression=delta", "statesync:authority=client", "rewind:messages=reliable"}
	for _, s := range Strategies {
		specs = append(specs, s.Name)
	}
	return specs
}

// tappedDatagram is a datagram as the lab's tap sees it.
type tappedDatagram struct {
	sentAt time.Duration
	bytes  string
}

// TestTraceAgreesWithTheLink runs every strategy over a network with loss, jitter, duplicates, reordering and
// damage, in a scene whose snapshots need fragments, and compares the recorded datagrams with those that the tap
// sees, one by one, and with the counters of the link and the endpoints.
func TestTraceAgreesWithTheLink(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	kinds, flags := map[predict.PacketKind]int{}, map[trace.Flags]int{}
	for _, spec := range tracedSpecs() {
		l := New(labtest.Config(t, "katamari:cubes=60", tracedNetwork, AtClient))
		tapped := map[link.Direction][]tappedDatagram{}
		l.Tap = func(_ *Pane, _ int, d link.Direction, now time.Duration, b []byte) {
			tapped[d] = append(tapped[d], tappedDatagram{now, string(b)})
		}
		l.TraceDatagrams(true)
		if _, err := l.Open(spec); err != nil {
			t.Fatal(err)
		}
		for range 240 {
			if l.Ticks() == 60 && spec == "rewind:messages=reliable" {
				labtest.Apply(t, l, "block all - 8")
			}
			labtest.Run(t, l, 1)
		}
		p := l.Panes[0]
		for _, d := range []link.Direction{link.Up, link.Down} {
			name := fmt.Sprint(spec, " direction ", d)
			f, m := p.Datagrams().Flow(0, d), p.Clients[0].LinkCounters(d)
			if f.First() != 0 || f.Total() != len(tapped[d]) || f.Total() < 50 {
				t.Errorf("%s: %d to %d recorded, %d sent", name, f.First(), f.Total(), len(tapped[d]))
				continue
			}
			var got link.Counters
			var duplicates uint64
			for i := range f.Total() {
				r, want := f.At(i), tapped[d][i]
				h, ok := packet.ParseHeader([]byte(want.bytes))
				b, kept := f.AppendBytes(nil, i)
				sameFragment := int(r.FragmentID) == h.FragmentID && int(r.LastFragment) == h.FragmentCount-1
				if !ok || r.SentAt != want.sentAt || int(r.Size) != len(want.bytes) || kept && string(b) != want.bytes ||
					r.Sequence != h.Sequence || int(r.Number) != i+1 ||
					h.IsFragment != (r.Kind == predict.Fragments) || h.IsFragment && !sameFragment {
					t.Fatalf("%s: record %d is %+v, and the datagram %+v of %v", name, i, *r, h, want.sentAt)
				}
				kinds[r.Kind]++
				got.Sent++
				for flag, counter := range map[trace.Flags]*uint64{trace.Dropped: &got.Dropped, trace.Duplicated: &got.Duplicated, trace.Foreign: &got.Foreign,
					trace.Received: &got.Arrived, trace.DuplicateReceived: &got.DuplicatesArrived, trace.Reordered: &got.Reordered,
					trace.Damaged: &got.Corrupted, trace.DuplicateDamaged: &got.Corrupted, trace.Lost: &got.Lost, trace.Resent: &got.Lost, trace.Late: nil} {
					if r.Flags.Has(flag) {
						if flags[flag]++; counter != nil {
							*counter++
						}
					}
				}
				if r.Flags.Has(trace.Received) && r.Result == packet.Duplicate || r.Flags.Has(trace.DuplicateReceived) && r.DuplicateResult == packet.Duplicate {
					duplicates++
				}
				if r.Flags.Has(trace.Received) && (r.Vanishes() || r.Arrival < r.SentAt || r.Arrival > l.Now()) {
					t.Fatalf("%s: %+v", name, *r)
				}
			}
			numbers := func(m *link.Counters) [9]uint64 {
				return [...]uint64{m.Sent, m.Lost, m.Dropped, m.Duplicated, m.Corrupted, m.Foreign, m.Arrived, m.DuplicatesArrived, m.Reordered}
			}
			if numbers(&got) != numbers(m) {
				t.Errorf("%s: records have %v, the link %v datagrams "+
					"sent, lost, dropped, duplicated, corrupted, foreign, arrived, duplicates arrived, reordered",
					name, numbers(&got), numbers(m))
			}
			stats := &p.Clients[0].Endpoint.Stats
			if d == link.Up {
				stats = p.ServerStats()
			}
			if duplicates != stats.Duplicates {
				t.Errorf("%s: %d duplicates at the receiver, which counts %d", name, duplicates, stats.Duplicates)
			}
		}
	}
	for k := range predict.PacketKindCount {
		if kinds[k] < 5 {
			t.Errorf("%d datagrams with %s", kinds[k], k)
		}
	}
	for _, f := range []trace.Flags{trace.Lost, trace.Resent, trace.Duplicated, trace.Damaged, trace.Late, trace.Reordered, trace.Foreign} {
		if flags[f] < 5 {
			t.Errorf("%d datagrams with flag %b", flags[f], f)
		}
	}
}

// TestTraceOfRerun runs a stretch of a session again from a copy, and compares the recorded datagrams.
func TestTraceOfRerun(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, spec := range tracedSpecs() {
		l := labtest.Open(t, labtest.Config(t, "katamari:cubes=60", tracedNetwork, AtClient), spec)
		l.TraceDatagrams(true)
		labtest.Run(t, l, 150)
		past := &Lab{}
		past.TraceDatagrams(true)
		past.CopyFrom(l)
		from, plain := l.Now(), l.Fork()
		labtest.Run(t, l, 120)
		labtest.Run(t, past, 120)
		labtest.Run(t, plain, 120)
		if l.Hash() != past.Hash() || l.Hash() != plain.Hash() {
			t.Errorf("%s: recording changes the session", spec)
		}
		for _, d := range []link.Direction{link.Up, link.Down} {
			f, g := l.Panes[0].Datagrams().Flow(0, d), past.Panes[0].Datagrams().Flow(0, d)
			first, end := f.Span(from, l.Now())
			if end != f.Total() || g.First() != 0 || g.Total() != end-first || g.Total() < 30 {
				t.Fatalf("%s: %d to %d, and %d to %d again", spec, first, end, g.First(), g.Total())
			}
			for i := range g.Total() {
				if *f.At(first + i) != *g.At(i) {
					t.Fatalf("%s: %+v, and again %+v", spec, *f.At(first + i), *g.At(i))
				}
			}
		}
		if plain.Panes[0].Datagrams() != nil {
			t.Errorf("%s: a fork records", spec)
		}
		l.TraceDatagrams(false)
		labtest.Run(t, l, 1)
		if l.Panes[0].Datagrams() != nil {
			t.Error("it still records")
		}
	}
}

// TestTraceOfPast returns to the past of a session and runs it again, as before and then otherwise. The records stay
// as they were, and from the change on they are those of a session that never went another way.
func TestTraceOfPast(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	records := func(l *Lab, d link.Direction, from, to time.Duration) (list []string) {
		f := l.Panes[0].Datagrams().Flow(0, d)
		first, end := f.Span(from, to)
		for i := first; i < end; i++ {
			b, _ := f.AppendBytes(nil, i)
			list = append(list, fmt.Sprintf("%+v %x", *f.At(i), b))
		}
		return list
	}
	for _, spec := range tracedSpecs() {
		l := labtest.Open(t, labtest.Config(t, "zen", tracedNetwork, AtClient), spec)
		l.TraceDatagrams(true)
		labtest.Run(t, l, 100)
		past := l.Fork()
		from := l.Now()
		labtest.Run(t, l, 120)
		var before [2][]string
		for d := range before {
			before[d] = records(l, link.Direction(d), 0, l.Now())
		}
		total := l.Panes[0].Datagrams().Flow(0, link.Up).Total()
		l.CopyFrom(past)
		labtest.Run(t, l, 60)
		l.CopyFrom(past)
		labtest.Run(t, l, 120)
		for d := range before {
			if again := records(l, link.Direction(d), 0, l.Now()); !slices.Equal(again, before[d]) || len(again) < 100 {
				t.Fatalf("%s: %d records, and %d again", spec, len(before[d]), len(again))
			}
		}
		if n := l.Panes[0].Datagrams().Flow(0, link.Up).Total(); n != total {
			t.Errorf("%s: %d records became %d", spec, total, n)
		}

		other := &Lab{}
		other.TraceDatagrams(true)
		other.CopyFrom(past)
		l.CopyFrom(past)
		for _, x := range []*Lab{l, other} {
			labtest.Apply(t, x, "condition all loss 40%")
			labtest.Run(t, x, 90)
		}
		for d := range before {
			a, b := records(l, link.Direction(d), from, l.Now()), records(other, link.Direction(d), from, l.Now())
			if !slices.Equal(a, b) || len(a) < 20 || slices.Equal(a, records(l, link.Direction(d), 0, from)) {
				t.Fatalf("%s: %d records after the change, want %d", spec, len(a), len(b))
			}
			if old := records(l, link.Direction(d), 0, from); !slices.Equal(old[:80], before[d][:80]) {
				t.Errorf("%s: the records before the change are others", spec)
			}
			if f := l.Panes[0].Datagrams().Flow(0, link.Direction(d)); f.At(f.Total()-1).SentAt >= l.Now() {
				t.Errorf("%s: a record of the way that was left", spec)
			}
		}
	}
}

// TestTraceOfPeers compares the recorded datagrams between the clients of a mesh with the counters of their endpoints,
// and with those that a copy of the session records.
func TestTraceOfPeers(t *testing.T) {
	t.Parallel()
	l := labtest.Open(t, labtest.Config(t, "katamari:cubes=9:players=3", "latency=40ms,loss=20%", AtClient), "rollback:topology=mesh")
	l.TraceDatagrams(true)
	labtest.Run(t, l, 60)
	past := &Lab{}
	past.TraceDatagrams(true)
	past.CopyFrom(l)
	from := l.Now()
	labtest.Run(t, l, 60)
	labtest.Run(t, past, 60)
	p := l.Panes[0]
	for a := range 3 {
		for b := range 3 {
			f, again := p.Datagrams().PeerFlow(a, b), past.Panes[0].Datagrams().PeerFlow(a, b)
			if p.HasPeerLink(a, b) != (a != b) || (f.Total() > 0) != (a != b) {
				t.Errorf("%d datagrams from player %d to %d", f.Total(), a+1, b+1)
			}
			first, end := f.Span(from, l.Now())
			lost, received := 0, 0
			for i := range end {
				if r := f.At(i); r.Vanishes() {
					lost++
				} else if r.Flags.Has(trace.Received) {
					received++
				}
				if i >= first && *f.At(i) != *again.At(i - first) {
					t.Fatalf("%+v, and again %+v", *f.At(i), *again.At(i - first))
				}
			}
			if a != b && (f.Total() != 120 || lost < 5 || lost+received < 115) {
				t.Errorf("%d datagrams from player %d to %d, %d lost, %d received", f.Total(), a+1, b+1, lost, received)
			}
		}
	}
	var other trace.Log
	if other.CopyFrom(p.Datagrams()); other.PeerFlow(0, 1).Total() != 120 || p.HasPeerLink(0, 7) || p.HasPeerLink(0, -1) {
		t.Errorf("%d datagrams are copied", other.PeerFlow(0, 1).Total())
	}
}

// TestCorrectionDatagrams finds the packets and the inputs behind corrections. The packet is the one that the
// correction names, and the input of a correction whose cause is a late input was lost, or arrived after the
// server had stepped its tick.
func TestCorrectionDatagrams(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, spec := range []string{"rewind", "rewind:redundant=off", "relative", "historyoffset"} {
		l := labtest.Open(t, labtest.Config(t, "katamari:cubes=60", "latency=60ms,jitter=8ms,loss=15%", AtClient), spec)
		l.TraceDatagrams(true)
		p, seen, found, late := l.Panes[0], 0, 0, 0
		for range 600 {
			if l.Ticks()%120 == 100 {
				labtest.Apply(t, l, "nudge all x 1")
			}
			labtest.Run(t, l, 1)
			for ; seen < p.Corrections.Total(); seen++ {
				c := p.Corrections.At(seen)
				state, in := p.CorrectionDatagrams(p.Datagrams(), c)
				if state < 0 {
					t.Fatalf("%s: no packet of %+v", spec, *c)
				}
				r := p.Datagrams().Flow(0, link.Down).At(state)
				if r.Sequence != uint16(c.Packet) || r.SentAt != c.Sent || r.LastFragment == 0 && r.Arrival != c.Received && r.DuplicateArrival != c.Received {
					t.Fatalf("%s: packet %+v of %+v", spec, *r, *c)
				}
				if in < 0 {
					continue
				}
				found++
				u := p.Datagrams().Flow(0, link.Up).At(in)
				if u.SentAt >= r.SentAt || r.SentAt-u.SentAt > 500*time.Millisecond || u.Kind != predict.Inputs {
					t.Errorf("%s: input %+v of the state sent at %v", spec, *u, r.SentAt)
				}
				if c.Cause == predict.LocalInput {
					late++
					if stepped := time.Duration(c.Tick) * time.Second / 60; !u.Vanishes() && u.Arrival < stepped-time.Second/30 {
						t.Errorf("%s: input %+v of tick %d was in time", spec, *u, c.Tick)
					}
				} else if spec == "rewind:redundant=off" && (u.Vanishes() || u.Arrival >= r.SentAt) { // otherwise a later one may have repeated it
					t.Errorf("%s: input %+v did not lead to the state sent at %v", spec, *u, r.SentAt)
				}
			}
		}
		labtest.Report(t, seen < 4 || found < seen/2 || spec == "rewind:redundant=off" && late == 0,
			"%s: %d corrections, %d inputs, %d of them late", spec, seen, found, late)
	}
}
