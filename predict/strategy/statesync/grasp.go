package statesync

import (
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// grasp is what a client's player has in hand, where the toucher's word counts: what
// package sim says is under its authority.
type grasp struct {
	who    int // the knob
	budget int // kbit/s

	now   sim.Input
	mine  []bool     // by body: in hand after the last step
	owns  []bool     // by body: more than touched
	with  []bool     // by island: there is a body in hand in it, awake
	stirs []bool     // by island: not all of it rests by the server's last word
	loose []bool     // by body: let go, and the server is not known to have heard
	told  []sim.Tick // by body: from this tick on the server had heard of it when it spoke; 0: not known
	up    sender
	at    sim.Tick // of the server's newest packet
	heard sim.Tick // which of our ticks it had heard of; 0: none

	before  []sim.Body
	changed []bool
	message message
	coder   quant.Coder
	buffer  [mostUpBytes]byte
}

// mostUpBytes holds what a client may send.
const mostUpBytes = mostBytes + (input.Most*(input.MostShotBits+1)+64)/8/8*8

func newGrasp(w *sim.World) grasp {
	n := len(w.Bodies())
	return grasp{
		mine: make([]bool, n), with: make([]bool, n), stirs: make([]bool, n), owns: make([]bool, n), loose: make([]bool, n), told: make([]sim.Tick, n),
		up: newSender(n), changed: make([]bool, n), before: append([]sim.Body(nil), w.Bodies()...),
	}
}

func (g *grasp) declare(k *predict.Knobs, m *predict.Counters) {
	declareHands(k, &g.who)
	k.Int(&g.budget, "up-budget", 256, 16, 4096, "authority=toucher: kbit/s from each client, headers of IP and UDP included")
	m.Declare("in_hand", "bodies that the client's player has in hand, now")
	m.Declare("given_up", "times a body was given up because the server has it in another's hands, or in nobody's")
}

// grips reports whether the client's player may have bodies in hand.
func (c *client) grips() bool { return c.grasp.who == touchersWord && c.env.Player >= 0 }

// take looks after a step what is in hand now.
func (c *client) take() {
	g, w, p := &c.grasp, c.env.World, int8(c.env.Player)
	clear(g.with)
	if !c.grips() {
		clear(g.mine)
		clear(g.loose)
		return
	}
	owners, touched := w.Owners(), w.Touched()
	held := 0
	for i := range g.mine {
		mine := owners[i] == p && (i == int(p) || i >= c.env.Players)
		switch {
		case mine && !g.mine[i]:
			g.told[i], g.loose[i] = 0, false
		case !mine && g.mine[i]:
			g.loose[i] = true
		}
		g.mine[i] = mine
		g.owns[i] = mine && (i == int(p) || touched[i] == p && g.now.Buttons&sim.Pull != 0)
		if mine {
			held++
			c.strays.heard(i, false)
			c.applied[i], c.last[i] = w.Tick(), w.Bodies()[i].Pose // ours is the last word
			if !w.Bodies()[i].Asleep {
				g.with[w.Island(i)] = true
			}
		}
	}
	c.env.Counters.Set("in_hand", float64(held))
}

// own is the server's tick that the bodies in hand are drawn in: that of its newest
// packet, and as many on as we have ticks beyond those that it had heard of then.
func (c *client) own() sim.Tick {
	g := &c.grasp
	if g.heard == 0 {
		return c.env.World.Tick()
	}
	return sim.Tick(max(int64(g.at)+int64(c.tick)-1-int64(g.heard), 0))
}

// calm puts to sleep, where the server has them, all bodies of an island of which
// each rests by the server's last word, and within a centimetre of where it is here.
// A heap that several hands have made need not stand as it is said to: some bodies
// reach into others. Set to sleep one after the other they would be pushed out and
// awake again and again.
func (c *client) calm() {
	g, w := &c.grasp, c.env.World
	if !c.grips() {
		return
	}
	clear(g.stirs)
	for i := range w.Bodies() {
		if b := &w.Bodies()[i]; !b.Asleep && !(c.strays.rests[i] && b.Pose.Pos.Sub(c.last[i].Pos).Len() < stillMost) {
			g.stirs[w.Island(i)] = true
		}
	}
	for i := range w.Bodies() {
		if !w.Bodies()[i].Asleep && !g.stirs[w.Island(i)] {
			c.put(i, sim.Body{Pose: c.last[i], Asleep: true})
		}
	}
}

// grip is how a body is held here.
func (c *client) grip(i int) grip {
	if !c.grasp.mine[i] {
		return noGrip
	}
	return grip{int8(c.env.Player), c.grasp.owns[i]}
}

// heeds reports whether the server's word of a body counts, and gives the body up
// if it says that another has it.
func (c *client) heeds(u *update, s *message) bool {
	g, w, b, p := &c.grasp, c.env.World, u.body, int8(c.env.Player)
	if !c.grips() {
		return true
	}
	says := noGrip
	if s.form.hands {
		says = u.grip
	}
	heard := g.told[b] != 0 && s.tick >= g.told[b] // it knows what we said
	switch {
	case b == int(p) || says.holder == p:
		return false // our own word, or an old one
	case g.mine[b] && !heard && says.rank() <= c.grip(b).rank():
		return false // ours is on its way
	case g.mine[b]:
		c.env.Counters.Add("given_up", 1)
		g.mine[b], g.owns[b] = false, false
	case g.loose[b] && says.holder == sim.NoPlayer:
		return false // the end of what we did with it is on its way
	}
	g.loose[b] = false
	w.SetOwner(b, says.holder)
	return true
}

// hear takes in what the server is known to have heard.
func (c *client) hear(server *packet.Endpoint) {
	g := &c.grasp
	for _, a := range server.Acks() {
		f := &g.up.flight[a%keptTicks]
		if !f.used || f.sequence != a {
			continue
		}
		for i := range f.updates[:f.n] {
			switch u := &f.updates[i]; {
			case u.grip.holder == sim.NoPlayer:
				g.loose[u.body] = false
			case g.mine[u.body] && g.told[u.body] == 0:
				g.told[u.body] = c.newest + 1
			}
		}
	}
	g.up.hear(server)
}

// tell sends the input, and how the bodies in hand are.
func (c *client) tell(server *packet.Endpoint) {
	g, w := &c.grasp, c.env.World
	c.hear(server)
	for i, b := range w.Bodies() {
		g.changed[i] = b != g.before[i]
		g.before[i] = b
	}
	g.raise(w)
	g.up.save(int64(g.budget) * 1000)

	tick := c.tick - 1
	m := &g.message
	m.tick, m.players, m.count, m.n, m.rate = tick, c.env.Players, 0, 0, w.Rate()
	m.form = c.set.form(true)
	m.up, m.form.hands, m.form.relative, m.form.delta = true, true, false, false
	since := c.tick // of which the server has nothing
	if g.up.any {
		since = g.up.arrived + 1
	}
	g.coder.Measure()
	c.out.Code(&g.coder, since)
	m.code(&g.coder, w.Scene())
	head := g.coder.Processed()
	most := 8*payload(g.up.bytes(w.Rate())) - head
	least := numberBits(w.Scene()) + gripBits(m.players) + m.form.bits(false)
	if most < least {
		g.up.want(head+least, w.Rate())
	} else {
		g.up.choose(m, w, most, func(i int) grip { return c.grip(i) })
	}
	g.coder.Write(g.buffer[:])
	c.out.Code(&g.coder, since)
	m.code(&g.coder, w.Scene())
	if g.coder.Err() != nil {
		panic("statesync: a packet that does not fit: " + g.coder.Err().Error())
	}
	data := g.coder.Data()
	g.up.sent(server.Send(data), m, len(data), w.Rate())
}

// raise adds the priorities of this tick: of the player's cube, of what has been
// let go, and of the rest that is in hand, but for what rests and is known to rest
// there.
func (g *grasp) raise(w *sim.World) {
	p := &g.up
	for i := range p.priority {
		b := &w.Bodies()[i]
		if !b.Asleep {
			p.rest[i] = 0
		} else if g.changed[i] {
			p.rest[i] = w.Tick()
		}
		add := int64(1)
		switch {
		case !g.mine[i] && !g.loose[i]:
			p.priority[i] = unsent
			continue
		case i < w.Scene().Players:
			add = ownPriority
		case g.loose[i] || p.rest[i] != 0 || g.told[i] == 0:
			add = 10
		case b.Asleep:
			p.priority[i] = unsent
			continue
		}
		p.priority[i] = min(max(p.priority[i], 0)+add, priorityMost)
	}
}

const (
	unsent      = -1 // the priority of what is not sent
	ownPriority = 100
)

func (g *grasp) copyFrom(o *grasp) {
	g.who, g.budget, g.now = o.who, o.budget, o.now
	g.mine, g.owns = append(g.mine[:0], o.mine...), append(g.owns[:0], o.owns...)
	g.with = append(g.with[:0], o.with...)
	g.loose, g.told = append(g.loose[:0], o.loose...), append(g.told[:0], o.told...)
	g.before, g.changed = append(g.before[:0], o.before...), append(g.changed[:0], o.changed...)
	g.at, g.heard = o.at, o.heard
	g.up.copyFrom(&o.up)
}
