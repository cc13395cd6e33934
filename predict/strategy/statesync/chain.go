package statesync

import (
	"ghostcube/predict"
	"ghostcube/smoothing"
)

// Chain tells which inputs have been used, and what has been sent.
func (s *server) Chain(c *predict.Chain, seat int) {
	c.Used = s.desk.Used(seat)
	if seat < len(s.peers) && s.peers[seat].out.bytes > 0 {
		c.Told = s.peers[seat].out.tick
	}
}

// Chain tells what has been made and has come. The client steps with what the packet
// of a tick says the players did; what it has in its own hands answers at once.
func (c *client) Chain(to *predict.Chain) {
	to.Made = c.out.Made()
	if c.running {
		to.Heard = c.newest
		to.Shown = min(c.env.World.Tick(), c.newest)
		if c.buffer == 0 && c.smooth.Mode != smoothing.None {
			to.Shown = c.eased // for it is hidden at first
		}
	}
	if c.grips() {
		to.Mine, to.Predicts = to.Made, true
	}
}
