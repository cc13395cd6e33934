package lockstep

import "ghostcube/predict"

// Progress tells which inputs have been stepped with. No state is ever sent.
func (s *server) Progress(c *predict.InputProgress, _ int) { c.Consumed = s.env.World.Tick() }

// Progress tells which of its own inputs the client has stepped with: those for whose
// ticks it has the other players' as well. It waits for no word of the server.
func (c *client) Progress(to *predict.InputProgress) {
	if p := c.env.Player; p >= 0 {
		to.Sampled = c.streams[p].next
		to.Predicted, to.Predicts = c.env.World.Tick(), true
	}
}
