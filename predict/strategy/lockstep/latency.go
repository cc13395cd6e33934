package lockstep

import "ghostcube/predict"

// latency reports how far the inputs of the first client have come.
func latency(to *predict.InputProgress, s predict.Server, c predict.Client) {
	s.(*server).progress(to)
	c.(*client).progress(to)
}

// progress tells which inputs have been stepped with. No state is ever sent.
func (s *server) progress(to *predict.InputProgress) { to.Consumed = s.env.World.Tick() }

// progress tells which of its own inputs the client has stepped with: those for whose
// ticks it has the other players' as well. It waits for no word of the server.
func (c *client) progress(to *predict.InputProgress) {
	if p := c.env.Player; p >= 0 {
		to.Sampled = c.streams[p].next
		to.Predicted, to.Predicts = c.env.World.Tick(), true
	}
}
