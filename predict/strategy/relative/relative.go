// Package relative predicts the player's own cube relative to what carries it. It is
// historyoffset with a parent: a ship that the cube is in, or a platform that it stands
// on, is shown in the past like all that others move, and the cube, which is predicted
// and so in the future, would be thrown out of its door. So it is predicted in the
// parent's space: the server tells the cube's place and velocities as the parent has
// them, what is remembered is kept so, it is compared and corrected so, and what comes of
// it is drawn with the parent, where that is shown.
//
// This is the Relative Prediction of Space Engineers (a talk at GDC, as an article in
// Chinese retells it). What is in the world where the world has it is less true for it:
// the cube is drawn with its ship, and so in the past. The players take it for a ship
// that is late, and not for an error.
//
// Where it goes beyond the source, or beside it:
//
//   - The parent is chosen by the server, which has both at the same tick. The client
//     foresees that it is left or changed, and never that there is one: who has none is
//     ahead of all that it might enter.
//   - What a parent does to what it carries when it speeds up, turns or goes through the
//     air is simulated (inertia). The article moves what is carried along, and no more.
//   - Who leaves a parent gets its velocity, and the way that it makes meanwhile, in
//     doses (handover); in the article that is found to be wrong, and pulled.
package relative

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/frame"
	"ghostcube/sim"
)

// Strategy is prediction relative to a parent.
var Strategy = &predict.Strategy{
	Name: "relative",
	Doc: "prediction relative to what carries the player\n\n" +
		"As historyoffset, but who is in a ship is predicted in that ship's space, and drawn where the ship is shown: in the past with it, and never outside. Roll aboard at 50 m/s, or jump on the turntable.",
	Source:    "Space Engineers, a talk at GDC: Relative Prediction",
	NewServer: newServer,
	NewClient: newClient,
	Fields:    fields,
}

// fields looks into a packet.
func fields(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	return codec.ConsumedFields(up, payload, scene, see, func(c *quant.Coder) {
		state, grid := frame.State{}, frame.Grid(scene)
		state.Code(c, len(scene.ParentCandidates()), &grid)
	})
}
