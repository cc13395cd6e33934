package noprediction

import "ghostcube/predict"

// Progress tells which inputs have been used, and what has been sent.
func (s *server) Progress(c *predict.InputProgress, seat int) {
	c.Consumed, c.StateSent = s.desk.Used(seat), s.out.Told()
}

// Progress tells that what comes is shown at once.
func (c *client) Progress(to *predict.InputProgress) {
	to.Sampled = c.out.Made()
	to.StateReceived, to.Shown = c.in.Tick, c.in.Tick
}
