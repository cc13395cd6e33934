package frame

import (
	"testing"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
)

func defaultRules() (r Rules) {
	r.Declare(&predict.Knobs{})
	return r
}

// roomCandidate is a vessel of carrier i, a box of so many metres about the origin.
func roomCandidate(i int, half float32) Candidate {
	h := geom.Vec3{X: half, Y: half, Z: half}
	return Candidate{Carrier: i, Body: -1, Lower: h.Neg(), Upper: h}
}

// frameAt is the frame of something that is at x and goes v m/s along x.
func frameAt(x, v float32) Frame {
	return OfBody(&sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: x}, Rot: geom.Identity}, Linear: geom.Vec3{X: v}})
}

// bodyAt is one at x that goes v m/s.
func bodyAt(x, v float32) *sim.Body {
	return &sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: x}, Rot: geom.Identity}, Linear: geom.Vec3{X: v}}
}

// TestSelector goes through the rule: contact before boxes, the ground before them too, the
// largest of several, similar velocities only, and what is touched whatever its velocity.
func TestSelector(t *testing.T) {
	vessels := []Candidate{roomCandidate(0, 2), roomCandidate(1, 5), roomCandidate(2, 3)}
	touch := func(carriers ...int) (list []sim.Contact) {
		for _, c := range carriers {
			list = append(list, sim.Contact{Body: -1, Carrier: c})
		}
		return list
	}
	for _, c := range []struct {
		what    string
		frames  []Frame
		touches []sim.Contact
		body    *sim.Body
		turn    func(*Rules)
		want    int
	}{
		{"in none", []Frame{frameAt(50, 0), frameAt(-50, 0), frameAt(90, 0)}, nil, bodyAt(0, 0), nil, NoParent},
		{"in one", []Frame{frameAt(1, 0), frameAt(-50, 0), frameAt(90, 0)}, nil, bodyAt(0, 0), nil, 0},
		{"in all: the largest", []Frame{frameAt(0, 0), frameAt(0, 0), frameAt(0, 0)}, nil, bodyAt(0, 0), nil, 1},
		{"in two: the larger", []Frame{frameAt(0, 0), frameAt(50, 0), frameAt(0, 0)}, nil, bodyAt(0, 0), nil, 2},
		{"in the margin", []Frame{frameAt(2.9, 0), frameAt(50, 0), frameAt(90, 0)}, nil, bodyAt(0, 0), nil, 0},
		{"beyond it", []Frame{frameAt(3.1, 0), frameAt(50, 0), frameAt(90, 0)}, nil, bodyAt(0, 0), nil, NoParent},
		{"it only passes by", []Frame{frameAt(50, 0), frameAt(0, 50), frameAt(90, 0)}, nil, bodyAt(0, 0), nil, NoParent},
		{"both go 50 m/s", []Frame{frameAt(50, 0), frameAt(0, 50), frameAt(90, 0)}, nil, bodyAt(0, 48), nil, 1},
		{"the largest passes by, a smaller goes along", []Frame{frameAt(0, 4), frameAt(0, 50), frameAt(90, 0)}, nil, bodyAt(0, 3), nil, 0},
		{"touched, though smaller than what it is in", []Frame{frameAt(0, 0), frameAt(0, 0), frameAt(90, 0)}, touch(0), bodyAt(0, 0), nil, 0},
		{"touched at another speed", []Frame{frameAt(0, 50), frameAt(90, 0), frameAt(90, 0)}, touch(0), bodyAt(0, 0), nil, 0},
		{"two touched: the larger", []Frame{frameAt(0, 0), frameAt(9, 0), frameAt(0, 0)}, touch(0, 2), bodyAt(0, 0), nil, 2},
		{"on the ground, in a box", []Frame{frameAt(0, 0), frameAt(0, 0), frameAt(0, 0)}, touch(-1), bodyAt(0, 0), nil, NoParent},
		{"on the ground and on a vessel", []Frame{frameAt(0, 0), frameAt(0, 0), frameAt(0, 0)}, touch(-1, 0), bodyAt(0, 0), nil, 0},
		{"on another body, in a box", []Frame{frameAt(0, 0), frameAt(9, 0), frameAt(9, 0)}, []sim.Contact{{Body: 7, Carrier: -1}}, bodyAt(0, 0), nil, 0},
		{"contacts do not count", []Frame{frameAt(0, 0), frameAt(0, 0), frameAt(90, 0)}, touch(0), bodyAt(0, 0), func(r *Rules) { r.Contact = false }, 1},
		{"boxes do not count", []Frame{frameAt(0, 0), frameAt(0, 0), frameAt(90, 0)}, nil, bodyAt(0, 0), func(r *Rules) { r.Box = false }, NoParent},
	} {
		r := defaultRules()
		if c.turn != nil {
			c.turn(&r)
		}
		choice := NewSelector()
		s := Surroundings{Candidates: vessels, Frames: c.frames, Touches: c.touches, Body: c.body}
		for range r.SwitchTicks {
			choice.Update(&r, &s)
		}
		if choice.Current != c.want {
			t.Errorf("%s: %d, want %d", c.what, choice.Current, c.want)
		}
	}
}

