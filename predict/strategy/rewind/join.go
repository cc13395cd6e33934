package rewind

import "ghostcube/net/packet"

// A client that has lost everything downloads the server's world with its hidden state, the contacts with their
// impulses above all. The states in snapshots have none. So the client steps that world through all snapshots that
// have arrived since, and its contacts stay those of the server, or become so again within a few ticks after a lost
// snapshot. Without them it would mispredict the bodies that its player pushes, and ask for a resynchronisation,
// which moves them for everybody.

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
			c.stepTo()
			done, newest = true, p
		}
	}
	return false, newest
}

// stepTo steps the world to the tick of the received state, and takes over that.
func (c *client) stepTo() {
	w, t := c.env.World, c.receiver.Tick
	dropped, drops := c.resync.announced(c.header, t)
	if w.Tick()+maxJoinGap < t {
		w.SetTick(t - 1)
	}
	for w.Tick() < t {
		if drops && w.Tick() == dropped {
			w.DropHiddenState()
		}
		c.solver.Step(w, c.receiver.LastInputs...)
	}
	c.applyReceived()
	w.SetTick(t)
	if drops && dropped == t {
		w.DropHiddenState()
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
