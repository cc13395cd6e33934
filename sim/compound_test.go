package sim_test

import (
	"slices"
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// bowl returns a body of a floor, four walls, and a ballast below that puts the centre of mass at
// the floor's centre.
func bowl(at geom.Vec3) sim.Box {
	v := func(x, y, z float32) geom.Vec3 { return geom.Vec3{X: x, Y: y, Z: z} }
	sub := func(half, at geom.Vec3, density float32) sim.SubShape {
		return sim.SubShape{Half: half, Pose: geom.Pose{Pos: at, Rot: geom.Identity}, Density: density}
	}
	b := boxAt(at.X, at.Y, at.Z, 0, 1)
	b.Half = v(1, 1, 0.1)
	const wall, walls = 0.05, 8 * 2 * 0.05 * 0.3 * (1 + 0.9) // their volume, m3
	b.SubShapes = []sim.SubShape{
		sub(v(1, wall, 0.3), v(0, 0.95, 0.4), 1), sub(v(1, wall, 0.3), v(0, -0.95, 0.4), 1),
		sub(v(wall, 0.9, 0.3), v(0.95, 0, 0.4), 1), sub(v(wall, 0.9, 0.3), v(-0.95, 0, 0.4), 1),
		sub(v(0.5, 0.5, 0.1), v(0, 0, -0.2), walls*0.4/0.2/(8*0.5*0.5*0.1)),
	}
	return b
}

// TestCompoundMass checks that a box cut into sub-shapes, one of them rotated, has the mass and inertia
// of the whole, and that unbalanced bodies are refused.
func TestCompoundMass(t *testing.T) {
	whole := boxAt(0, 0, 5, 0, 1)
	whole.Half = geom.Vec3{X: 0.6, Y: 0.3, Z: 0.1}
	cut := whole
	cut.Half.X = 0.2
	half := cut.Half
	quarter := geom.AxisAngle(geom.Vec3{Z: 1}, geom.HalfPi)
	cut.SubShapes = []sim.SubShape{
		{Half: half, Pose: geom.Pose{Pos: geom.Vec3{X: 0.4}, Rot: geom.Identity}, Density: 1},
		{Half: geom.Vec3{X: half.Y, Y: half.X, Z: half.Z}, Pose: geom.Pose{Pos: geom.Vec3{X: -0.4}, Rot: quarter}, Density: 1},
	}
	a, b := sim.New(boxScene(whole), 60), sim.New(boxScene(cut), 60)
	if d := sim.Inertia(a, 0).Sub(sim.Inertia(b, 0)).Len(); d > 1e-4*sim.Inertia(a, 0).Len() || geom.Abs(sim.Mass(a, 0)-sim.Mass(b, 0)) > 1e-4*sim.Mass(a, 0) {
		t.Errorf("whole: %v kg m2 and %v kg, cut: %v and %v", sim.Inertia(a, 0), sim.Mass(a, 0), sim.Inertia(b, 0), sim.Mass(b, 0))
	}
	for what, p := range map[string]sim.SubShape{
		"off-centre": {Half: half, Pose: geom.Pose{Pos: geom.Vec3{X: 0.4}, Rot: geom.Identity}, Density: 1},
		"rotated":    {Half: half, Pose: geom.Pose{Rot: geom.AxisAngle(geom.Vec3{Z: 1}, 0.5)}, Density: 1},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a body with a sub-shape %s was accepted", what)
				}
			}()
			bad := cut
			bad.SubShapes = []sim.SubShape{p}
			sim.New(boxScene(bad), 60)
		}()
	}
}

// TestCompoundIsRigid checks that a compound body moves as one and collides with all of its boxes:
// a dropped bowl stands on its foot and keeps a cube that falls into it, even when it is dragged;
// another bowl stands on its walls; a cube outside stays outside.
func TestCompoundIsRigid(t *testing.T) {
	in, out := boxAt(0.3, 0.2, 2, 0.2, 1), boxAt(-2, 0, 0.2, 0.2, 1)
	upper := bowl(geom.Vec3{Z: 3})
	s := boxScene(bowl(geom.Vec3{Z: 0.5}), in, out, upper)
	s.NoSleep = true
	w := sim.New(s, 60)
	for range 300 {
		w.Step()
	}
	z := func(i int) float32 { return w.Bodies()[i].Pose.Pos.Z }
	if geom.Abs(z(0)-0.3) > 0.005 || geom.Abs(z(1)-0.6) > 0.01 || geom.Abs(z(3)-1.1) > 0.01 {
		t.Errorf("heights: bowl %v, cube in it %v, bowl on it %v", z(0), z(1), z(3))
	}
	for range 60 { // against the cube outside, which a wall pushes
		sim.AddForce(w, 0, geom.Vec3{X: -150})
		w.Step()
	}
	bowl, cube, pushed := w.Bodies()[0].Pose.Pos, w.Bodies()[1].Pose.Pos, w.Bodies()[2].Pose.Pos
	if bowl.X > -1 {
		t.Fatalf("the bowl was not dragged: %v", bowl)
	}
	if d := cube.Sub(bowl); geom.Abs(d.X) > 0.75 || geom.Abs(d.Y) > 0.75 || d.Z < 0.2 || d.Z > 0.6 {
		t.Errorf("the cube in the bowl is at %v relative to it", d)
	}
	if d := pushed.X - bowl.X; geom.Abs(d+1.2) > 0.02 {
		t.Errorf("the cube outside is at x = %v relative to the bowl", d)
	}
}

