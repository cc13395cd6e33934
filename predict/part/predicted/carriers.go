package predicted

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// What the client knows of the paths of carriers.
const (
	carriersInterpolated = iota
	carriersPredicted
)

func declareCarriers(p *int, k *predict.Knobs) {
	k.Choice(p, "carriers", carriersInterpolated, []string{"interpolated", "predicted"}, "where carriers stand in the client's world: still, where they are shown, in the past; or where the client's own tick has them, moving, which takes a client that knows their paths")
}

// placeCarriers puts the carriers where the own cube is to meet them.
func (c *client) placeCarriers() {
	if c.carrierMode == carriersPredicted {
		c.env.World.UnpinCarriers()
	} else {
		c.env.World.PinCarriers(c.interpolated.DisplayMoment())
	}
}

// carrierMoment returns the moment at which carriers are drawn: that at which the own cube
// meets them, also if the knob has been turned since.
func (c *client) carrierMoment() sim.Moment {
	if c.env.Player < 0 {
		return c.interpolated.DisplayMoment()
	}
	return c.env.World.CarrierMoment()
}
