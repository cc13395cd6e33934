package frame

import (
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// defaultRules returns the rules with a margin of 1 m and a speed of 5 m/s, for boxes of a few metres.
func defaultRules() (r Rules) {
	r.Declare(&predict.Knobs{})
	r.Margin, r.MaxRelativeSpeed = 1, 5
	return r
}

// roomCandidate returns a candidate for carrier i: a cube about the origin, with half extents in metres.
func roomCandidate(i int, half float32) Candidate {
	h := geom.Vec3{X: half, Y: half, Z: half}
	return Candidate{Carrier: i, Body: -1, Lower: h.Neg(), Upper: h}
}

// frameAt returns the frame of a body at x that moves along x at v m/s.
func frameAt(x, v float32) Frame {
	return OfBody(&sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: x}, Rot: geom.Identity}, Linear: geom.Vec3{X: v}})
}

// bodyAt returns a body at x that moves along x at v m/s.
func bodyAt(x, v float32) *sim.Body {
	return &sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: x}, Rot: geom.Identity}, Linear: geom.Vec3{X: v}}
}

// TestSelector checks the rules: contacts, also with the ground, come before boxes; the largest of
// several candidates is chosen; a box needs a similar velocity, and a contact does not.
func TestSelector(t *testing.T) {
	candidates := []Candidate{roomCandidate(0, 2), roomCandidate(1, 5), roomCandidate(2, 3)}
	touch := func(carriers ...int) (list []sim.Contact) {
		for _, c := range carriers {
			list = append(list, sim.Contact{Body: -1, Carrier: c, IsBelow: true})
		}
		return list
	}
	pushed, onCube := sim.Contact{Body: -1, Carrier: 0}, sim.Contact{Body: 7, Carrier: -1, IsBelow: true}
	for _, c := range []struct {
		name    string
		frames  []Frame
		touches []sim.Contact
		body    *sim.Body
		set     func(*Rules)
		want    int
	}{
		{"in none", []Frame{frameAt(50, 0), frameAt(-50, 0), frameAt(90, 0)}, nil, bodyAt(0, 0), nil, NoParent},
		{"in one", []Frame{frameAt(1, 0), frameAt(-50, 0), frameAt(90, 0)}, nil, bodyAt(0, 0), nil, 0},
		{"in all: the largest", []Frame{frameAt(0, 0), frameAt(0, 0), frameAt(0, 0)}, nil, bodyAt(0, 0), nil, 1},
		{"in two: the larger", []Frame{frameAt(0, 0), frameAt(50, 0), frameAt(0, 0)}, nil, bodyAt(0, 0), nil, 2},
		{"in the margin", []Frame{frameAt(2.9, 0), frameAt(50, 0), frameAt(90, 0)}, nil, bodyAt(0, 0), nil, 0},
		{"beyond it", []Frame{frameAt(3.1, 0), frameAt(50, 0), frameAt(90, 0)}, nil, bodyAt(0, 0), nil, NoParent},
		{"one passes by", []Frame{frameAt(50, 0), frameAt(0, 50), frameAt(90, 0)}, nil, bodyAt(0, 0), nil, NoParent},
		{"both move at about 50 m/s", []Frame{frameAt(50, 0), frameAt(0, 50), frameAt(90, 0)}, nil, bodyAt(0, 48), nil, 1},
		{"the largest passes by, a smaller one moves along", []Frame{frameAt(0, 4), frameAt(0, 50), frameAt(90, 0)}, nil, bodyAt(0, 3), nil, 0},
		{"touches a smaller one than the one that contains it", []Frame{frameAt(0, 0), frameAt(0, 0), frameAt(90, 0)}, touch(0), bodyAt(0, 0), nil, 0},
		{"touches one at another speed", []Frame{frameAt(0, 50), frameAt(90, 0), frameAt(90, 0)}, touch(0), bodyAt(0, 0), nil, 0},
		{"touches two: the larger", []Frame{frameAt(0, 0), frameAt(9, 0), frameAt(0, 0)}, touch(0, 2), bodyAt(0, 0), nil, 2},
		{"on the ground, in a box", []Frame{frameAt(0, 0), frameAt(0, 0), frameAt(0, 0)}, touch(-1), bodyAt(0, 0), nil, NoParent},
		{"on the ground and on a carrier", []Frame{frameAt(0, 0), frameAt(0, 0), frameAt(0, 0)}, touch(-1, 0), bodyAt(0, 0), nil, 0},
		{"on another body, in a box", []Frame{frameAt(0, 0), frameAt(9, 0), frameAt(9, 0)}, []sim.Contact{onCube}, bodyAt(0, 0), nil, 0},
		{"pushes one, on the ground", []Frame{frameAt(0, 0), frameAt(0, 0), frameAt(0, 0)}, append(touch(-1), pushed), bodyAt(0, 0), nil, NoParent},
		{"leans on one in the air", []Frame{frameAt(1, 0), frameAt(-50, 0), frameAt(90, 0)}, []sim.Contact{pushed}, bodyAt(0, 0), nil, 0},
		{"without the rule for contacts", []Frame{frameAt(0, 0), frameAt(0, 0), frameAt(90, 0)}, touch(0), bodyAt(0, 0), func(r *Rules) { r.Contact = false }, 1},
		{"without the rule for boxes", []Frame{frameAt(0, 0), frameAt(0, 0), frameAt(90, 0)}, nil, bodyAt(0, 0), func(r *Rules) { r.Box = false }, NoParent},
	} {
		r := defaultRules()
		if c.set != nil {
			c.set(&r)
		}
		choice := NewSelector()
		s := Surroundings{Candidates: candidates, Frames: c.frames, Touches: c.touches, Body: c.body}
		for range r.SwitchTicks {
			choice.Update(&r, &s)
		}
		if choice.Current != c.want {
			t.Errorf("%s: %d, want %d", c.name, choice.Current, c.want)
		}
	}
}

