package sim

import (
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
