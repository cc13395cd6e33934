package historyoffset

import "ghostcube/predict"

// Progress reports the newest input used and the newest state sent.
func (s *server) Progress(to *predict.InputProgress, peer int) {
	to.Consumed, to.StateSent = s.receiver.ConsumedTick(peer), s.broadcast.SentTick()
}

// Progress reports the newest input sampled, and the newest states received and drawn.
func (c *client) Progress(to *predict.InputProgress) { c.world.Progress(to, c.inputs.SampledTick()) }
