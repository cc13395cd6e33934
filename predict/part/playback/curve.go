package playback

import (
	"ghostcube/predict/part/playout"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// curve is the curve on which a body goes to its next position, leaving where it is with
// the velocities that it has there and arriving with those that it will have.
//
// A body that has gone on by itself, or has stood, has less time to get there than it
// took: the curve is over what the server's body did, and not over the time that is
// left. So bodies that hang together go through places that they had together.
type curve struct {
	start        sim.Body
	startMoment  sim.Moment // the moment of the server that from is of
	drawnSince   sim.Moment // the moment at which it was drawn
	endTick      sim.Tick   // where the curve ends
	hasEnd       bool       // to holds
	extrapolated bool       // the body has gone on by itself since
}

// startAt begins at a position that has been reached.
func (c *curve) startAt(s *playout.Item[sim.Body]) {
	*c = curve{start: s.Value, startMoment: s.Tick.Moment(), drawnSince: s.Tick.Moment()}
}

// extrapolate returns where a body's velocities bring it in that time after its last
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

// setEnd has the curve end at the next position. Where it has ended at another, or the body
// has gone on by itself, it begins anew, where the body is drawn.
func (c *curve) setEnd(drawn geom.Pose, at sim.Moment, next *playout.Item[sim.Body]) {
	switch {
	case c.extrapolated:
		c.start.Pose, c.drawnSince, c.extrapolated = drawn, at, false
	case c.hasEnd && c.endTick != next.Tick:
		// Another has come between: go on from here, as fast as the body goes.
		c.startMoment += (at - c.drawnSince) * (c.endTick.Moment() - c.startMoment) / max(c.endTick.Moment()-c.drawnSince, 1)
		c.startMoment = min(c.startMoment, next.Tick.Moment())
		c.start.Pose, c.drawnSince = drawn, at
	}
	c.endTick, c.hasEnd = next.Tick, true
}

// poseAt returns where on the curve the body is at a moment.
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
		way := smoothing.Hermite(geom.Vec3{}, a.Angular.Scale(seconds), rotationVector(turn), b.Angular.Scale(seconds), share)
		if angle := way.Len(); angle > 0 {
			p.Rot = geom.AxisAngle(way.Scale(1/angle), angle).Mul(a.Pose.Rot).Unit()
		} else {
			p.Rot = a.Pose.Rot
		}
	}
	return p
}

// rotationVector is a rotation as its axis times its angle in rad, by the short way round.
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
