package frame

import (
	"testing"

	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// TestFade checks that a handover of 16 m changes neither the place nor the speed of the picture suddenly, although the
// body is simulated elsewhere and at another speed at once; that a correction meanwhile does not move the picture
// either; and that nothing of it is left in the end.
func TestFade(t *testing.T) {
	const length, rate = 72, 60
	for _, correction := range []geom.Vec3{{}, {X: 0.8, Z: -0.3}} {
		var f fade
		before, after := geom.Vec3{X: 50}, geom.Vec3{X: 46, Y: 3} // m/s
		body := geom.Pose{Pos: geom.Vec3{X: -16}, Rot: geom.Identity}
		f.begin(geom.Pose{Rot: geom.Identity}, body, before.Sub(after), length, rate)
		last, step := geom.Vec3{}, before.Scale(1.0/rate)
		if at := f.apply(body).Pos; at.Len() > 1e-4 {
			t.Fatalf("it begins at %v", at)
		}
		for i := range length {
			f.advance()
			body.Pos = body.Pos.AddScaled(1.0/rate, after)
			if i == 20 {
				drawn := body
				body.Pos = body.Pos.Add(correction)
				if !f.absorb(drawn, body) {
					t.Fatal("a correction is not absorbed")
				}
			}
			at := f.apply(body).Pos
			if d := at.Sub(last).Sub(step).Len(); d > 0.025 {
				t.Errorf("tick %d, correction %v: a step differs by %v m from the last", i, correction, d)
			}
			last, step = at, at.Sub(last)
		}
		if f != (fade{}) || f.apply(body) != body {
			t.Errorf("%+v is left", f)
		}
	}
	late := fade{offset: smoothing.ErrorOffset{Pos: geom.Vec3{X: 1}}, ticks: 9, length: 10, rate: 60}
	if before := late; late.absorb(geom.Pose{Pos: geom.Vec3{X: 1}}, geom.Pose{}) || late != before {
		t.Error("the end of a handover absorbs a correction, enlarged")
	}
	var none fade
	if p := (geom.Pose{Rot: geom.Identity}); none.absorb(p, p) || none.apply(p) != p {
		t.Error("without a handover it absorbs a correction, or moves the picture")
	}
}

// TestMotion checks that a candidate whose pilot holds a key is expected where it will be a quarter of a second after
// the newest snapshot, that one which stops accelerating is expected to keep its speed soon, and that a hit is no
// acceleration.
func TestMotion(t *testing.T) {
	const rate, acceleration = 60, 12
	var m motion
	at, speed := float32(0), float32(0)
	next := func(by float32) {
		speed += by / rate
		at += speed / rate
		f := frameAt(at, speed)
		m.add(m.tick+1, &f, rate)
	}
	m.tick = 100
	for range 40 {
		next(acceleration)
	}
	expected := m.at(0.25)
	for range 15 {
		next(acceleration)
	}
	if off := geom.Abs(expected.Pose.Pos.X - at); off > 0.03 {
		t.Errorf("while it accelerates it is expected %v m off", off)
	}
	for range 20 {
		next(0)
	}
	expected = m.at(0.25)
	for range 15 {
		next(0)
	}
	if off := geom.Abs(expected.Pose.Pos.X - at); off > 0.03 {
		t.Errorf("when it has stopped to accelerate it is expected %v m off", off)
	}
	if next(30 * rate); m.acceleration != (geom.Vec3{}) {
		t.Errorf("a hit accelerates it by %v", m.acceleration)
	}
}

// TestHeading checks that an input points where it will when the server uses it: in a parent that turns at 0.8 rad/s and
// is drawn a quarter of a second earlier, by 0.21 rad to the right, as seen from the parent, to 1/1000 rad. The input of
// a rider is another player's.
func TestHeading(t *testing.T) {
	for _, isPlayer := range []bool{true, false} {
		env := predicttest.NewEnv(predicttest.Scene(t, "ship:players=2"), 60, 0)
		p := &Parent{env: env, candidates: Candidates(env.World.Scene()), motions: make([]motion, 1)}
		shown := OfBody(&sim.Body{Pose: geom.Pose{Rot: geom.Identity}, Angular: geom.Vec3{Z: 0.8}})
		p.motions[0].add(100, &shown, 60)
		p.SetTickOffset(10)
		p.state.selector.Set(0)
		w := env.World.World
		w.SetTick(105)
		w.SetBody(0, sim.Body{Pose: geom.Pose{Pos: geom.Vec3{Z: 20}, Rot: geom.Identity}})
		p.moveAlong(w, 0, &Passage{Before: shown, During: shown}, false, isPlayer)
		w.Step(sim.Input{Buttons: sim.Forward, Heading: 5})
		want := float32(5*geom.TwoPi/sim.HeadingSteps) - 0.8*16/60
		if !isPlayer {
			want += 0.8 * 16.0 / 60
		}
		v := w.Bodies()[0].Linear
		if got := geom.Atan2(-v.X, v.Y); geom.Abs(got-want) > 0.001 || v.Len() < 0.1 {
			t.Errorf("player %v: it flies to %.4f rad at %.2f m/s, want %.4f", isPlayer, got, v.Len(), want)
		}
	}
}

// TestStraightInTurningFrame checks that a body which flies freely at 5 m/s over a parent that turns at 0.8 rad/s and flies
// at 40 m/s has the same path in it as in the world, to three millimetres after 15 ticks. They come from the damping,
// which moves it within a tick.
func TestStraightInTurningFrame(t *testing.T) {
	env := predicttest.NewEnv(predicttest.Scene(t, "ship:players=2"), 60, 0)
	p := &Parent{env: env, candidates: Candidates(env.World.Scene()), motions: make([]motion, 1)}
	ship := sim.Body{Pose: geom.Pose{Pos: geom.Vec3{Z: 20}, Rot: geom.Identity}, Linear: geom.Vec3{X: 40}, Angular: geom.Vec3{Z: 0.8}}
	f := OfBody(&ship)
	p.motions[0].add(0, &f, 60)
	p.state.selector.Set(0)
	inFrame, inWorld := env.World.World, predicttest.NewEnv(predicttest.Scene(t, "ship:players=2"), 60, 0).World
	b := sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 1, Y: -2, Z: 24}, Rot: geom.Identity}, Linear: geom.Vec3{X: 43, Y: 4}}
	inWorld.SetBody(0, b)
	f.AddVelocity(&b, -1)
	inFrame.SetBody(0, b)
	for tick := range 15 {
		before, during := p.expected(0, sim.Tick(tick)), p.expected(0, sim.Tick(tick+1))
		p.moveAlong(inFrame, 0, &Passage{Before: before, During: during}, true, true)
		inFrame.Step()
		inWorld.Step()
		at, want := inFrame.Bodies()[0].Pose.Pos, inWorld.Bodies()[0].Pose.Pos
		if d := at.Sub(want).Len(); d > 0.003 {
			t.Fatalf("tick %d: %.4f m off", tick, d)
		}
	}
}
