package sim_test

import (
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// makeAllKinematic makes all bodies but the first kinematic.
func makeAllKinematic(w *sim.World) {
	for i := 1; i < len(w.Bodies()); i++ {
		w.SetKinematic(i, true)
	}
}

// briefPile is the pile of the tests below: three layers of it without GHOSTCUBE_CI.
func briefPile() string {
	if experiment.Brief() {
		return "pile:layers=3"
	}
	return "pile"
}

// TestKinematicBodiesDoNotMove checks that a player who runs into a kinematic pile, hovers over it
// and pulls at it does not move any of it by a bit, and penetrates it only as deep as soft contacts
// allow; and that a kinematic player ignores its input.
func TestKinematicBodiesDoNotMove(t *testing.T) {
	t.Parallel()
	pile := briefPile()
	w := newWorld(t, pile)
	makeAllKinematic(w)
	before := append([]sim.Body(nil), w.Bodies()...)
	dynamic := newWorld(t, pile)
	for range 600 {
		in := sceneInput("pile", w.Tick())
		if w.Tick() >= 240 {
			in.Buttons |= sim.Lift
		}
		w.Step(in)
		dynamic.Step(in)
		for i, b := range w.Bodies()[1:] {
			b.Asleep = before[i+1].Asleep
			if b != before[i+1] {
				t.Fatalf("tick %d: body %d moved", w.Tick(), i+1)
			}
		}
		if depth := w.KinematicPenetration(0); depth > 0.1 {
			t.Fatalf("tick %d: a penetration of %v m", w.Tick(), depth)
		}
	}
	if w.Bodies()[0].Pose == before[0].Pose || w.Bodies()[0].Pose == dynamic.Bodies()[0].Pose {
		t.Error("the player did not move, or moved as with a dynamic pile")
	}

	w = newWorld(t, "two-players")
	w.SetKinematic(1, true)
	at := w.Bodies()[1].Pose
	for range 60 {
		w.Step(sim.Input{}, sim.Input{Buttons: sim.Forward | sim.Lift})
	}
	if w.Bodies()[1].Pose != at || !w.IsKinematic(1) || w.IsKinematic(0) {
		t.Error("a kinematic player moves")
	}
}

// TestKinematicKeepsPose checks that kinematic bodies stay where SetBody and Load put them, asleep;
// that a copy of the world has them, too; and that bodies that become dynamic again behave to the
// bit as if they had never been kinematic.
func TestKinematicKeepsPose(t *testing.T) {
	w, never := newWorld(t, "katamari:cubes=9"), newWorld(t, "katamari:cubes=9")
	makeAllKinematic(w)
	w.Step()
	b := w.Bodies()[3]
	b.Pose.Pos.Z += 5
	b.Asleep = false
	w.SetBody(3, b)
	w.Step()
	if got := w.Bodies()[3]; got.Pose != b.Pose || !got.Asleep {
		t.Errorf("placed at %v, found at %v", b.Pose, got.Pose)
	}
	var s sim.State
	never.Save(&s)
	s.Bodies[3].Asleep = false
	w.Load(&s)
	w.Step()
	if w.Bodies()[3].Pose != s.Bodies[3].Pose {
		t.Error("the body falls after Load")
	}
	copied := newWorld(t, "katamari:cubes=9")
	copied.CopyFrom(w)
	for i := 1; i < len(w.Bodies()); i++ {
		if !copied.IsKinematic(i) {
			t.Error("not kinematic in a copy: body", i)
		}
		copied.SetKinematic(i, false)
	}
	never.Save(&s)
	copied.Load(&s)
	for range 300 {
		in := sceneInput("katamari", never.Tick())
		never.Step(in)
		copied.Step(in)
	}
	a, x := never.Hash()
	if c, y := copied.Hash(); a != c || x != y {
		t.Error("bodies that were kinematic diverge from others")
	}
}

// TestKinematicDropsMotion checks that bodies lose their velocity when they become kinematic, and
// that forces on them meanwhile have no effect when they become dynamic again.
func TestKinematicDropsMotion(t *testing.T) {
	t.Parallel()
	pile := briefPile()
	w, fresh := newWorld(t, pile), newWorld(t, pile)
	for range 120 {
		w.Step(sceneInput("pile", w.Tick()))
	}
	same := func(when string) {
		t.Helper()
		a, x := w.Hash()
		if b, y := fresh.Hash(); a != b || x != y {
			t.Fatal("the worlds differ", when)
		}
	}
	var s sim.State
	w.Save(&s)
	fresh.Load(&s)
	makeAllKinematic(w)
	makeAllKinematic(fresh)
	for range 120 {
		in := sim.Input{Buttons: sim.Forward | sim.Lift | sim.Pull}
		w.Step(in)
		fresh.Step(in)
		same("as kinematic bodies")
	}
	w.Save(&s)
	fresh = newWorld(t, pile)
	fresh.Load(&s)
	for i := 1; i < len(w.Bodies()); i++ {
		w.SetKinematic(i, false)
	}
	for range 120 {
		w.Step(sceneInput("pile", w.Tick()))
		fresh.Step(sceneInput("pile", w.Tick()-1))
		same("as dynamic bodies again")
	}
}

// BenchmarkKinematic is a step of katamari in which only the player is dynamic.
func BenchmarkKinematic(b *testing.B) {
	w := newWorld(b, "katamari")
	makeAllKinematic(w)
	b.ReportAllocs()
	for b.Loop() {
		w.Step(sceneInput("katamari", w.Tick()))
	}
}

// TestKinematicJoints checks that a kinematic body with joints stays in place, that its joints
// keep the bodies attached, and that all numbers stay finite.
func TestKinematicJoints(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"trailer", "walker", "seesaw"} {
		s := newScene(t, name)
		w := sim.New(s, 60)
		for range 60 {
			w.Step()
		}
		body := s.Joints[0].B
		w.SetKinematic(body, true)
		at := w.Bodies()[body].Pose
		for range 120 {
			w.Step(sim.Input{Buttons: sim.Forward})
			if w.Bodies()[body].Pose != at {
				t.Fatalf("%s: the kinematic body moves", name)
			}
			for i, b := range w.Bodies() {
				if !b.Pose.Pos.IsFinite() || !b.Linear.IsFinite() {
					t.Fatalf("%s: body %d is %+v", name, i, b)
				}
			}
		}
		for i := range s.Joints {
			if a, b := w.JointAnchors(i); a.Sub(b).Len() > 0.02 {
				t.Errorf("%s: joint %d has a separation of %v m", name, i, a.Sub(b).Len())
			}
		}
		w.SetKinematic(body, false)
		for range 60 {
			w.Step()
		}
	}
}

// TestKinematicPenetration checks the penetration depth with a kinematic body: 0 at a distance, the
// overlap after a placement, and 0 with dynamic bodies.
func TestKinematicPenetration(t *testing.T) {
	for _, c := range []struct {
		height, want float32
		kinematic    bool
	}{{1.5, 0, true}, {1.03, 0.12, true}, {1.03, 0, false}} {
		w := newWorld(t, "tower:height=1")
		w.SetKinematic(1, c.kinematic)
		b := w.Bodies()[0]
		b.Pose.Pos = w.Bodies()[1].Pose.Pos
		b.Pose.Pos.Z, b.Asleep = c.height, false
		w.SetBody(0, b)
		if w.KinematicPenetration(0) != 0 {
			t.Error("a penetration before the first step")
		}
		w.Step()
		if d := w.KinematicPenetration(0); geom.Abs(d-c.want) > 1e-3 {
			t.Errorf("height %v m, kinematic %v: a penetration of %v m, want %v", c.height, c.kinematic, d, c.want)
		}
		if w.KinematicPenetration(1) != 0 {
			t.Error("a kinematic body penetrates a dynamic one")
		}
	}
}
