package statesync

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// chooseEncoding chooses the encoding of an update that is likely to be the shortest. Every
// absoluteEvery updates a body is sent without a baseline, and no older state becomes a baseline
// afterwards, so that an error cannot last. It returns the size of the update in bits, without its
// body index.
func (s *sender) chooseEncoding(u *update, m *message, w *predict.World) (bits int) {
	u.encoding = absolute
	if !m.format.relative {
		return m.format.bodyBits(u.state.Asleep)
	}
	u.state = m.format.roundTrip(u.state)
	if start := &w.Scene().Boxes[u.body].Start; u.state.Pose.Pos.Sub(start.Pose.Pos).LenSq() < 1e-4 && u.state == m.format.roundTrip(*start) {
		u.encoding = initialState
		return s.updateBits(u, m, w.Scene())
	}
	hasPlayer, whole := m.choosePlayer(u, w), m.format.wholeBits(u.state.Asleep)
	if s.chooseDelta(u, m, w, hasPlayer); u.isDelta() {
		if bits = s.updateBits(u, m, w.Scene()); bits < whole {
			return bits
		}
	}
	if hasPlayer && m.relativeMode != relativeNever {
		u.encoding = playerRelative
		if bits = s.updateBits(u, m, w.Scene()); m.relativeMode == relativeAlways || bits < whole {
			return bits
		}
	}
	u.encoding = absolute
	return whole
}

// choosePlayer sets the player whose cube an update may be relative to: if a player touches the body,
// that player, and otherwise the nearest one. It reports whether the message contains that player's cube.
func (m *message) choosePlayer(u *update, w *predict.World) bool {
	if u.body < w.Scene().Players {
		return false
	}
	if toucher := w.TouchedBy()[u.body]; toucher != sim.NoPlayer {
		u.player = uint8(toucher)
		return m.playerUpdate(u) != nil
	}
	found, least := false, float32(0)
	for i := range m.updates[:min(m.updateCount, w.Scene().Players)] {
		if p := &m.updates[i]; p.body < w.Scene().Players {
			if d := p.state.Pose.Pos.Sub(u.state.Pose.Pos).LenSq(); !found || d < least {
				found, least, u.player = true, d, uint8(p.body)
			}
		}
	}
	return found
}

// chooseDelta sets the encoding of an update to a difference from its baseline, if it has one.
// hasPlayer says that the message contains the cube of the update's player.
func (s *sender) chooseDelta(u *update, m *message, w *predict.World, hasPlayer bool) {
	b := &s.bodies[u.body]
	k := &b.baseline
	if !m.format.delta || k.tick == 0 || s.baselineTooOld(k, m) || k.tick < b.absoluteTick || b.sendsSinceAbsolute >= absoluteEvery {
		return
	}
	u.baseTick = k.tick
	if u.state.Asleep && u.state == k.state {
		u.encoding = zeroDelta
		return
	}
	u.encoding = freeDelta
	if w.TouchedBy()[u.body] != sim.NoPlayer && hasPlayer && !u.state.Asleep && s.playerAt(int(u.player), k.tick) != nil {
		u.encoding = attachedDelta
		g, _ := m.predictor(u)
		n := m.format.quantise(&u.state)
		if largestComponent(g.rot(u.state.Pose.Pos)) != n.rot.Largest {
			u.encoding = tumblingDelta
		}
	}
}

// baselineTooOld reports whether a body's newest acknowledged state is too old to be named in the
// message, or to be remembered.
func (s *sender) baselineTooOld(k *baseline, m *message) bool {
	return k.tick+m.format.maxOffset() < s.state.ackedTick || k.tick+maxBaselineAge < m.tick
}

// countFallbacks counts the updates of a message that would be differences, had the newest
// acknowledged states of their bodies not been too old.
func (s *sender) countFallbacks(m *message) {
	for i := range m.updates[:m.updateCount] {
		u := &m.updates[i]
		if k := &s.bodies[u.body].baseline; !u.isDelta() && u.encoding != initialState && k.tick != 0 && (!m.format.delta || s.baselineTooOld(k, m)) {
			s.state.fallbacks++
		}
	}
}

// baseline returns the newest acknowledged state of a body, and its tick.
func (s *sender) baseline(body int, _ sim.Tick, _ uint32) (*sim.Body, sim.Tick) {
	k := &s.bodies[body].baseline
	return &k.state, k.tick
}

// baselineAt returns the newest acknowledged state of a body if it is that of a tick, or nil.
func (s *sender) baselineAt(body int, t sim.Tick) *sim.Body {
	if k := &s.bodies[body].baseline; k.tick == t {
		return &k.state
	}
	return nil
}

// playerAt returns the state of a player's cube in the packet of a tick, or nil.
func (s *sender) playerAt(i int, t sim.Tick) *sim.Body {
	if r := &s.playerStates[t%historyTicks]; r.tick == t && r.present[i] {
		return &r.states[i]
	}
	return nil
}

// updateBits returns the size of an update that may be relative in bits, without its body index.
func (s *sender) updateBits(u *update, m *message, scene *sim.Scene) int {
	s.scratch.coder.BeginMeasure()
	m.codeUpdate(&s.scratch.coder, u, scene)
	return s.scratch.coder.BitsProcessed()
}
