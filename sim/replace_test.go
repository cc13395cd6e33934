package sim_test

import (
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestReplaceBody checks that a world in which a body was replaced steps like a world of the new body,
// bit for bit, also if the body is kinematic, and that the old body's contacts are gone.
func TestReplaceBody(t *testing.T) {
	plank := cube(geom.Vec3{X: 2, Z: 0.5}, 0.4)
	plank.Half = geom.Vec3{X: 0.6, Y: 0.3, Z: 0.1}
	plank.Start.Linear = geom.Vec3{X: -2}
	for _, kinematic := range []bool{false, true} {
		want := sim.New(boxScene(cube(geom.Vec3{X: 1, Z: cubeHalf}, 0), plank), 60)
		got := sim.New(boxScene(cube(geom.Vec3{X: 1, Z: cubeHalf}, 0), cube(geom.Vec3{X: 1, Z: 3 * cubeHalf}, 0)), 60)
		start := got.Bodies()[0]
		for range 30 {
			got.Step()
		}
		want.SetKinematic(1, kinematic)
		got.SetKinematic(1, kinematic)
		got.ReplaceBody(1, &plank, plank.Start)
		got.DropContacts(0)
		got.SetBody(0, start)
		want.SetTick(got.Tick())
		if n := len(got.AppendContacts(nil, 1)); n != 0 {
			t.Errorf("%d contacts after the replacement", n)
		}
		for range 120 {
			want.Step()
			got.Step()
			for i := range want.Bodies() {
				if want.Bodies()[i] != got.Bodies()[i] {
					t.Fatalf("kinematic %v, tick %d, body %d: %+v, want %+v", kinematic, got.Tick(), i, got.Bodies()[i], want.Bodies()[i])
				}
			}
		}
	}
}

// TestReplaceBodyPanics checks that a body with sub-shapes neither replaces another nor is replaced.
func TestReplaceBodyPanics(t *testing.T) {
	whole, compound := cube(geom.Vec3{Z: 1}, 0), cube(geom.Vec3{X: 2, Z: 1}, 0)
	for _, x := range []float32{-0.4, 0.4} {
		compound.SubShapes = append(compound.SubShapes, sim.SubShape{Half: compound.Half, Density: 100, Pose: geom.Pose{Pos: geom.Vec3{X: x}, Rot: geom.Identity}})
	}
	for i, box := range []*sim.Box{&compound, &whole} {
		w := sim.New(boxScene(whole, compound), 60)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("body %d was replaced", i)
				}
			}()
			w.ReplaceBody(i, box, box.Start)
		}()
	}
}
