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
	AsleepBits = 1 + 3*32 + 4*32
	AwakeBits  = AsleepBits + 6*32
)

// errInvalidBody is the error for numbers that no world could have sent.
var errInvalidBody = errors.New("codec: not a body")

// unitTolerance is how far from 1 the squared length of an orientation may be.
const unitTolerance = 2e-3

// CodeBody reads, writes or measures one body. What is read is a body that the
// scene could hold, or c fails.
func CodeBody(c *quant.Coder, b *sim.Body, scene *sim.Scene) {
	c.Label("asleep")
	b.Asleep = c.Bool(b.Asleep)
	c.Label("position")
	codeVec(c, &b.Pose.Pos)
	c.Label("rotation")
	q := &b.Pose.Rot
	q.X, q.Y, q.Z, q.W = c.Float(q.X), c.Float(q.Y), c.Float(q.Z), c.Float(q.W)
	if !b.Asleep {
		c.Label("linear")
		codeVec(c, &b.Linear)
		c.Label("angular")
		codeVec(c, &b.Angular)
	}
	if c.Reading() {
		if b.Asleep {
			b.Linear, b.Angular = geom.Vec3{}, geom.Vec3{}
		}
		if c.Err() == nil && !ValidBody(b, scene) {
			c.Fail(errInvalidBody)
		}
	}
}

func codeVec(c *quant.Coder, v *geom.Vec3) {
	v.X, v.Y, v.Z = c.Float(v.X), c.Float(v.Y), c.Float(v.Z)
}

// ValidBody reports whether the scene could hold such a body. Comparisons are
// written so that what is no number fails them.
func ValidBody(b *sim.Body, scene *sim.Scene) bool {
	p, q := b.Pose.Pos, b.Pose.Rot
	inside := geom.Abs(p.X) <= scene.HalfWidth && geom.Abs(p.Y) <= scene.HalfWidth && p.Z >= 0 && p.Z <= scene.Height
	unit := geom.Abs(q.Dot(q)-1) <= unitTolerance
	return inside && unit && b.Linear.LenSq() <= maxSpeed*maxSpeed && b.Angular.LenSq() <= maxSpeed*maxSpeed
}

// maxSpeed is above what any tick can make of a clamped speed, in m/s and
// rad/s.
const maxSpeed = 1000
