package sim

import (
	"fmt"
	"slices"

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

// ForgetAwake makes the next step find out what is awake, and where everything is.
func ForgetAwake(w *World) {
	fresh := newScratch(len(w.state.Bodies))
	w.activity, w.broadPhase, w.contacts = fresh.activity, fresh.broadPhase, fresh.contacts
}

// ForgetNearPairs makes the next step find all pairs anew.
func ForgetNearPairs(w *World) { w.broadPhase.near = nearPairs{} }

// NearPairs reports whether the last step has kept near pairs, and how many shapes left their enlarged bounds.
func NearPairs(w *World) (kept bool, left int) {
	return w.broadPhase.near.valid, len(w.broadPhase.near.left)
}

// HasBlocks says whether this processor solves contacts in blocks.
const HasBlocks = hasBlocks

// SolveOneByOne makes a world solve its contacts one by one.
func SolveOneByOne(w *World) { w.solver.blocks.never = true }

// UsesBlocks reports whether the last step solved contacts in blocks.
func UsesBlocks(w *World) bool { return w.solver.blocks.used }

// CheckAwake returns an error if, after a step, the list of active bodies is not that which a scan of all bodies finds,
// or if a proxy or manifold at rest is not that of a sleeper, where it is now.
func CheckAwake(w *World) error {
	if !w.activity.listed {
		return fmt.Errorf("the bodies are not listed")
	}
	var want []int32
	for i := range w.state.Bodies {
		if !w.state.Bodies[i].Asleep || !w.broadPhase.atRest[i] || w.drives(int32(i)) { // a step moves drivers in its end
			want = append(want, int32(i))
		}
	}
	if got := w.activeBodies(); !slices.Equal(got, want) {
		return fmt.Errorf("the list has the bodies %v, want %v", got, want)
	}
	for _, r := range [...]*restingProxies{&w.broadPhase.resting, &w.broadPhase.fixed} {
		for _, x := range r.proxies {
			body := w.bodyOf(x.shape)
			if slices.Contains(want, body) || w.isMovingCarrier(x.shape) {
				continue // changed since the proxies were updated
			}
			if !w.asleep(x.shape) || x.aabb != w.shapes[x.shape].aabb {
				return fmt.Errorf("the proxy of shape %d is at rest with the bounds %v; its body sleeps: %t, its bounds are %v",
					x.shape, x.aabb, w.asleep(x.shape), w.shapes[x.shape].aabb)
			}
		}
	}
	for k := range w.state.resting {
		if a, b := w.state.resting[k].shapes(); !w.asleep(a) || !w.asleep(b) {
			return fmt.Errorf("the manifold of shapes %d and %d is at rest", a, b)
		}
	}
	return nil
}

// CheckPairs returns an error if the pairs for the next step are not those of all shapes with overlapping bounds of
// which at least one is that of an awake body. The scene has neither carriers nor filter groups.
func CheckPairs(w *World) error {
	w.findPairs()
	var want []uint32
	bounds := func(i int32) aabb {
		if int(i) < len(w.state.Bodies) && !w.asleep(i) {
			return w.sweptBounds(i, &w.state.Bodies[i])
		}
		return w.shapes[i].aabb
	}
	for i := range int32(len(w.shapes)) {
		for j := range i {
			a, b := bounds(i), bounds(j)
			if !a.within(&b, 0) || w.asleep(i) && w.asleep(j) {
				continue
			}
			if int(i) < len(w.state.Bodies) {
				want = append(want, pairKey(j, i))
			} else {
				want = append(want, pairKey(i, j))
			}
		}
	}
	slices.Sort(want)
	if !slices.Equal(w.broadPhase.pairs, want) {
		return fmt.Errorf("%d pairs, want %d", len(w.broadPhase.pairs), len(want))
	}
	return nil
}
