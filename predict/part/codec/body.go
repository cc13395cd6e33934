// Package codec encodes bodies into packets and decodes them: whole snapshots of a world, the grids
// that quantise bodies, and bodies of a joint tree relative to their parents. It does not know what
// a strategy does with them.
//
// In a plain snapshot bodies are 32-bit floats: a client that repeats the server's arithmetic bit
// for bit needs every bit of its starting state. The snapshots are a simple form of delta encoding:
// a body that the receiver has acknowledged unchanged is left out.
package codec

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/validation"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Size of an encoded body, asleep and awake, in bits: an asleep bit, position and orientation, and
// two velocities unless it sleeps.
const (
	AsleepBits = 1 + 3*32 + 4*32
	AwakeBits  = AsleepBits + 6*32
)

// CodeBody reads, writes or measures one body, depending on c. A body that the scene cannot contain
// fails c when read.
func CodeBody(c *quant.Coder, b *sim.Body, scene *sim.Scene) {
	c.Label("asleep")
	b.Asleep = c.Bool(b.Asleep)
	c.Check("asleep")
	c.Label("position")
	codeVec(c, &b.Pose.Pos)
	c.Check("position")
	c.Label("rotation")
	q := &b.Pose.Rot
	q.X, q.Y, q.Z, q.W = c.Float(q.X), c.Float(q.Y), c.Float(q.Z), c.Float(q.W)
	c.Check("rotation")
	if !b.Asleep {
		c.Label("linear")
		codeVec(c, &b.Linear)
		c.Check("linear")
		c.Label("angular")
		codeVec(c, &b.Angular)
		c.Check("angular")
	}
	if c.Reading() {
		if b.Asleep {
			b.Linear, b.Angular = geom.Vec3{}, geom.Vec3{}
		}
		if c.Err() == nil && !validation.Body(b, scene) {
			c.Fail(predict.ErrMalformed)
		}
	}
}

func codeVec(c *quant.Coder, v *geom.Vec3) {
	v.X, v.Y, v.Z = c.Float(v.X), c.Float(v.Y), c.Float(v.Z)
}
