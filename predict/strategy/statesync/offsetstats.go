package statesync

import (
	"math"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// Sizes of error offsets, in metres.
const (
	largeOffset = 1    // at least this large: its decay is timed
	smallOffset = 0.25 // below this the decay has ended
)

// offsetStats measure how smoothing treats corrections: how long a large error offset takes to
// become small, and how much small offsets shake the drawn bodies. They are plain.
type offsetStats struct {
	decayCount    int // decays that have ended
	decayTicks    int // length of these decays, summed
	maxDecayTicks int
	smallTicks    int     // ticks with a small offset, summed over bodies
	accelSum      float64 // squared change of the offset's step in such ticks, m2, summed
}

// offsetHistory is the part of offsetStats for one body. It is plain.
type offsetHistory struct {
	largeSince sim.Tick  // own tick at which the offset became large, plus 1; 0: it has not since it was small
	lastStep   geom.Vec3 // change of the offset in the last tick, m
}

// offsetCounters are the counters of offsetStats.
type offsetCounters struct {
	decays, decayMean, decayMax, snaps, acceleration predict.Counter
}

func (o *offsetCounters) init(m *predict.Counters) {
	o.decays = m.New("offset_decays", "offsets of 1 m that have decayed to 25 cm")
	o.decayMean = m.New("offset_decay_mean_ms", "mean decay of an offset from 1 m to 25 cm, ms")
	o.decayMax = m.New("offset_decay_max_ms", "longest decay of an offset from 1 m to 25 cm, ms")
	o.snaps = m.New("offset_snaps", "corrections too large to be smoothed")
	o.acceleration = m.New("offset_acceleration_m_per_s2", "RMS acceleration by decaying offsets below 25 cm, m/s2")
}

// recordCorrection records a correction of the drawn pose by a distance in metres, of which
// smoothing has left the present error offset.
func (b *clientBody) recordCorrection(distance float32, s *smoothing.Settings, now sim.Tick, counters *offsetCounters) {
	switch {
	case distance >= float32(s.SnapDistance):
		counters.snaps.Inc()
		b.offset.largeSince = 0
	case b.errorOffset.Pos.LenSq() >= largeOffset*largeOffset && b.offset.largeSince == 0:
		b.offset.largeSince = now + 1
	}
}

// decayOffsets decays all error offsets by one tick.
func (c *client) decayOffsets() {
	stats, counters, rate := &c.state.offsetStats, &c.counters.offsets, c.env.World.Rate()
	for i := range c.bodies {
		o, past := &c.bodies[i].errorOffset, &c.bodies[i].offset
		before := o.Pos
		c.settings.smoothing.Decay(o, rate)
		step := o.Pos.Sub(before)
		if before != (geom.Vec3{}) && before.LenSq() < smallOffset*smallOffset {
			stats.smallTicks++
			stats.accelSum += float64(step.Sub(past.lastStep).LenSq())
		}
		past.lastStep = step
		if past.largeSince != 0 && o.Pos.LenSq() < smallOffset*smallOffset {
			ticks := int(c.state.localTick + 1 - past.largeSince)
			past.largeSince = 0
			stats.decayCount++
			stats.decayTicks += ticks
			stats.maxDecayTicks = max(stats.maxDecayTicks, ticks)
			tickMillis := 1000 / float64(rate)
			counters.decays.Set(float64(stats.decayCount))
			counters.decayMean.Set(float64(stats.decayTicks) * tickMillis / float64(stats.decayCount))
			counters.decayMax.Set(float64(stats.maxDecayTicks) * tickMillis)
		}
	}
	if c.state.localTick%sim.Tick(rate) == 0 && stats.smallTicks > 0 {
		counters.acceleration.Set(math.Sqrt(stats.accelSum/float64(stats.smallTicks)) * float64(rate) * float64(rate))
	}
}
