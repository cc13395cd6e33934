package statesync

import (
	"slices"

	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/interest"
	"ghostcube/sim"
)

// policy are the knobs that decide what a server sends, and how much.
type policy struct {
	budget          int // kbit/s
	priorityMode    int
	playerPriority  int
	touchedPriority int
	otherPriority   int
	reliableRest    bool
	restPriority    int
	congestion      bool
	inputs          bool
	states          bool
	velocities      bool
	relativeMode    int // relativeNever, relativeAlways or relativeShorter
	interest        interest.Area
	reckoning       reckoningPolicy
}

// The modes of priority.
const (
	accumulated = iota
	current
)

var priorityModes = []string{"accumulated", "current"}

// The rules for sending a state relative to a player's cube.
const (
	relativeNever = iota
	relativeAlways
	relativeShorter
)

var relativeModes = []string{"never", "always", "shorter"}

func (p *policy) declare(k *predict.Knobs) {
	k.In(predict.PacketKnobs).Int(&p.budget, "budget", 256, 16, 4096, "send rate to each client with IP and UDP headers, kbit/s")
	group := k.In(predict.PriorityKnobs)
	group.Choice(&p.priorityMode, "priority", accumulated, priorityModes,
		"priority accumulates until the body is sent, or counts for one tick: low ones starve")
	group.Int(&p.playerPriority, "priority-player", 1_000_000, 1, 1_000_000, "priority of a player's cube, per tick")
	group.Int(&p.touchedPriority, "priority-touched", 100, 1, 1_000_000,
		"priority of what a player touches, directly or not, per tick")
	group.Int(&p.otherPriority, "priority-other", 1, 1, 1_000_000, "priority of any other body, per tick")
	p.reckoning.declare(k)
	declareReliableRest(k, &p.reliableRest)
	group.Int(&p.restPriority, "priority-rest", 100, 1, 1_000_000, "reliable-rest: least priority of an unacknowledged resting body, per tick")
	k.Needs("priority-rest", "reliable-rest", "on")
	p.interest.Declare(k)
	group = k.In(predict.PacketKnobs)
	group.Bool(&p.congestion, "congestion", true, "reduce the send rate while the round trip indicates a queue")
	group.Bool(&p.inputs, "inputs", true, "send the players' inputs")
	group.Bool(&p.states, "states", true, "send the states of bodies")
	k.NotSearched("off only to show what it is for", "inputs", "states")
	group.Bool(&p.velocities, "velocities", true, "send velocities; off: the client keeps those of its simulation")
	group.Choice(&p.relativeMode, "player-relative", relativeShorter, relativeModes,
		"compression=relative, delta: states relative to a player's cube")
	k.Needs("inputs", "send", "priority")
}

// sender chooses the updates for one peer and remembers what it sent. A server has one for each
// peer, and a client with authority one for the server.
type sender struct {
	state        senderState
	bodies       []senderBody
	sentPackets  []sentPacket   // ring by sequence number
	playerStates []playerStates // ring by tick
	scratch      senderScratch
}

// senderState is plain: it is copied by assignment.
type senderState struct {
	budget       packet.Budget
	congestion   congestionControl
	maxWaitTicks int // longest wait of a changed body

	ackedTick       sim.Tick // of the newest acknowledged packet
	anyAcked        bool
	ackBits         uint32       // bit n: the packet n ticks before ackedTick is acknowledged
	params          golombParams // of the next packet
	tuner           paramTuner
	relativeUpdates uint64 // updates sent relative to a player's cube
	relativeSaved   int64  // bits that they are shorter than whole ones
	deltaUpdates    uint64 // updates sent as differences from a baseline
	fallbacks       uint64 // updates sent without one because the newest acknowledged state was too old
	bands           interest.Bands
	lastPacket      packetRecord
	reckoning       int             // algorithm by which the peer extrapolates
	attachments     sim.Attachments // in the last packet
}

