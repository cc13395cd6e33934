package relative

import "ghostcube/predict"

// Progress reports which inputs the server has used and what it has sent.
func (s *server) Progress(to *predict.InputProgress, peer int) {
	to.Consumed, to.StateSent = s.receiver.ConsumedTick(peer), s.broadcast.SentTick()
}

// Progress reports how far inputs and states have come at the client.
func (c *client) Progress(to *predict.InputProgress) { c.world.Progress(to, c.inputs.SampledTick()) }
