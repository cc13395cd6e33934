package sim

// Grid is what the wire can tell apart: Snap returns the body that arrives
// where b is sent. It is idempotent: what has been snapped stays.
type Grid interface{ Snap(b Body) Body }

// quantiser remembers what it has put onto a grid.
type quantiser struct {
	grid    Grid   // that the bodies were put onto last
	snapped []Body // as they were then
}

// Quantise puts every body onto a grid, as if it had been sent and received.
// A session that quantises both of its sides after every tick steps from
// numbers that the wire can carry exactly (Fiedler, State Synchronization,
// 2015). Sleep, rest and contacts stay as they are: the contacts are judged
// against the new poses in the next tick, as after a correction.
//
// What came off this grid last time and has not changed since is on it still, so
// bodies at rest cost a comparison. g must be comparable, and the same as long as
// what it snaps to is.
func (w *World) Quantise(g Grid) {
	if w.quantiser.grid != g {
		w.quantiser.grid = g
		w.quantiser.snapped = append(w.quantiser.snapped[:0], make([]Body, len(w.state.Bodies))...) // no body is like these: their rotations are none
	}
	for i := range w.state.Bodies {
		if w.state.Bodies[i] == w.quantiser.snapped[i] {
			continue
		}
		b := g.Snap(w.state.Bodies[i])
		if b != w.state.Bodies[i] {
			w.state.Bodies[i] = b
			w.updateShapes(i)
		}
		w.quantiser.snapped[i] = b
	}
}
