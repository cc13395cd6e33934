package animated

import "ghostcube/predict"

// Progress tells which inputs have been used, and what has been sent.
func (s *server) Progress(c *predict.InputProgress, seat int) {
	c.Consumed, c.StateSent = s.desk.Used(seat), s.out.Told()
	if seat < len(s.line.queues) {
		c.Consumed = max(c.Consumed, s.line.queues[seat].Used())
	}
}

// Progress tells what has been made, has come and is shown.
func (c *client) Progress(to *predict.InputProgress) {
	to.Sampled = c.out.Made()
	to.StateReceived, to.Shown = c.shown.Newest(), c.shown.Reached()
}
