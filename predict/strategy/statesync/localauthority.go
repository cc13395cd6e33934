package statesync

import (
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// localAuthority is a client's side of client authority: the bodies that its world assigns to the
// client's player, and the uplink that sends their states. A localClaim is its part for one body.
type localAuthority struct {
	input          sim.Input  // of this tick
	serverTick     sim.Tick   // of the server's newest packet
	consumedTick   sim.Tick   // newest client tick that the server had consumed by then; 0: none
	move           claimsMove // that it announces
	enteredTick    sim.Tick   // client tick after that in which the player last entered or left a vehicle
	claimedIslands []bool     // by island: it contains a claimed body that is awake
	sender         sender

	scratch localAuthorityScratch
}

// localClaim is a client's claim to one body. It is plain.
type localClaim struct {
	active          bool     // the body is under the player's authority since the last step
	owns            bool     // the player owns it and does not only touch it
	released        bool     // the release is not acknowledged yet
	serverKnowsFrom sim.Tick // server packets from this tick on take the claim into account; 0: not acknowledged
	previous        sim.Body // state at the end of the last tick
}

type localAuthorityScratch struct {
	movingIslands []bool // by island: not all of its bodies rest at the server
	changed       []bool // by body: since the last tick
	message       message
	coder         quant.Coder
	buffer        [maxUplinkBytes]byte
	spent         predict.PacketBits
}

// maxUplinkBytes is enough for any payload of a client.
const maxUplinkBytes = maxBytes + (input.MaxInputs*(input.MaxShotInputBits+1)+64)/8/8*8

func newLocalAuthority(w *predict.World) localAuthority {
	n := len(w.Bodies())
	return localAuthority{
		claimedIslands: make([]bool, n), sender: newSender(n, w.Rate()),
		scratch: localAuthorityScratch{movingIslands: make([]bool, n), changed: make([]bool, n)},
	}
}

func (c *clientCounters) initClaims(m *predict.Counters) {
	c.claimedBodies = m.New("claimed_bodies", "bodies under the client's authority, now")
	c.lostClaims = m.New("lost_claims", "claims that the server ended")
}

// mayClaim reports whether the client's player may have authority over bodies. A client that is joining takes
// over the server's states.
func (c *client) mayClaim() bool {
	return c.settings.authority == clientAuthority && c.env.Player >= 0 && !c.env.Joined
}

// skipMissed counts the ticks that the client missed while it was frozen. The server has gone on without them, so a client
// with authority leaves them out, in the numbers of its states and in its clock: numbered without a gap, all states that
// follow would be late, and a clock that only hurries to catch up would number them too high.
func (c *client) skipMissed() {
	missed := c.env.MissedTicks
	c.state.missedTicks = min(c.state.missedTicks+missed, maxMissedTicks)
	if !c.mayClaim() || missed == 0 {
		return
	}
	c.state.inputTick += sim.Tick(missed)
	waited := min(missed, c.state.startDelay)
	c.state.startDelay -= waited
	c.env.World.SetTick(c.env.World.Tick() + sim.Tick(missed-waited))
}

// updateClaims updates the claims after a step.
func (c *client) updateClaims() {
	a, w, player := &c.authority, c.env.World, int8(c.env.Player)
	clear(a.claimedIslands)
	if !c.mayClaim() {
		for i := range c.bodies {
			c.bodies[i].claim.active, c.bodies[i].claim.released = false, false
		}
		return
	}
	owners, touched := w.Owners(), w.TouchedBy()
	count := 0
	for i := range c.bodies {
		b, claim := &c.bodies[i], &c.bodies[i].claim
		mine := owners[i] == player && (i == int(player) || i >= c.env.Players)
		switch {
		case mine && !claim.active:
			claim.serverKnowsFrom, claim.released = 0, false
		case !mine && claim.active:
			claim.released = true
		}
		claim.active = mine
		claim.owns = mine && (i == int(player) || touched[i] == player && a.input.Buttons&sim.Pull != 0)
		if mine {
			count++
			b.recordRest(false)
			b.appliedTick, b.lastReceived = w.Tick(), w.Bodies()[i].Pose // the client's own state is the authoritative one
			if !w.Bodies()[i].Asleep {
				a.claimedIslands[w.Island(i)] = true
			}
		}
	}
	c.counters.claimedBodies.Set(float64(count))
}

// predictedMoment returns the server's moment at which the drawn states of claimed bodies will be applied: the
// tick of the newest packet, plus the client's ticks that the server had not consumed by then, plus the move that it
// announces.
func (c *client) predictedMoment() sim.Moment {
	a := &c.authority
	if a.consumedTick == 0 {
		return c.env.World.Tick().Moment()
	}
	return a.move.applied(a.serverTick, int64(c.state.inputTick)-1-int64(a.consumedTick))
}

// sleepIslands puts an island to sleep at the server's poses if each of its bodies rests at the
// server and is within sleepTolerance of its pose there. All bodies of the island fall asleep
// together, because a pile put together from the states of several players may contain
// overlapping bodies: put to sleep one at a time, they would push each other out and wake again.
func (c *client) sleepIslands() {
	w, moving := c.env.World, c.authority.scratch.movingIslands
	if !c.mayClaim() {
		return
	}
	clear(moving)
	for i := range w.Bodies() {
		if b := &w.Bodies()[i]; !b.Asleep && !(c.bodies[i].atRest && b.Pose.Pos.Sub(c.bodies[i].lastReceived.Pos).Len() < sleepTolerance) {
			moving[w.Island(i)] = true
		}
	}
	for i := range w.Bodies() {
		if !w.Bodies()[i].Asleep && !moving[w.Island(i)] {
			c.correctBody(i, sim.Body{Pose: c.bodies[i].lastReceived, Asleep: true})
		}
	}
}

// authorityOf returns the authority that the client claims over a body.
func (c *client) authorityOf(i int) authority {
	claim := &c.bodies[i].claim
	if !claim.active {
		return noAuthority
	}
	return authority{int8(c.env.Player), claim.owns}
}

// acceptsUpdate reports whether the client applies an update. It gives up its claim if the server
// has given the body to another player or to nobody.
func (c *client) acceptsUpdate(u *update, s *message) bool {
	claim, player := &c.bodies[u.body].claim, int8(c.env.Player)
	if !c.mayClaim() {
		return true
	}
	server := noAuthority
	if s.format.authority {
		server = u.authority
	}
	serverKnows := claim.serverKnowsFrom != 0 && s.tick >= claim.serverKnowsFrom
	switch {
	case u.body == int(player) || server.player == player:
		return false // the state is the client's own, or older than it
	case claim.active && !serverKnows && server.rank() <= c.authorityOf(u.body).rank():
		return false // the claim has not reached the server yet
	case claim.active:
		c.counters.lostClaims.Inc()
		claim.active, claim.owns = false, false
	case claim.released && server.player == sim.NoPlayer:
		return false // the client's last states have not reached the server yet
	}
	claim.released = false
	c.env.World.SetOwner(u.body, server.player)
	return true
}

// receiveAcks updates the claims that the server has acknowledged.
func (c *client) receiveAcks(server *packet.Endpoint) {
	a := &c.authority
	for _, ack := range server.Acks() {
		p := &a.sender.sentPackets[ack%historyTicks]
		if !p.used || p.sequence != ack {
			continue
		}
		for i := range p.updates[:p.updateCount] {
			u := &p.updates[i]
			claim := &c.bodies[u.body].claim
			switch {
			case u.authority.player == sim.NoPlayer:
				claim.released = false
			case claim.active && claim.serverKnowsFrom == 0:
				claim.serverKnowsFrom = c.state.newest + 1
			}
		}
	}
	a.sender.receiveAcks(server, c.state.inputTick)
}

// firstUnackedInput returns the tick of the first input that the server has not acknowledged.
func (c *client) firstUnackedInput() sim.Tick {
	if p := &c.authority.sender.state; p.anyAcked {
		return p.ackedTick + 1
	}
	return c.state.inputTick
}

// sendInputs sends the inputs that the server has not acknowledged.
func (c *client) sendInputs(server *packet.Endpoint) {
	a := &c.authority
	c.receiveAcks(server)
	coder, m := &a.scratch.coder, &a.scratch.message
	coder.BeginWrite(a.scratch.buffer[:])
	c.inputSender.Encode(coder, c.firstUnackedInput())
	if coder.Err() != nil {
		panic("statesync: inputs exceed their buffer: " + coder.Err().Error())
	}
	m.tick, m.updateCount = c.state.inputTick-1, 0
	a.sender.rememberSent(server.Send(coder.FinishWrite()), m)
}

// sendClaims sends the inputs and the states of the claimed bodies, as many as the budget allows.
func (c *client) sendClaims(server *packet.Endpoint) {
	a, w := &c.authority, c.env.World
	coder, m := &a.scratch.coder, &a.scratch.message
	c.receiveAcks(server)
	for i, b := range w.Bodies() {
		claim := &c.bodies[i].claim
		a.scratch.changed[i] = b != claim.previous
		claim.previous = b
	}
	c.accumulateClaimPriorities()
	a.sender.state.budget.AddTick(c.settings.uplinkBudget * bytesPerKbit)

	m.tick, m.players, m.inputCount, m.updateCount, m.rate = c.state.inputTick-1, c.env.Players, 0, 0, w.Rate()
	m.format = c.settings.compression.format(true)
	m.fromClient, m.format.authority, m.format.relative, m.format.delta = true, true, false, false
	firstInput := c.firstUnackedInput()
	coder.BeginMeasure()
	c.inputSender.Encode(coder, firstInput)
	m.code(coder, w.Scene())
	headerBits := coder.BitsProcessed()
	available := 8*a.sender.availablePayload() - headerBits
	needed := plainIndexBits(w.Scene()) + authorityBits(m.players) + m.format.bodyBits(false)
	if available < needed {
		a.sender.reserve(headerBits + needed)
	} else {
		a.sender.chooseUpdates(m, w, available, func(i int) authority { return c.authorityOf(i) })
	}
	coder.BeginWrite(a.scratch.buffer[:])
	c.inputSender.Encode(coder, firstInput)
	a.scratch.spent.Begin(len(w.Bodies()))
	m.spent = &a.scratch.spent
	m.code(coder, w.Scene())
	if coder.Err() != nil {
		panic("statesync: a packet exceeds its buffer: " + coder.Err().Error())
	}
	data := coder.FinishWrite()
	m.report(c.env.OnPacketBits, 0, data)
	a.sender.recordSent(server.Send(data), m, len(data))
}

const (
	notSent                = -1 // priority of a body that is not sent
	claimPriority          = 1
	uncertainClaimPriority = 10 // of releases, and of claims and rests that are not acknowledged
	playerClaimPriority    = 100
)

// accumulateClaimPriorities adds this tick's priorities of the claimed and released bodies. A body
// whose rest is acknowledged is sent once a second: the server cannot ask for it if it has never arrived.
func (c *client) accumulateClaimPriorities() {
	w := c.env.World
	for i := range c.bodies {
		b, claim, p := &w.Bodies()[i], &c.bodies[i].claim, &c.authority.sender.bodies[i]
		if !b.Asleep {
			p.restTick = 0
		} else if c.authority.scratch.changed[i] {
			p.restTick = w.Tick()
		}
		added := int64(claimPriority)
		switch {
		case !claim.active && !claim.released:
			p.priority = notSent
			continue
		case i < w.Scene().Players:
			added = playerClaimPriority
		case claim.released || p.restTick != 0 || claim.serverKnowsFrom == 0:
			added = uncertainClaimPriority
		case b.Asleep && p.priority <= 0 && (int(c.state.localTick)+i)%w.Rate() != 0:
			p.priority = notSent
			continue
		}
		p.priority = min(max(p.priority, 0)+added, maxPriority)
	}
}

func (a *localAuthority) copyFrom(o *localAuthority) {
	a.input, a.serverTick, a.consumedTick, a.move, a.enteredTick = o.input, o.serverTick, o.consumedTick, o.move, o.enteredTick
	a.claimedIslands = append(a.claimedIslands[:0], o.claimedIslands...)
	a.sender.copyFrom(&o.sender)
}
