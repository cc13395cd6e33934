package predicted

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// What the client knows of the paths of carriers.
const (
	shown = iota
	known
)

func declarePaths(p *int, k *predict.Knobs) {
	k.Choice(p, "paths", shown, []string{"shown", "known"}, "where carriers stand in the client's world: still, where they are shown, in the past; or where the client's own tick has them, moving, which takes a client that knows their paths")
}

// holdPaths puts the carriers where the own cube is to meet them.
func (c *client) holdPaths() {
	if c.paths == known {
		c.env.World.UnpinCarriers()
	} else {
		c.env.World.PinCarriers(c.shown.Moment())
	}
}

// drawnPaths returns the moment at which carriers are drawn: that at which the own cube
// meets them, also if the knob has been turned since.
func (c *client) drawnPaths() sim.Moment {
	if c.env.Player < 0 {
		return c.shown.Moment()
	}
	return c.env.World.CarrierMoment()
}
