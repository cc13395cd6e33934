package remote

import (
	"time"

	"ghostcube/sim"
)

// longestPause is the longest time by which a tick may be late without being a fault of the machine.
const longestPause = 250 * time.Millisecond

// toldPause is the shortest pause of which the player is told.
const toldPause = time.Second

// clock is the time of a session in that of its process.
type clock struct {
	rate  int
	start time.Duration // of the session
}

// next returns when a tick begins.
func (c *clock) next(t sim.Tick) time.Duration {
	return c.start + time.Duration(t)*time.Second/time.Duration(c.rate)
}
