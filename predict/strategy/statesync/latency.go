package statesync

import (
	"ghostcube/predict"
	"ghostcube/smoothing"
)

// Progress reports which inputs the server has used and the newest state that it has sent.
func (s *server) Progress(to *predict.InputProgress) {
	to.Consumed, to.DropsMissing = s.Receiver.ConsumedTick(0), !s.Receiver.RepeatMissing.Enabled
	if len(s.senders) > 0 && s.senders[0].state.lastPacket.bytes > 0 {
		to.StateSent = s.senders[0].state.lastPacket.tick
	}
}

// Progress reports how far inputs and states have come at the client. The client steps with the
// inputs in the packets; only bodies under its own authority respond at once.
func (c *client) Progress(to *predict.InputProgress) {
	to.Sampled = c.inputSender.SampledTick()
	if c.state.started {
		to.StateReceived = c.state.newest
		to.Shown = min(c.env.World.Tick(), c.state.newest)
		if c.settings.jitterBuffer == 0 && c.settings.smoothing.Mode != smoothing.None {
			to.Shown = c.state.visibleTick // smoothing hides the newest corrections in their first tick
		}
	}
	to.Extrapolates = c.state.reckoning != notReckoned
	if c.mayClaim() {
		to.Predicted, to.Predicts = to.Sampled, true
	}
}
