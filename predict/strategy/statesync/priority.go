package statesync

import (
	"slices"

	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
)

// policy is what is sent, and how much of it.
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
	interest        interestArea
}

// The ways to compare priorities.
const (
	accumulated = iota
	current
)

var priorityModes = []string{"accumulated", "current"}

func (p *policy) declare(k *predict.Knobs) {
	k.Int(&p.budget, "budget", 256, 16, 4096, "kbit/s to each client, headers of IP and UDP included")
	k.Choice(&p.priorityMode, "priority", accumulated, priorityModes, "a body's priority adds up until it is sent; or it is that of the moment, and what is low always waits")
	k.Int(&p.playerPriority, "priority-player", 1_000_000, 1, 1_000_000, "priority of a player's cube")
	k.Int(&p.touchedPriority, "priority-touched", 100, 1, 1_000_000, "priority of a body that a player touches, directly or through others")
	k.Int(&p.otherPriority, "priority-other", 1, 1, 1_000_000, "priority of any other body")
	declareReliableRest(k, &p.reliableRest)
	k.Int(&p.restPriority, "priority-rest", 100, 1, 1_000_000, "reliable-rest: that priority")
	p.interest.declare(k)
	k.Bool(&p.congestion, "congestion", true, "a queue on the way, seen by a longer round trip, lowers the rate for a while")
	k.Bool(&p.inputs, "inputs", true, "send what the players do")
	k.Bool(&p.states, "states", true, "send how bodies are; without them both worlds go their own ways")
	k.Bool(&p.velocities, "velocities", true, "send velocities of bodies that move; without them the client keeps its own")
}

// sender is what the server keeps for one peer.
type sender struct {
	state        senderState
	bodies       []senderBody
	sentPackets  []sentPacket   // by sequence
	playerStates []playerStates // by tick: the players' cubes as they were sent
	scratch      senderScratch
}

// senderState is plain: it is copied by assignment.
type senderState struct {
	budget       packet.Budget
	congestion   congestionControl
	maxWaitTicks int // ticks that a changed body waited

	ackedTick    sim.Tick // newest packet that the peer is known to have
	anyAcked     bool
	ackBits      uint32       // of the ticks before it, which packets have, too: bit n is n ticks before
	params       golombParams // of the next packet
	tuner        paramTuner
	deltaUpdates uint64 // updates sent by their differences
	bands        distanceBands
	lastPacket   packetRecord
}

// senderBody is what a sender keeps of one body. It is plain.
type senderBody struct {
	priority           int64    // added up since it was sent
	changedTick        sim.Tick // the first tick at which it was otherwise than sent; 0: never
	baseline           baseline // the newest that has arrived
	sendsSinceAbsolute uint8    // how often it was sent since it was sent whole
	absoluteTick       sim.Tick // the tick of that; no older state is a base
	restTick           sim.Tick // the tick at which it came to rest; 0: the peer has it
}

type senderScratch struct {
	keys  []uint64 // what to sort
	coder quant.Coder
}

// sentPacket is what a packet that was sent had in it.
type sentPacket struct {
	sequence    packet.Sequence
	used        bool
	tick        sim.Tick
	updateCount int
	updates     [maxUpdates]update // as the reader has them
}

// playerStates are the players' cubes in the packet of a tick.
type playerStates struct {
	tick    sim.Tick
	present [maxPlayers]bool
	states  [maxPlayers]sim.Body
}

// baseline is a state of a body that the peer is known to have.
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

// receiveAcks takes in what the peer now is known to have.
func (p *sender) receiveAcks(e *packet.Endpoint) {
	for _, a := range e.Acks() {
		f := &p.sentPackets[a%historyTicks]
		if !f.used || f.sequence != a {
			continue
		}
		if !p.state.anyAcked || f.tick > p.state.ackedTick {
			p.state.ackBits <<= f.tick - p.state.ackedTick
			p.state.ackedTick, p.state.anyAcked = f.tick, true
		}
		p.state.ackBits |= 1 << (p.state.ackedTick - f.tick)
		for i := range f.updates[:f.updateCount] {
			u := &f.updates[i]
			b := &p.bodies[u.body]
			if u.state.Asleep && b.restTick <= f.tick {
				b.restTick = 0 // it rests as it did in that packet
			}
			if k := &b.baseline; f.tick > k.tick {
				k.tick, k.state = f.tick, u.state
			}
		}
	}
}

// unackedTicks is how many ticks there are since the newest packet that the peer is
// known to have.
func (p *sender) unackedTicks(now sim.Tick) int {
	if !p.state.anyAcked {
		return maxInputs
	}
	return int(min(now-p.state.ackedTick, maxInputs))
}

// maxPriority keeps what has added up and the number of a body within 64 bits.
const maxPriority = 1<<47 - 1