// TestHysteresis checks that a parent is adopted by its box after SwitchTicks in a row and by a contact
// at once; that the present parent has a larger box and speed limit; that it is left after SwitchTicks;
// and that alternating choices change nothing.
func TestHysteresis(t *testing.T) {
	r := defaultRules()
	candidates := []Candidate{roomCandidate(0, 2), roomCandidate(1, 2)}
	frames := []Frame{frameAt(0, 0), frameAt(20, 0)}
	c := NewSelector()
	update := func(b *sim.Body, touches ...sim.Contact) bool {
		return c.Update(&r, &Surroundings{Candidates: candidates, Frames: frames, Touches: touches, Body: b})
	}
	for i := 1; i < r.SwitchTicks; i++ {
		if update(bodyAt(0, 0)) {
			t.Fatalf("adopted after %d ticks", i)
		}
	}
	if !update(bodyAt(0, 0)) || c.Current != 0 {
		t.Fatal("not adopted")
	}
	for range 60 {
		if update(bodyAt(5.9, 0)) || update(bodyAt(0, 12.4)) {
			t.Fatal("left near its box")
		}
	}
	for i := range 60 { // outside of it, but never for SwitchTicks in a row
		if i%r.SwitchTicks != 0 && update(bodyAt(6.1, 0)) || i%r.SwitchTicks == 0 && update(bodyAt(0, 0)) {
			t.Fatal("left too soon")
		}
	}
	update(bodyAt(0, 0))
	ticks := 0
	for c.Current == 0 {
		update(bodyAt(6.1, 0))
		ticks++
	}
	if ticks != r.SwitchTicks || c.Current != NoParent {
		t.Errorf("left after %d ticks for %d", ticks, c.Current)
	}
	if !update(bodyAt(20, 30), sim.Contact{Body: -1, Carrier: 1, IsBelow: true}) || c.Current != 1 {
		t.Error("a contact is not adopted at once")
	}
	if update(bodyAt(20, 0), sim.Contact{Body: -1, Carrier: 0, IsBelow: true}, sim.Contact{Body: -1, Carrier: 1, IsBelow: true}) {
		t.Error("a body that touches its parent changes it at once")
	}
	c.Set(0)
	if !update(bodyAt(20, 0), sim.Contact{Body: -1, Carrier: 1, IsBelow: true}) {
		t.Error("a body that touches another candidate and not its parent does not change at once")
	}
}

// movingFrames returns the world's frame and those of moving, rotated parents.
func movingFrames(t *testing.T) []Frame {
	s := predicttest.Scene(t, "ship:distance=530")
	table := predicttest.Scene(t, "turntable:rpm=30")
	return []Frame{
		{},
		OfCarrier(predict.NewWorld(s, 60), 0, sim.Tick(1080).Moment()+999),
		OfCarrier(predict.NewWorld(table, 60), 0, sim.Tick(777).Moment()+333),
		OfBody(&sim.Body{
			Pose:    geom.Pose{Pos: geom.Vec3{X: 100, Y: -50, Z: 3}, Rot: geom.AxisAngle(geom.Vec3{X: 0.6, Z: 0.8}, 2)},
			Linear:  geom.Vec3{X: 9, Z: -4},
			Angular: geom.Vec3{X: 1, Y: 2, Z: -1},
		}),
	}
}

// stateDistance returns the largest difference between two states, in metres, radians and per second.
func stateDistance(a, b *sim.Body) float32 {
	d := predict.Diff(a, b)
	return max(d.Position, d.Rotation, d.Linear, d.Angular)
}

