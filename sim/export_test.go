package sim

import "testing"

// What tests of this package and of those outside it share.

// ScriptedInput is a scripted player: it holds a set of keys for a third of a second
// and turns its heading slowly.
func ScriptedInput(t Tick) Input {
	x := (uint64(t)/20 + 1) * 0x9E3779B97F4A7C15
	x ^= x >> 31
	return Input{Buttons: Buttons(x>>7) & AllButtons &^ (Buttons(x>>23) & (Lift | Pull)), Heading: uint8(t / 8)}
}

// ShortTicks is how many of n ticks a test makes do with if tests are to be short,
// as on another machine's emulator.
func ShortTicks(n int) int {
	if testing.Short() {
		return n / 6
	}
	return n
}

// AwakeCount returns how many bodies of a world are awake.
func AwakeCount(w *World) int {
	n := 0
	for i := range w.state.Bodies {
		if !w.state.Bodies[i].Asleep {
			n++
		}
	}
	return n
}

// Energy returns the kinetic and potential energy of a world's bodies, in joules.
func Energy(w *World) (sum float64) {
	for i, b := range w.Bodies() {
		s := &w.shapes[i]
		m := 1 / float64(s.invMass)
		own := s.axes.MulT(b.Angular)
		sum += m*float64(b.Linear.LenSq())/2 + m*float64(w.scene.Gravity)*float64(b.Pose.Pos.Z)
		sum += (float64(own.X*own.X/s.invInertiaLocal.X) + float64(own.Y*own.Y/s.invInertiaLocal.Y) + float64(own.Z*own.Z/s.invInertiaLocal.Z)) / 2
	}
	return sum
}

// DropScratch makes the scratch of a world anew.
func (w *World) DropScratch() { w.scratch = newScratch(len(w.state.Bodies)) }