// TestCompoundKeepsMomentum checks momentum and energy of a spinning compound body.
func TestCompoundKeepsMomentum(t *testing.T) {
	b := bowl(geom.Vec3{Z: 10})
	b.Start.Angular = geom.Vec3{X: 2, Y: -1, Z: 3}
	w := sim.New(freeFloatingScene(b), 60)
	_, l0 := momentum(w)
	e0 := energy(w)
	for range 600 {
		w.Step()
	}
	_, l1 := momentum(w)
	if e := energy(w); l1.Sub(l0).Len() > 5e-3*l0.Len() || e < 0.99*e0 || e > 1.01*e0 {
		t.Errorf("angular momentum changed from %v to %v, energy from %v to %v J", l0, l1, e0, e)
	}
}

// TestCompoundCollision throws a cube off-centre against a wall of a floating bowl: total linear
// and angular momentum are conserved, and the bowl spins.
func TestCompoundCollision(t *testing.T) {
	b, thrown := bowl(geom.Vec3{Z: 10}), boxAt(3, 0.7, 10.4, 0.2, 0)
	b.Friction = 0
	thrown.Density = 10
	thrown.Start.Linear.X = -6
	w := sim.New(freeFloatingScene(b, thrown), 60)
	p0, l0 := momentum(w)
	for range 60 {
		w.Step()
	}
	p1, l1 := momentum(w)
	if spin := w.Bodies()[0].Angular.Z; geom.Abs(spin) < 0.3 {
		t.Fatalf("the bowl spins at %v rad/s", spin)
	}
	if p1.Sub(p0).Len() > 1e-4*p0.Len() || l1.Sub(l0).Len() > 5e-3*l0.Len() {
		t.Errorf("momentum changed from %v to %v, angular momentum from %v to %v", p0, p1, l0, l1)
	}
}

// TestCompoundState checks that State and sleep include compound bodies, without allocation.
func TestCompoundState(t *testing.T) {
	s := boxScene(bowl(geom.Vec3{Z: 0.5}), boxAt(0.3, 0.2, 2, 0.2, 1), bowl(geom.Vec3{X: 0.3, Z: 3}))
	w := checkSync(t, s, 400, noInputs)
	if n := awakeCount(w); n != 0 {
		t.Errorf("%d bodies are awake", n)
	}
	b := w.Bodies()[1]
	b.Asleep, b.Linear.X = false, 2
	w.SetBody(1, b)
	for range 30 {
		w.Step()
	}
	if n := awakeCount(w); n != 3 {
		t.Errorf("%d of 3 woke", n)
	}
	var at sim.State
	if n := testing.AllocsPerRun(30, func() { w.Save(&at); w.Load(&at); w.Step() }); n != 0 {
		t.Errorf("%v allocations per tick", n)
	}
}

// TestNearbyBodies checks which bodies are near another one, by the bounds of all its boxes,
// without the body itself.
func TestNearbyBodies(t *testing.T) {
	w := sim.New(boxScene(bowl(geom.Vec3{Z: 0.3}), boxAt(-0.5, 0, 0.6, 0.2, 1), boxAt(0.6, 0, 0.6, 0.2, 1), boxAt(3, 0, 0.2, 0.2, 1)), 60)
	const hull, first, second = 0, 1, 2
	if got := w.NearbyBodies(hull, 0.05, nil); !slices.Equal(got, []int32{first, second}) {
		t.Errorf("near the bowl: %v", got)
	}
	if got := w.NearbyBodies(second, 0.05, []int32{9}); !slices.Equal(got, []int32{9, hull}) {
		t.Errorf("near a cube in it: %v", got)
	}
	if got := w.NearbyBodies(second, 1, nil); !slices.Equal(got, []int32{hull, first}) {
		t.Errorf("within a metre of that cube: %v", got)
	}
}
