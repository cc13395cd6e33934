package animated

import "ghostcube/predict"

// Progress reports which inputs were consumed and which state was sent.
func (s *server) Progress(to *predict.InputProgress) {
	s.InputProgress(to)
	to.StateSent = s.broadcast.SentTick()
}

// Progress reports which inputs were sampled, and which states were received and drawn.
func (c *client) Progress(to *predict.InputProgress) {
	to.Sampled = c.inputSender.SampledTick()
	to.StateReceived, to.Shown = c.interpolated.NewestTick(), c.interpolated.NewestDisplayedTick()
}
