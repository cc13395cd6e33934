package lockstep

import (
	"ghostcube/net/packet"
	"ghostcube/sim"
)

// A client that has lost everything downloads the server's world of a tick, bit for bit. The server repeats the
// inputs of all players since that tick until the client acknowledges them, and steps on: it fills in empty
// inputs for the player of the client, so that nobody waits. The client begins to give inputs again from a tick
// of its own choice on, which is so far ahead that the first of them arrives before the server fills in that
// tick. In between the player has no input, as both sides know without a message. Until the server has
// acknowledged the first input, it may have filled in more, and the client steps no tick from there on.

const (
	joinMargin   = 2  // ticks by which the first input is to be early
	joinLeadMore = 4  // ticks by which that grows after a first input that came too late
	maxJoinLead  = 4  // s, largest distance of the first input from the inputs that the server has
	joinCatchUp  = 16 // ticks stepped in a frame until the client has caught up
)

// joinClientState is what a client knows of its return. It is plain.
type joinClientState struct {
	current   bool     // the newest message has all inputs that the server has
	begun     bool     // the first input is chosen
	confirmed bool     // the server has it
	first     sim.Tick // its tick; for a spectator, a tick that all players had input for when the client began
	known     sim.Tick // the inputs before this tick came from the server
	lead      int      // ticks, in addition to the round trip
}

// Forget makes the server send a client all inputs from the present tick on, and fill in those of its player.
func (s *server) Forget(i int) {
	if i >= len(s.peers) {
		return
	}
	p, t := &s.peers[i], s.env.World.Tick()
	p.connection, p.hasQuery, p.joining, p.returned = connection{}, false, true, true
	for k := range p.windows {
		p.windows[k] = sendWindow{acked: t, sent: t}
	}
	if p.player < 0 {
		return
	}
	if e := &s.eventInputs[p.player]; e.active {
		e.keys = sim.Input{}
	}
	if q := &s.playoutBuffers[p.player]; !q.clock.Running() {
		q.start(q.next)
	}
}

// takeOver ends the return of a peer with the first run of its player's inputs: the server fills in all that
// precede it. It reports false if the run comes too late, or is far ahead.
func (s *server) takeOver(from *peer, player int, r *playerSection) bool {
	st := &s.streams[player]
	first := r.next - sim.Tick(len(r.inputs))
	if r.form == eventList {
		first = st.next
	}
	if first < st.next || first > st.next+sim.Tick(maxJoinLead*s.env.World.Rate()) {
		return false
	}
	for st.next < first && !s.windowFull(player) {
		if in := s.playoutBuffers[player].inputs.Insert(st.next); in != nil {
			*in = sim.Input{}
		}
		st.add(sim.Input{})
	}
	from.joining = st.next < first
	return !from.joining
}

// receive processes the inputs of the client's own player in a message of the server.
func (j *joinClientState) receive(st *inputStream, r *playerSection, stepped sim.Tick) {
	if j.begun && r.next > j.first { // the server has filled in the first tick
		*j = joinClientState{current: j.current, lead: j.lead + joinLeadMore}
		st.next = max(j.known, stepped)
	}
	first := r.next - sim.Tick(len(r.inputs))
	if j.begun || r.form == eventList || first > st.next || r.next <= st.next {
		return
	}
	for _, in := range r.inputs[st.next-first:] {
		st.add(in)
	}
}

// beginJoin chooses the tick of the first input, once all of the server's inputs have arrived.
func (c *client) beginJoin(server *packet.Endpoint) {
	j, w := &c.state.join, c.env.World
	if j.begun || !j.current {
		return
	}
	j.begun, j.first = true, c.streams[0].next
	for p := range c.streams {
		if q := &c.playoutBuffers[p]; !c.local[p] && c.streams[p].next > 0 {
			q.clock.Start(c.streams[p].next-1, q.now)
			q.arrivals = newArrivals(w.Rate())
			q.peak.Forget()
		}
		j.first = min(j.first, c.streams[p].next)
	}
	if j.confirmed = c.env.Player < 0; j.confirmed {
		return
	}
	st := &c.streams[c.env.Player]
	trip := sim.MomentOf(server.Stats.RTT+2*server.Stats.RTTVariation, w.Rate()) + sim.MomentsPerTick - 1
	j.known, j.first = st.next, st.next+trip.Tick()+sim.Tick(joinMargin+j.lead)
	for st.next < j.first {
		st.add(sim.Input{})
	}
	c.state.window = sendWindow{acked: j.first, sent: j.first}
}

// isReturning reports whether the server may not have the first input yet. Until then all inputs are repeated, over TCP too:
// inputs of which the first came too late, taken from the middle on, would leave a gap before those of the next attempt.
func (c *client) isReturning() bool { return c.env.Joined && !c.state.join.confirmed }

// finishJoin ends the return of a client that has stepped all that was due.
func (c *client) finishJoin(stepped sim.Tick) {
	if j := &c.state.join; j.confirmed && c.env.World.Tick() >= j.first && stepped < joinCatchUp {
		c.env.Joined = false
	}
}
