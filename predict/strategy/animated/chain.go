package animated

import "ghostcube/predict"

// Chain tells which inputs have been used, and what has been sent.
func (s *server) Chain(c *predict.Chain, seat int) {
	c.Used, c.Told = s.desk.Used(seat), s.out.Told()
	if seat < len(s.line.queues) {
		c.Used = max(c.Used, s.line.queues[seat].Used())
	}
}

// Chain tells what has been made, has come and is shown.
func (c *client) Chain(to *predict.Chain) {
	to.Made = c.out.Made()
	to.Heard, to.Shown = c.shown.Newest(), c.shown.Reached()
}
