package sim_test

import (
	"math"
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestCollisionKeepsMomentum checks total linear and angular momentum when smooth boxes of
// different sizes and masses collide off-centre in mid-air.
func TestCollisionKeepsMomentum(t *testing.T) {
	for _, off := range []float32{0, 0.1, 0.3} {
		a := boxAt(-2, 0, 10, 0.4, 0)
		a.Start.Linear = geom.Vec3{X: 4, Y: 0.3}
		b := boxAt(1, off, 10+off, 0.2, 0)
		b.Half = geom.Vec3{X: 0.2, Y: 0.3, Z: 0.5}
		b.Start.Linear = geom.Vec3{X: -2}
		w := sim.New(freeFloatingScene(a, b), 60)
		p0, l0 := momentum(w)
		for range 120 {
			w.Step()
		}
		if w.Bodies()[1].Linear.X < 0 {
			t.Fatalf("offset %v: the boxes did not collide", off)
		}
		p1, l1 := momentum(w)
		if p1.Sub(p0).Len() > 1e-4*p0.Len() {
			t.Errorf("offset %v: momentum changed from %v to %v", off, p0, p1)
		}
		if l1.Sub(l0).Len() > 5e-3*l0.Len() {
			t.Errorf("offset %v: angular momentum changed from %v to %v", off, l0, l1)
		}
		if e := energy(w); e > 0.5*float64(p0.Len()*100) {
			t.Errorf("offset %v: energy %v J", off, e)
		}
	}
}

// TestSpinKeepsMomentum checks angular momentum and energy of a box with three different sides that
// spins freely for a minute, about the axes of largest, smallest and intermediate inertia.
func TestSpinKeepsMomentum(t *testing.T) {
	for name, spin := range map[string]geom.Vec3{"smallest": {X: 8}, "intermediate": {Y: 8}, "largest": {Z: 8}, "oblique": {X: 3, Y: -2, Z: 4}} {
		b := boxAt(0, 0, 10, 0, 1)
		b.Half = geom.Vec3{X: 0.6, Y: 0.3, Z: 0.1}
		b.Start.Angular = spin
		w := sim.New(freeFloatingScene(b), 60)
		_, l0 := momentum(w)
		e0 := energy(w)
		for range 3600 {
			w.Step()
		}
		_, l1 := momentum(w)
		if l1.Sub(l0).Len() > 5e-3*l0.Len() {
			t.Errorf("%s: angular momentum changed from %v to %v", name, l0, l1)
		}
		if e := energy(w); e < 0.98*e0 || e > 1.02*e0 {
			t.Errorf("%s: energy changed from %v to %v J", name, e0, e)
		}
	}
}

// TestDzhanibekov spins a box almost about its axis of intermediate inertia: it flips again and
// again (Dzhanibekov's wing nut), and never when it spins about the other two axes.
func TestDzhanibekov(t *testing.T) {
	flips := func(spin geom.Vec3, axis int) int {
		b := boxAt(0, 0, 10, 0, 1)
		b.Half = geom.Vec3{X: 0.6, Y: 0.3, Z: 0.1}
		b.Start.Angular = spin
		w := sim.New(freeFloatingScene(b), 60)
		n, up := 0, true
		direction := func() geom.Vec3 { m := w.Bodies()[0].Pose.Rot.Mat(); return m.Col(axis) }
		start := direction()
		for range 1800 {
			w.Step()
			d := direction().Dot(start)
			if up && d < -0.9 || !up && d > 0.9 {
				n, up = n+1, !up
			}
		}
		return n
	}
	if n := flips(geom.Vec3{X: 0.01, Y: 8, Z: 0.01}, 1); n < 10 {
		t.Errorf("%d flips in 30 s about the intermediate axis", n)
	}
	if n := flips(geom.Vec3{X: 8, Y: 0.01, Z: 0.01}, 0); n != 0 {
		t.Errorf("%d flips about the axis of smallest inertia", n)
	}
	if n := flips(geom.Vec3{X: 0.01, Y: 0.01, Z: 8}, 2); n != 0 {
		t.Errorf("%d flips about the axis of largest inertia", n)
	}
}

// TestRotationLimit checks that a substep rotates a body by 45 degrees at most, at any rate.
func TestRotationLimit(t *testing.T) {
	for _, rate := range []int{10, 60, 240} {
		s := boxScene(cube(geom.Vec3{Z: 8}, 0))
		s.MaxAngularSpeed = 1e5
		w := sim.New(s, rate)
		b := w.Bodies()[0]
		b.Angular.X, b.Asleep = 5e4, false
		w.SetBody(0, b)
		w.Step()
		limit := 2 * math.Pi / 8 * float64(rate*w.Settings.Substeps)
		if u := float64(w.Bodies()[0].Angular.Len()); u > limit || u < 0.9*limit {
			t.Errorf("%d Hz: %.0f rad/s, want almost %.0f", rate, u, limit)
		}
	}
}
