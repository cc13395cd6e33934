package playback

import "ghostcube/sim"

// ServerClock knows of what moment of the server the news should be that arrive now. It
// counts its own ticks, and takes the mean of about a second of arrivals. The zero
// value knows nothing.
type ServerClock struct {
	ownTicks      int64 // own ticks
	offset        int64 // parts of a tick: what should arrive is of own ticks and this
	lastArrival   int64 // own tick of the last news
	synced        bool
	displayMoment int64 // the last moment told
}

// BeginTick begins one of the client's ticks.
func (c *ServerClock) BeginTick() { c.ownTicks++ }

// AddArrival takes in that news of the server's tick t arrive in this tick; rate is in
// ticks per second. What is a second or more beyond what was expected is taken at
// once: the client has stood still. That it is late may be an accident, and changes
// the clock only if more of it follows.
func (c *ServerClock) AddArrival(t sim.Tick, rate int) {
	lead := (int64(t) - c.ownTicks) * MomentsPerTick
	off := lead - c.offset
	switch {
	case !c.synced || off > int64(rate)*MomentsPerTick:
		c.offset = lead
	default:
		passed := min(max(c.ownTicks-c.lastArrival, 1), int64(rate))
		c.offset += off * passed / int64(rate)
	}
	c.lastArrival, c.synced = c.ownTicks, true
}

// DisplayMoment returns the moment of the server that is to be shown now if what arrives
// waits for so many parts of a tick. It never goes back.
func (c *ServerClock) DisplayMoment(wait int64) int64 {
	if c.synced {
		c.displayMoment = max(c.displayMoment, c.ownTicks*MomentsPerTick+c.offset-wait)
	}
	return c.displayMoment
}

// ExpectedTick returns a tick near that of the next news.
func (c *ServerClock) ExpectedTick() sim.Tick {
	return sim.Tick(max((c.ownTicks*MomentsPerTick+c.offset)/MomentsPerTick, 0))
}
