package playback

import (
	"ghostcube/predict"
	"ghostcube/predict/part/playout"
	"ghostcube/sim"
)

// DisplayClock says which moment of the server a client draws: a delay behind the one that is expected to
// arrive now. The zero value is at tick 0.
type DisplayClock struct {
	now           sim.Moment // on the client's own clock
	clock         playout.Clock
	offset        sim.Moment // of the server's moment in packets that arrive now, less now; follows the clock
	following     bool       // offset has been set
	displayMoment sim.Moment // of the server, at which bodies are drawn

	due      sim.Moment   // that AdvanceUntil would display if all had arrived
	pace     playout.Pace // of the display moment
	skipping bool         // an outage
}

const (
	skipSeconds  = 2                       // length of an outage from which on AdvanceUntil skips it
	leastCatchUp = sim.MomentsPerTick / 20 // in a tick; nobody sees a twentieth
)

// The clock moves with every arrival, by amounts as uneven as those are. The drawn moment follows it by a
// followDivisor-th of the distance in a tick, so its pace differs from the client's by a twentieth at
// most. It is never further away than followEnd: then the receiver has stood still, or its path has become another
// one, and the moment moves as the clock does.
const (
	followDivisor = 60
	followEnd     = 3 * sim.MomentsPerTick
)

// Start sets the display moment to the tick of env's world.
func (c *DisplayClock) Start(env *predict.Env) {
	c.displayMoment = env.World.Tick().Moment()
	if env.Joined {
		c.now = c.displayMoment // close to the ticks of the first snapshots
	}
}

// BeginTick begins a tick of the client.
func (c *DisplayClock) BeginTick() { c.now += sim.MomentsPerTick }

// ExpectedTick returns a tick close to that of the next snapshot.
func (c *DisplayClock) ExpectedTick() sim.Tick { return c.clock.Expected(c.now).Tick() }

// Receive takes the server's time from a snapshot of tick t that has arrived. The client's tick runs early
// by some moments (predict.Env.TickEarly), at rate ticks per second.
func (c *DisplayClock) Receive(t sim.Tick, early sim.Moment, rate int) {
	c.clock.FollowMean(t, c.now-early, sim.Tick(rate).Moment())
}

// Advance moves the display moment to a delay behind the moment that is expected to arrive now. It never
// goes back. It reports whether it has jumped.
func (c *DisplayClock) Advance(delay sim.Moment) (jumped bool) {
	if !c.clock.Running() {
		return false
	}
	due, jumped := c.dueMoment(delay)
	c.displayMoment = max(c.displayMoment, due)
	return jumped
}

// dueMoment returns the moment to display with a delay, and whether it has jumped.
func (c *DisplayClock) dueMoment(delay sim.Moment) (due sim.Moment, jumped bool) {
	offset := c.clock.Expected(c.now) - c.now
	if c.following {
		away := offset - c.offset
		near := min(max(away, -followEnd), followEnd)
		step := away - near + near/followDivisor
		jumped = step > followEnd || step < -followEnd
		offset = c.offset + step
	}
	c.offset, c.following = offset, true
	return c.now + offset - delay, jumped
}

// AdvanceUntil is Advance for a client that has nothing to draw after the moment end. The display moment waits
// there, and catches up afterwards, faster by what it is behind divided by some ticks. An outage of more
// than skipSeconds it skips, and with 0 ticks all. rate is in ticks per second.
func (c *DisplayClock) AdvanceUntil(end, delay sim.Moment, ticks, rate int) (jumped bool) {
	if !c.clock.Running() {
		return false
	}
	before, started := c.due, c.following
	c.due, jumped = c.dueMoment(delay)
	late := c.due - c.displayMoment
	c.skipping = c.skipping && end < c.displayMoment || late > sim.Tick(skipSeconds*rate).Moment()
	passed := c.due - before
	if jumped && passed < 0 && late > 0 { // the path has become longer, and the picture, which waits, is behind by less
		jumped, passed = false, sim.MomentsPerTick
	}
	shallow := delay < 2*sim.MomentsPerTick && before <= c.displayMoment && c.due <= end // a buffer with no room to slow down in
	if !started || jumped || ticks == 0 || c.skipping || shallow {
		c.displayMoment = max(c.displayMoment, c.due)
		c.pace.Run()
		return jumped
	}
	if before <= c.displayMoment {
		c.pace.Run() // it is not behind, or its delay has grown
	}
	wanted := passed + playout.CatchUp(before-c.displayMoment, ticks, leastCatchUp)
	c.displayMoment += c.pace.Step(min(wanted, late), end-c.displayMoment)
	return false
}

// Waited reports whether the display moment is behind because it has waited for an outage.
func (c *DisplayClock) Waited() bool { return c.due > c.displayMoment }

// DisplayTick returns the server tick nearest to the display moment.
func (c *DisplayClock) DisplayTick() sim.Tick { return c.displayMoment.NearestTick() }

// DisplayMoment returns the server's moment that is drawn.
func (c *DisplayClock) DisplayMoment() sim.Moment { return c.displayMoment }
