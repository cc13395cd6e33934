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

	seenTicks     int
	lagError      distanceSums // of the player's cube now
	lagErrorMax   float64      // of those distances, metres
	lagErrorNow   float64
	serverTick    sim.Tick // of the last truth
	pops          pops
	delay         delayEstimator
	lagComparison lagComparison
	freezes       freezes
	stops         stops
	spectralArcs  [2]spectralArc // of the true cube and the drawn one
	bodies        bodies
	overlaps      overlaps
	clearance     clearances
	joints        joints
	jointErrors   jointPathErrors
	updates       updates
	parents       parentErrors
	rate          int
}

// Add adds one tick: body is the player's cube.
func (c *Score) Add(truth *sim.World, v *predict.View, body int) {
	if body >= len(v.Bodies) {
		return
	}
	c.rate = truth.Rate()
	true1, drawn := truth.Bodies()[body].Pose, v.Bodies[body]
	away := float64(drawn.Pos.Sub(true1.Pos).Len())
	c.lagErrorNow = away
	waits := c.serverTick == truth.Tick()
	c.serverTick = truth.Tick()
	c.seenTicks++
	scored := c.seenTicks > c.rate
	c.pops.add(true1, truth.Tick(), drawn, v.TickOf(body), scored)
	c.bodies.add(truth, v, body, scored)
	c.parents.add(truth, v, body, scored)
	t := &c.bodies.tracks[body]
	step, drawnStep := float64(t.server.step.Len()), float64(t.drawn.step.Len())
	c.delay.add(step, drawnStep, truth.Scene().MaxLinearSpeed, c.rate)
	steady, drawnSteady := c.delay.speeds[0].lastStep, c.delay.speeds[1].lastStep // without jumps
	c.lagComparison.add(&t.server, &t.drawn, steady, drawnSteady, c.rate)
	if !scored {
		return
	}
	c.Ticks++
	c.freezes.add(steady, drawnStep, c.rate)
	if waits {
		c.stops.discard()
	}
	c.stops.add(&true1.Pos, &drawn.Pos, t.server.step, steady, drawnStep, c.rate)
	c.spectralArcs[0].add(step*float64(c.rate), c.rate)
	c.spectralArcs[1].add(drawnStep*float64(c.rate), c.rate)
	c.overlaps.add(truth.Scene().Boxes, truth.Bodies(), v.Bodies, body)
	c.clearance.add(&true1, &drawn, &truth.Scene().Boxes[body])
	c.joints.add(truth, v)
	c.jointErrors.add(truth, v, &c.bodies.history, body)
	c.updates.add(truth.Tick(), v, c.Ticks == 1)
	c.lagError.add(away)
	c.lagErrorMax = max(c.lagErrorMax, away)
}

// LagError returns the last distance from the truth, in metres.
func (c *Score) LagError() float64 { return c.lagErrorNow }

// LagErrorRMS returns the root mean square of the distance between the drawn cube
// and the true one at the same moment, in metres.
func (c *Score) LagErrorRMS() float64 {
	return c.lagError.rms()
}

// LagErrorMax returns the largest of those distances, in metres.
func (c *Score) LagErrorMax() float64 { return c.lagErrorMax }

// PopsPerMinute returns how often the drawn cube jumps.
func (c *Score) PopsPerMinute() float64 {
	if c.Ticks == 0 {
		return 0
	}
	return float64(float64(c.pops.count*60)*float64(c.rate)) / float64(c.Ticks)
}

// LagErrorRMSAll returns the root mean square of the distance between a drawn body
// and the true one at the same moment, in metres, over all bodies that have
// moved.
func (c *Score) LagErrorRMSAll() float64 { return c.bodies.lagError.rms() }

// Inconsistency returns the distance of the drawn cube from the true one beyond
// 5 cm, times how long it lasts, in metre seconds per minute.
func (c *Score) Inconsistency() float64 { return c.lagError.perMinute() }

