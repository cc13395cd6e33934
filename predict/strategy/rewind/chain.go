package rewind

import (
	"ghostcube/predict"
	"ghostcube/smoothing"
)

// Chain tells which inputs have been used, and what has been sent.
func (s *server) Chain(c *predict.Chain, seat int) { c.Used, c.Told = s.desk.Used(seat), s.out.Told() }

// Chain tells that the own cube answers at once, and that what comes is compared at
// once.
func (c *client) Chain(to *predict.Chain) {
	to.Made = c.out.Made()
	to.Heard, to.Shown = c.in.Tick, c.in.Tick
	if c.env.Player >= 0 {
		to.Mine, to.Predicts = to.Made, true
	} else if c.smooth.Mode != smoothing.None {
		to.Shown = c.eased // for it is hidden at first
	}
}
