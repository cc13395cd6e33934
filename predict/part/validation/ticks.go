package validation

import "ghostcube/sim"

// How far a tick may be ahead of the expected one or behind it, in ticks. An honest tick is ahead if
// packets overtake others, or much farther if the client stood still; it is behind if it is late. One
// wrong tick far ahead, if believed, would make all honest states old, and one far behind would start
// a playout clock in the past.
const (
	maxAhead  = 30  // half a second at 60 Hz
	maxBehind = 240 // 4 s
)

// confirmations is the number of consecutive states that must agree on a jump.
const confirmations = 3

// Ticks checks the ticks of a server's states. The zero value believes the first one.
type Ticks struct {
	started   bool
	newest    tickArrival // of the believed states
	doubted   tickArrival // the last refused one
	doubtedIn int         // consecutive states that agree on the refused jump
}

// tickArrival is the tick of a state and the client's own tick at its arrival.
type tickArrival struct{ tick, arrival sim.Tick }

// ahead returns by how many ticks a state is ahead of the one expected after a, if both sides tick
// equally fast.
func (a *tickArrival) ahead(of tickArrival) int64 {
	return int64(of.tick) - int64(a.tick) - max(int64(of.arrival)-int64(a.arrival), 0)
}

// Believe reports whether to believe a state's tick that arrives at the client's own tick now. A tick
// far from the expected one is refused until the states after it confirm the jump.
func (t *Ticks) Believe(tick, now sim.Tick) bool {
	next := tickArrival{tick, now}
	ahead := t.newest.ahead(next)
	jumps := ahead > maxAhead || ahead < -maxBehind
	if t.started && jumps {
		if d := t.doubted.ahead(next); d < -maxAhead || d > maxAhead {
			t.doubtedIn = 0
		}
		t.doubted = next
		if t.doubtedIn++; t.doubtedIn < confirmations {
			return false
		}
	}
	if t.doubtedIn = 0; !t.started || jumps || tick > t.newest.tick {
		t.started, t.newest = true, next
	}
	return true
}
