package lockstep

import "ghostcube/predict"

// latency reports how far the inputs of the first client have come.
func latency(to *predict.InputProgress, s predict.Server, c predict.Client) {
	s.(*server).progress(to)
	c.(*client).progress(to)
}

// progress reports the inputs that the server has stepped. It never sends state.
func (s *server) progress(to *predict.InputProgress) { to.Consumed = s.env.World.Tick() }

// progress reports which of its own inputs the client has stepped: those of ticks for which it has
// the other players' inputs too. It does not wait for the server's state.
func (c *client) progress(to *predict.InputProgress) {
	if p := c.env.Player; p >= 0 {
		to.Sampled = c.streams[p].next
		to.Predicted, to.Predicts = c.env.World.Tick(), true
	}
}
