package sim

// Grid is what the wire can tell apart: Snap returns the body that arrives
// where b is sent. It is idempotent: what has been snapped stays.
type Grid interface{ Snap(b Body) Body }

// Quantise puts every body onto a grid, as if it had been sent and received.
// A session that quantises both of its sides after every tick steps from
// numbers that the wire can carry exactly (Fiedler, State Synchronization,
// 2015). Sleep, rest and contacts stay as they are: the contacts are judged
// against the new poses in the next tick, as after a correction.
func (w *World) Quantise(g Grid) {
	for i := range w.bodies {
		if b := g.Snap(w.bodies[i]); b != w.bodies[i] {
			w.bodies[i] = b
			w.refresh(i)
		}
	}
}
