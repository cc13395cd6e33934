// Package score measures a pane: how the poses that a client draws differ from the server's. It
// reads a server's world and a client's view and knows neither strategies nor networks. It needs no
// clock; everything is counted in ticks, so the same session has the same score on every machine.
//
// assets/measures.toml defines every measure.
package score

import (
	"math"

	"ghostcube/predict"
	"ghostcube/sim"
)

// Score measures what one client draws against the server's world: the player's cube, and for some
// measures all bodies. The zero value is empty. The first second is not scored, because the clocks
// of client and server converge in it.
type Score struct {
	Ticks  int // ticks scored
	Warmup int // ticks that are not scored at first; 0: one second

	seenTicks     int
	lagError      distanceSums // of the player's cube at this moment
	lagErrorMax   float64      // metres
	lagErrorNow   float64      // metres, in the last tick
	serverTick    sim.Tick     // of the last server state
	stepwise      bool         // AddServerStep adds the server's steps
	pops          pops
	delay         delayEstimator
	lagComparison lagComparison
	freezes       freezes
	stops         stops
	spectralArcs  [2]spectralArc // of the server's cube, of the drawn one
	bodies        bodies
	overlaps      overlaps
	clearance     clearances
	joints        joints
	jointErrors   jointPathErrors
	updates       updates
	parents       parentErrors
	pathError     playerPathError
	rate          int
}

// Add scores one tick. body is the index of the player's cube. A view with fewer bodies than that
// is not scored.
func (c *Score) Add(server *predict.World, v *predict.View, body int) {
	if body >= len(v.Bodies) {
		return
	}
	c.rate = server.Rate()
	serverPose, drawn := server.Bodies()[body].Pose, v.Bodies[body]
	lagError := float64(drawn.Pos.Sub(serverPose.Pos).Len())
	c.lagErrorNow = lagError
	stalled := c.serverTick == server.Tick()
	c.serverTick = server.Tick()
	c.seenTicks++
	warmup := c.Warmup
	if warmup == 0 {
		warmup = c.rate
	}
	scored := c.seenTicks > warmup
	if !c.stepwise {
		c.pops.addServer(serverPose, server.Tick())
	}
	c.pathError.addServer(serverPose, server.Tick(), c.rate)
	c.pathError.add(drawn, v.MomentOf(body), server.Tick(), c.rate, scored)
	c.pops.add(drawn, v.TickOf(body), scored)
	c.bodies.add(server, v, body, scored)
	c.parents.add(server, v, body, scored)
	t := &c.bodies.tracks[body]
	step, drawnStep := float64(t.server.step.Len()), float64(t.drawn.step.Len())
	c.delay.add(step, drawnStep, server.Scene().MaxLinearSpeed, c.rate)
	steadyStep, drawnSteadyStep := c.delay.speeds[0].lastStep, c.delay.speeds[1].lastStep // jumps left out
	c.lagComparison.add(&t.server, &t.drawn, steadyStep, drawnSteadyStep, c.rate)
	if !scored {
		return
	}
	c.Ticks++
	c.freezes.add(steadyStep, drawnStep, c.rate)
	if stalled {
		c.stops.discard()
	}
	c.stops.add(&serverPose.Pos, &drawn.Pos, t.server.step, steadyStep, drawnStep, c.rate)
	c.spectralArcs[0].add(step*float64(c.rate), c.rate)
	c.spectralArcs[1].add(drawnStep*float64(c.rate), c.rate)
	c.overlaps.add(server.Scene().Boxes, server.Bodies(), v.Bodies, body)
	c.clearance.add(&serverPose, &drawn, &server.Scene().Boxes[body])
	c.joints.add(server, v)
	c.jointErrors.add(server, v, &c.bodies.history, body)
	c.updates.add(server.Tick(), v, c.Ticks == 1)
	c.lagError.add(lagError)
	c.lagErrorMax = max(c.lagErrorMax, lagError)
}

// AddServerStep adds a step of a server that does not step once in each tick of the session. From then
// on pops are found by the steps that it adds: the poses at the ends of the session's ticks are some of
// them twice and some not at all, so that every sudden step of the drawn bodies looked like a pop.
func (c *Score) AddServerStep(server *predict.World, body int) {
	c.stepwise = true
	c.pathError.addServer(server.Bodies()[body].Pose, server.Tick(), server.Rate())
	c.pops.addServer(server.Bodies()[body].Pose, server.Tick())
	c.bodies.addServerStep(server)
}

// LagError returns the distance from the drawn cube to the server's cube in the last tick, in
// metres.
func (c *Score) LagError() float64 { return c.lagErrorNow }

// LagErrorRMS returns the root mean square distance from the drawn cube to the server's cube at the
// same moment, in metres.
func (c *Score) LagErrorRMS() float64 {
	return c.lagError.rms()
}

// LagErrorMax returns the largest lag error, in metres.
func (c *Score) LagErrorMax() float64 { return c.lagErrorMax }

