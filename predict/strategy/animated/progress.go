package animated

import "ghostcube/predict"

// Progress tells which inputs have been used, and what has been sent.
func (s *server) Progress(c *predict.InputProgress, seat int) {
	c.Consumed, c.StateSent = s.inputReceiver.ConsumedTick(seat), s.broadcast.SentTick()
	if seat < len(s.playout.buffers) {
		c.Consumed = max(c.Consumed, s.playout.buffers[seat].ConsumedTick())
	}
}

// Progress tells what has been made, has come and is shown.
func (c *client) Progress(to *predict.InputProgress) {
	to.Sampled = c.inputSender.SampledTick()
	to.StateReceived, to.Shown = c.interpolated.NewestTick(), c.interpolated.NewestDisplayedTick()
}