// accumulatePriorities adds the priorities of this tick, for a peer whose player's cube is body own,
// and notes what has changed.
func (p *sender) accumulatePriorities(w *predict.World, changed []bool, by *policy, own int) {
	touched, bodies := w.TouchedBy(), w.Bodies()
	here := bodies[own].Pose.Pos
	for i := range p.bodies {
		b := &p.bodies[i]
		if !bodies[i].Asleep {
			b.restTick = 0
		} else if changed[i] {
			b.restTick = w.Tick()
		}
		if by.priorityMode == current {
			b.priority = 0
		}
		add := by.otherPriority
		if i < w.Scene().Players {
			add = by.playerPriority
		} else if touched[i] != sim.NoPlayer {
			add = by.touchedPriority
		}
		if by.reliableRest && b.restTick != 0 {
			add = max(add, by.restPriority)
		}
		away := bodies[i].Pose.Pos.Sub(here).LenSq()
		p.state.bands.countBody(away)
		if by.interest.excludes(away) {
			b.priority, b.changedTick = notSent, 0
			continue
		}
		if by.interest.accrues(away, w.Tick()+sim.Tick(i)) {
			b.priority = min(max(b.priority, 0)+int64(add), maxPriority)
		}
		if changed[i] && b.changedTick == 0 {
			b.changedTick = w.Tick()
		}
		if b.changedTick != 0 {
			p.state.maxWaitTicks = max(p.state.maxWaitTicks, int(w.Tick()-b.changedTick))
		}
	}
}

// excludeOwned leaves out what a peer itself has in hand.
func (p *sender) excludeOwned(hands []authority, seat int) {
	for i := range hands {
		if int(hands[i].player) == seat {
			p.bodies[i].priority, p.bodies[i].changedTick = notSent, 0
		}
	}
}

// availablePayload returns the size in bytes of the largest payload that the budget allows
// now. It is negative if the budget allows none.
func (p *sender) availablePayload() int {
	return min(packet.PayloadWithin(p.state.budget.Available()), maxBytes)
}

// reserve lets credit for a payload of a number of bits accumulate by the next tick.
func (p *sender) reserve(bits int) { p.state.budget.Reserve(packet.WireBytes((bits + 7) / 8)) }

// maxSkipped is how many bodies that do not fit are looked at: each has to be
// measured.
const maxSkipped = 64

// chooseEncoding has an update written in the way that is likely to be the shortest. Now and
// then it is not sent by its difference from a base, and from then on no older state
// is one: so whatever went wrong ends there.
func (p *sender) chooseEncoding(u *update, m *message, w *predict.World) {
	u.encoding = absolute
	if !m.format.relative {
		return
	}
	u.state = m.format.roundTrip(u.state)
	by := w.TouchedBy()[u.body]
	u.player = uint8(max(by, 0))
	beside := m.playerUpdate(u) != nil && u.body >= w.Scene().Players
	if start := &w.Scene().Boxes[u.body].Start; u.state.Pose.Pos.Sub(start.Pose.Pos).LenSq() < 1e-4 && u.state == m.format.roundTrip(*start) {
		u.encoding = initialState
		return
	}
	if beside {
		u.encoding = playerRelative
	}
	b := &p.bodies[u.body]
	k := &b.baseline
	if !m.format.delta || k.tick == 0 || k.tick+maxAckOffset < p.state.ackedTick || k.tick+maxBaselineAge < m.tick ||
		k.tick < b.absoluteTick || b.sendsSinceAbsolute >= absoluteEvery {
		return
	}
	if u.state.Asleep && u.state == k.state {
		u.encoding = zeroDelta
		return
	}
	u.encoding = freeDelta
	if by != sim.NoPlayer && beside && !u.state.Asleep && p.playerAt(int(u.player), k.tick) != nil {
		u.encoding = attachedDelta
		g, _ := m.predictor(u)
		n := m.format.quantise(&u.state)
		if largestComponent(g.rot(u.state.Pose.Pos)) != n.rot.Largest {
			u.encoding = tumblingDelta
		}
	}
}

// baseline is the state that the peer is known to have.
func (p *sender) baseline(body int, _ sim.Tick, _ uint32) (*sim.Body, sim.Tick) {
	k := &p.bodies[body].baseline
	return &k.state, k.tick
}

// playerAt is the state of a player's cube in the packet of a tick.
func (p *sender) playerAt(i int, t sim.Tick) *sim.Body {
	if r := &p.playerStates[t%historyTicks]; r.tick == t && r.present[i] {
		return &r.states[i]
	}
	return nil
}

// updateBits returns the bits of an update, without its number.
func (p *sender) updateBits(u *update, m *message, scene *sim.Scene) int {
	if !m.format.relative {
		return m.format.bodyBits(u.state.Asleep)
	}
	p.scratch.coder.BeginMeasure()
	m.codeUpdate(&p.scratch.coder, u, scene)
	return p.scratch.coder.BitsProcessed()
}