// senderBody is what a sender remembers about one body. It is plain.
type senderBody struct {
	priority           int64    // accumulated since the body was last sent, or notSent
	changedTick        sim.Tick // first tick at which the body differed from its last sent state; 0: it does not
	baseline           baseline // newest acknowledged state
	sendsSinceAbsolute uint8    // updates since the last one that was forced to be absolute
	absoluteTick       sim.Tick // tick of that update; older states are no baselines
	restTick           sim.Tick // tick at which the body came to rest; 0: it moves, or its rest is acknowledged
	reckoned           reckonedBody
}

type senderScratch struct {
	keys          []uint64 // bodies to sort by priority
	relativeSaved int      // bits that the chosen updates relative to a player's cube are shorter than whole ones
	coder         quant.Coder
}

// sentPacket is a sent packet, to be looked up when it is acknowledged.
type sentPacket struct {
	sequence    packet.Sequence
	used        bool
	tick        sim.Tick
	updateCount int
	updates     [maxUpdates]update // with the states that the reader decodes
}

// playerStates are the states of the players' cubes in one sent packet.
type playerStates struct {
	tick    sim.Tick
	present [sim.MaxPlayers]bool
	states  [sim.MaxPlayers]sim.Body
}

// baseline is a state of a body that the peer has.
type baseline struct {
	tick  sim.Tick // 0: none
	state sim.Body
}

func newSender(bodies, ticksPerSecond int) sender {
	return sender{
		state:  senderState{budget: packet.NewBudget(ticksPerSecond), params: defaultParams},
		bodies: make([]senderBody, bodies), sentPackets: make([]sentPacket, historyTicks), playerStates: make([]playerStates, historyTicks),
	}
}

// receiveAcks processes the acknowledgements of sent packets before that of tick now. A peer that refuses one
// lacks a baseline: then nothing is known of what it has.
func (s *sender) receiveAcks(e *packet.Endpoint, now sim.Tick) {
	if e.Refused() {
		defer s.forget(now)
	}
	for _, ack := range e.Acks() {
		f := &s.sentPackets[ack%historyTicks]
		if !f.used || f.sequence != ack {
			continue
		}
		if !s.state.anyAcked || f.tick > s.state.ackedTick {
			s.state.ackBits <<= f.tick - s.state.ackedTick
			s.state.ackedTick, s.state.anyAcked = f.tick, true
		}
		s.state.ackBits |= 1 << (s.state.ackedTick - f.tick)
		for i := range f.updates[:f.updateCount] {
			u := &f.updates[i]
			b := &s.bodies[u.body]
			if u.state.Asleep && b.restTick <= f.tick {
				b.restTick = 0 // the body has rested since before that packet
			}
			if k := &b.baseline; f.tick > k.tick {
				k.tick, k.state = f.tick, u.state
			}
		}
	}
}

// forget forgets what the peer has: states are sent whole until one is acknowledged anew, and the rest of every
// body that sleeps is to be acknowledged again.
func (s *sender) forget(now sim.Tick) {
	for i := range s.bodies {
		s.bodies[i].baseline, s.bodies[i].restTick = baseline{}, now
		s.bodies[i].reckoned.known = false
	}
}

// unackedTicks returns the number of ticks since the newest acknowledged packet, at most maxInputs.
func (s *sender) unackedTicks(now sim.Tick) int {
	if !s.state.anyAcked {
		return maxInputs
	}
	return int(min(now-s.state.ackedTick, maxInputs))
}

// maxPriority is the largest accumulated priority. A sort key of 64 bits holds it and a body index.
const maxPriority = 1<<47 - 1

