package animated

import "ghostcube/predict"

// Progress reports which inputs were consumed and which state was sent.
func (s *server) Progress(c *predict.InputProgress, seat int) {
	c.Consumed, c.StateSent = s.inputReceiver.ConsumedTick(seat), s.broadcast.SentTick()
	if seat < len(s.playout.buffers) {
		c.Consumed = max(c.Consumed, s.playout.buffers[seat].ConsumedTick())
	}
}

// Progress reports which inputs were sampled, and which states were received and drawn.
func (c *client) Progress(to *predict.InputProgress) {
	to.Sampled = c.inputSender.SampledTick()
	to.StateReceived, to.Shown = c.interpolated.NewestTick(), c.interpolated.NewestDisplayedTick()
}
