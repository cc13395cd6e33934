package sim

import (
	"slices"
	"testing"

	"ghostcube/sim/geom"
)

// TestParentCandidates says what can carry a player's cube: carriers with the bounding box of all
// their boxes, and bodies whose bounding box is larger than that cube.
func TestParentCandidates(t *testing.T) {
	for _, c := range []struct {
		scene     string
		carriers  int
		bodies    []int
		low, high geom.Vec3 // of the first
	}{
		{"plain", 0, nil, geom.Vec3{}, geom.Vec3{}},
		{"katamari:cubes=9", 0, nil, geom.Vec3{}, geom.Vec3{}},
		{"turntable", 1, nil, geom.Vec3{X: -6, Y: -6, Z: -0.88}, geom.Vec3{X: 6, Y: 6, Z: 0.12}},
		{"ship", 1, nil, geom.Vec3{X: -5, Y: 2.5, Z: -0.88}, geom.Vec3{X: 5, Y: 9.5, Z: 1.12}},
		{"ship:platform=1", 2, nil, geom.Vec3{X: -5, Y: 2.5, Z: -0.88}, geom.Vec3{X: 5, Y: 9.5, Z: 1.12}},
		{"trailer", 0, []int{1}, geom.Vec3{X: -1.6, Y: -0.6, Z: -0.28}, geom.Vec3{X: 1.6, Y: 0.6, Z: 0.82}},
	} {
		s, err := SceneNamed(c.scene)
		if err != nil {
			t.Fatal(err)
		}
		list := s.ParentCandidates()
		var bodies []int
		for i, v := range list {
			if i >= c.carriers {
				bodies = append(bodies, v.Body)
			} else if v.Carrier != i || v.Body != -1 {
				t.Errorf("%s: vessel %d is %+v", c.scene, i, v)
			}
		}
		for _, b := range c.bodies {
			if !slices.Contains(bodies, b) {
				t.Errorf("%s: body %d is no vessel, %v are", c.scene, b, bodies)
			}
		}
		if len(c.bodies) == 0 && len(list) != c.carriers {
			t.Errorf("%s: %d vessels", c.scene, len(list))
		}
		if len(list) > 0 {
			if v := list[0]; v.Lower.Sub(c.low).Len() > 1e-4 || v.Upper.Sub(c.high).Len() > 1e-4 {
				t.Errorf("%s: from %v to %v", c.scene, v.Lower, v.Upper)
			}
		}
	}
}

// TestContacts says what a body is told to touch: the ground, the carrier it stands on,
// the cube it lies on; and nothing in the air.
func TestContacts(t *testing.T) {
	s := boxScene(boxOnFloor(0, 0, 0.2, 1), boxAt(0, 0, floorTop+0.6, 0.2, 1), boxAt(20, 0, 0.2, 0.2, 1), boxAt(-20, 0, 5, 0.2, 1))
	s.Carriers = []Carrier{{Path: Path{RPM: 1}, Boxes: []Box{carrierFloor(0, 0, 6, 6)}}}
	s.NoSleep = true
	w := New(s, 60)
	for range 30 {
		w.Step()
	}
	for i, want := range [][]Contact{{{1, -1}, {-1, 0}}, {{0, -1}}, {{-1, -1}}, nil} {
		if got := w.Contacts(nil, i); !slices.Equal(got, want) {
			t.Errorf("body %d touches %v, want %v", i, got, want)
		}
	}
	if n := testing.AllocsPerRun(10, func() { w.Contacts(make([]Contact, 0, 8), 0) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestCarrierVelocity says that what stands on a carrier has at the end of a tick the
// velocity that the carrier is said to have where it is: while that turns, and while it
// speeds up and slows down.
func TestCarrierVelocity(t *testing.T) {
	s := boxScene(spinWithTable(boxOnFloor(3, -1, cubeHalf, 1), 6))
	path := Path{RPM: 6, Travel: geom.Vec3{X: 30, Y: 10}, TravelSeconds: 8, WaitSeconds: 1}
	s.Carriers = []Carrier{{Path: path, Boxes: []Box{carrierFloor(0, 0, 6, 6)}}}
	w := New(s, 60)
	for range 9 * 60 {
		w.Step()
		if w.Tick() < 30 {
			continue
		}
		b := &w.Bodies()[0]
		v, spin, bend := w.CarrierVelocity(0, w.Tick().Moment())
		at := b.Pose.Pos
		v.X += -spin*at.Y + bend*at.X
		v.Y += spin*at.X + bend*at.Y
		if off := b.Linear.Sub(v).Len(); off > 0.003 {
			t.Fatalf("tick %d: it goes %v, the carrier %v", w.Tick(), b.Linear, v)
		}
		if off := geom.Abs(b.Angular.Z - spin); off > 0.003 {
			t.Fatalf("tick %d: it turns by %v, the carrier by %v", w.Tick(), b.Angular.Z, spin)
		}
	}
}
