package rollback

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// In a mesh the clients send their inputs to each other, and each decides alone what its own are: the input of a
// tick is what its player's client has sent for it, however late it arrives. A tick is confirmed at a client when
// it has the inputs of all players. Nobody moves or replaces an input, so nobody has to agree on anything.

// maxUnacked is the largest number of own inputs that a client steps ahead of the first one that a peer or the
// server lacks. It remembers ownTicks of them, and each side waitingTicks or knownTicks.
const maxUnacked = 256

// peers is what a client knows of the others in a mesh. It is plain.
type peers struct {
	server sim.Tick                 // first tick whose own input the server lacks
	lacks  [sim.MaxPlayers]sim.Tick // by player: first tick whose own input that peer lacks
	timing [sim.MaxPlayers]timing   // by player
}

func (p *peers) begin(t sim.Tick) {
	p.server = t
	for i := range p.lacks {
		p.lacks[i] = t
	}
}

// inMesh reports whether the client plays in a mesh. A spectator gets all inputs from the server.
func (c *client) inMesh() bool { return c.settings.topology == mesh && c.env.Player >= 0 }

// beginMesh begins to sample inputs. All clients begin with one world, and need nobody to tell them the time.
func (c *client) beginMesh() {
	if !c.state.joined {
		c.state.joined, c.env.Joined = true, false
		c.own.begin(c.env.World.Tick())
		c.peers.begin(c.env.World.Tick())
	}
	c.setDelay(c.settings.inputDelay)
}

// receivePeers reads the packets of all peers.
func (c *client) receivePeers() {
	for p, from := range c.env.Peers {
		if from == nil {
			continue
		}
		for at, ok := from.Receive(); ok; at, ok = from.Receive() {
			if len(at.Payload) == 0 {
				continue
			}
			if !c.readPeer(p, at.Payload) {
				c.counters.rejected.Inc()
				from.Refuse(at.Sequence)
				continue
			}
			c.measureLead(p, from, &at)
		}
	}
}

// readPeer reads an untrusted payload of the client of a player. It reports whether it is well-formed. Inputs of
// ticks that are known already change nothing: what a peer has sent first counts.
func (c *client) readPeer(p int, payload []byte) bool {
	now, m, coder := c.env.World.Tick(), &c.scratch.peer, &c.scratch.coder
	coder.BeginRead(payload)
	m.code(coder, now)
	if finishRead(coder, payload) != nil || m.lacks > c.own.next {
		return false
	}
	c.peers.lacks[p] = max(c.peers.lacks[p], m.lacks)
	first := m.next - sim.Tick(len(m.inputs))
	if len(m.inputs) == 0 || first > c.known.end[p] {
		return true // some are missing between; a later packet repeats them
	}
	for i, in := range m.inputs {
		if t := first + sim.Tick(i); t == c.known.end[p] && t < now+maxUnacked {
			c.learn(t, p, in)
		}
	}
	return true
}

// confirmMesh confirms the ticks of which the inputs of all players are known.
func (c *client) confirmMesh() {
	confirmed := c.own.next
	for p := range c.env.Players {
		if p != c.env.Player {
			confirmed = min(confirmed, c.known.end[p])
		}
	}
	c.known.confirmed = max(c.known.confirmed, confirmed)
}

// waitsFor returns the player whose inputs have to arrive before the next tick can be confirmed.
func (c *client) waitsFor() int {
	for p := range c.env.Players {
		if p != c.env.Player && c.known.end[p] <= c.known.confirmed {
			return p
		}
	}
	return c.env.Player
}

// remembersAll reports whether no peer, and not the server, lacks an own input that the client will soon forget.
func (c *client) remembersAll() bool {
	first := c.peers.server
	for p := range c.env.Players {
		if p != c.env.Player {
			first = min(first, c.peers.lacks[p])
		}
	}
	return c.own.next < first+maxUnacked
}

// readWatcher takes in the server's message in a mesh, in which it confirms nothing. Its end is the first tick whose
// own input the server lacks.
func (c *client) readWatcher(m *downMessage) bool {
	for p := range m.runs {
		if !m.runs[p].asSent {
			return false
		}
	}
	if m.count > 0 || m.end > c.own.next {
		return false
	}
	c.peers.server = max(c.peers.server, m.end)
	return true
}

// appendUnacked appends the own inputs from a tick on, as many as fit into a packet. In a mesh none may be left out.
func (c *client) appendUnacked(dst []sim.Input, from sim.Tick) (inputs []sim.Input, next sim.Tick) {
	t := max(from, c.own.first)
	for ; t < c.own.next && len(dst) < maxInputs; t++ {
		dst = append(dst, c.own.at(t))
	}
	return dst, min(t, c.own.next)
}

// sendPeers sends each peer the own inputs that it lacks.
func (c *client) sendPeers() {
	m, coder := &c.scratch.peer, &c.scratch.coder
	for p, to := range c.env.Peers {
		if to == nil {
			continue
		}
		m.tick, m.lacks = c.env.World.Tick(), c.known.end[p]
		m.ahead, m.distance = c.peers.timing[p].message(), int(min(c.distance()/aheadUnit, maxDistance))
		m.inputs, m.next = c.appendUnacked(m.inputs[:0], c.peers.lacks[p])
		c.counters.inputs.count(coder, func() { m.code(coder, m.tick) }, len(m.inputs))
		coder.BeginWrite(c.scratch.buffer[:])
		m.code(coder, m.tick)
		to.Send(finishWrite(coder))
	}
}

// peerMessage is the payload of a client for a peer. On the wire it is
//
//	the client's tick, low 16 bits
//	first tick whose inputs of the receiver the client lacks, low 16 bits
//	by how much the client believes to be ahead of the receiver, 10 bits
//	its distance from the peer nearest to it, 9 bits; 0: unknown
//	number of its inputs, 8 bits, and if there are any
//	  tick after the newest one, low 16 bits
//	  the inputs (input.CodeInputs)
type peerMessage struct {
	tick     sim.Tick
	lacks    sim.Tick
	ahead    int // in aheadUnits, within maxAhead
	distance int // in aheadUnits, from 0 to maxDistance
	next     sim.Tick
	inputs   []sim.Input
}

// peerFields calls see with the fields of a payload between peers.
func peerFields(payload []byte, see func(quant.Field)) error {
	if len(payload) == 0 {
		return nil
	}
	var c quant.Coder
	c.OnField(see)
	c.BeginRead(payload)
	m := peerMessage{}
	m.code(&c, 1<<input.TickBits) // any tick will do
	return finishRead(&c, payload)
}

// code reads, writes or measures the message, as upMessage.code does.
func (m *peerMessage) code(c *quant.Coder, near sim.Tick) {
	c.Group("time", 0)
	m.tick = input.CodeTick(c, m.tick, near)
	m.lacks = input.CodeTick(c, m.lacks, near)
	c.Label("ahead")
	m.ahead = c.Int(m.ahead, -maxAhead, maxAhead)
	c.Label("distance")
	m.distance = c.Int(m.distance, 0, maxDistance)
	c.Group("inputs", 0)
	c.Label("count")
	n := c.Int(len(m.inputs), 0, maxInputs)
	if m.inputs = resizeIfReading(c, m.inputs, n); n > 0 && c.Err() == nil {
		if m.next = input.CodeTick(c, m.next, near); int64(m.next) < int64(n) {
			c.Fail(predict.ErrMalformed)
			return
		}
		input.CodeInputs(c, m.inputs)
	}
}