// TestHysteresis says that a parent by its box is taken after so many ticks in a row, one
// by contact at once; that a parent is kept in a wider box and at a velocity that differs
// more; that it is left after so many ticks; and that what is wanted by turns is not
// changed.
func TestHysteresis(t *testing.T) {
	r := defaultRules()
	vessels := []Candidate{roomCandidate(0, 2), roomCandidate(1, 2)}
	frames := []Frame{frameAt(0, 0), frameAt(20, 0)}
	c := NewSelector()
	look := func(b *sim.Body, touches ...sim.Contact) bool {
		return c.Update(&r, &Surroundings{Candidates: vessels, Frames: frames, Touches: touches, Body: b})
	}
	for i := 1; i < r.SwitchTicks; i++ {
		if look(bodyAt(0, 0)) {
			t.Fatalf("it is taken after %d ticks", i)
		}
	}
	if !look(bodyAt(0, 0)) || c.Current != 0 {
		t.Fatal("it is not taken")
	}
	for range 60 {
		if look(bodyAt(5.9, 0)) || look(bodyAt(0, 12.4)) {
			t.Fatal("it is left near its box")
		}
	}
	for i := range 60 { // out of it, but never for long
		if i%r.SwitchTicks != 0 && look(bodyAt(6.1, 0)) || i%r.SwitchTicks == 0 && look(bodyAt(0, 0)) {
			t.Fatal("it is left too soon")
		}
	}
	look(bodyAt(0, 0))
	left := 0
	for c.Current == 0 {
		look(bodyAt(6.1, 0))
		left++
	}
	if left != r.SwitchTicks || c.Current != NoParent {
		t.Errorf("left after %d ticks for %d", left, c.Current)
	}
	if !look(bodyAt(20, 30), sim.Contact{Body: -1, Carrier: 1}) || c.Current != 1 {
		t.Error("a contact is not taken at once")
	}
	if look(bodyAt(20, 0), sim.Contact{Body: -1, Carrier: 0}, sim.Contact{Body: -1, Carrier: 1}) {
		t.Error("who touches its parent changes it at once")
	}
	c.Set(0)
	if !look(bodyAt(20, 0), sim.Contact{Body: -1, Carrier: 1}) {
		t.Error("who touches another one and not its parent does not change at once")
	}
}

// movingFrames are frames that are somewhere, turned, and under way.
func movingFrames(t *testing.T) []Frame {
	s, err := scene.Named("ship:distance=530")
	if err != nil {
		t.Fatal(err)
	}
	table, err := scene.Named("turntable:rpm=30")
	if err != nil {
		t.Fatal(err)
	}
	return []Frame{
		{},
		OfCarrier(predict.NewWorld(s, 60), 0, sim.Tick(1080).Moment()+999),
		OfCarrier(predict.NewWorld(table, 60), 0, sim.Tick(777).Moment()+333),
		OfBody(&sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 100, Y: -50, Z: 3}, Rot: geom.AxisAngle(geom.Vec3{X: 0.6, Z: 0.8}, 2)}, Linear: geom.Vec3{X: 9, Z: -4}, Angular: geom.Vec3{X: 1, Y: 2, Z: -1}}),
	}
}

// stateDistance says how far two bodies are apart in anything.
func stateDistance(a, b *sim.Body) float32 {
	d := predict.Diff(a, b)
	return max(d.Position, d.Rotation, d.Linear, d.Angular)
}

