package noprediction

import "ghostcube/predict"

// Progress reports which inputs were consumed and which state was sent.
func (s *server) Progress(to *predict.InputProgress) {
	s.InputProgress(to)
	to.StateSent = s.broadcast.SentTick()
}

// Progress reports that each state is shown when it is received.
func (c *client) Progress(to *predict.InputProgress) {
	to.Sampled = c.inputSender.SampledTick()
	to.StateReceived, to.Shown = c.receiver.Tick, c.receiver.Tick
}
