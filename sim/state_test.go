package sim

import (
	"fmt"
	"reflect"
	"testing"

	"ghostcube/sim/geom"
)

// hashScene is a player beside a stack of cubes, and a bar on a hinge with limits and a motor.
func hashScene() Scene {
	box := func(at geom.Vec3, half float32) Box {
		return Box{Half: geom.Vec3{X: half, Y: half, Z: half}, Density: 1, Friction: 1, Start: Body{Pose: geom.Pose{Pos: at, Rot: geom.Identity}}}
	}
	s := Scene{Players: 1, Gravity: 20, Damping: 0.6, MaxLinearSpeed: 32, MaxAngularSpeed: 16, HalfWidth: 256, Height: 32}
	s.Boxes = append(s.Boxes, box(geom.Vec3{Z: 0.75}, 0.75))
	for i := range 5 {
		s.Boxes = append(s.Boxes, box(geom.Vec3{X: 3, Z: 0.2 + 0.4*float32(i)}, 0.2))
	}
	s.Boxes = append(s.Boxes, box(geom.Vec3{X: 8.5, Z: 5}, 0.5))
	s.Joints = []Joint{{A: WorldBody, B: 6, Hinge: true, Anchor: geom.Vec3{X: 8, Z: 5}, Axis: geom.Vec3{Y: 1},
		LowerAngle: -0.5, UpperAngle: 0.5, MotorSpeed: 1, MaxMotorTorque: 0.1}}
	return s
}

// TestHashSeesEveryField checks that the smallest change of any field of the state changes the
// hash.
func TestHashSeesEveryField(t *testing.T) {
	w := New(hashScene(), 60)
	for range 90 {
		w.Step(Input{Buttons: Forward})
	}
	var s State
	w.Save(&s)
	s.uniteManifolds()
	if len(s.manifolds) == 0 {
		t.Fatal("there are no contacts")
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
	for i, f := range []func(l *jointImpulse) *float32{
		func(l *jointImpulse) *float32 { return &l.linearImpulse.X }, func(l *jointImpulse) *float32 { return &l.perpImpulse[0] },
		func(l *jointImpulse) *float32 { return &l.perpImpulse[1] },
		func(l *jointImpulse) *float32 { return &l.lowerImpulse }, func(l *jointImpulse) *float32 { return &l.upperImpulse },
		func(l *jointImpulse) *float32 { return &l.motorImpulse },
	} {
		change(fmt.Sprint("joint impulse ", i), func(s *State) { up(f(&s.jointImpulses[0])) }, false)
	}
	change("twist", func(s *State) { up(&s.manifolds[0].twistImpulse) }, false)
}

func nextUp(f float32) float32 {
	if f == 0 {
		return 1e-45
	}
	return f + f*1.2e-7
}

// TestStateBytes checks the sizes from which the memory of a state is computed.
func TestStateBytes(t *testing.T) {
	for _, c := range []struct {
		name  string
		got   int
		value any
	}{
		{"Body", bodyBytes, Body{}}, {"slow ticks", slowTicksBytes, uint16(0)},
		{"manifold", manifoldBytes, manifold{}}, {"jointImpulse", jointImpulseBytes, jointImpulse{}},
	} {
		if want := int(reflect.TypeOf(c.value).Size()); c.got != want {
			t.Errorf("%s: %d bytes, want %d", c.name, c.got, want)
		}
	}
	w := New(hashScene(), 60)
	empty := w.state.Bytes()
	for range 90 {
		w.Step()
	}
	if n, contacts := w.state.Bytes(), len(w.state.manifolds)+len(w.state.resting); contacts == 0 || n != empty+contacts*manifoldBytes {
		t.Errorf("%d bytes with %d contacts, %d without", n, contacts, empty)
	}
}
