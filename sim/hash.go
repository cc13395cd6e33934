package sim

import (
	"math"

	"ghostcube/sim/geom"
)

// Digest is a running hash of 32-bit words.
type Digest uint64

// Add adds a word to the digest.
func (d *Digest) Add(u uint32) {
	x := (uint64(*d) ^ uint64(u)) * 0x9E3779B97F4A7C15
	*d = Digest(x ^ x>>29)
}

func (d *Digest) float(f float32) { d.Add(math.Float32bits(f)) }

func (d *Digest) vec(v geom.Vec3) { d.float(v.X); d.float(v.Y); d.float(v.Z) }

func (d *Digest) quat(q geom.Quat) { d.float(q.X); d.float(q.Y); d.float(q.Z); d.float(q.W) }

// Hash digests the bodies and, separately, the cache of contacts and joints, so that equal bodies
// with different caches can be told apart. Equal hashes mean equal states.
func (w *World) Hash() (bodies, cache uint64) {
	d := Digest(w.state.Tick) + 1
	for i := range w.state.Bodies {
		w.DigestBody(&d, i)
	}
	w.DigestActions(&d)
	return uint64(d), w.ContactHash()
}

// ContactHash digests the cache of contacts and joints.
func (w *World) ContactHash() uint64 { return w.state.ContactHash() }

// ContactHash digests the cache of contacts and joints.
func (s *State) ContactHash() uint64 {
	c := Digest(1)
	for m := range s.allManifolds() {
		c.Add(m.key)
		c.Add(uint32(m.pointCount))
		c.vec(m.normal)
		for j := range m.points[:m.pointCount] {
			p := &m.points[j]
			c.vec(p.anchorA)
			c.vec(p.anchorB)
			c.float(p.separation)
			c.float(p.normalImpulse)
			c.Add(p.featureID)
		}
		c.vec(m.frictionImpulse)
		c.float(m.twistImpulse)
		c.quat(m.rotA)
		c.quat(m.rotB)
		c.vec(m.offset)
	}
	s.hashJoints(&c)
	return uint64(c)
}

// DigestBody adds the state of body i to a digest.
func (w *World) DigestBody(d *Digest, i int) { w.state.DigestBody(d, i) }

// DigestBody adds the state of body i to a digest.
func (s *State) DigestBody(d *Digest, i int) {
	b := &s.Bodies[i]
	d.vec(b.Pose.Pos)
	d.quat(b.Pose.Rot)
	d.vec(b.Linear)
	d.vec(b.Angular)
	sleep := uint32(s.slowTicks[i]) << 1
	if b.Asleep {
		sleep |= 1
	}
	d.Add(sleep)
}

// DigestActions adds the attachments to a digest, if the scene has any.
func (w *World) DigestActions(d *Digest) {
	if w.hasActions {
		w.state.actions.digest(d)
	}
}

// hashJoints adds the impulses of all joints to a digest.
func (s *State) hashJoints(d *Digest) {
	for i := range s.jointImpulses {
		impulse := &s.jointImpulses[i]
		d.vec(impulse.linearImpulse)
		for _, f := range [...]float32{impulse.perpImpulse[0], impulse.perpImpulse[1], impulse.lowerImpulse, impulse.upperImpulse, impulse.motorImpulse} {
			d.float(f)
		}
	}
}
