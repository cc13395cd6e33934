package snapshot

import "ghostcube/predict"

// Chain tells which inputs have been used, and what has been sent.
func (s *server) Chain(c *predict.Chain, seat int) {
	c.Used = s.desk.Used(seat)
	if seat < len(s.last) {
		c.Told = s.last[seat].Tick
	}
}

// Chain tells what has been made, has come and is shown.
func (c *client) Chain(to *predict.Chain) {
	to.Made = c.out.Made()
	if s := c.ring.newest(); s != nil {
		to.Heard = s.tick
	}
	to.Shown = c.reached
}
