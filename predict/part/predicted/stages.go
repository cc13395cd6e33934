package predicted

import "ghostcube/predict"

// Chain tells which inputs have been used, and what has been sent.
func (s *server) Chain(c *predict.Chain, seat int) {
	if seat < len(s.queues) {
		c.Used = s.queues[seat].Used()
	}
	c.Told = s.out.Told()
}

// Chain tells that the own cube answers at once, and that what comes is compared at
// once; or, where the own cube is shown late, that it is.
func (c *client) Chain(to *predict.Chain) {
	to.Made = c.out.Made()
	to.Heard = c.shown.Receiver().Tick
	if c.env.Player < 0 || c.chain.still || c.policy.why != shownAhead {
		to.Shown = c.shown.Reached()
		return
	}
	to.Shown, to.Mine, to.Predicts = to.Heard, to.Made, true
}
