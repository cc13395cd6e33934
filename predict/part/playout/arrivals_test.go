package playout

import (
	"testing"

	"ghostcube/sim"
)

const tick sim.Moment = sim.MomentsPerTick

// TestArrivals checks that a span has the earliest and the latest of its packets, that the
// drift is how much later the earliest packet is than that of the first span with packets,
// that a span without packets says nothing, and that discarding begins a span anew.
func TestArrivals(t *testing.T) {
	a := Arrivals{SpanTicks: 10}
	end := func(late ...sim.Moment) Span {
		t.Helper()
		for i := range 10 {
			if i < len(late) {
				a.Add(late[i])
			}
			if s, ok := a.Tick(); ok != (i == 9) {
				t.Fatalf("the span ends after %d ticks: %v", i+1, ok)
			} else if ok {
				return s
			}
		}
		return Span{}
	}
	if s := end(); s.Any || a.Drift() != 0 {
		t.Errorf("nothing has arrived: %v, a drift of %d", s, a.Drift())
	}
	if s := end(3*tick, 2*tick, 7*tick); s != (Span{true, 2 * tick, 7 * tick}) || a.Drift() != 0 {
		t.Errorf("the first span: %v, a drift of %d", s, a.Drift())
	}
	if s := end(5 * tick); s != (Span{true, 5 * tick, 5 * tick}) || a.Drift() != 3*tick {
		t.Errorf("later: %v, a drift of %d", s, a.Drift())
	}
	if s := end(); s.Any || a.Drift() != 3*tick {
		t.Errorf("silence: %v, a drift of %d", s, a.Drift())
	}
	a.Add(-9 * tick)
	if a.SetBack(2 * tick); a.Drift() != tick || a.Current() != (Span{true, -11 * tick, -11 * tick}) {
		t.Errorf("set back by 2: a drift of %d, %v", a.Drift(), a.Current())
	}
	a.Tick()
	a.Discard()
	if s := end(4 * tick); s.Min != 4*tick || a.Drift() != 2*tick {
		t.Errorf("after discarding: %v, a drift of %d", s, a.Drift())
	}
}

// TestEarlyArrivalEndsSpan checks that a packet that is too early for an accident ends its
// span, once it is known how early the packets of the first span were, and that one that is
// less early, or late by as much, does not.
func TestEarlyArrivalEndsSpan(t *testing.T) {
	for _, c := range []struct {
		first, late sim.Moment
		ends        bool
	}{{0, -15 * tick, false}, {0, -15*tick - 1, true}, {4 * tick, -12 * tick, true}, {0, 16 * tick, false}} {
		a := Arrivals{SpanTicks: 10, Early: 15 * tick}
		a.Add(c.first)
		for range 9 {
			if _, ok := a.Tick(); ok {
				t.Fatal("the first span ends early")
			}
		}
		a.Tick()
		a.Add(c.late)
		if s, ok := a.Tick(); ok != c.ends || ok && (s.Min != c.late || a.Drift() != c.late-c.first) {
			t.Errorf("%d after %d: ended %v, %v, a drift of %d", c.late, c.first, ok, s, a.Drift())
		}
	}
}

// TestAllLateEndsSpan checks that a span ends as soon as all its packets have been late for
// some time, and that one packet in time prevents it.
func TestAllLateEndsSpan(t *testing.T) {
	for _, c := range []struct {
		late []sim.Moment
		ends int // ticks after the start
	}{
		{[]sim.Moment{tick, 2 * tick}, 4},
		{[]sim.Moment{tick, 0}, 10},
		{nil, 10},
	} {
		a := Arrivals{SpanTicks: 10, AllLateTicks: 4}
		for _, late := range c.late {
			a.Add(late)
		}
		for n := 1; n <= 10; n++ {
			if _, ok := a.Tick(); ok {
				if n != c.ends {
					t.Errorf("%v: the span ends after %d ticks, want %d", c.late, n, c.ends)
				}
				break
			}
		}
	}
}
