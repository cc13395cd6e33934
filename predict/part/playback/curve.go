package playback

import (
	"ghostcube/predict/part/playout"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// curve is the Hermite curve from where a body is drawn to its next position. It starts and
// ends with the velocities of the two.
//
// A body that was extrapolated, or has stopped, has less time to get there than the server's
// body took. The shape of the curve is that of the server's motion all the same, so that
// jointed bodies pass through poses that they had together.
type curve struct {
	start        sim.Body
	startMoment  sim.Moment // at which the server had start
	drawnSince   sim.Moment // at which start was drawn
	endTick      sim.Tick   // of the position at the end
	hasEnd       bool       // endTick is set
	extrapolated bool       // the body was extrapolated since start
}

// startAt starts the curve at a position that the body has reached.
func (c *curve) startAt(s *playout.Item[sim.Body]) {
	*c = curve{start: s.Value, startMoment: s.Tick.Moment(), drawnSince: s.Tick.Moment()}
}

// extrapolate returns the pose to which its velocities take a body, some time beyond its last
// position.
func (c *curve) extrapolate(last *playout.Item[sim.Body], beyond sim.Moment, rate int) geom.Pose {
	b := &last.Value
	p := b.Pose
	s := beyond.Seconds(rate)
	p.Pos = p.Pos.AddScaled(s, b.Linear)
	if spin := b.Angular.Len(); spin > 0 {
		p.Rot = geom.AxisAngle(b.Angular.Scale(1/spin), float32(spin*s)).Mul(p.Rot).Unit()
	}
	c.start.Linear, c.start.Angular = b.Linear, b.Angular
	c.startMoment, c.extrapolated, c.hasEnd = last.Tick.Moment()+beyond, true, false
	return p
}

// setEnd sets the position at the end. If that was another one before, or if the body was
// extrapolated, the curve starts anew, where the body is drawn.
func (c *curve) setEnd(drawn geom.Pose, at sim.Moment, next *playout.Item[sim.Body]) {
	switch {
	case c.extrapolated:
		c.start.Pose, c.drawnSince, c.extrapolated = drawn, at, false
	case c.hasEnd && c.endTick != next.Tick:
		// A position between the two has arrived. Go on from here at the present speed.
		c.startMoment += (at - c.drawnSince) * (c.endTick.Moment() - c.startMoment) / max(c.endTick.Moment()-c.drawnSince, 1)
		c.startMoment = min(c.startMoment, next.Tick.Moment())
		c.start.Pose, c.drawnSince = drawn, at
	}
	c.endTick, c.hasEnd = next.Tick, true
}

// poseAt returns the pose at a moment.
func (c *curve) poseAt(moment sim.Moment, next *playout.Item[sim.Body], rate int) geom.Pose {
	end := next.Tick.Moment()
	a, b := &c.start, &next.Value
	if a.Pose == b.Pose {
		return b.Pose
	}
	share := float32(float64(moment-c.drawnSince) / float64(end-c.drawnSince))
	seconds := (end - c.startMoment).Seconds(rate)
	p := geom.Pose{
		Pos: smoothing.Hermite(a.Pose.Pos, a.Linear.Scale(seconds), b.Pose.Pos, b.Linear.Scale(seconds), share),
		Rot: b.Pose.Rot,
	}
	if turn := b.Pose.Rot.Mul(a.Pose.Rot.Inverse()); turn != geom.Identity {
		turned := smoothing.Hermite(geom.Vec3{}, a.Angular.Scale(seconds), rotationVector(turn), b.Angular.Scale(seconds), share)
		if angle := turned.Len(); angle > 0 {
			p.Rot = geom.AxisAngle(turned.Scale(1/angle), angle).Mul(a.Pose.Rot).Unit()
		} else {
			p.Rot = a.Pose.Rot
		}
	}
	return p
}

// rotationVector returns the axis of a rotation times its angle in rad, in [0, pi].
func rotationVector(q geom.Quat) geom.Vec3 {
	if q.W < 0 {
		q = q.Neg()
	}
	v := geom.Vec3{X: q.X, Y: q.Y, Z: q.Z}
	if l := v.Len(); l > 0 {
		return v.Scale(q.Angle() / l)
	}
	return geom.Vec3{}
}
