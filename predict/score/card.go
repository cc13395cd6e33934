// Package score measures a pane: what its picture got wrong. It needs no clock;
// everything is counted in ticks.
package score

import (
	"math"

	"ghostcube/predict"
	"ghostcube/sim"
)

// Card scores what one player is shown against the truth: that player's cube,
// and by some measures all bodies. The zero value has seen nothing. The first
// second after a start is not scored: clocks meet in it.
type Card struct {
	Ticks int // scored

	seen    int
	square  float64 // sum of squared distances from the truth now, m2
	largest float64 // of those distances, metres
	last    float64
	pops    pops
	stale   staleness
	freezes freezes
	bodies  bodies
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
	c.bodies.take(truth, v.Bodies, body, scored)
	t := &c.bodies.tracks[body]
	step, drawnStep := float64(t.truth.step.Len()), float64(t.drawn.step.Len())
	c.stale.take(step, drawnStep, truth.Scene().MaxLinear, c.rate)
	if !scored {
		return
	}
	c.Ticks++
	c.freezes.take(c.stale.paces[0].last, drawnStep, c.rate)
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

// Staleness returns how many ticks the drawn cube's motion is behind the true
// one's, fewer than 0 if it is ahead. ok is false as long as there is too
// little motion to tell.
func (c *Card) Staleness() (ticks int, ok bool) { return c.stale.lag(c.rate) }

// Frozen returns the share of ticks in which the drawn cube stands while the
// true one is under way, in [0, 1].
func (c *Card) Frozen() float64 {
	if c.Ticks == 0 {
		return 0
	}
	return float64(c.freezes.ticks) / float64(c.Ticks)
}

// Freezes returns how many runs of such ticks there were that last a twentieth
// of a second or more, and how many ticks the longest of them had.
func (c *Card) Freezes() (count, longest int) { return c.freezes.count, c.freezes.longest }

// JerkRatio returns the root mean square jerk of the drawn cube by that of the
// true one: 1 is as smooth as the truth, more is rougher. ok is false as long
// as the true one has hardly moved.
func (c *Card) JerkRatio() (ratio float64, ok bool) { return c.bodies.one.ratio(c.Ticks, c.rate) }

// JerkRatioAll returns the same of all bodies together.
func (c *Card) JerkRatioAll() (ratio float64, ok bool) { return c.bodies.all.ratio(c.Ticks, c.rate) }

// Floor returns how deep any drawn body has reached below the ground, in
// metres, and how many are in it by more than 2 cm, on average over ticks.
func (c *Card) Floor() (deepest, bodies float64) { return c.floor(&c.bodies.drawn) }

// FloorTruth returns the same of the true bodies.
func (c *Card) FloorTruth() (deepest, bodies float64) { return c.floor(&c.bodies.truth) }

func (c *Card) floor(f *floor) (deepest, bodies float64) {
	return float64(f.deepest), float64(f.under) / float64(max(c.Ticks, 1))
}

// CopyFrom makes c an equal of o that shares no memory with it.
func (c *Card) CopyFrom(o *Card) {
	pops, stale, bodies := c.pops, c.stale, c.bodies
	pops.copyFrom(&o.pops)
	stale.copyFrom(&o.stale)
	bodies.copyFrom(&o.bodies)
	*c = *o
	c.pops, c.stale, c.bodies = pops, stale, bodies
}
