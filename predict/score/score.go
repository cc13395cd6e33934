// Package score measures a pane: how the poses that a client draws differ from the server's. It
// reads a server's world and a client's view and knows neither strategies nor networks. It needs no
// clock; everything is counted in ticks, so the same session has the same score on every machine.
//
// Definitions lists every measure.
package score

import (
	"cmp"

	"ghostcube/predict"
	"ghostcube/sim"
)

// Score measures what one client draws against the server's world: the player's cube, and for some
// measures all bodies. The zero value is empty. The first second is not scored, because the clocks
// of client and server converge in it.
type Score struct {
	Ticks  int // ticks scored
	Warmup int // ticks that are not scored at first; 0: one second

	seenTicks    int
	lagError     distanceSums // of the player's cube at this moment
	lagErrorNow  float64      // metres, in the last tick
	serverTick   sim.Tick     // of the last server state
	stepwise     bool         // AddServerStep adds the server's steps
	pops         pops
	delay        delayEstimator
	freezes      freezes
	stops        stops
	bodies       bodies
	overlaps     overlaps
	joints       joints
	jointErrors  jointPathErrors
	vehicleError vehiclePathError
	updates      updates
	parents      parentErrors
	pathError    playerPathError
	rate         int
}

// Add scores one tick. body is the index of the player's cube. A view with fewer bodies than that
// is not scored.
func (s *Score) Add(server *predict.World, v *predict.View, body int) {
	s.pathError.compared = s.pathError.compared[:0]
	if body >= len(v.Bodies) {
		return
	}
	s.rate = server.Rate()
	serverPose, drawn := server.Bodies()[body].Pose, v.Bodies[body]
	lagError := float64(drawn.Pos.Sub(serverPose.Pos).Len())
	s.lagErrorNow = lagError
	stalled := s.serverTick == server.Tick()
	s.serverTick = server.Tick()
	s.seenTicks++
	scored := s.seenTicks > s.warmup()
	if !s.stepwise {
		s.pops.addServer(serverPose, server.Tick())
	}
	s.pathError.addServer(serverPose, server.Tick(), s.rate)
	s.pathError.add(drawn, v.MomentOf(body), s.seenTicks, server.Tick(), s.rate, scored)
	s.vehicleError.addServer(server, body)
	s.vehicleError.add(server, v, body, scored)
	s.pops.add(drawn, v.MomentOf(body), scored)
	s.bodies.add(server, v, body, scored)
	s.parents.add(server, v, body, scored)
	t := &s.bodies.tracks[body]
	step, drawnStep := float64(t.server.step.Len()), float64(t.drawn.step.Len())
	s.delay.add(step, drawnStep, server.Scene().MaxLinearSpeed, s.rate)
	steadyStep := s.delay.speeds[0].lastStep // jumps left out
	if !scored {
		return
	}
	s.Ticks++
	s.freezes.add(steadyStep, drawnStep, s.rate)
	if stalled {
		s.stops.discard()
	}
	s.stops.add(&serverPose.Pos, &drawn.Pos, t.server.step, steadyStep, drawnStep, s.rate)
	s.overlaps.add(server.Scene().Boxes, server.Bodies(), v.Bodies, body)
	s.joints.add(server, v)
	s.jointErrors.add(server, v, &s.bodies.history, body)
	s.updates.add(server.Tick(), v, s.Ticks == 1)
	s.lagError.add(lagError)
}

// AddPathError adds a tick to the path error of the player's cube alone: for a client that knows the server's cube by
// datagrams that may be lost, from which pops and freezes cannot be told. It takes the place of Add.
func (s *Score) AddPathError(server *predict.World, v *predict.View, body int) {
	p := &s.pathError
	p.compared = p.compared[:0]
	if body >= len(v.Bodies) {
		return
	}
	s.rate = server.Rate()
	s.seenTicks++
	p.addServer(server.Bodies()[body].Pose, server.Tick(), s.rate)
	p.add(v.Bodies[body], v.MomentOf(body), s.seenTicks, server.Tick(), s.rate, s.seenTicks > s.warmup())
}

// warmup returns the number of ticks that are not scored at first.
func (s *Score) warmup() int { return cmp.Or(s.Warmup, s.rate) }

