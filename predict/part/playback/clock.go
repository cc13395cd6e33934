package playback

import "ghostcube/sim"

// Clock knows of what moment of the server the news should be that arrive now. It
// counts its own ticks, and takes the mean of about a second of arrivals. The zero
// value knows nothing.
type Clock struct {
	now   int64 // own ticks
	lead  int64 // parts of a tick: what should arrive is of own ticks and this
	heard int64 // own tick of the last news
	any   bool
	shown int64 // the last moment told
}

// Tick begins one of the client's ticks.
func (c *Clock) Tick() { c.now++ }

// Came takes in that news of the server's tick t arrive in this tick; rate is in
// ticks per second. What is a second or more beyond what was expected is taken at
// once: the client has stood still. That it is late may be an accident, and changes
// the clock only if more of it follows.
func (c *Clock) Came(t sim.Tick, rate int) {
	lead := (int64(t) - c.now) * Part
	off := lead - c.lead
	switch {
	case !c.any || off > int64(rate)*Part:
		c.lead = lead
	default:
		passed := min(max(c.now-c.heard, 1), int64(rate))
		c.lead += off * passed / int64(rate)
	}
	c.heard, c.any = c.now, true
}

// Moment returns the moment of the server that is to be shown now if what arrives
// waits for so many parts of a tick. It never goes back.
func (c *Clock) Moment(wait int64) int64 {
	if c.any {
		c.shown = max(c.shown, c.now*Part+c.lead-wait)
	}
	return c.shown
}

// Guess returns a tick near that of the next news.
func (c *Clock) Guess() sim.Tick {
	return sim.Tick(max((c.now*Part+c.lead)/Part, 0))
}
