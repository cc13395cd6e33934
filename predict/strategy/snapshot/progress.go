package snapshot

import "ghostcube/predict"

// Progress tells which inputs have been used, and what has been sent.
func (s *server) Progress(c *predict.InputProgress, seat int) {
	c.Consumed = s.desk.Used(seat)
	if seat < len(s.last) {
		c.StateSent = s.last[seat].Tick
	}
}

// Progress tells what has been made, has come and is shown.
func (c *client) Progress(to *predict.InputProgress) {
	to.Sampled = c.out.Made()
	if s := c.ring.newest(); s != nil {
		to.StateReceived = s.tick
	}
	to.Shown = c.reached
}
