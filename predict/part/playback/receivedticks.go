package playback

import "ghostcube/sim"

// ticksKept is how many ticks of the server are told apart, and ticksMost the most
// that lie between two snapshots.
const (
	tickRingLen = 512
	maxTickGap  = 64
)

// receivedTicks are those of which positions have come and been taken.
type receivedTicks struct {
	ring   [tickRingLen]sim.Tick // by its low bits
	newest sim.Tick
}

func (k *receivedTicks) add(t sim.Tick) {
	k.ring[t%tickRingLen] = t
	k.newest = max(k.newest, t)
}

// NewestTick returns the tick of the newest positions that have come, and 0 before any
// have.
func (a *InterpolatedWorld) NewestTick() sim.Tick { return a.received.newest }

// NewestDisplayedTick returns the tick of the newest positions of which anything is drawn: those
// towards which bodies move, or else the last ones.
func (a *InterpolatedWorld) NewestDisplayedTick() sim.Tick {
	next := (a.displayMoment + sim.MomentsPerTick - 1).Tick()
	for t := next; t < next+maxTickGap; t++ {
		if t > 0 && a.received.ring[t%tickRingLen] == t {
			return t
		}
	}
	return min(a.received.newest, next)
}
