package statesync

import (
	"math"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// The sizes of offsets that are looked at, in metres.
const (
	largeOffset = 1    // an offset of this or more is one that has to fall
	smallOffset = 0.25 // below this it is small, and has
)

// offsetStats measures what smoothing makes of corrections: how long a large offset
// takes until it is small, and how much a small one shakes what is drawn.
type offsetStats struct {
	decayCount    int // that have ended
	decayTicks    int // that they took, sum
	maxDecayTicks int // of one
	smallTicks    int // ticks of bodies whose offset was small
	accelSum      float64
}

// offsetHistory is what offsetStats needs of one body.
type offsetHistory struct {
	largeSince sim.Tick  // the own tick at which its offset became large, and one more; 0: it has not since it was small
	lastStep   geom.Vec3 // metres by which its offset faded in the last tick
}

func declareOffsetCounters(m *predict.Counters) {
	m.Declare("offset_decays", "corrections that left a body drawn 1 m or more from where it was simulated, and faded below 25 cm")
	m.Declare("offset_decay_mean_ms", "from such a correction until the body was drawn less than 25 cm off, mean")
	m.Declare("offset_decay_max_ms", "the same, longest")
	m.Declare("offset_snaps", "corrections that were too large to be smoothed")
	m.Declare("offset_acceleration_m_per_s2", "acceleration that fading offsets below 25 cm add to what is drawn, root mean square")
}

// recordCorrection takes in that a body which was drawn at another place has been set
// right, and what offset that left.
func (b *clientBody) recordCorrection(by float32, s *smoothing.Settings, now sim.Tick, m *predict.Counters) {
	switch {
	case by >= float32(s.SnapDistance):
		m.Add("offset_snaps", 1)
		b.offset.largeSince = 0
	case b.errorOffset.Pos.LenSq() >= largeOffset*largeOffset && b.offset.largeSince == 0:
		b.offset.largeSince = now + 1
	}
}

// decayOffsets lets all offsets fade for a tick.
func (c *client) decayOffsets() {
	h, m, rate := &c.state.offsetStats, c.env.Counters, c.env.World.Rate()
	for i := range c.bodies {
		o, past := &c.bodies[i].errorOffset, &c.bodies[i].offset
		before := o.Pos
		c.settings.smoothing.Decay(o, rate)
		step := o.Pos.Sub(before)
		if before != (geom.Vec3{}) && before.LenSq() < smallOffset*smallOffset {
			h.smallTicks++
			h.accelSum += float64(step.Sub(past.lastStep).LenSq())
		}
		past.lastStep = step
		if past.largeSince != 0 && o.Pos.LenSq() < smallOffset*smallOffset {
			took := int(c.state.localTick + 1 - past.largeSince)
			past.largeSince = 0
			h.decayCount++
			h.decayTicks += took
			h.maxDecayTicks = max(h.maxDecayTicks, took)
			milli := 1000 / float64(rate)
			m.Set("offset_decays", float64(h.decayCount))
			m.Set("offset_decay_mean_ms", float64(h.decayTicks)*milli/float64(h.decayCount))
			m.Set("offset_decay_max_ms", float64(h.maxDecayTicks)*milli)
		}
	}
	if c.state.localTick%sim.Tick(rate) == 0 && h.smallTicks > 0 {
		m.Set("offset_acceleration_m_per_s2", math.Sqrt(h.accelSum/float64(h.smallTicks))*float64(rate)*float64(rate))
	}
}
