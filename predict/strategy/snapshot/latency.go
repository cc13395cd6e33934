package snapshot

import "ghostcube/predict"

// Progress reports which inputs were consumed and which state was sent.
func (s *server) Progress(to *predict.InputProgress) {
	s.InputProgress(to)
	if len(s.lastPackets) > 0 {
		to.StateSent = s.lastPackets[0].Tick
	}
}

// Progress reports which inputs were sampled, and which states were received and drawn.
func (c *client) Progress(to *predict.InputProgress) {
	to.Sampled = c.inputSender.SampledTick()
	if newest := c.buffer.Newest(); newest != nil {
		to.StateReceived = newest.Tick
	}
	to.Shown = c.newestDisplayedTick
}
