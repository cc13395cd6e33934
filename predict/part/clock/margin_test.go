package clock

import (
	"testing"

	"ghostcube/sim"
)

// TestMarginSettles checks that a client that only has the server's measure, a round trip of 60 ticks old, comes from two
// ticks off its aim to within half a tick, and does not pass it by more than that: it knows what it has gained since.
func TestMarginSettles(t *testing.T) {
	const rate, up, down, want = 60, 30, 30, 4
	for _, start := range []float64{-2.5, 2.5} {
		m, s := &Margin{}, &Servo{}
		s.Sync(0, rate)
		ahead := up + want + start // ticks by which the client's clock is ahead of the server's
		var history []float64
		for i := range 1200 {
			history = append(history, ahead)
			if i >= up+down {
				then := history[i-up-down]
				m.Add(int64(then)-up, sim.Moment((ahead-then)*float64(sim.MomentsPerTick)), rate)
				s.Refine(m.Behind(want, s.Behind()))
			}
			s.Tick()
			gained := s.Gained()
			m.Tick(gained)
			ahead += gained.Ticks()
			if off := ahead - up - want; start > 0 && off < -1.25 || start < 0 && off > 1.25 {
				t.Fatalf("from %v ticks off: %.2f on the other side after %d ticks", start, off, i)
			}
		}
		if off := ahead - up - want; off < -1.5 || off > 1.5 {
			t.Errorf("from %v ticks off it settles at %.2f", start, off)
		}
	}
}

// TestMarginIsBounded checks that a measure far from the client's own, as of inputs that waited out an outage or of a
// server that lies, moves the aim by three ticks and no more.
func TestMarginIsBounded(t *testing.T) {
	for _, early := range []int64{-60, 60, -1 << 16, 1 << 16} {
		m := &Margin{}
		if m.Behind(4, 5) != 5 {
			t.Error("a margin that knows nothing")
		}
		m.Add(early, 0, 60)
		if got := m.Behind(4, 0); got != 3*sim.MomentsPerTick && early < 0 || got != -3*sim.MomentsPerTick && early > 0 {
			t.Errorf("early by %d: behind by %v", early, got)
		}
	}
}
