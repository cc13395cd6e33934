package predict_test

import (
	"slices"
	"testing"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
)

// arena returns a world of two players and small cubes, asleep, between them.
func arena(t testing.TB, at ...geom.Vec3) *predict.World {
	t.Helper()
	s, err := scene.Named("katamari:cubes=1:players=2")
	if err != nil {
		t.Fatal(err)
	}
	cube := s.Boxes[2]
	s.Boxes[0].Start.Pose.Pos, s.Boxes[1].Start.Pose.Pos = geom.Vec3{X: -5, Z: 0.75}, geom.Vec3{X: 5, Z: 0.75}
	s.Boxes = s.Boxes[:2]
	for _, p := range at {
		cube.Start.Pose.Pos = p
		s.Boxes = append(s.Boxes, cube)
	}
	return predict.NewWorld(s, 60)
}

// TestOwnershipSpreads checks that a player owns what it touches and what that touches, a sleeping
// body further with every tick, and nothing else.
func TestOwnershipSpreads(t *testing.T) {
	w := arena(t, geom.Vec3{X: -3, Z: 0.2}, geom.Vec3{X: -2.6, Z: 0.2}, geom.Vec3{X: -2.2, Z: 0.2}, geom.Vec3{X: 0, Y: 3, Z: 0.2})
	if got := w.Owners(); !slices.Equal(got, []int8{0, 1, sim.NoPlayer, sim.NoPlayer, sim.NoPlayer, sim.NoPlayer}) {
		t.Fatalf("at the start the owners are %v", got)
	}
	for range 120 {
		w.Step(sim.Input{Buttons: sim.Right})
		if w.Owners()[2] == 0 {
			break
		}
	}
	w.Step()
	w.Step()
	if got := w.Owners(); !slices.Equal(got, []int8{0, 1, 0, 0, 0, sim.NoPlayer}) {
		t.Errorf("after the touch the owners are %v", got)
	}
	if got := w.TouchedBy(); !slices.Equal(got, []int8{0, 1, 0, 0, 0, sim.NoPlayer}) {
		t.Errorf("the players who touch are %v", got)
	}
}

// TestOwnershipIsKept checks that the touch of another player neither takes an owned body nor spreads
// beyond it, and that the other player's pull leaves it alone.
func TestOwnershipIsKept(t *testing.T) {
	w := arena(t, geom.Vec3{X: 3.9, Z: 0.2}, geom.Vec3{X: 3.49, Z: 0.2})
	renew := func() {
		for i := 2; i < 4; i++ {
			w.SetOwner(i, sim.NoPlayer)
			w.SetOwner(i, 0)
		}
	}
	for i := 2; i < 4; i++ {
		b := w.Bodies()[i]
		b.Asleep = false
		w.SetBody(i, b)
	}
	for range 90 {
		renew()
		w.Step(sim.Input{}, sim.Input{Buttons: sim.Left})
	}
	if w.Bodies()[3].Pose.Pos.X > 3.47 {
		t.Fatal("the push did not arrive")
	}
	if got := w.Owners()[2:]; !slices.Equal(got, []int8{0, 0}) {
		t.Errorf("the owners are %v", got)
	}

	w = arena(t, geom.Vec3{X: 3.5, Z: 0.2})
	w.SetOwner(2, 0)
	before := w.Bodies()[2].Pose
	for range 10 {
		w.Step(sim.Input{}, sim.Input{Buttons: sim.Pull})
	}
	if w.Bodies()[2].Pose != before {
		t.Error("a player pulled another player's body")
	}
	w.SetOwner(2, sim.NoPlayer)
	for range 10 {
		w.Step(sim.Input{}, sim.Input{Buttons: sim.Pull})
	}
	if w.Bodies()[2].Pose == before {
		t.Error("a player did not pull a body without an owner")
	}
}

// TestOwnershipIsReleased checks that a body is released once it sleeps and has not been touched for
// 100 ticks, and not before.
func TestOwnershipIsReleased(t *testing.T) {
	w := arena(t, geom.Vec3{X: -3.6, Z: 0.2})
	for w.Owners()[2] != 0 {
		w.Step(sim.Input{Buttons: sim.Right})
	}
	untouched := 0
	for range 1000 {
		w.Step(sim.Input{Buttons: sim.Left})
		if w.TouchedBy()[2] == 0 {
			untouched = 0
			continue
		}
		untouched++
		if w.Owners()[2] == sim.NoPlayer {
			break
		}
	}
	if untouched <= 100 || !w.Bodies()[2].Asleep || w.Owners()[2] != sim.NoPlayer {
		t.Errorf("after %d ticks without a touch the owner is %d, asleep %t", untouched, w.Owners()[2], w.Bodies()[2].Asleep)
	}
}

// TestJointsSpreadOwnership checks that the player who touches one of two jointed bodies owns both,
// with one player and with two.
func TestJointsSpreadOwnership(t *testing.T) {
	for _, spec := range []string{"katamari:cubes=2", "katamari:cubes=2:players=2"} {
		s, err := scene.Named(spec)
		if err != nil {
			t.Fatal(err)
		}
		a := s.Players
		for i, at := range []geom.Vec3{{Z: 0.75}, {X: 20, Z: 0.75}}[:a] {
			s.Boxes[i].Start.Pose.Pos = at
		}
		s.Boxes[a].Start.Pose.Pos, s.Boxes[a+1].Start.Pose.Pos = geom.Vec3{X: 1.2, Z: 0.2}, geom.Vec3{X: 1.7, Z: 0.2}
		s.Joints = []sim.Joint{{A: a, B: a + 1, Anchor: geom.Vec3{X: 1.45, Z: 0.2}, Axis: geom.Vec3{Z: 1}}}
		w := predict.NewWorld(s, 60)
		for range 45 {
			w.Step(sim.Input{Buttons: sim.Right})
		}
		if o := w.Owners(); o[a] != 0 || o[a+1] != 0 {
			t.Errorf("%s: the owners are %v", spec, o)
		}
	}
}
