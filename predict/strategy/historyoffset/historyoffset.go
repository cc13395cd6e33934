// Package historyoffset predicts the player's own cube and nothing else, and never
// steps a tick again. The client remembers where its cube was at each of its ticks.
// The server tells with its state which of the client's inputs led to it; the
// difference from what is remembered of that tick is added to every later entry of the
// history, and to the cube as it is now in small doses that become smaller and smaller.
// All other bodies are shown late and stand like walls in the client's world.
//
// This is the Predicted mode of Space Engineers (a talk at GDC, as an article in
// Chinese retells it; the numbers are those of its published source,
// MyPredictedSnapshotSync). It costs next to nothing, and any physics will do: no
// state must be loaded, no tick repeated. It is wrong where the difference would have
// changed what came after, such as a collision: then the next states tell so, and
// there are more corrections. And what the player touches is not where it seems: it
// is in the past, the player in the future. A small cube in the way is climbed and not
// pushed, until the server's word of both is there.
//
// Where it goes beyond the sources, or beside them:
//
//   - Doses are a share of what is left, one by correction-steps in each sixtieth of a
//     second; that is one reading of "small doses - exponential to its extent".
//   - What is remembered of a tick counts the doses still to be given, so that a
//     difference is not found twice (TestDifferenceIsAppliedOnce).
//   - The published reset after a sudden change of velocity is there, and off: a cube
//     that tumbles has one whenever an edge catches.
//   - Of a body that the server says rests, nothing is let pass: it ends where the
//     server has it, and not 5 mm beside.
//   - The article says that the client is behind when a state was expected earlier than
//     it came. By its own drawing it is the other way round: what comes earlier than
//     expected is of a server that is further on than the client had thought. Package
//     clock does it so.
package historyoffset

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/sim"
)

// Strategy is prediction by an offset to the history.
var Strategy = &predict.Strategy{
	Name: "historyoffset",
	Doc: "prediction without resimulation\n\n" +
		"The own cube answers at once, all else is shown late and stands like a wall: small cubes are climbed where they should be pushed. Press F: the trail jumps over to the server's cube, and the cube follows in small doses.",
	Source:    "Space Engineers, a talk at GDC, and its published source: Predicted mode",
	NewServer: newServer,
	NewClient: newClient,
	Fields:    fields,
}

// fields looks into a packet.
func fields(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	return codec.ConsumedFields(up, payload, scene, see, nil)
}