// accumulatePriorities adds this tick's priorities for a peer whose player's cube is body own, and
// records which bodies have changed.
func (s *sender) accumulatePriorities(w *predict.World, changed []bool, by *policy, own int) {
	touched, bodies := w.TouchedBy(), w.Bodies()
	center := bodies[own].Pose.Pos
	for i := range s.bodies {
		b := &s.bodies[i]
		if !bodies[i].Asleep {
			b.restTick = 0
		} else if changed[i] {
			b.restTick = w.Tick()
		}
		if by.priorityMode == current {
			b.priority = 0
		}
		added := by.otherPriority
		if i < w.Scene().Players {
			added = by.playerPriority
		} else if touched[i] != sim.NoPlayer {
			added = by.touchedPriority
		}
		if by.reliableRest && b.restTick != 0 {
			added = max(added, by.restPriority)
		}
		distanceSq := bodies[i].Pose.Pos.Sub(center).LenSq()
		s.state.bands.CountBody(distanceSq)
		if by.interest.Excludes(distanceSq) {
			b.priority, b.changedTick = notSent, 0
			continue
		}
		if by.interest.IsDue(distanceSq, w.Tick()+sim.Tick(i)) {
			b.priority = min(max(b.priority, 0)+int64(added), maxPriority)
		}
		if changed[i] && b.changedTick == 0 {
			b.changedTick = w.Tick()
		}
		if b.changedTick != 0 {
			s.state.maxWaitTicks = max(s.state.maxWaitTicks, int(w.Tick()-b.changedTick))
		}
	}
}

// excludeOwned excludes the bodies under the peer's own authority.
func (s *sender) excludeOwned(authorities []authority, player int) {
	for i := range authorities {
		if int(authorities[i].player) == player {
			s.bodies[i].priority, s.bodies[i].changedTick = notSent, 0
		}
	}
}

// availablePayload returns the size in bytes of the largest payload that the budget allows
// now. It is negative if the budget allows none.
func (s *sender) availablePayload() int {
	return min(packet.PayloadWithin(s.state.budget.Available()), maxBytes)
}

// reserve lets enough credit accumulate for a payload of a number of bits.
func (s *sender) reserve(bits int) { s.state.budget.Reserve(packet.WireBytes((bits + 7) / 8)) }

// maxSkipped is the number of bodies that may not fit before the search ends: measuring each costs
// time.
const maxSkipped = 64

// chooseUpdates adds updates to the message, in the order of the bodies: those with the highest
// priorities that fit in the available bits. A body that does not fit is skipped, and the next one
// is tried. It returns the size of the updates in bits. authorityOf returns the authority over a
// body.
func (s *sender) chooseUpdates(m *message, w *predict.World, available int, authorityOf func(body int) authority) (total int) {
	s.scratch.keys, s.scratch.relativeSaved = s.scratch.keys[:0], 0
	skipped := 0
	for i := range s.bodies {
		n := s.bodies[i].priority
		if n == notSent {
			continue
		}
		s.scratch.keys = append(s.scratch.keys, uint64(maxPriority-n)<<16|uint64(i)) // highest priority first, then lowest index
	}
	slices.Sort(s.scratch.keys)
	minBits := m.indexBits(0, w.Scene()) + 1
	if !m.format.relative {
		minBits += m.format.bodyBits(true) - 1
	}
	minMoving := m.minMovingBits()
	for _, key := range s.scratch.keys {
		if m.updateCount == maxUpdates || available < minBits {
			break
		}
		u := update{body: int(key & 0xffff)}
		u.state, u.authority = w.Bodies()[u.body], authorityOf(u.body)
		if m.format.relative && !u.state.Asleep && available < minMoving {
			if skipped++; skipped == maxSkipped {
				break
			}
			continue
		}
		index, bits := m.insertionPoint(u.body, w.Scene())
		stateBits := s.chooseEncoding(&u, m, w)
		bits += u.authority.bits(m) + stateBits
		if bits > available {
			if skipped++; skipped == maxSkipped {
				break
			}
			continue
		}
		available -= bits
		total += bits
		if u.encoding == playerRelative {
			s.scratch.relativeSaved += m.format.wholeBits(u.state.Asleep) - stateBits
		}
		copy(m.updates[index+1:m.updateCount+1], m.updates[index:m.updateCount])
		m.updates[index] = u
		m.updateCount++
	}
	return total
}

