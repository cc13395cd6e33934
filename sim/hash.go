package sim

import (
	"math"

	"ghostcube/sim/geom"
)

// digest is a running hash of 32-bit words.
type digest uint64

func (d *digest) word(u uint32) {
	x := (uint64(*d) ^ uint64(u)) * 0x9E3779B97F4A7C15
	*d = digest(x ^ x>>29)
}

func (d *digest) float(f float32) { d.word(math.Float32bits(f)) }

func (d *digest) vec(v geom.Vec3) { d.float(v.X); d.float(v.Y); d.float(v.Z) }

func (d *digest) quat(q geom.Quat) { d.float(q.X); d.float(q.Y); d.float(q.Z); d.float(q.W) }

// Hash digests the bodies and the cache of contacts and joints, apart, so that "the same
// bodies with another cache" can be seen. Equal hashes mean equal states.
func (w *World) Hash() (bodies, cache uint64) {
	d := digest(w.state.Tick) + 1
	for i := range w.state.Bodies {
		w.hashBody(&d, i)
	}
	return uint64(d), w.ContactHash()
}

// ContactHash digests the cache of contacts and joints alone.
func (w *World) ContactHash() uint64 {
	c := digest(1)
	for i := range w.state.manifolds {
		m := &w.state.manifolds[i]
		c.word(m.key)
		c.word(uint32(m.pointCount))
		c.vec(m.normal)
		for j := range m.points[:m.pointCount] {
			p := &m.points[j]
			c.vec(p.anchorA)
			c.vec(p.anchorB)
			c.float(p.separation)
			c.float(p.normalImpulse)
			c.word(p.featureID)
		}
		c.vec(m.frictionImpulse)
		c.float(m.twistImpulse)
		c.quat(m.rotA)
		c.quat(m.rotB)
		c.vec(m.offset)
	}
	w.hashJoints(&c)
	return uint64(c)
}

// hashBody takes in all that the state knows of body i.
func (w *World) hashBody(d *digest, i int) {
	b := &w.state.Bodies[i]
	d.vec(b.Pose.Pos)
	d.quat(b.Pose.Rot)
	d.vec(b.Linear)
	d.vec(b.Angular)
	rest := uint32(w.state.slowTicks[i]) << 1
	if b.Asleep {
		rest |= 1
	}
	d.word(rest)
	d.word(uint32(uint8(w.state.owner[i])) | uint32(w.state.idleTicks[i])<<8)
}

// BodyHash digests body i alone, to name the one that differs.
func (w *World) BodyHash(i int) uint32 {
	d := digest(1)
	w.hashBody(&d, i)
	return uint32(d >> 32)
}

// hashJoints takes in the impulses of all joints.
func (w *World) hashJoints(d *digest) {
	for i := range w.state.jointImpulses {
		l := &w.state.jointImpulses[i]
		d.vec(l.linearImpulse)
		for _, f := range [...]float32{l.perpImpulse[0], l.perpImpulse[1], l.lowerImpulse, l.upperImpulse, l.motorImpulse} {
			d.float(f)
		}
	}
}
