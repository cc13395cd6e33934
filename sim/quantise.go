package sim

// Grid is the set of bodies that a wire format can represent: Snap returns the body that is
// received if b is sent. It is idempotent.
type Grid interface{ Snap(b Body) Body }

// quantiser remembers the result of the last Quantise.
type quantiser struct {
	grid    Grid   // of the last Quantise
	snapped []Body // its results
}

// Quantise replaces every body by its value on a grid, as if it had been sent and received. If both
// sides of a session quantise after every tick, they step from values that packets represent
// exactly (Fiedler, State Synchronization, 2015). Sleep and contacts are kept: the next tick checks
// contacts against the new poses, as after a correction.
//
// A body that has not changed since the last Quantise with the same grid costs one comparison. g
// must be comparable, and equal grids must snap equally.
func (w *World) Quantise(g Grid) {
	if w.quantiser.grid != g {
		w.quantiser.grid = g
		// Zero bodies, which differ from all bodies of a world by their rotation.
		w.quantiser.snapped = append(w.quantiser.snapped[:0], make([]Body, len(w.state.Bodies))...)
	}
	for i := range w.state.Bodies {
		if w.state.Bodies[i] == w.quantiser.snapped[i] {
			continue
		}
		b := g.Snap(w.state.Bodies[i])
		if b != w.state.Bodies[i] {
			w.touch(int32(i))
			w.changes++
			w.NoteChange()
			w.state.Bodies[i] = b
			w.updateShapes(i)
		}
		w.quantiser.snapped[i] = b
	}
}
