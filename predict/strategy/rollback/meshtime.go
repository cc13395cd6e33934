package rollback

import (
	"time"

	"ghostcube/net/packet"
	"ghostcube/sim"
)

// Where all clients of a mesh step the same tick at the same time, the inputs of a peer on a slow path arrive late
// at everybody, and all have to predict it for long. The relay has it otherwise: a client on a slow path runs ahead
// of the server until its inputs arrive in time, so it alone predicts for longer. With far-peer=ahead a mesh does
// the same. The distance of a client is the time of a packet to the peer nearest to it. A client keeps ahead of each
// peer by as much as its own distance is longer, so its inputs arrive as early as those of a near one. The two nearest to
// each other have one distance, so there is always a pair that sets the pace.

// timing is what a client knows of the time of a peer. It is plain.
type timing struct {
	known    bool
	ahead    sim.Moment // by how much the client is ahead, as it sees it: a mean of about a second
	lead     sim.Moment // by how much it is ahead, as both see it
	path     sim.Moment // half the round trip, a mean likewise
	distance sim.Moment // of the peer from the one nearest to it, as it says; 0: it knows none
}

// aheadUnit is the unit in which peers exchange by how much they are ahead, and distances.
const (
	aheadUnit   = sim.MomentsPerTick / 8
	maxAhead    = 500
	maxDistance = 511
)

func (t *timing) message() int {
	return int(min(max(t.ahead/aheadUnit, -maxAhead), maxAhead))
}

// measureLead measures by how much the client is ahead of a peer, of which a packet has arrived. What it sees of the
// peer is half a round trip old. Both sides overlook the same: the wait of a packet for the receiver's next tick, and
// the part of the path by which it is not symmetric. Half the difference of what they see has none of that.
func (c *client) measureLead(p int, from *packet.Endpoint, at *packet.Packet) {
	m, x, w := &c.scratch.peer, &c.peers.timing[p], c.env.World
	if !from.Stats.RTTKnown(at.ReceivedAt) {
		return
	}
	path := sim.MomentOf(from.Stats.RTT/2, w.Rate())
	ahead := w.Tick().Moment() - c.env.TickEarly - m.tick.Moment() - path
	if away := ahead - x.ahead; !x.known || away > maxLeadStep || away < -maxLeadStep {
		x.known, x.ahead, x.path = true, ahead, path
	}
	share := sim.Moment(max(w.Rate()/2, 1))
	x.ahead += (ahead - x.ahead) / share
	x.path += (path - x.path) / share
	x.lead = (x.ahead - sim.Moment(m.ahead)*aheadUnit) / 2
	x.distance = sim.Moment(m.distance) * aheadUnit
}

// distance returns the time of a packet to the peer nearest to the client, at least an aheadUnit, or 0 while none is known.
func (c *client) distance() (nearest sim.Moment) {
	known := false
	for p := range c.env.Players {
		if x := &c.peers.timing[p]; x.known && (!known || x.path < nearest) {
			nearest, known = max(x.path, aheadUnit), true
		}
	}
	return nearest
}

const (
	// A lead that differs from the mean by more than maxLeadStep is that of a peer that was frozen or has jumped.
	maxLeadStep = 12 * sim.MomentsPerTick

	// A client that is ahead by less than leadTolerance keeps its pace.
	leadTolerance = sim.MomentsPerTick

	// Distances that differ by less than distanceTolerance are equal: jitter and loss change what is measured.
	distanceTolerance = 2 * sim.MomentsPerTick

	// leadPPM is by how much slower a client runs for each tick by which it is ahead, at most maxLeadPPM, in parts
	// per million.
	leadPPM, maxLeadPPM = 10_000, 50_000

	// spareTicks are the ticks below max-rollback that a client that keeps ahead leaves free.
	spareTicks = 6
)

// followPeers sets the client's pace, and returns by how many ticks it has to jump. A client that is ahead of
// another slows down, by up to five per cent. Only a far peer runs faster than the session, to keep ahead of the nearer
// ones, which do not follow it: two that each believe to be behind would run away. A client that is a quarter of a second
// behind all others, because its program was frozen, steps several ticks at once.
func (c *client) followPeers() (jump int) {
	lead, follows := c.compareLeads()
	c.env.SlewPPM = 0
	if lead > leadTolerance || follows && lead < -leadTolerance {
		c.env.SlewPPM = -int32(min(max(lead*leadPPM/sim.MomentsPerTick, -maxLeadPPM), maxLeadPPM))
	}
	c.counters.clockBehind.Set(-max(lead, 0).Ticks())
	if lead > -sim.MomentOf(time.Second/4, c.env.World.Rate()) {
		return 0
	}
	for p := range c.env.Players {
		c.peers.timing[p].ahead -= lead
		c.peers.timing[p].lead -= lead
	}
	return int(-lead / sim.MomentsPerTick)
}

// compareLeads returns by how much more than it should the client is ahead of the peer of whom that is most. It is
// below zero if it is behind all. follows reports whether nearer peers set its pace, and they alone.
func (c *client) compareLeads() (most sim.Moment, follows bool) {
	known, distance := false, c.distance()
	for p := range c.env.Players {
		x := &c.peers.timing[p]
		if !x.known {
			continue
		}
		lead, nearer := x.lead, false
		if c.settings.farPeer == keepsAhead && x.distance > 0 {
			switch farther := distance - x.distance; {
			case farther < -distanceTolerance:
				continue // it follows this client
			case farther > distanceTolerance:
				limit := sim.Tick(max(c.settings.maxRollback-spareTicks, 0)).Moment() - x.path
				lead, nearer = lead-min(farther, max(limit, 0)), true
			}
		}
		if nearer && !follows {
			known, follows = false, true
		}
		if nearer == follows && (!known || lead > most) {
			known, most = true, lead
		}
	}
	return most, follows
}
