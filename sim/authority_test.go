package sim

import (
	"slices"
	"testing"

	"ghostcube/sim/geom"
)

// arena is a scene of two players and cubes between them.
func arena(at ...geom.Vec3) Scene {
	s := baseScene()
	s.Players = 2
	s.Boxes = []Box{playerBox(geom.Vec3{X: -5, Z: playerHalf}), playerBox(geom.Vec3{X: 5, Z: playerHalf})}
	for _, p := range at {
		s.Boxes = append(s.Boxes, cube(p, 0))
	}
	return s
}

// TestAuthoritySpreads says that a player has authority over what it touches
// and what that touches, a sleeper further with every tick, and over nothing
// else.
func TestAuthoritySpreads(t *testing.T) {
	w := New(arena(geom.Vec3{X: -3, Z: 0.2}, geom.Vec3{X: -2.6, Z: 0.2}, geom.Vec3{X: -2.2, Z: 0.2}, geom.Vec3{X: 0, Y: 3, Z: 0.2}), 60)
	if got := w.Owners(); !slices.Equal(got, []int8{0, 1, NoPlayer, NoPlayer, NoPlayer, NoPlayer}) {
		t.Fatalf("at first the owners are %v", got)
	}
	for range 120 {
		w.Step(Input{Buttons: Right})
		if w.Owners()[2] == 0 {
			break
		}
	}
	w.Step()
	w.Step()
	if got := w.Owners(); !slices.Equal(got, []int8{0, 1, 0, 0, 0, NoPlayer}) {
		t.Errorf("after the touch the owners are %v", got)
	}
	if got := w.TouchedBy(); !slices.Equal(got, []int8{0, 1, 0, 0, 0, NoPlayer}) {
		t.Errorf("touched are %v", got)
	}
}

// TestAuthorityIsNotTaken says that what one player has, another's touch does
// not take, nor its pull move, and that it stops the spread to what lies
// behind it.
func TestAuthorityIsNotTaken(t *testing.T) {
	w := New(arena(geom.Vec3{X: 3.9, Z: 0.2}, geom.Vec3{X: 3.49, Z: 0.2}), 60)
	for i := range w.state.owner {
		if i >= 2 {
			w.state.owner[i] = 0 // the first player has just had them
		}
	}
	w.wakeBody(2)
	w.wakeBody(3)
	for range 90 {
		w.Step(Input{}, Input{Buttons: Left})
		w.state.idleTicks[2], w.state.idleTicks[3] = 0, 0
	}
	if w.Bodies()[3].Pose.Pos.X > 3.47 {
		t.Fatal("the push did not arrive")
	}
	if got := w.Owners()[2:]; !slices.Equal(got, []int8{0, 0}) {
		t.Errorf("the owners are %v", got)
	}

	w = New(arena(geom.Vec3{X: 3.5, Z: 0.2}), 60)
	w.state.owner[2] = 0
	before := w.Bodies()[2].Pose
	for range 10 {
		w.Step(Input{}, Input{Buttons: Pull})
	}
	if w.Bodies()[2].Pose != before {
		t.Error("another player's cube was pulled")
	}
	w.state.owner[2] = NoPlayer
	for range 10 {
		w.Step(Input{}, Input{Buttons: Pull})
	}
	if w.Bodies()[2].Pose == before {
		t.Error("nobody's cube was not pulled")
	}
}

// TestAuthorityIsReleased says that a body goes back to nobody once it sleeps and
// has not been touched for a hundred ticks, and not before.
func TestAuthorityIsReleased(t *testing.T) {
	w := New(arena(geom.Vec3{X: -3.6, Z: 0.2}), 60)
	for w.Owners()[2] != 0 {
		w.Step(Input{Buttons: Right})
	}
	untouched := 0
	for range 1000 {
		w.Step(Input{Buttons: Left})
		if w.TouchedBy()[2] == 0 {
			untouched = 0
			continue
		}
		untouched++
		if w.Owners()[2] == NoPlayer {
			break
		}
	}
	if untouched < 101 || !w.Bodies()[2].Asleep || w.Owners()[2] != NoPlayer {
		t.Errorf("after %d ticks without a touch the owner is %d, asleep %t", untouched, w.Owners()[2], w.Bodies()[2].Asleep)
	}
}
