package playback

import "ghostcube/sim"

// ticksKept is how many ticks of the server are told apart, and ticksMost the most
// that lie between two snapshots.
const (
	ticksKept = 512
	ticksMost = 64
)

// ticks are those of which positions have come and been taken.
type ticks struct {
	list   [ticksKept]sim.Tick // by its low bits
	newest sim.Tick
}

func (k *ticks) add(t sim.Tick) {
	k.list[t%ticksKept] = t
	k.newest = max(k.newest, t)
}

// Newest returns the tick of the newest positions that have come, and 0 before any
// have.
func (a *Animated) Newest() sim.Tick { return a.ticks.newest }

// Reached returns the tick of the newest positions of which anything is drawn: those
// towards which bodies move, or else the last ones.
func (a *Animated) Reached() sim.Tick {
	next := sim.Tick(max(a.clock.shown+Part-1, 0) / Part)
	for t := next; t < next+ticksMost; t++ {
		if t > 0 && a.ticks.list[t%ticksKept] == t {
			return t
		}
	}
	return min(a.ticks.newest, next)
}
