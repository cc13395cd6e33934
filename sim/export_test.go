package sim

import (
	"testing"

	"ghostcube/sim/geom"
)

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
	for i := range w.Bodies() {
		if !w.Bodies()[i].Asleep {
			n++
		}
	}
	return n
}

// Energy returns the kinetic and potential energy of a world's bodies, in joules.
func Energy(w *World) (sum float64) {
	for i, b := range w.Bodies() {
		m, inertia := float64(Mass(w, i)), Inertia(w, i)
		local := b.Pose.Rot.Inverse().Rotate(b.Angular)
		sum += m*float64(b.Linear.LenSq())/2 + m*float64(w.Scene().Gravity)*float64(b.Pose.Pos.Z)
		sum += (float64(local.X*local.X*inertia.X) + float64(local.Y*local.Y*inertia.Y) + float64(local.Z*local.Z*inertia.Z)) / 2
	}
	return sum
}

// DropScratch makes the scratch of a world anew.
func (w *World) DropScratch() { w.scratch = newScratch(len(w.state.Bodies)) }

// SleepLinearSpeed is the threshold of sleep in m/s.
const SleepLinearSpeed = sleepLinearSpeed

// Mass returns the mass of body i in kg.
func Mass(w *World, i int) float32 { return 1 / w.shapes[i].invMass }

// Inertia returns the moments of inertia of body i about its own axes in kg m2.
func Inertia(w *World, i int) geom.Vec3 {
	v := w.shapes[i].invInertiaLocal
	return geom.Vec3{X: 1 / v.X, Y: 1 / v.Y, Z: 1 / v.Z}
}

// AddForce adds a force in newtons to body i for the next step.
func AddForce(w *World, i int, f geom.Vec3) { w.addForce(i, f) }

// CarrierBoxPose returns the pose of carrier box i.
func CarrierBoxPose(w *World, i int) geom.Pose { return w.shapes[w.firstCarrierShape+i].pose }

// PathProgress returns the share of its travel that a path has made at a tick.
func PathProgress(p *Path, tick Tick, rate int) float64 {
	return p.progress(pathTime{tick, 0, 1, rate})
}
