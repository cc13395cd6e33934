package playback

import "ghostcube/sim"

// ServerClock knows of what moment of the server the news should be that arrive now. It
// counts its own ticks, and takes the mean of about a second of arrivals. The zero
// value knows nothing.
type ServerClock struct {
	ownTicks      int64      // own ticks
	offset        sim.Moment // what should arrive is of own ticks and this
	lastArrival   int64      // own tick of the last news
	synced        bool
	displayMoment sim.Moment // the last moment told
}

// BeginTick begins one of the client's ticks.
func (c *ServerClock) BeginTick() { c.ownTicks++ }

// AddArrival takes in that news of the server's tick t arrive in this tick; rate is in
// ticks per second. What is a second or more beyond what was expected is taken at
// once: the client has stood still. That it is late may be an accident, and changes
// the clock only if more of it follows.
func (c *ServerClock) AddArrival(t sim.Tick, rate int) {
	lead := t.Moment() - c.now()
	off := lead - c.offset
	switch {
	case !c.synced || off > sim.Tick(rate).Moment():
		c.offset = lead
	default:
		passed := min(max(c.ownTicks-c.lastArrival, 1), int64(rate))
		c.offset += off * sim.Moment(passed) / sim.Moment(rate)
	}
	c.lastArrival, c.synced = c.ownTicks, true
}

// DisplayMoment returns the moment of the server that is to be shown now if what arrives
// waits for so long. It never goes back.
func (c *ServerClock) DisplayMoment(wait sim.Moment) sim.Moment {
	if c.synced {
		c.displayMoment = max(c.displayMoment, c.now()+c.offset-wait)
	}
	return c.displayMoment
}

// ExpectedTick returns a tick near that of the next news.
func (c *ServerClock) ExpectedTick() sim.Tick {
	return (c.now() + c.offset).Tick()
}

// now is the time on the client's own clock.
func (c *ServerClock) now() sim.Moment { return sim.Moment(c.ownTicks) * sim.MomentsPerTick }
