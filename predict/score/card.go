// Package score measures a pane: what its picture got wrong. It needs no clock;
// everything is counted in ticks.
package score

import (
	"math"

	"ghostcube/predict"
	"ghostcube/sim"
)

// Score scores what one player is shown against the truth: that player's cube,
// and by some measures all bodies. The zero value has seen nothing. The first
// second after a start is not scored: clocks meet in it.
type Score struct {
	Ticks int // scored

	seen    int
	apart   apart   // of the player's cube now
	largest float64 // of those distances, metres
	last    float64
	label   sim.Tick // of the last truth
	pops    pops
	stale   staleness
	shape   shape
	freezes freezes
	stops   stops
	arcs    [2]arcs // of the true cube and the drawn one
	bodies  bodies
	inside  overlaps
	lift    lift
	joints  joints
	chain   chain
	news    updates
	aboard  aboard
	rate    int
}

// Take adds one tick: body is the player's cube.
func (c *Score) Take(truth *sim.World, v *predict.View, body int) {
	if body >= len(v.Bodies) {
		return
	}
	c.rate = truth.Rate()
	true1, drawn := truth.Bodies()[body].Pose, v.Bodies[body]
	away := float64(drawn.Pos.Sub(true1.Pos).Len())
	c.last = away
	waits := c.label == truth.Tick()
	c.label = truth.Tick()
	c.seen++
	scored := c.seen > c.rate
	c.pops.take(true1, truth.Tick(), drawn, v.Of(body), scored)
	c.bodies.take(truth, v, body, scored)
	c.aboard.take(truth, v, body, scored)
	t := &c.bodies.tracks[body]
	step, drawnStep := float64(t.truth.step.Len()), float64(t.drawn.step.Len())
	c.stale.take(step, drawnStep, truth.Scene().MaxLinear, c.rate)
	steady, drawnSteady := c.stale.paces[0].last, c.stale.paces[1].last // without jumps
	c.shape.take(&t.truth, &t.drawn, steady, drawnSteady, c.rate)
	if !scored {
		return
	}
	c.Ticks++
	c.freezes.take(steady, drawnStep, c.rate)
	if waits {
		c.stops.forget()
	}
	c.stops.take(&true1.Pos, &drawn.Pos, t.truth.step, steady, drawnStep, c.rate)
	c.arcs[0].take(step*float64(c.rate), c.rate)
	c.arcs[1].take(drawnStep*float64(c.rate), c.rate)
	c.inside.take(truth.Scene().Boxes, truth.Bodies(), v.Bodies, body)
	c.lift.take(&true1, &drawn, &truth.Scene().Boxes[body])
	c.joints.take(truth, v)
	c.chain.take(truth, v, &c.bodies.past, body)
	c.news.take(truth.Tick(), v, c.Ticks == 1)
	c.apart.add(away)
	c.largest = max(c.largest, away)
}

// Now returns the last distance from the truth, in metres.
func (c *Score) Now() float64 { return c.last }

// ErrorRMS returns the root mean square of the distance between the drawn cube
// and the true one at the same moment, in metres.
func (c *Score) ErrorRMS() float64 {
	return c.apart.rms()
}

// ErrorMax returns the largest of those distances, in metres.
func (c *Score) ErrorMax() float64 { return c.largest }

// PopsPerMinute returns how often the drawn cube jumps.
func (c *Score) PopsPerMinute() float64 {
	if c.Ticks == 0 {
		return 0
	}
	return float64(float64(c.pops.count*60)*float64(c.rate)) / float64(c.Ticks)
}

// ErrorRMSAll returns the root mean square of the distance between a drawn body
// and the true one at the same moment, in metres, over all bodies that have
// moved.
func (c *Score) ErrorRMSAll() float64 { return c.bodies.apart.rms() }

// Inconsistency returns the distance of the drawn cube from the true one beyond
// 5 cm, times how long it lasts, in metre seconds per minute.
func (c *Score) Inconsistency() float64 { return c.apart.perMinute() }

