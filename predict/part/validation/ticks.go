package validation

import (
	"math"

	"ghostcube/sim"
)

// How far a tick may be ahead of the expected one or behind it, in ticks. An honest tick is ahead if
// packets overtake others, or much farther if the client stood still; it is behind if it is late. One
// wrong tick far ahead, if believed, would make all honest states old, and one far behind would start
// a playout clock in the past.
const (
	maxAhead  = 30  // half a second at 60 Hz
	maxBehind = 240 // 4 s
)

// agree is the largest difference of jumps that agree, in ticks.
const agree = maxAhead

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
func (t *Ticks) Believe(tick, now sim.Tick) bool { return t.believe(tick, now, maxAhead) }

// BelieveOwn is Believe for a tick of the client's own clock, such as that of an input that a server says to have used.
// The client may have moved its clock, and the tick of the server's answer jumps as far, a round trip later. So it may
// be any number of ticks ahead, up to the client's own tick.
func (t *Ticks) BelieveOwn(tick, now sim.Tick) bool {
	if tick <= now {
		return t.believe(tick, now, math.MaxInt64)
	}
	return t.believe(tick, now, maxAhead)
}

// believe is Believe with the number of ticks by which a tick may be ahead.
func (t *Ticks) believe(tick, now sim.Tick, maxAhead int64) bool {
	next := tickArrival{tick, now}
	ahead := t.newest.ahead(next)
	jumps := ahead > maxAhead || ahead < -maxBehind
	if t.started && jumps {
		if d := t.doubted.ahead(next); d < -agree || d > agree {
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
