// Package codec puts bodies into packets.
//
// Here they travel whole, as 32-bit numbers: a client that is to repeat the
// server's arithmetic bit for bit needs every bit of what it starts from.
package codec

import (
	"errors"

	"ghostcube/net/quant"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Bits of one body, at rest and moving: an at-rest bit, position and
// orientation, and two velocities unless it rests.
const (
	RestBits = 1 + 3*32 + 4*32
	MoveBits = RestBits + 6*32
)

// errBody is the error for numbers that no world could have sent.
var errBody = errors.New("codec: not a body")

// unitSlack is how far from 1 the squared length of an orientation may be.
const unitSlack = 2e-3

// Body reads, writes or measures one body. What is read is a body that the
// scene could hold, or c fails.
func Body(c *quant.Coder, b *sim.Body, scene *sim.Scene) {
	c.Name("asleep")
	b.Asleep = c.Bool(b.Asleep)
	c.Name("position")
	vec(c, &b.Pose.Pos)
	c.Name("rotation")
	q := &b.Pose.Rot
	q.X, q.Y, q.Z, q.W = c.Float(q.X), c.Float(q.Y), c.Float(q.Z), c.Float(q.W)
	if !b.Asleep {
		c.Name("linear")
		vec(c, &b.Linear)
		c.Name("angular")
		vec(c, &b.Angular)
	}
	if c.Reading() {
		if b.Asleep {
			b.Linear, b.Angular = geom.Vec3{}, geom.Vec3{}
		}
		if c.Err() == nil && !Plausible(b, scene) {
			c.Fail(errBody)
		}
	}
}

func vec(c *quant.Coder, v *geom.Vec3) {
	v.X, v.Y, v.Z = c.Float(v.X), c.Float(v.Y), c.Float(v.Z)
}

// Plausible reports whether the scene could hold such a body. Comparisons are
// written so that what is no number fails them.
func Plausible(b *sim.Body, scene *sim.Scene) bool {
	p, q := b.Pose.Pos, b.Pose.Rot
	inside := geom.Abs(p.X) <= scene.HalfWidth && geom.Abs(p.Y) <= scene.HalfWidth && p.Z >= 0 && p.Z <= scene.Height
	unit := geom.Abs(q.Dot(q)-1) <= unitSlack
	return inside && unit && b.Linear.Len2() <= speedMost*speedMost && b.Angular.Len2() <= speedMost*speedMost
}

// speedMost is above what any tick can make of a clamped speed, in m/s and
// rad/s.
const speedMost = 1000
