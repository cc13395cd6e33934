package historyoffset

import "ghostcube/predict"

const (
	carriersInterpolated = iota
	carriersPredicted
)

func declareCarriers(p *int, k *predict.Knobs) {
	k.In(predict.PredictedBodyKnobs).Choice(p, "carriers", carriersInterpolated, []string{"interpolated", "predicted"},
		"carriers in the client's world: as displayed, or predicted to its tick")
}

// placeCarriers places the carriers for the step: where they are displayed, in the past and without
// velocity, or moving, where their paths have them in the client's own tick. A client that does not
// know the path, as of a ship that another player steers, has only the first choice.
func (c *client) placeCarriers() {
	if c.settings.carriers == carriersPredicted {
		c.Env.World.UnpinCarriers()
	} else {
		c.Env.World.PinCarriers(c.Interpolated.DisplayMoment())
	}
}
