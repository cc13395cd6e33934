package rollback

import (
	"ghostcube/net/packet"
	"ghostcube/sim"
)

// maxJumpSeconds is the longest time that a client steps at once to catch up.
const maxJumpSeconds = 4

// synchronise adjusts the client's clock and the input delay to a message of the server, of a tick. It returns
// the number of ticks by which the client has to jump ahead: once after the start, and when it has fallen far
// behind.
//
// A client is ahead of the server, so that its inputs arrive lead ticks before the server steps their tick.
// What it sees of the server is half a round trip old, so that it is ahead of the newest confirmed tick by the
// whole round trip and the lead, less the input delay. A client that is a few ticks off this aim runs up to five
// per cent faster or slower (clock.Servo).
//
// In a session of peers whoever is ahead of the others slows down, and a peer that steps too slowly makes all wait.
// Here each client follows the server, which waits for nobody, so that no client slows another one down.
func (c *client) synchronise(server *packet.Endpoint, newest *packet.Packet, tick sim.Tick) (jump int) {
	w := c.env.World
	if !server.Stats.RTTKnown(newest.ReceivedAt) {
		return c.clock.SyncLater(tick, w.Tick())
	}
	trip, lead := server.Stats.RTT, c.settings.lead
	if c.env.Player < 0 {
		trip, lead = trip/2, 0 // it sends no inputs, and shows the present of the server
	}
	trip += newest.ReceivedAt - newest.FirstFragmentAt
	needed := int(sim.MomentOf(trip, w.Rate()).Round().Tick()) + lead
	c.setDelay(needed)
	if c.env.Player >= 0 {
		lead -= min(c.state.delay, needed)
	}
	synced := c.clock.Synced()
	jump = min(c.clock.Sync(tick, w.Tick(), c.env.TickEarly, trip, lead, w.Rate()), maxJumpSeconds*w.Rate())
	if synced && jump > 0 {
		c.counters.clockJumps.Inc()
	}
	return jump
}