// minMovingBits returns about the least size of a moving body's update, in bits. With less room
// than that, moving bodies need not be measured.
func (m *message) minMovingBits() int {
	l := &m.params
	bits, perAxis := m.format.grid().Rotation.Bits(), l[relativePosition]
	if m.format.velocities {
		perAxis += l[relativeLinear] + l[relativeAngular]
	}
	if m.format.delta {
		bits, perAxis = 0, l[deltaPosition]+l[deltaRotation]
		if m.format.velocities {
			perAxis += l[deltaLinear] + l[deltaAngular]
		}
	}
	return bits + 3*int(perAxis)*3/4
}

// insertionPoint returns the index at which the update of a body belongs, and the bits that its
// body index adds to the message there.
func (m *message) insertionPoint(body int, scene *sim.Scene) (index, bits int) {
	index = m.updateCount
	for index > 0 && m.updates[index-1].body > body {
		index--
	}
	if !m.format.relative {
		return index, m.indexBits(0, scene)
	}
	before := -1
	if index > 0 {
		before = m.updates[index-1].body
	}
	bits = m.indexBits(body-before-1, scene)
	if index < m.updateCount {
		after := m.updates[index].body
		bits += m.indexBits(after-body-1, scene) - m.indexBits(after-before-1, scene)
	}
	return index, bits
}

// indexBits returns the bits of a body index after a gap of bodies without an update.
func (m *message) indexBits(gap int, scene *sim.Scene) int {
	if !m.format.relative {
		return plainIndexBits(scene)
	}
	return golombBits(gap, int(m.params[indexGap]))
}

// recordSent records a sent packet. Only the bodies in it lose their accumulated priority.
func (s *sender) recordSent(sequence packet.Sequence, m *message, bytes int) {
	s.state.budget.Spend(packet.WireBytes(bytes))
	s.rememberSent(sequence, m)
}

// rememberSent is recordSent for a packet outside the budget.
func (s *sender) rememberSent(sequence packet.Sequence, m *message) {
	f := &s.sentPackets[sequence%historyTicks]
	f.sequence, f.tick, f.used, f.updateCount = sequence, m.tick, true, m.updateCount
	s.playerStates[m.tick%historyTicks] = playerStates{tick: m.tick}
	s.state.attachments = m.attachments
	s.state.relativeSaved += int64(s.scratch.relativeSaved)
	s.state.tuner.adapt(&s.state.params)
	for i := range m.updates[:m.updateCount] {
		u := &m.updates[i]
		f.updates[i].body, f.updates[i].authority, f.updates[i].state = u.body, u.authority, m.format.roundTrip(u.state)
		if u.body < sim.MaxPlayers {
			r := &s.playerStates[m.tick%historyTicks]
			r.present[u.body], r.states[u.body] = true, f.updates[i].state
		}
		b := &s.bodies[u.body]
		b.priority, b.changedTick = 0, 0
		b.reckoned = reckonedBody{m.format.reckoning != notReckoned, m.tick, f.updates[i].state, u.acceleration}
		if b.sendsSinceAbsolute++; b.sendsSinceAbsolute > absoluteEvery {
			b.sendsSinceAbsolute, b.absoluteTick = 0, m.tick
		}
		switch {
		case u.isDelta():
			s.state.deltaUpdates++
		case u.encoding == playerRelative:
			s.state.relativeUpdates++
		}
	}
}

func (s *sender) copyFrom(o *sender) {
	s.state = o.state
	s.bodies = append(s.bodies[:0], o.bodies...)
	s.sentPackets = append(s.sentPackets[:0], o.sentPackets...)
	s.playerStates = append(s.playerStates[:0], o.playerStates...)
}
