package sim

import (
	"math"

	"ghostcube/sim/geom"
)

// Body is the changing part of one box.
type Body struct {
	Pose    geom.Pose
	Linear  geom.Vec3 // velocity of the centre, m/s, world frame
	Angular geom.Vec3 // rad/s, world frame
	Asleep  bool      // at rest, and not stepped until something touches it
}

// State is all that a World needs to continue exactly as it would have: what
// the bodies are, how long each has been at rest, whose authority it is under,
// and the contacts and joints with their impulses. Everything else in a World follows from these or is constant.
type State struct {
	Tick   Tick
	Bodies []Body

	slowTicks     []uint16
	owner         []int8
	idleTicks     []uint8
	contacts      []manifold
	jointImpulses []jointImpulse
}

// Save copies the world into s and reuses its memory.
func (w *World) Save(s *State) {
	s.Tick = w.tick
	s.Bodies = append(s.Bodies[:0], w.bodies...)
	s.slowTicks = append(s.slowTicks[:0], w.slowTicks...)
	s.owner, s.idleTicks = append(s.owner[:0], w.owner...), append(s.idleTicks[:0], w.idleTicks...)
	s.contacts = append(s.contacts[:0], w.contacts...)
	s.jointImpulses = append(s.jointImpulses[:0], w.jointImpulses...)
}

// Load makes the world what s says. A Step after Load equals, bit for bit, the
// Step that followed the Save. The state must come from a world of the same
// scene.
func (w *World) Load(s *State) {
	if len(s.Bodies) != len(w.bodies) {
		panic("sim: Load of a state from another scene")
	}
	w.SetTick(s.Tick)
	for i := range s.Bodies {
		moved := w.bodies[i].Pose != s.Bodies[i].Pose
		w.bodies[i] = s.Bodies[i]
		w.bodies[i].Asleep = s.Bodies[i].Asleep || w.kinematic(int32(i))
		if moved {
			w.updateShapes(i)
		}
	}
	copy(w.slowTicks, s.slowTicks)
	copy(w.owner, s.owner)
	copy(w.idleTicks, s.idleTicks)
	w.contacts = append(w.contacts[:0], s.contacts...)
	copy(w.jointImpulses, s.jointImpulses)
}

// CopyFrom makes s an equal of o that shares no memory with it.
func (s *State) CopyFrom(o *State) {
	s.Tick = o.Tick
	s.Bodies = append(s.Bodies[:0], o.Bodies...)
	s.slowTicks = append(s.slowTicks[:0], o.slowTicks...)
	s.owner, s.idleTicks = append(s.owner[:0], o.owner...), append(s.idleTicks[:0], o.idleTicks...)
	s.contacts = append(s.contacts[:0], o.contacts...)
	s.jointImpulses = append(s.jointImpulses[:0], o.jointImpulses...)
}

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
	d := digest(w.tick) + 1
	for i := range w.bodies {
		w.hashBody(&d, i)
	}
	return uint64(d), w.ContactHash()
}

// ContactHash digests the cache of contacts and joints alone.
func (w *World) ContactHash() uint64 {
	c := digest(1)
	for i := range w.contacts {
		m := &w.contacts[i]
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
	b := &w.bodies[i]
	d.vec(b.Pose.Pos)
	d.quat(b.Pose.Rot)
	d.vec(b.Linear)
	d.vec(b.Angular)
	rest := uint32(w.slowTicks[i]) << 1
	if b.Asleep {
		rest |= 1
	}
	d.word(rest)
	d.word(uint32(uint8(w.owner[i])) | uint32(w.idleTicks[i])<<8)
}

// BodyHash digests body i alone, to name the one that differs.
func (w *World) BodyHash(i int) uint32 {
	d := digest(1)
	w.hashBody(&d, i)
	return uint32(d >> 32)
}