// PopsPerMinute returns how often the drawn cube jumps while the server's cube does not.
func (c *Score) PopsPerMinute() float64 {
	if c.Ticks == 0 {
		return 0
	}
	return float64(float64(c.pops.count*60)*float64(c.rate)) / float64(c.Ticks)
}

// LagErrorRMSAll returns the root mean square lag error over all bodies that have moved, in metres.
func (c *Score) LagErrorRMSAll() float64 { return c.bodies.lagError.rms() }

// Inconsistency returns the lag error of the player's cube above 5 cm, integrated over time, in
// metre seconds per minute.
func (c *Score) Inconsistency() float64 { return c.lagError.perMinute() }

// InconsistencyAll returns the inconsistency of all bodies that have moved, their mean.
func (c *Score) InconsistencyAll() float64 { return c.bodies.lagError.perMinute() }

// LargestPop returns the length of the largest pop, in metres.
func (c *Score) LargestPop() float64 { return float64(c.pops.largest) }

// PopEnergy returns the sum of the squared lengths of all pops, in square metres.
func (c *Score) PopEnergy() float64 { return c.pops.energy }

// LargestPopPixels returns the length of the largest pop in the image of the scoring camera, in
// pixels.
func (c *Score) LargestPopPixels() float64 { return float64(c.pops.largestPixels) }

// PopsAll returns the pops of all drawn bodies together, per minute, and the sum of their squares
// in square metres. The definition of a pop is simpler than that of the player's cube: see
// stepChanges.
func (c *Score) PopsAll() (perMinute, energy float64) {
	return float64(float64(c.bodies.stepChanges.count*60)*float64(c.rate)) / float64(max(c.Ticks, 1)), c.bodies.stepChanges.energy
}

// MotionError is the difference between two motions with the display delay between them removed.
type MotionError struct {
	Distance        float64 // metres, root mean square
	Angle           float64 // degrees
	Backward        float64 // share of the server cube's motion in which the drawn cube moves against it, in [0, 1]
	Moving          int     // ticks in which the server's cube moves
	SpeedModulation float64 // m/s, root mean square difference of the speeds from 1 to 6 Hz
}

// MotionError compares the drawn cube's motion with the server cube's, display delay removed. ok is
// false while the display delay is unknown.
func (c *Score) MotionError() (s MotionError, ok bool) {
	lag, ok := c.DisplayDelay()
	if !ok || c.lagComparison.pairs == 0 {
		return s, false
	}
	u, n := c.lagComparison.at(lag), float64(c.lagComparison.pairs)
	return MotionError{
		Distance: math.Sqrt(u.distance / n), Angle: rmsAngle(u.chord, c.lagComparison.pairs),
		Backward: float64(u.backward) / float64(max(u.moving, 1)), Moving: int(u.moving), SpeedModulation: math.Sqrt(u.bandSpeed / n),
	}, true
}

// Stops returns how many times the server's cube has stopped; the ticks from a stop until the drawn
// cube stays within 2 cm of it, mean and maximum; and the largest distance in metres by which the
// drawn cube passed it. Without a stop the last three are 0.
func (c *Score) Stops() (count int, settle float64, longest int, overshoot float64) {
	s := c.stops
	s.finish(c.rate) // the stop under observation counts as it stands
	return s.count, float64(s.settleTicks) / float64(max(s.count, 1)), s.settleTicksMax, s.overshootMax
}

// SpectralArcLength returns the mean spectral arc length of the drawn cube's speed: negative, and
// closer to 0 the smoother the motion. ok is false before any motion.
func (c *Score) SpectralArcLength() (length float64, ok bool) { return c.spectralArcs[1].mean() }

// ServerSpectralArcLength returns the same of the server's cube.
func (c *Score) ServerSpectralArcLength() (length float64, ok bool) { return c.spectralArcs[0].mean() }

// Overlap returns the largest depth in metres of a drawn body inside another, among the pairs
// tested, and how many pairs overlap by more than 2 cm, mean over ticks, estimated from the bodies
// tested.
func (c *Score) Overlap() (deepest, pairs float64) { return c.overlap(&c.overlaps.drawn) }

// ServerOverlap returns the same of the server's bodies.
func (c *Score) ServerOverlap() (deepest, pairs float64) { return c.overlap(&c.overlaps.server) }

func (c *Score) overlap(o *overlap) (deepest, pairs float64) {
	pairsPerBody := float64(o.all.pairs) / float64(max(c.overlaps.checked, 1)) // mean overlaps of a tested body
	return float64(max(o.player.deepest, o.all.deepest)), pairsPerBody * float64(len(c.overlaps.radii)) / 2
}

// PlayerOverlap returns the largest depth in metres of the player's drawn cube inside another body,
// and how many bodies it overlaps by more than 2 cm, mean over ticks.
func (c *Score) PlayerOverlap() (deepest, bodies float64) { return c.playerOverlap(&c.overlaps.drawn) }