// AddServerStep adds a step of a server that does not step once in each tick of the session. From then
// on pops are found by the steps that it adds: the poses at the ends of the session's ticks are some of
// them twice and some not at all, so that every sudden step of the drawn bodies looked like a pop.
func (s *Score) AddServerStep(server *predict.World, body int) {
	s.stepwise = true
	s.pathError.addServer(server.Bodies()[body].Pose, server.Tick(), server.Rate())
	s.vehicleError.addServer(server, body)
	s.pops.addServer(server.Bodies()[body].Pose, server.Tick())
	s.bodies.addServerStep(server)
}

// Added returns the number of ticks that were added, with those that are not scored.
func (s *Score) Added() int { return s.seenTicks }

// LagError returns the distance from the drawn cube to the server's cube in the last tick, in
// metres.
func (s *Score) LagError() float64 { return s.lagErrorNow }

// PathErrorInParent returns the newest known path error of the player's cube in the frame of its parent, in metres, or 0 if it
// has been in none.
func (s *Score) PathErrorInParent() float64 { return s.parents.last }

// LagErrorRMS returns the root mean square distance from the drawn cube to the server's cube at the
// same moment, in metres.
func (s *Score) LagErrorRMS() float64 { return s.lagError.rms() }

// PopsPerMinute returns how often the drawn cube jumps while the server's cube does not.
func (s *Score) PopsPerMinute() float64 { return s.perMinute(s.pops.count) }

// perMinute returns how often something happens that has happened a number of times.
func (s *Score) perMinute(times int) float64 {
	return float64(float64(times*60)*float64(s.rate)) / float64(max(s.Ticks, 1))
}

// Overshoot returns the largest distance in metres by which the drawn cube passed the server's after
// a stop. ok is false if the server's cube has not stopped.
func (s *Score) Overshoot() (metres float64, ok bool) {
	stops := s.stops
	stops.finish(s.rate) // the stop under observation counts as it stands
	return stops.overshootMax, stops.count > 0
}

// NominalDelay returns by how many ticks the view's tick is behind the server's, their mean; negative
// if it is ahead.
func (s *Score) NominalDelay() float64 {
	return float64(s.updates.delaySum) / float64(max(s.Ticks, 1))
}

// DisplayDelay returns by how many ticks the drawn cube's motion is behind the server cube's,
// negative if it is ahead. ok is false while there is too little motion to estimate it.
func (s *Score) DisplayDelay() (ticks int, ok bool) { return s.delay.delay(s.rate) }

// DisplayDelayBetween returns the same between whole ticks, for sessions whose frames are not the server's ticks.
func (s *Score) DisplayDelayBetween() (ticks float64, ok bool) {
	lag, ok := s.delay.delay(s.rate)
	behind, _ := s.delay.top(lag)
	return float64(lag) + behind, ok
}

// Frozen returns the share of ticks in which the drawn cube stands still while the server's cube
// moves, in [0, 1].
func (s *Score) Frozen() float64 {
	return float64(s.freezes.ticks) / float64(max(s.Ticks, 1))
}

// JerkRatio returns the root mean square jerk of the drawn cube divided by that of the server's
// cube: 1 is as smooth, more is rougher. ok is false while the server's cube has hardly moved.
func (s *Score) JerkRatio() (ratio float64, ok bool) {
	return s.bodies.playerJerk.ratio(s.Ticks, s.rate)
}

// JerkRatioAll returns the same of all bodies together.
func (s *Score) JerkRatioAll() (ratio float64, ok bool) {
	return s.bodies.allJerk.ratio(s.Ticks, s.rate)
}

// CopyFrom makes s a copy of o. They share no memory that changes.
func (s *Score) CopyFrom(o *Score) {
	pops, delay, bodies, jointErrors, parents, path, vehicle := s.pops, s.delay, s.bodies, s.jointErrors, s.parents, s.pathError, s.vehicleError
	since := append(s.joints.since[:0], o.joints.since...)
	pops.copyFrom(&o.pops)
	delay.copyFrom(&o.delay)
	bodies.copyFrom(&o.bodies)
	jointErrors.copyFrom(&o.jointErrors)
	parents.copyFrom(&o.parents)
	path.copyFrom(&o.pathError)
	vehicle.playerPathError.copyFrom(&o.vehicleError.playerPathError)
	vehicle.body = o.vehicleError.body
	*s = *o
	s.pops, s.delay, s.bodies, s.jointErrors, s.parents, s.pathError, s.vehicleError = pops, delay, bodies, jointErrors, parents, path, vehicle
	s.joints.since = since
}
