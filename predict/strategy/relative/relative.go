// Package relative predicts the local player's cube in the reference frame of its parent: the ship
// that it is in, or the platform that it stands on. A parent is interpolated, in the past, and the
// cube is predicted, in the future. Predicted in the world's frame, the cube would leave a fast
// ship through its wall. So the server also sends the cube's position and velocities relative to
// the parent. The client remembers, compares and corrects them in that frame, and draws the cube
// relative to the displayed parent. Otherwise the strategy is historyoffset.
//
// This is the Relative Prediction of Space Engineers (a talk at GDC, retold in an article in
// Chinese). The cube's position in the world becomes less accurate: it is drawn with its ship, and
// so in the past. Players see a ship that lags, but no error.
//
// Differences from the source:
//
//   - The server chooses the parent, because it has both bodies at the same tick. The client
//     predicts that the cube leaves or changes its parent, but never that a cube without a parent
//     gets one: such a cube is ahead of every body that it might enter.
//   - The forces on a body in an accelerating or rotating frame are simulated (inertia). The article
//     only moves a body along with its parent.
//   - A cube that leaves its parent gets the parent's velocity, and gradually the distance that the
//     parent covers between its time and the cube's (handover). In the article, the next snapshots
//     reveal both as an error.
package relative

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/localprediction"
	"ghostcube/predict/localprediction/frame"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// Strategy is prediction in the reference frame of a parent.
var Strategy = &predict.Strategy{
	Name: "relative",
	Doc: "prediction in the reference frame of the player's ship\n\n" +
		"As historyoffset, but a cube in a ship is predicted in the ship's frame and drawn with it: in the past, but never outside it. " +
		"Roll aboard at 50 m/s, or jump on the turntable.",
	Source:    "Space Engineers, a talk at GDC: Relative Prediction",
	NewServer: newServer,
	NewClient: newClient,
	Fields:    fields,
	Inspect:   localprediction.Inspect,
	Latency:   predict.Latency,
	Motion:    predict.PredictedCube,
	Row: &predict.Row{
		UsualName: "prediction in a ship's frame", Guide: "docs/guides/reference-frames.md",
		Determinism: "no", UseWhen: "players walk about in moving vehicles",
	},
}

// fields reports the fields of a payload.
func fields(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	return codec.ConsumedFields(up, payload, scene, see, func(c *quant.Coder) {
		state, grid := frame.State{}, frame.Grid(scene)
		state.Code(c, len(frame.Candidates(scene)), &grid)
		frame.CodeRelayed(c, scene, &input.Relayed{})
	})
}
