package rewind

import (
	"ghostcube/predict"
	"ghostcube/smoothing"
)

// Progress reports which inputs were consumed and which state was sent.
func (s *server) Progress(to *predict.InputProgress) {
	to.Consumed, to.StateSent = s.Receiver.ConsumedTick(0), s.broadcast.SentTick()
	to.DropsMissing = !s.Receiver.RepeatMissing.Enabled
}

// Progress reports that the player's cube responds at once, and that a state is compared when it is
// received.
func (c *client) Progress(to *predict.InputProgress) {
	to.Sampled = c.inputSender.SampledTick()
	to.StateReceived, to.Shown = c.receiver.Tick, c.receiver.Tick
	if c.env.Player >= 0 {
		to.Predicted, to.Predicts = to.Sampled, true
	} else if c.smoothing.Mode != smoothing.None {
		to.Shown = c.visibleTick // smoothing hides a newer state at first
	}
}
