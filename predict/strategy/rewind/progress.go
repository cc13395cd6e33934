package rewind

import (
	"ghostcube/predict"
	"ghostcube/smoothing"
)

// Progress tells which inputs have been used, and what has been sent.
func (s *server) Progress(c *predict.InputProgress, seat int) {
	c.Consumed, c.StateSent = s.inputReceiver.ConsumedTick(seat), s.broadcast.SentTick()
}

// Progress tells that the own cube answers at once, and that what comes is compared at
// once.
func (c *client) Progress(to *predict.InputProgress) {
	to.Sampled = c.inputSender.SampledTick()
	to.StateReceived, to.Shown = c.receiver.Tick, c.receiver.Tick
	if c.env.Player >= 0 {
		to.Predicted, to.Predicts = to.Sampled, true
	} else if c.smoothing.Mode != smoothing.None {
		to.Shown = c.visibleTick // for it is hidden at first
	}
}
