package noprediction

import "ghostcube/predict"

// Chain tells which inputs have been used, and what has been sent.
func (s *server) Chain(c *predict.Chain, seat int) { c.Used, c.Told = s.desk.Used(seat), s.out.Told() }

// Chain tells that what comes is shown at once.
func (c *client) Chain(to *predict.Chain) {
	to.Made = c.out.Made()
	to.Heard, to.Shown = c.in.Tick, c.in.Tick
}
