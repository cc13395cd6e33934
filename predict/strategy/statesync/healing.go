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
	fallsFrom = 1    // an offset of this or more is one that has to fall
	fallen    = 0.25 // below this it is small, and has
)

// healing measures what smoothing makes of corrections: how long a large offset
// takes until it is small, and how much a small one shakes what is drawn.
type healing struct {
	since []sim.Tick  // by body: the own tick at which its offset became large, and one more; 0: it has not since it was small
	step  []geom.Vec3 // by body: metres by which its offset faded in the last tick

	falls  int // that have ended
	ticks  int // that they took, sum
	most   int // of one
	small  int // ticks of bodies whose offset was small
	square float64
}

func newHealing(bodies int) healing {
	return healing{since: make([]sim.Tick, bodies), step: make([]geom.Vec3, bodies)}
}

func declareHealing(m *predict.Counters) {
	m.Declare("offset_falls", "corrections that left a body drawn 1 m or more from where it was simulated, and faded below 25 cm")
	m.Declare("offset_fall_mean_ms", "from such a correction until the body was drawn less than 25 cm off, mean")
	m.Declare("offset_fall_max_ms", "the same, longest")
	m.Declare("offset_snaps", "corrections that were too large to be smoothed")
	m.Declare("offset_shake_m_per_s2", "acceleration that fading offsets below 25 cm add to what is drawn, root mean square")
}

// corrected takes in that a body which was drawn at another place has been set
// right, and what offset that left.
func (h *healing) corrected(body int, by float32, o *smoothing.Offset, s *smoothing.Settings, now sim.Tick, m *predict.Counters) {
	switch {
	case by >= float32(s.Snap):
		m.Add("offset_snaps", 1)
		h.since[body] = 0
	case o.Pos.Len2() >= fallsFrom*fallsFrom && h.since[body] == 0:
		h.since[body] = now + 1
	}
}

// fade lets all offsets fade for a tick.
func (c *client) fade() {
	h, m, rate := &c.healing, c.env.Counters, c.env.World.Rate()
	for i := range c.offsets {
		o := &c.offsets[i]
		before := o.Pos
		c.smooth.Fade(o, rate)
		step := o.Pos.Sub(before)
		if before != (geom.Vec3{}) && before.Len2() < fallen*fallen {
			h.small++
			h.square += float64(step.Sub(h.step[i]).Len2())
		}
		h.step[i] = step
		if h.since[i] != 0 && o.Pos.Len2() < fallen*fallen {
			took := int(c.now + 1 - h.since[i])
			h.since[i] = 0
			h.falls++
			h.ticks += took
			h.most = max(h.most, took)
			milli := 1000 / float64(rate)
			m.Set("offset_falls", float64(h.falls))
			m.Set("offset_fall_mean_ms", float64(h.ticks)*milli/float64(h.falls))
			m.Set("offset_fall_max_ms", float64(h.most)*milli)
		}
	}
	if c.now%sim.Tick(rate) == 0 && h.small > 0 {
		m.Set("offset_shake_m_per_s2", math.Sqrt(h.square/float64(h.small))*float64(rate)*float64(rate))
	}
}

func (h *healing) copyFrom(o *healing) {
	since, step := append(h.since[:0], o.since...), append(h.step[:0], o.step...)
	*h = *o
	h.since, h.step = since, step
}
