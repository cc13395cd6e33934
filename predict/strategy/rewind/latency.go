package rewind

import (
	"ghostcube/predict"
	"ghostcube/smoothing"
)

// latency reports how far the inputs of the first client have come.
func latency(to *predict.InputProgress, s predict.Server, c predict.Client) {
	s.(*server).progress(to)
	c.(*client).progress(to)
}

// progress reports which inputs were consumed and which state was sent.
func (s *server) progress(to *predict.InputProgress) {
	to.Consumed, to.StateSent = s.Receiver.ConsumedTick(0), s.broadcast.SentTick()
	to.DropsMissing = !s.Receiver.RepeatMissing.Enabled
}

// progress reports that the player's cube responds at once, and that a state is compared when it is
// received.
func (c *client) progress(to *predict.InputProgress) {
	to.Sampled = c.inputSender.SampledTick()
	to.StateReceived, to.Shown = c.receiver.Tick, c.receiver.Tick
	if c.env.Player >= 0 {
		to.Predicted, to.Predicts = to.Sampled, true
	} else if c.smoothing.Mode != smoothing.None {
		to.Shown = c.visibleTick // smoothing hides a newer state at first
	}
}
