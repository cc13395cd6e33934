package predicted

import "ghostcube/predict"

// Progress tells which inputs have been used, and what has been sent.
func (s *server) Progress(c *predict.InputProgress, seat int) {
	if seat < len(s.queues) {
		c.Consumed = s.queues[seat].Used()
	}
	c.StateSent = s.out.Told()
}

// Progress tells that the own cube answers at once, and that what comes is compared at
// once; or, where the own cube is shown late, that it is.
func (c *client) Progress(to *predict.InputProgress) {
	to.Sampled = c.out.Made()
	to.StateReceived = c.shown.Receiver().Tick
	if c.env.Player < 0 || c.chain.still || c.policy.why != shownAhead {
		to.Shown = c.shown.Reached()
		return
	}
	to.Shown, to.Predicted, to.Predicts = to.StateReceived, to.Sampled, true
}
