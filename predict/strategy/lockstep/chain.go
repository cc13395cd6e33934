package lockstep

import "ghostcube/predict"

// Chain tells which inputs have been stepped with. No state is ever sent.
func (s *server) Chain(c *predict.Chain, _ int) { c.Used = s.env.World.Tick() }

// Chain tells which of its own inputs the client has stepped with: those for whose
// ticks it has the other players' as well. It waits for no word of the server.
func (c *client) Chain(to *predict.Chain) {
	if p := c.env.Player; p >= 0 {
		to.Made = c.streams[p].next
		to.Mine, to.Predicts = c.env.World.Tick(), true
	}
}