// TestRoundTrip says that a body is the same within 1e-4 in metres, radians and per
// second after it has been taken into a frame and out again.
func TestRoundTrip(t *testing.T) {
	for i, f := range movingFrames(t) {
		b := sim.Body{Pose: geom.Pose{Pos: f.Pose.Pos.Add(geom.Vec3{X: 3, Y: 2, Z: 1}), Rot: geom.AxisAngle(geom.Vec3{Y: 1}, 1)}, Linear: geom.Vec3{X: 5, Y: -3}, Angular: geom.Vec3{Z: 4}}
		own := f.ToLocal(&b)
		if back := f.ToWorld(&own); stateDistance(&b, &back) > 1e-4 {
			t.Errorf("frame %d: %+v comes back as %+v", i, b, back)
		}
		seen := f.Relative(&b)
		back := f.ToWorld(&seen)
		f.AddVelocity(&back, 1)
		if stateDistance(&b, &back) > 1e-4 {
			t.Errorf("frame %d: %+v, seen, comes back as %+v", i, b, back)
		}
	}
}

// TestPassengerRests says that a body that a vessel carries is at the same place of it, with
// no velocity, in every tick: through rotation and translation, as it is moved along and
// as a world has it there.
func TestPassengerRests(t *testing.T) {
	s, err := scene.Named("turntable:rpm=20")
	if err != nil {
		t.Fatal(err)
	}
	s.Carriers[0].Path.Travel, s.Carriers[0].Path.TravelSeconds = geom.Vec3{X: 40, Y: 10}, 9
	w := predict.NewWorld(s, 60)
	start := geom.Pose{Pos: geom.Vec3{X: 3, Y: 1, Z: 1}, Rot: geom.AxisAngle(geom.Vec3{X: 1}, 0.3)}
	p := start
	f := OfCarrier(w, 0, 0)
	b := sim.Body{Pose: p}
	own := f.ToLocal(&b)
	for tick := sim.Tick(1); tick < 1000; tick++ {
		next := OfCarrier(w, 0, tick.Moment())
		p, _ = f.MoveAlong(&next, p)
		want := s.Carriers[0].Path.Pose(start, tick, 60)
		if d := p.Pos.Sub(want.Pos).Len(); d > 1e-3 || p.Rot.Mul(want.Rot.Inverse()).Angle() > 2e-3 {
			t.Fatalf("tick %d: it is at %v, want %v", tick, p, want)
		}
		b = sim.Body{Pose: want, Linear: next.PointVelocity(want.Pos), Angular: next.AngularVelocity()}
		seen := next.Relative(&b)
		if d := predict.Diff(&seen, &own); d.Position > 1e-4 || d.Linear > 1e-4 || d.Angular > 1e-4 {
			t.Fatalf("tick %d: the vessel sees it at %+v, it began at %+v", tick, seen, own)
		}
		f = next
	}
}

// TestExtrapolate says that a vessel goes on as it does: a table on its circle, a ship straight
// on, and a body that turns as it flies about its own middle.
func TestExtrapolate(t *testing.T) {
	s, err := scene.Named("turntable:rpm=15")
	if err != nil {
		t.Fatal(err)
	}
	s.Carriers[0].Path.Centre = geom.Vec3{X: 5, Y: -3}
	w := predict.NewWorld(s, 60)
	f, want := OfCarrier(w, 0, sim.Tick(100).Moment()), OfCarrier(w, 0, sim.Tick(130).Moment())
	got := f.Extrapolate(0.5)
	if got.Pose.Pos.Sub(want.Pose.Pos).Len() > 0.02 || got.Pose.Rot.Mul(want.Pose.Rot.Inverse()).Angle() > 1e-3 {
		t.Errorf("the table is at %v, want %v", got.Pose, want.Pose)
	}
	ship := frameAt(100, 50)
	if got := ship.Extrapolate(0.3); got.Pose.Pos.Sub(geom.Vec3{X: 115}).Len() > 1e-4 {
		t.Errorf("the ship is at %v", got.Pose.Pos)
	}
	body := OfBody(&sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 4}, Rot: geom.Identity}, Linear: geom.Vec3{Z: 2}, Angular: geom.Vec3{Z: 1}})
	if got := body.Extrapolate(0.5); got.Pose.Pos.Sub(geom.Vec3{X: 4, Z: 1}).Len() > 1e-4 || geom.Abs(got.Pose.Rot.Angle()-0.5) > 1e-4 {
		t.Errorf("the body is at %v", got.Pose)
	}
}
