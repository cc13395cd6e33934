package statesync

import (
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// localAuthority is what a client's player has in hand, where the toucher's word counts: what
// package sim says is under its authority. What it knows of each body is a localClaim.
type localAuthority struct {
	input          sim.Input
	serverTick     sim.Tick // of the server's newest packet
	consumedTick   sim.Tick // which of our ticks it had heard of; 0: none
	claimedIslands []bool   // by island: there is a body in hand in it, awake
	sender         sender

	scratch localAuthorityScratch
}

// localClaim is what localAuthority knows of one body.
type localClaim struct {
	active          bool     // in hand after the last step
	owns            bool     // more than touched
	released        bool     // let go, and the server is not known to have heard
	serverKnowsFrom sim.Tick // from this tick on the server had heard of it when it spoke; 0: not known
	previous        sim.Body // at the end of the tick before
}

type localAuthorityScratch struct {
	movingIslands []bool // by island: not all of it rests by the server's last word
	changed       []bool
	message       message
	coder         quant.Coder
	buffer        [maxUplinkBytes]byte
}

// maxUplinkBytes holds what a client may send.
const maxUplinkBytes = maxBytes + (input.MaxInputs*(input.MaxShotInputBits+1)+64)/8/8*8

func newLocalAuthority(w *predict.World) localAuthority {
	n := len(w.Bodies())
	return localAuthority{
		claimedIslands: make([]bool, n), sender: newSender(n, w.Rate()),
		scratch: localAuthorityScratch{movingIslands: make([]bool, n), changed: make([]bool, n)},
	}
}

func declareClaimCounters(m *predict.Counters) {
	m.Declare("claimed_bodies", "bodies that the client's player has in hand, now")
	m.Declare("lost_claims", "times a body was given up because the server has it in another's hands, or in nobody's")
}

// mayClaim reports whether the client's player may have bodies in hand.
func (c *client) mayClaim() bool {
	return c.settings.authority == clientAuthority && c.env.Player >= 0
}

// updateClaims looks after a step what is in hand now.
func (c *client) updateClaims() {
	g, w, p := &c.authority, c.env.World, int8(c.env.Player)
	clear(g.claimedIslands)
	if !c.mayClaim() {
		for i := range c.bodies {
			c.bodies[i].claim.active, c.bodies[i].claim.released = false, false
		}
		return
	}
	owners, touched := w.Owners(), w.TouchedBy()
	held := 0
	for i := range c.bodies {
		b, claim := &c.bodies[i], &c.bodies[i].claim
		mine := owners[i] == p && (i == int(p) || i >= c.env.Players)
		switch {
		case mine && !claim.active:
			claim.serverKnowsFrom, claim.released = 0, false
		case !mine && claim.active:
			claim.released = true
		}
		claim.active = mine
		claim.owns = mine && (i == int(p) || touched[i] == p && g.input.Buttons&sim.Pull != 0)
		if mine {
			held++
			b.recordRest(false)
			b.appliedTick, b.lastReceived = w.Tick(), w.Bodies()[i].Pose // ours is the last word
			if !w.Bodies()[i].Asleep {
				g.claimedIslands[w.Island(i)] = true
			}
		}
	}
	c.env.Counters.Set("claimed_bodies", float64(held))
}

// predictedTick is the server's tick that the bodies in hand are drawn in: that of its newest
// packet, and as many on as we have ticks beyond those that it had heard of then.
func (c *client) predictedTick() sim.Tick {
	g := &c.authority
	if g.consumedTick == 0 {
		return c.env.World.Tick()
	}
	return sim.Tick(max(int64(g.serverTick)+int64(c.state.inputTick)-1-int64(g.consumedTick), 0))
}

// sleepIslands puts to sleep, where the server has them, all bodies of an island of which
// each rests by the server's last word, and within a centimetre of where it is here.
// A heap that several hands have made need not stand as it is said to: some bodies
// reach into others. Set to sleep one after the other they would be pushed out and
// awake again and again.
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

// authorityOf is how a body is held here.
func (c *client) authorityOf(i int) authority {
	claim := &c.bodies[i].claim
	if !claim.active {
		return noAuthority
	}
	return authority{int8(c.env.Player), claim.owns}
}

// acceptsUpdate reports whether the server's word of a body counts, and gives the body up
// if it says that another has it.
func (c *client) acceptsUpdate(u *update, s *message) bool {
	claim, p := &c.bodies[u.body].claim, int8(c.env.Player)
	if !c.mayClaim() {
		return true
	}
	says := noAuthority
	if s.format.authority {
		says = u.authority
	}
	heard := claim.serverKnowsFrom != 0 && s.tick >= claim.serverKnowsFrom // it knows what we said
	switch {
	case u.body == int(p) || says.player == p:
		return false // our own word, or an old one
	case claim.active && !heard && says.rank() <= c.authorityOf(u.body).rank():
		return false // ours is on its way
	case claim.active:
		c.env.Counters.Add("lost_claims", 1)
		claim.active, claim.owns = false, false
	case claim.released && says.player == sim.NoPlayer:
		return false // the end of what we did with it is on its way
	}
	claim.released = false
	c.env.World.SetOwner(u.body, says.player)
	return true
}

// receiveAcks takes in what the server is known to have heard.
func (c *client) receiveAcks(server *packet.Endpoint) {
	g := &c.authority
	for _, a := range server.Acks() {
		f := &g.sender.sentPackets[a%historyTicks]
		if !f.used || f.sequence != a {
			continue
		}
		for i := range f.updates[:f.updateCount] {
			u := &f.updates[i]
			claim := &c.bodies[u.body].claim
			switch {
			case u.authority.player == sim.NoPlayer:
				claim.released = false
			case claim.active && claim.serverKnowsFrom == 0:
				claim.serverKnowsFrom = c.state.newest + 1
			}
		}
	}
	g.sender.receiveAcks(server)
}

// sendClaims sends the input, and how the bodies in hand are.
func (c *client) sendClaims(server *packet.Endpoint) {
	g, w := &c.authority, c.env.World
	coder, m := &g.scratch.coder, &g.scratch.message
	c.receiveAcks(server)
	for i, b := range w.Bodies() {
		claim := &c.bodies[i].claim
		g.scratch.changed[i] = b != claim.previous
		claim.previous = b
	}
	c.accumulateClaimPriorities()
	g.sender.state.budget.AddTick(c.settings.uplinkBudget * bytesPerKbit)

	tick := c.state.inputTick - 1
	m.tick, m.players, m.inputCount, m.updateCount, m.rate = tick, c.env.Players, 0, 0, w.Rate()
	m.format = c.settings.compression.format(true)
	m.fromClient, m.format.authority, m.format.relative, m.format.delta = true, true, false, false
	since := c.state.inputTick // of which the server has nothing
	if g.sender.state.anyAcked {
		since = g.sender.state.ackedTick + 1
	}
	coder.BeginMeasure()
	c.inputSender.Encode(coder, since)
	m.code(coder, w.Scene())
	head := coder.BitsProcessed()
	most := 8*g.sender.availablePayload() - head
	least := plainIndexBits(w.Scene()) + authorityBits(m.players) + m.format.bodyBits(false)
	if most < least {
		g.sender.reserve(head + least)
	} else {
		g.sender.chooseUpdates(m, w, most, func(i int) authority { return c.authorityOf(i) })
	}
	coder.BeginWrite(g.scratch.buffer[:])
	c.inputSender.Encode(coder, since)
	m.code(coder, w.Scene())
	if coder.Err() != nil {
		panic("statesync: a packet that does not fit: " + coder.Err().Error())
	}
	data := coder.FinishWrite()
	g.sender.recordSent(server.Send(data), m, len(data))
}

// accumulateClaimPriorities adds the priorities of this tick: of the player's cube, of what has been
// let go, and of the rest that is in hand, but for what rests and is known to rest
// there.
func (c *client) accumulateClaimPriorities() {
	w := c.env.World
	for i := range c.bodies {
		b, claim, p := &w.Bodies()[i], &c.bodies[i].claim, &c.authority.sender.bodies[i]
		if !b.Asleep {
			p.restTick = 0
		} else if c.authority.scratch.changed[i] {
			p.restTick = w.Tick()
		}
		add := int64(1)
		switch {
		case !claim.active && !claim.released:
			p.priority = notSent
			continue
		case i < w.Scene().Players:
			add = playerCubePriority
		case claim.released || p.restTick != 0 || claim.serverKnowsFrom == 0:
			add = 10
		case b.Asleep:
			p.priority = notSent
			continue
		}
		p.priority = min(max(p.priority, 0)+add, maxPriority)
	}
}

const (
	notSent            = -1 // the priority of what is not sent
	playerCubePriority = 100
)

func (g *localAuthority) copyFrom(o *localAuthority) {
	g.input, g.serverTick, g.consumedTick = o.input, o.serverTick, o.consumedTick
	g.claimedIslands = append(g.claimedIslands[:0], o.claimedIslands...)
	g.sender.copyFrom(&o.sender)
}
