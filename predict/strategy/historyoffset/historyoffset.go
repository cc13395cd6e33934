// Package historyoffset predicts the local player's cube and interpolates all other bodies, which are
// kinematic in the client's world. The client remembers the state of the cube at the beginning of each
// of its ticks. Each snapshot names the client tick whose input led to it. If the server's state
// differs from the remembered state of that tick, the client corrects the cube in one of two ways.
//
// By replay, the default, it steps the cube again from the server's state, in a small world that
// contains only the bodies near it (package localreplay).
//
// By offset, it adds a share of the difference to all states remembered since, and applies it to the
// cube gradually, in steps that become smaller and smaller; no tick is resimulated. This is the
// Predicted mode of Space Engineers (a talk at GDC, retold in an article in Chinese; the numbers are
// those of the game's published source, MyPredictedSnapshotSync). It costs hardly anything and works
// with any physics engine, because no state is restored and no tick is repeated. It is wrong where
// the difference would have changed what happened next, as in a collision: later snapshots then cause
// more corrections. Contacts are wrong as well, since the cube is predicted and the body it touches
// is in the past: the cube climbs a small body instead of pushing it until the server's state of both
// arrives.
//
// Differences from the sources:
//
//   - Every 1/60 s, a share of 1/correction-steps of the pending correction is applied. That is one
//     reading of the talk's "small doses - exponential to its extent".
//   - The remembered state of a tick includes the pending correction, so that a difference is
//     corrected once (TestDifferenceIsAppliedOnce).
//   - The published reset after a sudden change of velocity is off by default, because every edge
//     on which a tumbling cube lands causes such a change.
//   - The pose of a body that sleeps at the server has no tolerance, so the cube comes to rest
//     exactly at the server's pose, and not 5 mm away from it.
//   - The article says that a client is behind if a snapshot arrives later than expected. Its own
//     diagram shows the opposite: a snapshot that arrives early comes from a server that is further
//     ahead than the client assumed. Package clock follows the diagram.
package historyoffset

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/localprediction"
	"ghostcube/predict/part/codec"
	"ghostcube/sim"
)

// Strategy is prediction of the local cube, corrected by a replay of it or by a shift of its history.
var Strategy = &predict.Strategy{
	Name: "historyoffset",
	Doc: "prediction of the local cube alone\n\n" +
		"The local cube responds at once, and all other bodies are interpolated. " +
		"Press F: the trail jumps to the server's cube, and the local cube follows. " +
		"With correct-by=offset nothing is resimulated, and the cube climbs small cubes instead of pushing them.",
	Source:    "Space Engineers, a talk at GDC and the published source: Predicted mode",
	NewServer: newServer,
	NewClient: newClient,
	Fields:    fields,
	Inspect:   localprediction.Inspect,
	Latency:   predict.Latency,
	Motion:    predict.PredictedCube,
	Row: &predict.Row{
		UsualName: "own body predicted alone", Guide: "docs/guides/history-offset.md",
		Determinism: "no", UseWhen: "replaying the world is too expensive",
	},
}

// fields reports the fields of a payload.
func fields(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	return codec.ConsumedFields(up, payload, scene, see, nil)
}
