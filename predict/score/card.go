// Package score measures a pane: what its picture got wrong. It needs no clock;
// everything is counted in ticks.
package score

import (
	"math"

	"ghostcube/predict"
	"ghostcube/sim"
)

// Card scores the drawn cube of one player against the truth. The zero value
// has seen nothing. The first second after a start is not scored: clocks meet
// in it.
type Card struct {
	Ticks int // scored

	seen    int
	square  float64 // sum of squared distances from the truth now, m2
	largest float64 // of those distances, metres
	last    float64
	pops    pops
	rate    int
}

// Take adds one tick: body is the player's cube.
func (c *Card) Take(truth *sim.World, v *predict.View, body int) {
	if body >= len(v.Bodies) {
		return
	}
	c.rate = truth.Rate()
	true1, drawn := truth.Bodies()[body].Pose, v.Bodies[body]
	away := float64(drawn.Pos.Sub(true1.Pos).Len())
	c.last = away
	c.seen++
	scored := c.seen > c.rate
	c.pops.take(true1, truth.Tick(), drawn, v.Tick, scored)
	if !scored {
		return
	}
	c.Ticks++
	c.square += float64(away * away)
	c.largest = max(c.largest, away)
}

// Now returns the last distance from the truth, in metres.
func (c *Card) Now() float64 { return c.last }

// ErrorRMS returns the root mean square of the distance between the drawn cube
// and the true one at the same moment, in metres.
func (c *Card) ErrorRMS() float64 {
	if c.Ticks == 0 {
		return 0
	}
	return math.Sqrt(c.square / float64(c.Ticks))
}

// ErrorMax returns the largest of those distances, in metres.
func (c *Card) ErrorMax() float64 { return c.largest }

// PopsPerMinute returns how often the drawn cube jumps.
func (c *Card) PopsPerMinute() float64 {
	if c.Ticks == 0 {
		return 0
	}
	return float64(float64(c.pops.count*60)*float64(c.rate)) / float64(c.Ticks)
}

// LargestPop returns the largest jump, in metres.
func (c *Card) LargestPop() float64 { return float64(c.pops.largest) }

// PopEnergy returns the sum of the squares of all jumps, in square metres.
func (c *Card) PopEnergy() float64 { return c.pops.energy }

// CopyFrom makes c an equal of o.
func (c *Card) CopyFrom(o *Card) {
	pops := c.pops
	pops.copyFrom(&o.pops)
	*c = *o
	c.pops = pops
}
