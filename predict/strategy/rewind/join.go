package rewind

import (
	"ghostcube/net/packet"
	"ghostcube/sim"
)

// A client that has lost everything downloads the server's world with its hidden state, the contacts with their
// impulses above all. The states in snapshots have none. So the client steps that world through all snapshots that
// have arrived since, and its contacts stay those of the server. Without them it would mispredict the bodies that touch,
// and ask for a resynchronisation, which moves them for everybody. For the ticks of lost snapshots it needs the inputs of
// all players. The server adds those of the last ticks to each snapshot until the client acknowledges one.

const (
	// joinPackets is the number of packets that a joining client reads in one of its own ticks.
	joinPackets = 8
	// maxJoinGap is the longest gap between two snapshots that a joining client steps through, in ticks. Beyond it
	// the contacts are new ones anyway.
	maxJoinGap = 64
)

// join lets a client that has lost everything catch up. It reports whether the newest packet has been read, in this
// tick: then the client begins at its state.
func (c *client) join(server *packet.Endpoint) (done bool, newest packet.Packet) {
	for range joinPackets {
		p, ok := server.Receive()
		if !ok {
			if done {
				c.start()
			}
			return done, newest
		}
		if c.read(&p, server) {
			c.remote.learn(c.receiver.Tick, c.receiver.LastInputs, c.env.Player)
			c.stepTo(c.resync.announced(c.header, c.receiver.Tick))
			done, newest = true, p
		}
	}
	return false, newest
}

// stepTo steps the world to the tick of the received state, and takes over that. drops says that the server has dropped
// its hidden state in a tick.
func (c *client) stepTo(dropped sim.Tick, drops bool) {
	w, t := c.env.World, c.receiver.Tick
	if w.Tick()+maxJoinGap < t {
		w.SetTick(t - 1)
	}
	for w.Tick() < t {
		if drops && w.Tick() == dropped {
			w.DropHiddenState()
		}
		c.chooseJoinInputs(t)
		c.solver.Step(w, c.stepInputs...)
	}
	c.applyReceived()
	w.SetTick(t)
	if drops && dropped == t {
		w.DropHiddenState()
	}
}

// chooseJoinInputs sets the inputs of all players in the present tick, before a received state of tick t. Those of a lost
// snapshot that no other contains are the same as in the last tick.
func (c *client) chooseJoinInputs(t sim.Tick) {
	now := c.env.World.Tick()
	copy(c.stepInputs, c.receiver.LastInputs)
	if k := c.remote.known.Find(now); k != nil && now+1 < t {
		for p := range c.stepInputs {
			if k.known[p] {
				c.stepInputs[p] = k.inputs[p]
			}
		}
	}
}

// adoptPast replays from the first tick that the server stepped with other inputs than the client, as far as a snapshot
// of a tick says, which has inputs of earlier ticks until the server knows that the client has joined. So the contacts are
// those of the server again.
func (c *client) adoptPast(stateTick sim.Tick) {
	from := max(stateTick-min(stateTick, sim.Tick(c.remote.newest.Past(c.env.Player))), c.stateHistory.oldest)
	first := stateTick
	for t := from; t < min(stateTick, c.env.World.Tick()); t++ {
		record, k := c.inputHistory.Find(t), c.remote.known.Find(t)
		if record == nil || k == nil {
			continue
		}
		for p := range c.stepInputs {
			if k.known[p] && record.stepInputs[p] != k.inputs[p] {
				first = min(first, t)
			}
			if k.known[p] && p == c.env.Player {
				record.input = k.inputs[p]
			}
		}
	}
	if past := c.stateHistory.Find(first); first < stateTick && past != nil {
		c.counters.repredictions.Inc()
		c.rewind(past, false, nil)
	}
}

// start begins at the received state.
func (c *client) start() {
	c.resync.joined(c.env.World.Tick())
	c.stateHistory.Reset()
	c.saveState()
	if p := c.env.Player; p >= 0 {
		c.lastSent = c.receiver.LastInputs[p]
	}
}

// waitsForInput reports whether the server waits for this client's inputs: then it sends no states, and the
// downloaded world is the newest.
func (c *client) waitsForInput() bool { return c.stepMode == onInput && c.env.Player == 0 }
