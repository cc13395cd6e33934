package hit

import (
	"testing"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// rig is a lag compensator and a world that is never stepped: body 1 moves north at 12 m/s, 0.2 m
// per tick, past the first player, who stands at (-6, 0) and looks east.
type rig struct {
	env      *predict.Env
	peers    []predict.Peer
	w        *predict.World
	lc       LagCompensator
	results  []predict.HitResult
	arriving []sim.Shot
}

func newRig(t testing.TB, knobs ...string) *rig {
	t.Helper()
	s := predicttest.Scene(t, "two-players")
	s.Boxes = s.Boxes[:2]
	r := &rig{env: predicttest.NewEnv(s, 60, 0)}
	r.w = r.env.World
	end, _ := link.Pair(&link.Network{}, 0)
	r.peers = []predict.Peer{{Player: 0, Endpoint: packet.NewEndpoint(end)}}
	r.env.OnHit = func(v *predict.HitResult) { r.results = append(r.results, *v) }
	r.lc.Declare(r.env)
	predicttest.SetKnobs(t, r.env.Knobs, knobs...)
	return r
}

func (r *rig) PopShots(int) []sim.Shot {
	list := r.arriving
	r.arriving = r.arriving[:0]
	return list
}

// targetAt returns the position of body 1 at a moment.
func targetAt(moment float32) geom.Vec3 {
	return geom.Vec3{X: 6, Y: float32(0.2*float32(moment/predict.SubticksPerTick)) - 20, Z: 0.75}
}

// tick runs a tick of the server in which some shots arrive.
func (r *rig) tick(shots ...sim.Shot) {
	b := r.w.Bodies()[1]
	b.Pose.Pos = targetAt(float32(r.w.Tick()) * predict.SubticksPerTick)
	r.w.SetBody(1, b)
	r.arriving = append(r.arriving, shots...)
	r.lc.Tick(r.w, nil, r.peers, r)
	r.w.SetTick(r.w.Tick() + 1)
}

func (r *rig) run(ticks int) {
	for range ticks {
		r.tick()
	}
}

// aimedShot returns a shot of the first player, aimed at the position of body 1 at one moment, with
// another moment as its view time.
func aimedShot(aimed float32, seen int64) sim.Shot {
	s := sim.Aim(targetAt(aimed).Sub(geom.Vec3{X: -6, Z: 0.75}))
	input.SetViewTime(&s, seen, 0)
	return s
}

// TestRewindsTargets checks that a shot at a body's past position hits in the past and misses in
// the present, and the other way round; that the past pose is that of the view time, between ticks;
// and that the knob decides which result counts.
func TestRewindsTargets(t *testing.T) {
	for _, on := range []string{"on", "off"} {
		r := newRig(t, "lag-compensation", on)
		r.run(100)
		seen := int64(88*predict.SubticksPerTick + 5) // at tick 100 that is 11 and 11/16 ticks ago
		r.tick(aimedShot(float32(seen), seen), aimedShot(100*predict.SubticksPerTick, seen))
		if len(r.results) != 2 {
			t.Fatalf("%d hit results", len(r.results))
		}
		v := &r.results[0]
		if v.Rewound.Hit.Body != 1 || v.Now.Hit.Body != sim.NoBody || v.Refused != predict.NotRefused || v.Tick != 100 || v.Age != 100*predict.SubticksPerTick-seen {
			t.Errorf("aimed at the past: %+v", v)
		}
		if d := v.TargetThen.Pos.Sub(targetAt(float32(seen))).Len(); d > 1e-4 {
			t.Errorf("the past pose is %v m off", d)
		}
		if d := v.TargetNow.Pos.Sub(targetAt(100 * predict.SubticksPerTick)).Len(); d > 1e-4 {
			t.Errorf("the present pose is %v m off", d)
		}
		if got := v.Body() == 1; got != (on == "on") {
			t.Errorf("lag-compensation %s: hit %v", on, got)
		}
		v = &r.results[1]
		if v.Rewound.Hit.Body != sim.NoBody || v.Now.Hit.Body != 1 || v.TargetBody() != 1 {
			t.Errorf("aimed at the present: %+v", v)
		}
		if got := v.Body() == 1; got != (on == "off") {
			t.Errorf("lag-compensation %s: hit %v", on, got)
		}
		m := r.env.Counters
		if m.Value("shots_resolved") != 2 || m.Value("shots_hit_rewound") != 1 || m.Value("shots_hit_now") != 1 || m.Value("shots_mismatched") != 2 {
			t.Errorf("%+v", m.All())
		}
		if got := m.Value("shots_target_moved_max_m"); got < 2.33 || got > 2.35 { // 11 11/16 ticks of 0.2 m
			t.Errorf("the target has moved %v m", got)
		}
	}
}

// TestTickFractions checks that a subtick matters: a shot just past the edge of a body hits or
// misses by the fraction alone.
func TestTickFractions(t *testing.T) {
	r := newRig(t, "hit-history", "1s")
	r.run(100)
	for part := range int64(predict.SubticksPerTick) {
		seen := 90*predict.SubticksPerTick + part
		// Just past the nearest corner, at its pose in the middle of the tick.
		s := aimedShot(0, seen)
		aim := sim.Aim(geom.Vec3{X: 11.25, Y: targetAt(90.5*predict.SubticksPerTick).Y - 0.75})
		s.Yaw, s.Pitch = aim.Yaw, aim.Pitch
		r.tick(s)
		v := &r.results[len(r.results)-1]
		if v.Refused != predict.NotRefused {
			t.Fatalf("%+v", v)
		}
		// The aim has steps of 1.7 cm there, and the body moves 1.25 cm in a subtick.
		if part < 7 && v.Rewound.Hit.Body != 1 || part > 9 && v.Rewound.Hit.Body != sim.NoBody {
			t.Errorf("%d subticks: %+v", part, v.Rewound.Hit)
		}
	}
}

// TestRefusesOldAndFuture checks that shots older than the history are refused, to the subtick,
// with histories of several lengths; that shots from the future wait for their time, and are
// refused if it is too far away; and that a refused shot hits nothing.
func TestRefusesOldAndFuture(t *testing.T) {
	for history, ticks := range map[string]int64{"300ms": 18, "0ms": 24, "1000ms": 60, "50ms": 3} {
		r := newRig(t, "hit-history", history)
		r.run(100)
		edge := (100 - ticks) * predict.SubticksPerTick
		r.tick(aimedShot(float32(edge), edge), aimedShot(float32(edge-1), edge-1))
		if len(r.results) != 2 {
			t.Fatalf("%s: %d results", history, len(r.results))
		}
		if v := &r.results[0]; v.Refused != predict.NotRefused || v.Body() != 1 {
			t.Errorf("history %s, at its edge: %+v", history, v)
		}
		if v := &r.results[1]; v.Refused != predict.TooOld || v.Body() != sim.NoBody {
			t.Errorf("history %s, beyond its edge: %+v", history, v)
		}
	}
	r := newRig(t)
	r.run(100)
	soon, far := int64(105*predict.SubticksPerTick), int64((101+maxAheadSeconds*60)*predict.SubticksPerTick)
	r.tick(aimedShot(float32(soon), soon), aimedShot(float32(far), far))
	if len(r.results) != 1 || r.results[0].Refused != predict.TooNew || r.results[0].Body() != sim.NoBody {
		t.Fatalf("%+v", r.results)
	}
	r.run(5)
	if len(r.results) != 2 || r.results[1].Tick != 105 || r.results[1].Age != 0 || r.results[1].Body() != 1 {
		t.Errorf("%+v", r.results)
	}
	young := newRig(t)
	young.run(3)
	young.tick(aimedShot(0, -2*predict.SubticksPerTick))
	if len(young.results) != 1 || young.results[0].Refused == predict.NotRefused {
		t.Errorf("a shot from before the session: %+v", young.results)
	}
}

// TestHistoryFollowsRoundTrip checks that a shot may be older than the round trip of its player's connection by the
// 400 ms that buffers may take, and no more; that a history that grows keeps what it has; and that none is longer than
// a second.
func TestHistoryFollowsRoundTrip(t *testing.T) {
	r := newRig(t)
	r.run(100)
	for _, c := range []struct {
		trip  time.Duration
		after int   // ticks with this round trip
		age   int64 // subticks; the oldest shot that is resolved
	}{
		{0, 1, 384}, {50 * time.Millisecond, 1, 432}, {260 * time.Millisecond, 40, 633},
		{time.Second, 60, 960}, {20 * time.Second, 60, 960},
	} {
		r.peers[0].Endpoint.Stats.RTT = c.trip
		r.run(c.after)
		edge := int64(r.w.Tick())*predict.SubticksPerTick - c.age
		r.results = r.results[:0]
		r.tick(aimedShot(float32(edge), edge), aimedShot(float32(edge-1), edge-1))
		if v := r.results; v[0].Refused != predict.NotRefused || v[0].Body() != 1 || v[0].MaxAge != c.age {
			t.Errorf("round trip %v, at the edge of the history: %+v", c.trip, v[0])
		}
		if v := r.results; v[1].Refused != predict.TooOld || v[1].Body() != sim.NoBody {
			t.Errorf("round trip %v, beyond the edge of the history: %+v", c.trip, v[1])
		}
	}
}

// TestShooterMoment checks that a ray starts at the server's pose of the shooter's cube: at the
// view time, or later by as much as the client drew that cube ahead; and that nothing in a shot can
// move it elsewhere.
func TestShooterMoment(t *testing.T) {
	r := newRig(t)
	own := func(t sim.Tick) geom.Vec3 { return geom.Vec3{X: -6 - 0.1*float32(t), Z: 0.75} }
	for range 101 {
		b := r.w.Bodies()[0]
		b.Pose.Pos = own(r.w.Tick())
		r.w.SetBody(0, b)
		if r.w.Tick() < 100 {
			r.tick()
			continue
		}
		s := sim.Aim(geom.Vec3{X: 1})
		s.HasViewTime, s.ViewTime = true, 90*predict.SubticksPerTick
		ahead := s
		ahead.Ahead = 7 * predict.SubticksPerTick
		r.tick(s, ahead)
	}
	for i, want := range []sim.Tick{90, 97} {
		v := &r.results[i]
		if d := v.Rewound.Origin.Sub(own(want)).Len(); d > 1e-4 {
			t.Errorf("shot %d starts %v m from the cube's past pose", i, d)
		}
		if d := v.Now.Origin.Sub(own(100)).Len(); d > 1e-4 {
			t.Errorf("shot %d starts %v m from the cube's present pose", i, d)
		}
	}
}

// TestShotsWithoutViewTime checks that a shot without a view time, such as that of a player at the
// server, is resolved in the present.
func TestShotsWithoutViewTime(t *testing.T) {
	r := newRig(t)
	r.run(50)
	s := aimedShot(50*predict.SubticksPerTick, 0)
	s.HasViewTime, s.ViewTime = false, 0
	b := r.w.Bodies()[1]
	b.Pose.Pos = targetAt(50 * predict.SubticksPerTick)
	r.w.SetBody(1, b)
	r.lc.Tick(r.w, []sim.Input{{Shot: s}, {}, {Shot: s}}, nil, r)
	if len(r.results) != 1 || r.results[0].Age != 0 || r.results[0].Rewound.Hit != r.results[0].Now.Hit || r.results[0].Body() != 1 {
		t.Errorf("%+v", r.results)
	}
}

// BenchmarkRecord measures a tick without a shot, in a world of 901 moving cubes.
func BenchmarkRecord(b *testing.B) {
	r := newLargeRig(b)
	for b.Loop() {
		r.lc.Record(r.w)
		r.w.SetTick(r.w.Tick() + 1)
	}
}

// BenchmarkShot measures a shot in the same world.
func BenchmarkShot(b *testing.B) {
	r := newLargeRig(b)
	s := sim.Aim(geom.Vec3{X: 1})
	input.SetViewTime(&s, int64(r.w.Tick())*predict.SubticksPerTick-37, 0)
	for b.Loop() {
		r.lc.AddShot(r.w, 0, s)
		r.lc.ResolvePending(r.w)
	}
}

func newLargeRig(b *testing.B) *rig {
	s := predicttest.Scene(b, "katamari")
	r := newRig(b)
	r.env.OnHit = nil
	r.w = predict.NewWorld(s, 60)
	r.env.World = r.w
	for t := range 60 {
		for i := range r.w.Bodies() {
			x := r.w.Bodies()[i]
			x.Pose.Pos.Z += 0.01
			x.Pose.Rot = geom.AxisAngle(geom.Vec3{Z: 1}, float32(t)*0.02)
			r.w.SetBody(i, x)
		}
		r.lc.Record(r.w)
		r.w.SetTick(r.w.Tick() + 1)
	}
	r.lc.Record(r.w)
	return r
}

// TestBehindCover checks that a target hit in the past is reported as shot around a corner if it is
// behind cover in the present, and not if it is in the open.
func TestBehindCover(t *testing.T) {
	for name, wall := range map[string]geom.Vec3{"covered": {X: 0, Y: -0.1, Z: 1}, "in the open": {X: 0, Y: 8, Z: 1}} {
		r := newRig(t)
		sc := *r.w.Scene()
		sc.Static = []sim.Box{{Half: geom.Vec3{X: 0.2, Y: 0.4, Z: 1}, Start: sim.Body{Pose: geom.Pose{Pos: wall, Rot: geom.Identity}}}}
		r.w = predict.NewWorld(sc, 60)
		r.env.World = r.w
		r.run(100)
		r.tick(aimedShot(85*predict.SubticksPerTick, 85*predict.SubticksPerTick)) // 3 m south of the line of fire
		if v := &r.results[0]; v.Body() != 1 || v.BehindCover != (name == "covered") {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
