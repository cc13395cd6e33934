package noprediction

import "ghostcube/predict"

// latency reports how far the inputs of the first client have come.
func latency(to *predict.InputProgress, s predict.Server, c predict.Client) {
	s.(*server).progress(to)
	c.(*client).progress(to)
}

// progress reports which inputs were consumed and which state was sent.
func (s *server) progress(to *predict.InputProgress) {
	s.InputProgress(to)
	to.StateSent = s.broadcast.SentTick()
}

// progress reports that each state is shown when it is received.
func (c *client) progress(to *predict.InputProgress) {
	to.Sampled = c.inputSender.SampledTick()
	to.StateReceived, to.Shown = c.receiver.Tick, c.receiver.Tick
}
