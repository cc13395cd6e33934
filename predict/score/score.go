// Package score measures a pane: how the poses that a client draws differ from the server's. It
// reads a server's world and a client's view and knows neither strategies nor networks. It needs no
// clock; everything is counted in ticks, so the same session has the same score on every machine.
//
// Definitions lists every measure.
package score

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// Score measures what one client draws against the server's world: the player's cube, and for some
// measures all bodies. The zero value is empty. The first second is not scored, because the clocks
// of client and server converge in it.
type Score struct {
	Ticks  int // ticks scored
	Warmup int // ticks that are not scored at first; 0: one second

	seenTicks   int
	lagError    distanceSums // of the player's cube at this moment
	lagErrorNow float64      // metres, in the last tick
	serverTick  sim.Tick     // of the last server state
	stepwise    bool         // AddServerStep adds the server's steps
	pops        pops
	delay       delayEstimator
	freezes     freezes
	stops       stops
	bodies      bodies
	overlaps    overlaps
	joints      joints
	jointErrors jointPathErrors
	updates     updates
	parents     parentErrors
	pathError   playerPathError
	rate        int
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
	steadyStep := c.delay.speeds[0].lastStep // jumps left out
	if !scored {
		return
	}
	c.Ticks++
	c.freezes.add(steadyStep, drawnStep, c.rate)
	if stalled {
		c.stops.discard()
	}
	c.stops.add(&serverPose.Pos, &drawn.Pos, t.server.step, steadyStep, drawnStep, c.rate)
	c.overlaps.add(server.Scene().Boxes, server.Bodies(), v.Bodies, body)
	c.joints.add(server, v)
	c.jointErrors.add(server, v, &c.bodies.history, body)
	c.updates.add(server.Tick(), v, c.Ticks == 1)
	c.lagError.add(lagError)
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

// PopsPerMinute returns how often the drawn cube jumps while the server's cube does not.
func (c *Score) PopsPerMinute() float64 {
	if c.Ticks == 0 {
		return 0
	}
	return float64(float64(c.pops.count*60)*float64(c.rate)) / float64(c.Ticks)
}

// LagErrorRMSAll returns the root mean square lag error over all bodies that have moved, in metres.
func (c *Score) LagErrorRMSAll() float64 { return c.bodies.lagError.rms() }

// LargestPop returns the length of the largest pop, in metres.
func (c *Score) LargestPop() float64 { return float64(c.pops.largest) }

// PopsAll returns the pops of all drawn bodies together, per minute, and the sum of their squares
// in square metres. The definition of a pop is simpler than that of the player's cube: see
// stepChanges.
func (c *Score) PopsAll() (perMinute, energy float64) {
	return float64(float64(c.bodies.stepChanges.count*60)*float64(c.rate)) / float64(max(c.Ticks, 1)), c.bodies.stepChanges.energy
}

// Overshoot returns the largest distance in metres by which the drawn cube passed the server's after
// a stop. ok is false if the server's cube has not stopped.
func (c *Score) Overshoot() (metres float64, ok bool) {
	s := c.stops
	s.finish(c.rate) // the stop under observation counts as it stands
	return s.overshootMax, s.count > 0
}

// Overlap returns the largest depth in metres of a drawn body inside another and of a server's body
// inside another, among the pairs tested.
func (c *Score) Overlap() (drawn, server float64) {
	return float64(c.overlaps.drawn), float64(c.overlaps.server)
}

// LongestUpdateGap returns the longest time in ticks between two changes of the last received state.
// ok is false if the strategy's view has no received state.
func (c *Score) LongestUpdateGap() (ticks int, ok bool) { return c.updates.gapMax, c.updates.available }

// NominalDelay returns by how many ticks the view's tick is behind the server's, their mean; negative
// if it is ahead.
func (c *Score) NominalDelay() float64 {
	return float64(c.updates.delaySum) / float64(max(c.Ticks, 1))
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

// LongestFreeze returns the length in ticks of the longest run of frozen ticks, and 0 if none lasts a
// twentieth of a second.
func (c *Score) LongestFreeze() int { return c.freezes.longest }

// JerkRatio returns the root mean square jerk of the drawn cube divided by that of the server's
// cube: 1 is as smooth, more is rougher. ok is false while the server's cube has hardly moved.
func (c *Score) JerkRatio() (ratio float64, ok bool) {
	return c.bodies.playerJerk.ratio(c.Ticks, c.rate)
}

// JerkRatioAll returns the same of all bodies together.
func (c *Score) JerkRatioAll() (ratio float64, ok bool) {
	return c.bodies.allJerk.ratio(c.Ticks, c.rate)
}

// CopyFrom makes c a copy of o. They share no memory that changes.
func (c *Score) CopyFrom(o *Score) {
	pops, delay, bodies, jointErrors, parents, path := c.pops, c.delay, c.bodies, c.jointErrors, c.parents, c.pathError
	since := append(c.joints.since[:0], o.joints.since...)
	pops.copyFrom(&o.pops)
	delay.copyFrom(&o.delay)
	bodies.copyFrom(&o.bodies)
	jointErrors.copyFrom(&o.jointErrors)
	parents.copyFrom(&o.parents)
	path.copyFrom(&o.pathError)
	*c = *o
	c.pops, c.delay, c.bodies, c.jointErrors, c.parents, c.pathError = pops, delay, bodies, jointErrors, parents, path
	c.joints.since = since
}