// InconsistencyAll returns the same of all bodies that have moved, the mean of
// them.
func (c *Score) InconsistencyAll() float64 { return c.bodies.lagError.perMinute() }

// LargestPop returns the largest jump, in metres.
func (c *Score) LargestPop() float64 { return float64(c.pops.largest) }

// PopEnergy returns the sum of the squares of all jumps, in square metres.
func (c *Score) PopEnergy() float64 { return c.pops.energy }

// LargestPopPixels returns the largest jump as the scoring camera sees it.
func (c *Score) LargestPopPixels() float64 { return float64(c.pops.largestPixels) }

// PopsAll returns how often any drawn body jumps, in jumps per minute of all
// together, and the sum of the squares of those jumps in square metres. What a
// jump is has a simpler form here.
func (c *Score) PopsAll() (perMinute, energy float64) {
	return float64(float64(c.bodies.stepChanges.count*60)*float64(c.rate)) / float64(max(c.Ticks, 1)), c.bodies.stepChanges.energy
}

// MotionError is what differs between two motions apart from a delay.
type MotionError struct {
	PathError       float64 // metres, root mean square
	AngleError      float64 // degrees
	Backward        float64 // share of the ticks of true motion in which the drawn one goes against it, in [0, 1]
	SpeedModulation float64 // m/s, root mean square difference of the speeds between 1 and 6 Hz
}

// MotionError returns how the drawn cube's motion differs from the true one's
// where the delay between them is taken away. ok is false as long as there is no
// Staleness.
func (c *Score) MotionError() (s MotionError, ok bool) {
	lag, ok := c.DisplayDelay()
	if !ok || c.lagComparison.pairs == 0 {
		return s, false
	}
	u, n := c.lagComparison.at(lag), float64(c.lagComparison.pairs)
	return MotionError{
		PathError: math.Sqrt(u.distance / n), AngleError: u.angle(c.lagComparison.pairs) * 180 / pi,
		Backward: float64(u.backward) / float64(max(u.moving, 1)), SpeedModulation: math.Sqrt(u.bandSpeed / n),
	}, true
}

// PathErrorAll returns the distance between a drawn body and where the true one
// was at the tick that the picture claims to show, over all bodies that have
// moved: root mean square and most, in metres. ok is false if no such tick was
// known, because the picture was ahead of the truth or more than 127 ticks behind.
func (c *Score) PathErrorAll() (rms, most float64, ok bool) {
	s := &c.bodies.pathError
	return math.Sqrt(s.square / float64(max(s.count, 1))), math.Sqrt(float64(s.max)), s.count > 0
}

// Stops returns how many times the true cube has stopped, how many ticks the
// drawn one took to be within 2 cm of it for good, the mean and the most of all
// stops, and how far in metres it went beyond the true one. Without stops the
// last three are 0.
func (c *Score) Stops() (count int, settle float64, longest int, overshoot float64) {
	s := c.stops
	s.finish(c.rate) // the one that is looked at
	return s.count, float64(s.settleTicks) / float64(max(s.count, 1)), s.settleTicksMax, s.overshootMax
}

// SpectralArcLength returns the mean spectral arc length of the drawn cube's speed: below -1,
// and nearer to it the smoother it is. ok is false until there was motion.
func (c *Score) SpectralArcLength() (length float64, ok bool) { return c.spectralArcs[1].mean() }

// ServerSpectralArcLength returns the same of the true cube.
func (c *Score) ServerSpectralArcLength() (length float64, ok bool) { return c.spectralArcs[0].mean() }

// Overlap returns how deep in metres any drawn body that was looked at was in
// another one, and how many pairs are so by more than 2 cm, on average over ticks,
// as far as taking turns can tell.
func (c *Score) Overlap() (deepest, pairs float64) { return c.overlap(&c.overlaps.drawn) }