// InconsistencyAll returns the same of all bodies that have moved, the mean of
// them.
func (c *Score) InconsistencyAll() float64 { return c.bodies.apart.perMinute() }

// LargestPop returns the largest jump, in metres.
func (c *Score) LargestPop() float64 { return float64(c.pops.largest) }

// PopEnergy returns the sum of the squares of all jumps, in square metres.
func (c *Score) PopEnergy() float64 { return c.pops.energy }

// LargestPopPixels returns the largest jump as the scoring camera sees it.
func (c *Score) LargestPopPixels() float64 { return float64(c.pops.pixels) }

// PopsAll returns how often any drawn body jumps, in jumps per minute of all
// together, and the sum of the squares of those jumps in square metres. What a
// jump is has a simpler form here.
func (c *Score) PopsAll() (perMinute, energy float64) {
	return float64(float64(c.bodies.jolts.count*60)*float64(c.rate)) / float64(max(c.Ticks, 1)), c.bodies.jolts.energy
}

// Shape is what differs between two motions apart from a delay.
type Shape struct {
	Way      float64 // metres, root mean square
	Turn     float64 // degrees
	Backward float64 // share of the ticks of true motion in which the drawn one goes against it, in [0, 1]
	Band     float64 // m/s, root mean square difference of the speeds between 1 and 6 Hz
}

// Distortion returns how the drawn cube's motion differs from the true one's
// where the delay between them is taken away. ok is false as long as there is no
// Staleness.
func (c *Score) Distortion() (s Shape, ok bool) {
	lag, ok := c.Staleness()
	if !ok || c.shape.pairs == 0 {
		return s, false
	}
	u, n := c.shape.at(lag), float64(c.shape.pairs)
	return Shape{
		Way: math.Sqrt(u.way / n), Turn: u.turned(c.shape.pairs) * 180 / pi,
		Backward: float64(u.backward) / float64(max(u.fast, 1)), Band: math.Sqrt(u.wave / n),
	}, true
}

// DistortionAll returns the distance between a drawn body and where the true one
// was at the tick that the picture claims to show, over all bodies that have
// moved: root mean square and most, in metres. ok is false if no such tick was
// known, because the picture was ahead of the truth or more than 127 ticks behind.
func (c *Score) DistortionAll() (rms, most float64, ok bool) {
	s := &c.bodies.shown
	return math.Sqrt(s.square / float64(max(s.count, 1))), math.Sqrt(float64(s.most)), s.count > 0
}

// Stops returns how many times the true cube has stopped, how many ticks the
// drawn one took to be within 2 cm of it for good, the mean and the most of all
// stops, and how far in metres it went beyond the true one. Without stops the
// last three are 0.
func (c *Score) Stops() (count int, settle float64, longest int, overshoot float64) {
	s := c.stops
	s.end(c.rate) // the one that is looked at
	return s.count, float64(s.settle) / float64(max(s.count, 1)), s.longest, s.most
}

// Arc returns the mean spectral arc length of the drawn cube's speed: below -1,
// and nearer to it the smoother it is. ok is false until there was motion.
func (c *Score) Arc() (length float64, ok bool) { return c.arcs[1].mean() }

// ArcTruth returns the same of the true cube.
func (c *Score) ArcTruth() (length float64, ok bool) { return c.arcs[0].mean() }

// Overlap returns how deep in metres any drawn body that was looked at was in
// another one, and how many pairs are so by more than 2 cm, on average over ticks,
// as far as taking turns can tell.
func (c *Score) Overlap() (deepest, pairs float64) { return c.overlap(&c.inside.drawn) }

// OverlapTruth returns the same of the true bodies.
func (c *Score) OverlapTruth() (deepest, pairs float64) { return c.overlap(&c.inside.truth) }

func (c *Score) overlap(o *overlap) (deepest, pairs float64) {
	each := float64(o.all.pairs) / float64(max(c.inside.turn, 1)) // pairs that a body has
	return float64(max(o.own.deepest, o.all.deepest)), each * float64(len(c.inside.radii)) / 2
}

