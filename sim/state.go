package sim

import (
	"iter"

	"ghostcube/sim/geom"
)

// Body is the variable part of a body's state that callers see.
type Body struct {
	Pose    geom.Pose
	Linear  geom.Vec3 // m/s, of the centre, world frame
	Angular geom.Vec3 // rad/s, world frame
	Asleep  bool      // not stepped until something touches it
}

// State is all that a World needs to continue exactly: bodies, sleep counters, the contacts and
// joints with their impulses, and the players' attachments. Everything else in a World follows from it or is constant.
type State struct {
	Tick   Tick
	Bodies []Body

	slowTicks     []uint16       // for how many ticks each body has been slow, up to ticksToSleep
	manifolds     []manifold     // sorted by key, with those at rest all contacts
	resting       []manifold     // sorted by key, both bodies of each sleep, or one and the other side is fixed
	jointImpulses []jointImpulse // by joint
	actions       actionState

	// For selective replays. Nothing else depends on them.
	lineage uint64  // grows with each change of the world other than by a step
	groups  []int32 // by body: bodies that can have influenced each other in the last step have the same
}

// newState returns the starting state of a scene.
func newState(scene *Scene) State {
	n := len(scene.Boxes)
	s := State{
		Bodies: make([]Body, n), slowTicks: make([]uint16, n),
		jointImpulses: make([]jointImpulse, len(scene.Joints)),
	}
	for i := range s.Bodies {
		s.Bodies[i] = scene.Boxes[i].Start
		s.Bodies[i].Pose.Rot = s.Bodies[i].Pose.Rot.Unit()
	}
	return s
}

// Sizes of the parts of a State, in bytes.
const (
	bodyBytes         = 56
	slowTicksBytes    = 2
	manifoldBytes     = 224
	jointImpulseBytes = 32
	groupBytes        = 4
)

// Bytes returns the memory that the state occupies.
func (s *State) Bytes() int {
	return len(s.Bodies)*(bodyBytes+slowTicksBytes) + (len(s.manifolds)+len(s.resting))*manifoldBytes + len(s.jointImpulses)*jointImpulseBytes +
		len(s.groups)*groupBytes
}

// Save copies the state of the world into s and reuses its memory.
func (w *World) Save(s *State) {
	s.CopyFrom(&w.state)
	s.groups = w.appendGroups(s.groups[:0])
}

// Load sets the world to a state of the same scene. A Step after Load equals, bit for bit, the Step
// that followed the Save.
func (w *World) Load(s *State) {
	if len(s.Bodies) != len(w.state.Bodies) {
		panic("sim: Load: the state is of another scene")
	}
	w.SetTick(s.Tick)
	for i := range s.Bodies {
		from, to := &s.Bodies[i], &w.state.Bodies[i]
		if *to == *from {
			*to = *from // which may have other zeros
			continue
		}
		moved := to.Pose != from.Pose
		*to = *from
		to.Asleep = to.Asleep || w.kinematic(int32(i))
		w.touch(int32(i))
		w.changes++
		if moved {
			w.updateShapes(i)
		}
	}
	copy(w.state.slowTicks, s.slowTicks)
	w.state.copyManifolds(s)
	w.activity.disturbed, w.activity.dozed = true, true
	copy(w.state.jointImpulses, s.jointImpulses)
	w.state.actions = s.actions
	copy(w.islandParent, s.groups)
	w.fieldPairs = w.fieldPairs[:0]
	w.NoteChange()
}

// CopyFrom makes s equal to o and shares no memory with it.
func (s *State) CopyFrom(o *State) {
	s.Tick = o.Tick
	s.Bodies = append(s.Bodies[:0], o.Bodies...)
	s.slowTicks = append(s.slowTicks[:0], o.slowTicks...)
	s.copyManifolds(o)
	s.jointImpulses = append(s.jointImpulses[:0], o.jointImpulses...)
	s.actions = o.actions
	s.lineage, s.groups = o.lineage, append(s.groups[:0], o.groups...)
}

func (s *State) copyManifolds(o *State) {
	s.manifolds, s.resting = append(s.manifolds[:0], o.manifolds...), append(s.resting[:0], o.resting...)
}

// uniteManifolds makes manifolds contain all contacts.
func (s *State) uniteManifolds() {
	s.manifolds, s.resting = mergeManifolds(s.manifolds, s.resting), s.resting[:0]
}

// allManifolds returns all contacts, sorted by key.
func (s *State) allManifolds() iter.Seq[*manifold] {
	return func(yield func(*manifold) bool) {
		i, j := 0, 0
		for i < len(s.manifolds) || j < len(s.resting) {
			var m *manifold
			if j == len(s.resting) || i < len(s.manifolds) && s.manifolds[i].key < s.resting[j].key {
				m = &s.manifolds[i]
				i++
			} else {
				m = &s.resting[j]
				j++
			}
			if !yield(m) {
				return
			}
		}
	}
}

// mergeManifolds inserts manifolds into others. Both are sorted, and so is the result. It reuses the memory of m.
func mergeManifolds(m, more []manifold) []manifold {
	i, j := len(m)-1, len(more)-1
	m = append(m, more...)
	for k := len(m) - 1; j >= 0; k-- {
		if i >= 0 && m[i].key > more[j].key {
			m[k] = m[i]
			i--
		} else {
			m[k] = more[j]
			j--
		}
	}
	return m
}

// Attachments returns the attachments of the state.
func (s *State) Attachments() Attachments { return s.actions.Attachments }
