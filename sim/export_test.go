package sim

import (
	"ghostcube/sim/geom"
)

// Internals that external tests read.

// DropScratch replaces the scratch of the world.
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

// PathProgress returns the share of the travel at a tick.
func PathProgress(p *Path, tick Tick, rate int) float64 {
	return p.progress(pathTime{tick, 0, 1, rate})
}
