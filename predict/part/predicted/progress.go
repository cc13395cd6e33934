package predicted

import "ghostcube/predict"

// Progress tells which inputs have been used, and what has been sent.
func (s *server) Progress(c *predict.InputProgress, seat int) {
	if seat < len(s.buffers) {
		c.Consumed = s.buffers[seat].ConsumedTick()
	}
	c.StateSent = s.broadcast.SentTick()
}

// Progress tells that the own cube answers at once, and that what comes is compared at
// once; or, where the own cube is shown late, that it is.
func (c *client) Progress(to *predict.InputProgress) {
	to.Sampled = c.sender.SampledTick()
	to.StateReceived = c.interpolated.Receiver().Tick
	if c.env.Player < 0 || c.chain.TooLong() || c.fallback.Active() {
		to.Shown = c.interpolated.NewestDisplayedTick()
		return
	}
	to.Shown, to.Predicted, to.Predicts = to.StateReceived, to.Sampled, true
}