// ServerOverlap returns the same of the true bodies.
func (c *Score) ServerOverlap() (deepest, pairs float64) { return c.overlap(&c.overlaps.server) }

func (c *Score) overlap(o *overlap) (deepest, pairs float64) {
	each := float64(o.all.pairs) / float64(max(c.overlaps.checked, 1)) // pairs that a body has
	return float64(max(o.player.deepest, o.all.deepest)), each * float64(len(c.overlaps.radii)) / 2
}

// PlayerOverlap returns how deep in metres the player's drawn cube was in any other,
// and in how many by more than 2 cm, on average over ticks.
func (c *Score) PlayerOverlap() (deepest, bodies float64) { return c.playerOverlap(&c.overlaps.drawn) }

// ServerPlayerOverlap returns the same of the true cube.
func (c *Score) ServerPlayerOverlap() (deepest, bodies float64) {
	return c.playerOverlap(&c.overlaps.server)
}

func (c *Score) playerOverlap(o *overlap) (deepest, bodies float64) {
	return float64(o.player.deepest), float64(o.player.pairs) / float64(max(c.Ticks, 1))
}

// Updates returns in how many ticks something new from the server came into the
// picture, and the most ticks from one of them to the next. ok is false if the strategy has
// no such thing.
func (c *Score) Updates() (count, longest int, ok bool) {
	return c.updates.count, c.updates.gapMax, c.updates.available
}

// NominalDelay returns how many ticks the tick that the picture claims to show is behind
// the truth's, below 0 if it is ahead: the mean and the most.
func (c *Score) NominalDelay() (mean float64, most int) {
	return float64(c.updates.delaySum) / float64(max(c.Ticks, 1)), c.updates.delayMax
}

// DisplayDelay returns how many ticks the drawn cube's motion is behind the true
// one's, fewer than 0 if it is ahead. ok is false as long as there is too
// little motion to tell.
func (c *Score) DisplayDelay() (ticks int, ok bool) { return c.delay.delay(c.rate) }

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
func (c *Score) JerkRatio() (ratio float64, ok bool) {
	return c.bodies.playerJerk.ratio(c.Ticks, c.rate)
}

// JerkRatioAll returns the same of all bodies together.
func (c *Score) JerkRatioAll() (ratio float64, ok bool) {
	return c.bodies.allJerk.ratio(c.Ticks, c.rate)
}

// FloorPenetration returns how deep any drawn body has reached below the ground, in
// metres, and how many are in it by more than 2 cm, on average over ticks.
func (c *Score) FloorPenetration() (deepest, bodies float64) {
	return c.floorPenetration(&c.bodies.drawnFloor)
}

// ServerFloorPenetration returns the same of the true bodies.
func (c *Score) ServerFloorPenetration() (deepest, bodies float64) {
	return c.floorPenetration(&c.bodies.serverFloor)
}

func (c *Score) floorPenetration(f *floorDepths) (deepest, bodies float64) {
	return float64(f.deepest), float64(f.count) / float64(max(c.Ticks, 1))
}

// CopyFrom makes c an equal of o that shares with it no memory that changes.
func (c *Score) CopyFrom(o *Score) {
	pops, stale, shape, arcs, bodies, chain, aboard := c.pops, c.delay, c.lagComparison, c.spectralArcs, c.bodies, c.jointErrors, c.parents
	pops.copyFrom(&o.pops)
	stale.copyFrom(&o.delay)
	shape.copyFrom(&o.lagComparison)
	for i := range arcs {
		arcs[i].copyFrom(&o.spectralArcs[i])
	}
	bodies.copyFrom(&o.bodies)
	chain.copyFrom(&o.jointErrors)
	aboard.copyFrom(&o.parents)
	*c = *o
	c.pops, c.delay, c.lagComparison, c.spectralArcs, c.bodies, c.jointErrors, c.parents = pops, stale, shape, arcs, bodies, chain, aboard
}