// OverlapOwn returns how deep in metres the player's drawn cube was in any other,
// and in how many by more than 2 cm, on average over ticks.
func (c *Score) OverlapOwn() (deepest, bodies float64) { return c.overlapOwn(&c.inside.drawn) }

// OverlapOwnTruth returns the same of the true cube.
func (c *Score) OverlapOwnTruth() (deepest, bodies float64) { return c.overlapOwn(&c.inside.truth) }

func (c *Score) overlapOwn(o *overlap) (deepest, bodies float64) {
	return float64(o.own.deepest), float64(o.own.pairs) / float64(max(c.Ticks, 1))
}

// Updates returns in how many ticks something new from the server came into the
// picture, and the most ticks from one of them to the next. ok is false if the strategy has
// no such thing.
func (c *Score) Updates() (count, longest int, ok bool) {
	return c.news.count, c.news.longest, c.news.any
}

// Age returns how many ticks the tick that the picture claims to show is behind
// the truth's, below 0 if it is ahead: the mean and the most.
func (c *Score) Age() (mean float64, most int) {
	return float64(c.news.age) / float64(max(c.Ticks, 1)), c.news.oldest
}

// Staleness returns how many ticks the drawn cube's motion is behind the true
// one's, fewer than 0 if it is ahead. ok is false as long as there is too
// little motion to tell.
func (c *Score) Staleness() (ticks int, ok bool) { return c.stale.lag(c.rate) }

// Frozen returns the share of ticks in which the drawn cube stands while the
// true one is under way, in [0, 1].
func (c *Score) Frozen() float64 {
	if c.Ticks == 0 {
		return 0
	}
	return float64(c.freezes.ticks) / float64(c.Ticks)
}

// Freezes returns how many runs of such ticks there were that last a twentieth
// of a second or more, and how many ticks the longest of them had.
func (c *Score) Freezes() (count, longest int) { return c.freezes.count, c.freezes.longest }

// JerkRatio returns the root mean square jerk of the drawn cube by that of the
// true one: 1 is as smooth as the truth, more is rougher. ok is false as long
// as the true one has hardly moved.
func (c *Score) JerkRatio() (ratio float64, ok bool) { return c.bodies.one.ratio(c.Ticks, c.rate) }

// JerkRatioAll returns the same of all bodies together.
func (c *Score) JerkRatioAll() (ratio float64, ok bool) { return c.bodies.all.ratio(c.Ticks, c.rate) }

// Floor returns how deep any drawn body has reached below the ground, in
// metres, and how many are in it by more than 2 cm, on average over ticks.
func (c *Score) Floor() (deepest, bodies float64) { return c.floor(&c.bodies.drawn) }

// FloorTruth returns the same of the true bodies.
func (c *Score) FloorTruth() (deepest, bodies float64) { return c.floor(&c.bodies.truth) }

func (c *Score) floor(f *floor) (deepest, bodies float64) {
	return float64(f.deepest), float64(f.under) / float64(max(c.Ticks, 1))
}

// CopyFrom makes c an equal of o that shares with it no memory that changes.
func (c *Score) CopyFrom(o *Score) {
	pops, stale, shape, arcs, bodies, chain, aboard := c.pops, c.stale, c.shape, c.arcs, c.bodies, c.chain, c.aboard
	pops.copyFrom(&o.pops)
	stale.copyFrom(&o.stale)
	shape.copyFrom(&o.shape)
	for i := range arcs {
		arcs[i].copyFrom(&o.arcs[i])
	}
	bodies.copyFrom(&o.bodies)
	chain.copyFrom(&o.chain)
	aboard.copyFrom(&o.aboard)
	*c = *o
	c.pops, c.stale, c.shape, c.arcs, c.bodies, c.chain, c.aboard = pops, stale, shape, arcs, bodies, chain, aboard
}
