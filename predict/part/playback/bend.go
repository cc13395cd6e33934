package playback

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// bend is the curve on which a body goes to its next position, leaving where it is with
// the velocities that it has there and arriving with those that it will have.
//
// A body that has gone on by itself, or has stood, has less time to get there than it
// took: the curve is over what the server's body did, and not over the time that is
// left. So bodies that hang together go through places that they had together.
type bend struct {
	from  sim.Body
	of    int64    // the moment of the server that from is of
	begun int64    // the moment at which it was drawn
	to    sim.Tick // where the curve ends
	aimed bool     // to holds
	off   bool     // the body has gone on by itself since
}

// leave begins at a position that has been reached.
func (c *bend) leave(s *sample) {
	*c = bend{from: s.body, of: int64(s.tick) * Part, begun: int64(s.tick) * Part}
}

// ahead returns where a body's velocities bring it in so many parts of a tick after its
// last position.
func (c *bend) ahead(last *sample, parts int64, rate int) geom.Pose {
	b := &last.body
	p := b.Pose
	s := float32(float64(parts) / float64(int64(rate)*Part))
	p.Pos = p.Pos.Plus(s, b.Linear)
	if spin := b.Angular.Len(); spin > 0 {
		p.Rot = geom.Turn(b.Angular.Scale(1/spin), float32(spin*s)).Mul(p.Rot).Unit()
	}
	c.from.Linear, c.from.Angular = b.Linear, b.Angular
	c.of, c.off, c.aimed = int64(last.tick)*Part+parts, true, false
	return p
}

// aim has the curve end at the next position. Where it has ended at another, or the body
// has gone on by itself, it begins anew, where the body is drawn.
func (c *bend) aim(drawn geom.Pose, at int64, next *sample) {
	switch {
	case c.off:
		c.from.Pose, c.begun, c.off = drawn, at, false
	case c.aimed && c.to != next.tick:
		// Another has come between: go on from here, as fast as the body goes.
		c.of += (at - c.begun) * (int64(c.to)*Part - c.of) / max(int64(c.to)*Part-c.begun, 1)
		c.of = min(c.of, int64(next.tick)*Part)
		c.from.Pose, c.begun = drawn, at
	}
	c.to, c.aimed = next.tick, true
}

// pose returns where on the curve the body is at a moment.
func (c *bend) pose(moment int64, next *sample, rate int) geom.Pose {
	end := int64(next.tick) * Part
	a, b := &c.from, &next.body
	if a.Pose == b.Pose {
		return b.Pose
	}
	share := float32(float64(moment-c.begun) / float64(end-c.begun))
	seconds := float32(float64(end-c.of) / float64(int64(rate)*Part))
	p := geom.Pose{
		Pos: smoothing.Hermite(a.Pose.Pos, a.Linear.Scale(seconds), b.Pose.Pos, b.Linear.Scale(seconds), share),
		Rot: b.Pose.Rot,
	}
	if turn := b.Pose.Rot.Mul(a.Pose.Rot.Inverse()); turn != geom.Identity {
		way := smoothing.Hermite(geom.Vec3{}, a.Angular.Scale(seconds), turned(turn), b.Angular.Scale(seconds), share)
		if angle := way.Len(); angle > 0 {
			p.Rot = geom.Turn(way.Scale(1/angle), angle).Mul(a.Pose.Rot).Unit()
		} else {
			p.Rot = a.Pose.Rot
		}
	}
	return p
}

// turned is a rotation as its axis times its angle in rad, by the short way round.
func turned(q geom.Quat) geom.Vec3 {
	if q.W < 0 {
		q = q.Neg()
	}
	v := geom.Vec3{X: q.X, Y: q.Y, Z: q.Z}
	if l := v.Len(); l > 0 {
		return v.Scale(q.Angle() / l)
	}
	return geom.Vec3{}
}
