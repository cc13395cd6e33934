package statesync

import (
	"ghostcube/predict"
	"ghostcube/smoothing"
)

// Progress tells which inputs have been used, and what has been sent.
func (s *server) Progress(c *predict.InputProgress, seat int) {
	c.Consumed = s.inputReceiver.ConsumedTick(seat)
	if seat < len(s.senders) && s.senders[seat].lastPacket.bytes > 0 {
		c.StateSent = s.senders[seat].lastPacket.tick
	}
}

// Progress tells what has been made and has come. The client steps with what the packet
// of a tick says the players did; what it has in its own hands answers at once.
func (c *client) Progress(to *predict.InputProgress) {
	to.Sampled = c.inputSender.SampledTick()
	if c.started {
		to.StateReceived = c.newest
		to.Shown = min(c.env.World.Tick(), c.newest)
		if c.jitterBuffer == 0 && c.smooth.Mode != smoothing.None {
			to.Shown = c.visibleTick // for it is hidden at first
		}
	}
	if c.mayClaim() {
		to.Predicted, to.Predicts = to.Sampled, true
	}
}
