package statesync

import (
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// localAuthority is what a client's player has in hand, where the toucher's word counts: what
// package sim says is under its authority.
type localAuthority struct {
	mode   int // the knob
	budget int // kbit/s

	input           sim.Input
	claimed         []bool     // by body: in hand after the last step
	owns            []bool     // by body: more than touched
	claimedIslands  []bool     // by island: there is a body in hand in it, awake
	movingIslands   []bool     // by island: not all of it rests by the server's last word
	released        []bool     // by body: let go, and the server is not known to have heard
	serverKnowsFrom []sim.Tick // by body: from this tick on the server had heard of it when it spoke; 0: not known
	sender          sender
	serverTick      sim.Tick // of the server's newest packet
	consumedTick    sim.Tick // which of our ticks it had heard of; 0: none

	previous []sim.Body
	changed  []bool
	message  message
	coder    quant.Coder
	buffer   [maxUplinkBytes]byte
}

// maxUplinkBytes holds what a client may send.
const maxUplinkBytes = maxBytes + (input.MaxInputs*(input.MaxShotInputBits+1)+64)/8/8*8

func newLocalAuthority(w *predict.World) localAuthority {
	n := len(w.Bodies())
	return localAuthority{
		claimed: make([]bool, n), claimedIslands: make([]bool, n), movingIslands: make([]bool, n), owns: make([]bool, n), released: make([]bool, n), serverKnowsFrom: make([]sim.Tick, n),
		sender: newSender(n, w.Rate()), changed: make([]bool, n), previous: append([]sim.Body(nil), w.Bodies()...),
	}
}

func (g *localAuthority) declare(k *predict.Knobs, m *predict.Counters) {
	declareAuthority(k, &g.mode)
	k.Int(&g.budget, "uplink-budget", 256, 16, 4096, "authority=client: kbit/s from each client, headers of IP and UDP included")
	m.Declare("claimed_bodies", "bodies that the client's player has in hand, now")
	m.Declare("lost_claims", "times a body was given up because the server has it in another's hands, or in nobody's")
}

// mayClaim reports whether the client's player may have bodies in hand.
func (c *client) mayClaim() bool { return c.authority.mode == clientAuthority && c.env.Player >= 0 }

// updateClaims looks after a step what is in hand now.
func (c *client) updateClaims() {
	g, w, p := &c.authority, c.env.World, int8(c.env.Player)
	clear(g.claimedIslands)
	if !c.mayClaim() {
		clear(g.claimed)
		clear(g.released)
		return
	}
	owners, touched := w.Owners(), w.TouchedBy()
	held := 0
	for i := range g.claimed {
		mine := owners[i] == p && (i == int(p) || i >= c.env.Players)
		switch {
		case mine && !g.claimed[i]:
			g.serverKnowsFrom[i], g.released[i] = 0, false
		case !mine && g.claimed[i]:
			g.released[i] = true
		}
		g.claimed[i] = mine
		g.owns[i] = mine && (i == int(p) || touched[i] == p && g.input.Buttons&sim.Pull != 0)
		if mine {
			held++
			c.rest.recordState(i, false)
			c.appliedTick[i], c.lastReceived[i] = w.Tick(), w.Bodies()[i].Pose // ours is the last word
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
	return sim.Tick(max(int64(g.serverTick)+int64(c.inputTick)-1-int64(g.consumedTick), 0))
}

// sleepIslands puts to sleep, where the server has them, all bodies of an island of which
// each rests by the server's last word, and within a centimetre of where it is here.
// A heap that several hands have made need not stand as it is said to: some bodies
// reach into others. Set to sleep one after the other they would be pushed out and
// awake again and again.
func (c *client) sleepIslands() {
	g, w := &c.authority, c.env.World
	if !c.mayClaim() {
		return
	}
	clear(g.movingIslands)
	for i := range w.Bodies() {
		if b := &w.Bodies()[i]; !b.Asleep && !(c.rest.atRest[i] && b.Pose.Pos.Sub(c.lastReceived[i].Pos).Len() < sleepTolerance) {
			g.movingIslands[w.Island(i)] = true
		}
	}
	for i := range w.Bodies() {
		if !w.Bodies()[i].Asleep && !g.movingIslands[w.Island(i)] {
			c.correctBody(i, sim.Body{Pose: c.lastReceived[i], Asleep: true})
		}
	}
}

// authorityOf is how a body is held here.
func (c *client) authorityOf(i int) authority {
	if !c.authority.claimed[i] {
		return noAuthority
	}
	return authority{int8(c.env.Player), c.authority.owns[i]}
}

// acceptsUpdate reports whether the server's word of a body counts, and gives the body up
// if it says that another has it.
func (c *client) acceptsUpdate(u *update, s *message) bool {
	g, w, b, p := &c.authority, c.env.World, u.body, int8(c.env.Player)
	if !c.mayClaim() {
		return true
	}
	says := noAuthority
	if s.format.authority {
		says = u.authority
	}
	heard := g.serverKnowsFrom[b] != 0 && s.tick >= g.serverKnowsFrom[b] // it knows what we said
	switch {
	case b == int(p) || says.player == p:
		return false // our own word, or an old one
	case g.claimed[b] && !heard && says.rank() <= c.authorityOf(b).rank():
		return false // ours is on its way
	case g.claimed[b]:
		c.env.Counters.Add("lost_claims", 1)
		g.claimed[b], g.owns[b] = false, false
	case g.released[b] && says.player == sim.NoPlayer:
		return false // the end of what we did with it is on its way
	}
	g.released[b] = false
	w.SetOwner(b, says.player)
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
			switch u := &f.updates[i]; {
			case u.authority.player == sim.NoPlayer:
				g.released[u.body] = false
			case g.claimed[u.body] && g.serverKnowsFrom[u.body] == 0:
				g.serverKnowsFrom[u.body] = c.newest + 1
			}
		}
	}
	g.sender.receiveAcks(server)
}

// sendClaims sends the input, and how the bodies in hand are.
func (c *client) sendClaims(server *packet.Endpoint) {
	g, w := &c.authority, c.env.World
	c.receiveAcks(server)
	for i, b := range w.Bodies() {
		g.changed[i] = b != g.previous[i]
		g.previous[i] = b
	}
	g.accumulatePriorities(w)
	g.sender.budget.AddTick(g.budget * bytesPerKbit)

	tick := c.inputTick - 1
	m := &g.message
	m.tick, m.players, m.inputCount, m.updateCount, m.rate = tick, c.env.Players, 0, 0, w.Rate()
	m.format = c.settings.format(true)
	m.fromClient, m.format.authority, m.format.relative, m.format.delta = true, true, false, false
	since := c.inputTick // of which the server has nothing
	if g.sender.anyAcked {
		since = g.sender.ackedTick + 1
	}
	g.coder.BeginMeasure()
	c.inputSender.Encode(&g.coder, since)
	m.code(&g.coder, w.Scene())
	head := g.coder.BitsProcessed()
	most := 8*g.sender.availablePayload() - head
	least := plainIndexBits(w.Scene()) + authorityBits(m.players) + m.format.bodyBits(false)
	if most < least {
		g.sender.reserve(head + least)
	} else {
		g.sender.chooseUpdates(m, w, most, func(i int) authority { return c.authorityOf(i) })
	}
	g.coder.BeginWrite(g.buffer[:])
	c.inputSender.Encode(&g.coder, since)
	m.code(&g.coder, w.Scene())
	if g.coder.Err() != nil {
		panic("statesync: a packet that does not fit: " + g.coder.Err().Error())
	}
	data := g.coder.FinishWrite()
	g.sender.recordSent(server.Send(data), m, len(data))
}

// accumulatePriorities adds the priorities of this tick: of the player's cube, of what has been
// let go, and of the rest that is in hand, but for what rests and is known to rest
// there.
func (g *localAuthority) accumulatePriorities(w *predict.World) {
	p := &g.sender
	for i := range p.priority {
		b := &w.Bodies()[i]
		if !b.Asleep {
			p.restTick[i] = 0
		} else if g.changed[i] {
			p.restTick[i] = w.Tick()
		}
		add := int64(1)
		switch {
		case !g.claimed[i] && !g.released[i]:
			p.priority[i] = notSent
			continue
		case i < w.Scene().Players:
			add = playerCubePriority
		case g.released[i] || p.restTick[i] != 0 || g.serverKnowsFrom[i] == 0:
			add = 10
		case b.Asleep:
			p.priority[i] = notSent
			continue
		}
		p.priority[i] = min(max(p.priority[i], 0)+add, maxPriority)
	}
}

const (
	notSent            = -1 // the priority of what is not sent
	playerCubePriority = 100
)

func (g *localAuthority) copyFrom(o *localAuthority) {
	g.mode, g.budget, g.input = o.mode, o.budget, o.input
	g.claimed, g.owns = append(g.claimed[:0], o.claimed...), append(g.owns[:0], o.owns...)
	g.claimedIslands = append(g.claimedIslands[:0], o.claimedIslands...)
	g.released, g.serverKnowsFrom = append(g.released[:0], o.released...), append(g.serverKnowsFrom[:0], o.serverKnowsFrom...)
	g.previous, g.changed = append(g.previous[:0], o.previous...), append(g.changed[:0], o.changed...)
	g.serverTick, g.consumedTick = o.serverTick, o.consumedTick
	g.sender.copyFrom(&o.sender)
}
