// Package predicted is what Space Engineers calls Predicted mode (a talk at GDC): one
// body, the player's, is stepped alone and at once, remembered by tick, and shifted by
// what the server says of the past; all others are shown late. The strategies that do
// so differ in what they predict relative to, and in what is said of the others. They
// declare their knobs and share the rest.
package predicted

import (
	"ghostcube/net/quant"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/frame"
	"ghostcube/sim"
)

// Fields looks into a payload.
func Fields(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	return codec.ConsumedFields(up, payload, scene, see, nil)
}

// RelativeFields looks into one of a server that tells of parents.
func RelativeFields(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	return codec.ConsumedFields(up, payload, scene, see, func(c *quant.Coder) {
		var state frame.State
		g := frame.Grid(scene)
		state.Code(c, len(scene.ParentCandidates()), &g)
	})
}