// ServerPlayerOverlap returns the same of the server's cube.
func (c *Score) ServerPlayerOverlap() (deepest, bodies float64) {
	return c.playerOverlap(&c.overlaps.server)
}

func (c *Score) playerOverlap(o *overlap) (deepest, bodies float64) {
	return float64(o.player.deepest), float64(o.player.pairs) / float64(max(c.Ticks, 1))
}

// Updates returns the number of ticks in which the last received state changed, and the longest gap
// between two of them in ticks. ok is false if the strategy's view has no received state.
func (c *Score) Updates() (count, longest int, ok bool) {
	return c.updates.count, c.updates.gapMax, c.updates.available
}

// NominalDelay returns by how many ticks the view's tick is behind the server's, mean and maximum;
// negative if it is ahead.
func (c *Score) NominalDelay() (mean float64, largest int) {
	return float64(c.updates.delaySum) / float64(max(c.Ticks, 1)), c.updates.delayMax
}

// Headline appends the figures of the score that lead every display to dst: path error and pops, and
// the pops of all bodies if there are many.
func (c *Score) Headline(dst []Measure, manyBodies bool) []Measure {
	path, ok := c.PathError()
	dst = append(dst,
		Measure{"path_error_rms_m", "path error RMS, m", pathErrorHelp, path.RMS, ok, 3, Lower},
		Measure{"pops_per_minute", "pops per minute", "jumps of the drawn cube that the server's cube did not make", c.PopsPerMinute(), c.lasting(), 0, Lower})
	if manyBodies {
		all, _ := c.PopsAll()
		dst = append(dst, Measure{"pops_all_per_minute", "pops, all bodies, per minute", "sudden changes of step above 5 cm of any drawn body that the server's body did not make", all, c.lasting(), 0, Lower})
	}
	return dst
}

// DisplayDelay returns by how many ticks the drawn cube's motion is behind the server cube's,
// negative if it is ahead. ok is false while there is too little motion to estimate it.
func (c *Score) DisplayDelay() (ticks int, ok bool) { return c.delay.delay(c.rate) }

// Frozen returns the share of ticks in which the drawn cube stands still while the server's cube
// moves, in [0, 1].
func (c *Score) Frozen() float64 {
	if c.Ticks == 0 {
		return 0
	}
	return float64(c.freezes.ticks) / float64(c.Ticks)
}

// Freezes returns the number of runs of frozen ticks that last a twentieth of a second or more, and
// the length of the longest in ticks.
func (c *Score) Freezes() (count, longest int) { return c.freezes.count, c.freezes.longest }

// JerkRatio returns the root mean square jerk of the drawn cube divided by that of the server's
// cube: 1 is as smooth, more is rougher. ok is false while the server's cube has hardly moved.
func (c *Score) JerkRatio() (ratio float64, ok bool) {
	return c.bodies.playerJerk.ratio(c.Ticks, c.rate)
}

// JerkRatioAll returns the same of all bodies together.
func (c *Score) JerkRatioAll() (ratio float64, ok bool) {
	return c.bodies.allJerk.ratio(c.Ticks, c.rate)
}

// FloorPenetration returns the largest depth of a drawn body below the ground in metres, and how
// many bodies are deeper than 2 cm, mean over ticks.
func (c *Score) FloorPenetration() (deepest, bodies float64) {
	return c.floorPenetration(&c.bodies.drawnFloor)
}

// ServerFloorPenetration returns the same of the server's bodies.
func (c *Score) ServerFloorPenetration() (deepest, bodies float64) {
	return c.floorPenetration(&c.bodies.serverFloor)
}

func (c *Score) floorPenetration(f *floorDepths) (deepest, bodies float64) {
	return float64(f.deepest), float64(f.count) / float64(max(c.Ticks, 1))
}

// CopyFrom makes c a copy of o. They share no memory that changes.
func (c *Score) CopyFrom(o *Score) {
	pops, delay, comparison, arcs, bodies, jointErrors, parents, path := c.pops, c.delay, c.lagComparison, c.spectralArcs, c.bodies, c.jointErrors, c.parents, c.pathError
	since := append(c.joints.since[:0], o.joints.since...)
	pops.copyFrom(&o.pops)
	delay.copyFrom(&o.delay)
	comparison.copyFrom(&o.lagComparison)
	for i := range arcs {
		arcs[i].copyFrom(&o.spectralArcs[i])
	}
	bodies.copyFrom(&o.bodies)
	jointErrors.copyFrom(&o.jointErrors)
	parents.copyFrom(&o.parents)
	path.copyFrom(&o.pathError)
	*c = *o
	c.pops, c.delay, c.lagComparison, c.spectralArcs, c.bodies, c.jointErrors, c.parents, c.pathError = pops, delay, comparison, arcs, bodies, jointErrors, parents, path
	c.joints.since = since
}