// chooseUpdates puts into the message, in the order of the bodies, those of the highest
// priorities that fit most bits, and returns theirs. One that does not fit is
// skipped, and the next one tried. has tells in whose hands a body is.
func (p *sender) chooseUpdates(m *message, w *predict.World, most int, has func(body int) authority) (sum int) {
	p.scratch.keys = p.scratch.keys[:0]
	skipped := 0
	for i := range p.bodies {
		n := p.bodies[i].priority
		if n == notSent {
			continue
		}
		p.scratch.keys = append(p.scratch.keys, uint64(maxPriority-n)<<16|uint64(i)) // the highest first, of equals the lowest number
	}
	slices.Sort(p.scratch.keys)
	least := m.indexBits(0, w.Scene()) + 1
	if !m.format.relative {
		least += m.format.bodyBits(true) - 1
	}
	moving := m.minMovingBits()
	for _, key := range p.scratch.keys {
		if m.updateCount == maxUpdates || most < least {
			break
		}
		u := update{body: int(key & 0xffff)}
		u.state, u.authority = w.Bodies()[u.body], has(u.body)
		if m.format.relative && !u.state.Asleep && most < moving {
			if skipped++; skipped == maxSkipped {
				break
			}
			continue
		}
		p.chooseEncoding(&u, m, w)
		at, bits := m.insertionPoint(u.body, w.Scene())
		bits += p.updateBits(&u, m, w.Scene())
		if bits > most {
			if skipped++; skipped == maxSkipped {
				break
			}
			continue
		}
		most -= bits
		sum += bits
		copy(m.updates[at+1:m.updateCount+1], m.updates[at:m.updateCount])
		m.updates[at] = u
		m.updateCount++
	}
	return sum
}

// minMovingBits is what a body that moves takes at least, or nearly so: what does not fit
// then need not be measured.
func (m *message) minMovingBits() int {
	l := &m.params
	bits, each := m.format.grid().Rotation.Bits(), l[relativePosition]
	if m.format.velocities {
		each += l[relativeLinear] + l[relativeAngular]
	}
	if m.format.delta {
		bits, each = 0, l[deltaPosition]+l[deltaRotation]
		if m.format.velocities {
			each += l[deltaLinear] + l[deltaAngular]
		}
	}
	return bits + 3*int(each)*3/4
}

// insertionPoint is where the update of a body belongs among the others, and the bits that
// its number takes there.
func (m *message) insertionPoint(body int, scene *sim.Scene) (at, bits int) {
	at = m.updateCount
	for at > 0 && m.updates[at-1].body > body {
		at--
	}
	if !m.format.relative {
		return at, m.indexBits(0, scene)
	}
	before := -1
	if at > 0 {
		before = m.updates[at-1].body
	}
	bits = m.indexBits(body-before-1, scene)
	if at < m.updateCount {
		after := m.updates[at].body
		bits += m.indexBits(after-body-1, scene) - m.indexBits(after-before-1, scene)
	}
	return at, bits
}

// indexBits is what the number of a body takes, after so many that are not sent.
func (m *message) indexBits(gap int, scene *sim.Scene) int {
	if !m.format.relative {
		return plainIndexBits(scene)
	}
	return golombBits(gap, int(m.params[indexGap]))
}

// recordSent notes a packet that has been sent: only what was in it begins anew.
func (p *sender) recordSent(q packet.Sequence, m *message, bytes int) {
	p.state.budget.Spend(packet.WireBytes(bytes))
	f := &p.sentPackets[q%historyTicks]
	f.sequence, f.tick, f.used, f.updateCount = q, m.tick, true, m.updateCount
	p.playerStates[m.tick%historyTicks] = playerStates{tick: m.tick}
	p.state.tuner.adapt(&p.state.params)
	for i := range m.updates[:m.updateCount] {
		u := &m.updates[i]
		f.updates[i].body, f.updates[i].authority, f.updates[i].state = u.body, u.authority, m.format.roundTrip(u.state)
		if u.body < maxPlayers {
			r := &p.playerStates[m.tick%historyTicks]
			r.present[u.body], r.states[u.body] = true, f.updates[i].state
		}
		b := &p.bodies[u.body]
		b.priority, b.changedTick = 0, 0
		if b.sendsSinceAbsolute++; b.sendsSinceAbsolute > absoluteEvery {
			b.sendsSinceAbsolute, b.absoluteTick = 0, m.tick
		}
		if u.isDelta() {
			p.state.deltaUpdates++
		}
	}
}

func (p *sender) copyFrom(o *sender) {
	p.state = o.state
	p.bodies = append(p.bodies[:0], o.bodies...)
	p.sentPackets = append(p.sentPackets[:0], o.sentPackets...)
	p.playerStates = append(p.playerStates[:0], o.playerStates...)
}
