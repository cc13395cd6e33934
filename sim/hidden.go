package sim

import "math"

// Limits of a hidden state that is read.
const (
	maxManifoldsPerShape = 64
	maxHiddenExponent    = 127 + 24 // of a float: its size is below 2^24 of its unit
)

// CodeHidden writes or reads the hidden state in s, a state of the world's scene: all that the next step
// depends on beside tick, bodies and attachments. It calls word with each of its words in turn. A writer
// keeps the word and returns it; a reader returns the word that was written, or anything else: ok is false
// if the scene cannot have such a state. s is undefined then.
func (w *World) CodeHidden(s *State, word func(uint32) uint32) (ok bool) {
	h := hiddenCoder{word: word, ok: true}
	for i := range s.slowTicks {
		s.slowTicks[i] = uint16(h.number(uint32(s.slowTicks[i]), uint32(w.ticksToSleep)))
	}
	for p := range w.scene.Players {
		held := &s.actions.held[p]
		*held = Buttons(h.number(uint32(*held), uint32(ActionButtons))) & ActionButtons
	}
	for i := range s.jointImpulses {
		j := &s.jointImpulses[i]
		h.floats(&j.linearImpulse.X, &j.linearImpulse.Y, &j.linearImpulse.Z, &j.perpImpulse[0], &j.perpImpulse[1],
			&j.lowerImpulse, &j.upperImpulse, &j.motorImpulse)
	}
	s.uniteManifolds()
	count := int(h.number(uint32(len(s.manifolds)), uint32(maxManifoldsPerShape*w.bodyShapeCount())))
	for len(s.manifolds) < count {
		s.manifolds = append(s.manifolds, manifold{})
	}
	s.manifolds = s.manifolds[:count]
	for i := range s.manifolds {
		m := &s.manifolds[i]
		m.key = h.word(m.key)
		a, b := m.shapes()
		if int(a) > len(w.shapes) || int(b) >= w.bodyShapeCount() || i > 0 && m.key <= s.manifolds[i-1].key {
			h.ok = false
		}
		if !h.ok {
			return false
		}
		h.manifold(m)
	}
	return h.ok
}

// LoadHidden sets the hidden state of the world to that of s, a state of its scene, and leaves the rest.
func (w *World) LoadHidden(s *State) {
	copy(w.state.slowTicks, s.slowTicks)
	copy(w.state.jointImpulses, s.jointImpulses)
	w.state.copyManifolds(s)
	w.activity.disturbed, w.activity.dozed = true, true
	w.state.actions.held = s.actions.held
	w.NoteChange()
}

// hiddenCoder codes the words of a hidden state. ok is false once one was impossible.
type hiddenCoder struct {
	word func(uint32) uint32
	ok   bool
}

// number codes a number up to a limit.
func (h *hiddenCoder) number(n, limit uint32) uint32 {
	if n = h.word(n); n > limit {
		h.ok = false
		return 0
	}
	return n
}

// floats codes numbers, which must be finite and not too large.
func (h *hiddenCoder) floats(list ...*float32) {
	for _, f := range list {
		u := h.word(math.Float32bits(*f))
		h.ok = h.ok && u>>23&0xff <= maxHiddenExponent
		*f = math.Float32frombits(u)
	}
}

// manifold codes a manifold without its key. Points that are not in use become zero.
func (h *hiddenCoder) manifold(m *manifold) {
	m.pointCount = int32(h.number(uint32(m.pointCount), uint32(len(m.points))))
	h.floats(&m.normal.X, &m.normal.Y, &m.normal.Z, &m.frictionImpulse.X, &m.frictionImpulse.Y, &m.frictionImpulse.Z, &m.twistImpulse,
		&m.rotA.X, &m.rotA.Y, &m.rotA.Z, &m.rotA.W, &m.rotB.X, &m.rotB.Y, &m.rotB.Z, &m.rotB.W, &m.offset.X, &m.offset.Y, &m.offset.Z)
	clear(m.points[m.pointCount:])
	for i := range m.points[:m.pointCount] {
		p := &m.points[i]
		h.floats(&p.anchorA.X, &p.anchorA.Y, &p.anchorA.Z, &p.anchorB.X, &p.anchorB.Y, &p.anchorB.Z, &p.separation, &p.normalImpulse)
		p.featureID = h.word(p.featureID)
	}
}
