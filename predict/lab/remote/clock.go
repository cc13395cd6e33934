package remote

import (
	"time"

	"ghostcube/sim"
)

// longestPause is the lateness of a tick above which the machine counts as having stood still.
const longestPause = 250 * time.Millisecond

// toldPause is the shortest pause that the player is told about.
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
