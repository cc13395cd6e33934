package lockstep

import "ghostcube/predict"

// Progress reports the inputs that the server has stepped. It never sends state.
func (s *server) Progress(to *predict.InputProgress) { to.Consumed = s.env.World.Tick() }

// Progress reports which of its own inputs the client has stepped: those of ticks for which it has
// the other players' inputs too. It does not wait for the server's state.
func (c *client) Progress(to *predict.InputProgress) {
	if p := c.env.Player; p >= 0 {
		to.Sampled = c.streams[p].next
		to.Predicted, to.Predicts = c.env.World.Tick(), true
	}
}
