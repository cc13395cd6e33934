package noprediction

import "ghostcube/predict"

// Progress tells which inputs have been used, and what has been sent.
func (s *server) Progress(c *predict.InputProgress, seat int) {
	c.Consumed, c.StateSent = s.inputReceiver.ConsumedTick(seat), s.broadcast.SentTick()
}

// Progress tells that what comes is shown at once.
func (c *client) Progress(to *predict.InputProgress) {
	to.Sampled = c.inputSender.SampledTick()
	to.StateReceived, to.Shown = c.receiver.Tick, c.receiver.Tick
}
