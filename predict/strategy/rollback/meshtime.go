package rollback

import (
	"time"

	"ghostcube/net/packet"
	"ghostcube/sim"
)

// timing is what a client knows of the time of a peer. It is plain.
type timing struct {
	known bool
	ahead sim.Moment // by how much the client is ahead, as it sees it: a mean of about a second
	lead  sim.Moment // by how much it is ahead, as both see it
}

// aheadUnit is the unit in which peers exchange by how much they are ahead.
const (
	aheadUnit = sim.MomentsPerTick / 8
	maxAhead  = 500
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
	ahead := w.Tick().Moment() - c.env.TickEarly - m.tick.Moment() - sim.MomentOf(from.Stats.RTT/2, w.Rate())
	if away := ahead - x.ahead; !x.known || away > maxLeadStep || away < -maxLeadStep {
		x.known, x.ahead = true, ahead
	}
	x.ahead += (ahead - x.ahead) / sim.Moment(max(w.Rate()/2, 1))
	x.lead = (x.ahead - sim.Moment(m.ahead)*aheadUnit) / 2
}

const (
	// A lead that differs from the mean by more than maxLeadStep is that of a peer that was frozen or has jumped.
	maxLeadStep = 12 * sim.MomentsPerTick

	// A client that is ahead by less than leadTolerance keeps its pace.
	leadTolerance = sim.MomentsPerTick

	// leadPPM is by how much slower a client runs for each tick by which it is ahead, at most maxLeadPPM, in parts
	// per million.
	leadPPM, maxLeadPPM = 10_000, 50_000
)

// followPeers sets the client's pace, and returns by how many ticks it has to jump. The one who is ahead of any
// other slows down, by up to five per cent. Nobody runs faster than the session: two who each believe to be behind
// would run away. A client that is a quarter of a second behind all others, because its program was frozen, steps
// several ticks at once.
func (c *client) followPeers() (jump int) {
	ahead, behind, known := sim.Moment(0), sim.Moment(0), false
	for p := range c.env.Players {
		if x := &c.peers.timing[p]; x.known {
			ahead, behind = max(ahead, x.lead), max(behind, x.lead)
			if !known {
				known, behind = true, x.lead
			}
		}
	}
	c.env.SlewPPM = 0
	if ahead > leadTolerance {
		c.env.SlewPPM = -int32(min(ahead*leadPPM/sim.MomentsPerTick, maxLeadPPM))
	}
	c.counters.clockBehind.Set(-ahead.Ticks())
	if behind > -sim.MomentOf(time.Second/4, c.env.World.Rate()) {
		return 0
	}
	for p := range c.env.Players {
		c.peers.timing[p].ahead -= behind
		c.peers.timing[p].lead -= behind
	}
	return int(-behind / sim.MomentsPerTick)
}
