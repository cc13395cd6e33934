package historyoffset

import "ghostcube/predict"

// latency reports how far the inputs of the first client have come.
func latency(to *predict.InputProgress, s predict.Server, c predict.Client) {
	s.(*server).progress(to)
	c.(*client).progress(to)
}

// progress reports the newest input used and the newest state sent.
func (s *server) progress(to *predict.InputProgress) {
	to.Consumed, to.StateSent = s.receiver.ConsumedTick(0), s.broadcast.SentTick()
	to.DropsMissing = !s.receiver.Settings.KeepLast
}

// progress reports the newest input sampled, and the newest states received and drawn.
func (c *client) progress(to *predict.InputProgress) { c.world.Progress(to, c.inputs.SampledTick()) }