// TestRoundTrip checks that a body converted into a frame and back is the same within 1e-4 in metres,
// radians and per second.
func TestRoundTrip(t *testing.T) {
	for i, f := range movingFrames(t) {
		b := sim.Body{
			Pose:    geom.Pose{Pos: f.Pose.Pos.Add(geom.Vec3{X: 3, Y: 2, Z: 1}), Rot: geom.AxisAngle(geom.Vec3{Y: 1}, 1)},
			Linear:  geom.Vec3{X: 5, Y: -3},
			Angular: geom.Vec3{Z: 4},
		}
		local := f.ToLocal(&b)
		if back := f.ToWorld(&local); stateDistance(&b, &back) > 1e-4 {
			t.Errorf("frame %d: %+v comes back as %+v", i, b, back)
		}
		relative := f.Relative(&b)
		back := f.ToWorld(&relative)
		f.AddVelocity(&back, 1)
		if stateDistance(&b, &back) > 1e-4 {
			t.Errorf("frame %d: %+v, with velocities, comes back as %+v", i, b, back)
		}
	}
}

// TestPassengerRests checks that a body that a parent carries has the same relative position and no
// relative velocity in every tick, through rotation and translation, both if MoveAlong moves it and if
// the path of the carrier does.
func TestPassengerRests(t *testing.T) {
	s := predicttest.Scene(t, "turntable:rpm=20")
	s.Carriers[0].Path.Travel, s.Carriers[0].Path.TravelSeconds = geom.Vec3{X: 40, Y: 10}, 9
	w := predict.NewWorld(s, 60)
	start := geom.Pose{Pos: geom.Vec3{X: 3, Y: 1, Z: 1}, Rot: geom.AxisAngle(geom.Vec3{X: 1}, 0.3)}
	p := start
	f := OfCarrier(w, 0, 0)
	b := sim.Body{Pose: p}
	local := f.ToLocal(&b)
	for tick := sim.Tick(1); tick < 1000; tick++ {
		next := OfCarrier(w, 0, tick.Moment())
		p, _ = f.MoveAlong(&next, p)
		want := s.Carriers[0].Path.Pose(start, tick, 60)
		if d := p.Pos.Sub(want.Pos).Len(); d > 1e-3 || p.Rot.Mul(want.Rot.Inverse()).Angle() > 2e-3 {
			t.Fatalf("tick %d: it is at %v, want %v", tick, p, want)
		}
		b = sim.Body{Pose: want, Linear: next.PointVelocity(want.Pos), Angular: next.angular}
		relative := next.Relative(&b)
		if d := predict.Diff(&relative, &local); d.Position > 1e-4 || d.Linear > 1e-4 || d.Angular > 1e-4 {
			t.Fatalf("tick %d: relative to the parent it is %+v, at first %+v", tick, relative, local)
		}
		f = next
	}
}

// TestExtrapolate checks that a table is extrapolated along its circle, a ship along a line, and a
// flying body with a rotation about its own centre.
func TestExtrapolate(t *testing.T) {
	s := predicttest.Scene(t, "turntable:rpm=15")
	s.Carriers[0].Path.Centre = geom.Vec3{X: 5, Y: -3}
	w := predict.NewWorld(s, 60)
	f, want := OfCarrier(w, 0, sim.Tick(100).Moment()), OfCarrier(w, 0, sim.Tick(130).Moment())
	got := f.Extrapolate(0.5, geom.Vec3{})
	if got.Pose.Pos.Sub(want.Pose.Pos).Len() > 0.02 || got.Pose.Rot.Mul(want.Pose.Rot.Inverse()).Angle() > 1e-3 {
		t.Errorf("the table is at %v, want %v", got.Pose, want.Pose)
	}
	ship := frameAt(100, 50)
	if got := ship.Extrapolate(0.3, geom.Vec3{}); got.Pose.Pos.Sub(geom.Vec3{X: 115}).Len() > 1e-4 {
		t.Errorf("the ship is at %v", got.Pose.Pos)
	}
	faster := ship.Extrapolate(0.5, geom.Vec3{Y: 8})
	if v := faster.PointVelocity(geom.Vec3{}); faster.Pose.Pos.Sub(geom.Vec3{X: 125, Y: 1}).Len() > 1e-4 || v.Sub(geom.Vec3{X: 50, Y: 4}).Len() > 1e-4 {
		t.Errorf("the ship that accelerates is at %v, at %v", faster.Pose.Pos, v)
	}
	body := OfBody(&sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 4}, Rot: geom.Identity}, Linear: geom.Vec3{Z: 2}, Angular: geom.Vec3{Z: 1}})
	if got := body.Extrapolate(0.5, geom.Vec3{}); got.Pose.Pos.Sub(geom.Vec3{X: 4, Z: 1}).Len() > 1e-4 || geom.Abs(got.Pose.Rot.Angle()-0.5) > 1e-4 {
		t.Errorf("the body is at %v", got.Pose)
	}
}
