package sim

import "testing"

// TestOneUlp says that the hash sees the smallest change of anything in the
// state, in the tick it happens.
func TestOneUlp(t *testing.T) {
	w := New(yardScene(), 60)
	for range 90 {
		w.Step(Input{Buttons: Forward})
	}
	var s State
	w.Save(&s)
	if len(s.manifolds) == 0 {
		t.Fatal("nothing touches")
	}
	b0, c0 := w.Hash()
	change := func(what string, f func(s *State), body bool) {
		t.Helper()
		var x State
		x.CopyFrom(&s)
		f(&x)
		w.Load(&x)
		if b, c := w.Hash(); (b != b0) != body || (c != c0) == body {
			t.Errorf("%s: bodies differ %t, cache differs %t", what, b != b0, c != c0)
		}
	}
	up := func(f *float32) { *f = nextUp(*f) }
	change("nothing but the tick", func(s *State) { s.Tick++ }, true)
	change("position", func(s *State) { up(&s.Bodies[3].Pose.Pos.Y) }, true)
	change("rotation", func(s *State) { up(&s.Bodies[3].Pose.Rot.W) }, true)
	change("velocity", func(s *State) { up(&s.Bodies[0].Linear.Z) }, true)
	change("spin", func(s *State) { up(&s.Bodies[0].Angular.X) }, true)
	change("sleep", func(s *State) { s.Bodies[5].Asleep = !s.Bodies[5].Asleep }, true)
	change("rest", func(s *State) { s.slowTicks[0]++ }, true)
	change("impulse", func(s *State) { up(&s.manifolds[0].points[0].normalImpulse) }, false)
	change("gap", func(s *State) { up(&s.manifolds[0].points[0].separation) }, false)
	change("friction", func(s *State) { up(&s.manifolds[0].frictionImpulse.X) }, false)
	change("twist", func(s *State) { up(&s.manifolds[0].twistImpulse) }, false)
}

func nextUp(f float32) float32 {
	if f == 0 {
		return 1e-45
	}
	return f + f*1.2e-7
}
