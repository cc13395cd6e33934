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
//   - Doses are a share of what is left, one by smooth-steps in each sixtieth of a
//     second; that is one reading of "small doses - exponential to its extent".
//   - What is remembered of a tick counts the doses still to be given, so that a
//     difference is not found twice (TestNotTwice).
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
	"ghostcube/predict/inputs"
	"ghostcube/predict/wire"
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

// head is what the server puts before each client's snapshot. On the wire it is
//
//	how the tick was made, 2 bits: inputs.How
//	frame, 16 low bits, unless none has been used yet
type head struct{ inputs.Taken }

// frameBits is the width of the frame on the wire: it wraps after 18 minutes.
const frameBits = 16

// code reads or writes the head. guess is a tick near the frame's.
func (h *head) code(c *quant.Coder, guess sim.Tick) {
	c.Name("made_with")
	h.How = inputs.How(c.Int(int(h.How), int(inputs.NoneYet), int(inputs.Again)))
	if h.How == inputs.NoneYet {
		return
	}
	c.Name("frame")
	h.Frame = inputs.Complete(c.Bits(uint32(h.Frame)&(1<<frameBits-1), frameBits), frameBits, guess)
}

// fields looks into a payload.
func fields(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	return inputs.FieldsOr(up, payload, see, func() error {
		r := wire.Receiver{Any: true, Bodies: make([]sim.Body, len(scene.Boxes))} // bodies that do not follow are there
		c := r.Begin(payload)
		c.Watch(see)
		var h head
		h.code(c, 0)
		_, err := r.Finish(payload, scene, 0)
		return err
	})
}
