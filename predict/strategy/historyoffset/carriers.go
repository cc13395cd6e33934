package historyoffset

import "ghostcube/predict"

const (
	carriersInterpolated = iota
	carriersPredicted
)

func declareCarriers(p *int, k *predict.Knobs) {
	k.Choice(p, "carriers", carriersInterpolated, []string{"interpolated", "predicted"}, "carriers stand where they are displayed, or move as the client's own tick has them, if it knows their paths")
}

// placeCarriers puts the carriers where the player's cube is to meet them: where they are displayed,
// in the past and without velocity, or where the client's own tick has them, moving. A client that
// knows no path, as of a ship that others steer, has only the first.
func (c *client) placeCarriers() {
	if c.settings.carriers == carriersPredicted {
		c.env.World.UnpinCarriers()
	} else {
		c.env.World.PinCarriers(c.world.Interpolated.DisplayMoment())
	}
}
