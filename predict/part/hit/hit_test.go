package hit

import (
	"testing"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// rig is a judge, and a world that no step moves: body 1 goes north at 12 m/s, 0.2 m a
// tick, past the first player, who stands at -6, 0 and looks east.
type rig struct {
	env      *predict.Env
	w        *sim.World
	j        Judge
	verdicts []predict.HitResult
	came     []sim.Shot
}

func newRig(t testing.TB, knobs ...string) *rig {
	t.Helper()
	s, err := sim.SceneNamed("two-players")
	if err != nil {
		t.Fatal(err)
	}
	s.Boxes = s.Boxes[:2]
	r := &rig{w: sim.New(s, 60)}
	r.env = &predict.Env{World: r.w, Players: 2, Knobs: &predict.Knobs{}, Counters: &predict.Counters{}}
	r.env.OnHit = func(v *predict.HitResult) { r.verdicts = append(r.verdicts, *v) }
	r.j.Declare(r.env)
	for i := 0; i < len(knobs); i += 2 {
		if err := r.env.Knobs.Set(knobs[i], knobs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func (r *rig) Shots(int) []sim.Shot {
	list := r.came
	r.came = r.came[:0]
	return list
}

// at is where body 1 is at a moment.
func at(moment float32) geom.Vec3 {
	return geom.Vec3{X: 6, Y: float32(0.2*float32(moment/sim.SeenParts)) - 20, Z: 0.75}
}

// tick makes a tick of the server, in which some shots arrive.
func (r *rig) tick(shots ...sim.Shot) {
	b := r.w.Bodies()[1]
	b.Pose.Pos = at(float32(r.w.Tick()) * sim.SeenParts)
	r.w.SetBody(1, b)
	r.came = append(r.came, shots...)
	r.j.Tick(r.w, nil, []predict.Peer{{Seat: 0}}, r)
	r.w.SetTick(r.w.Tick() + 1)
}

func (r *rig) run(ticks int) {
	for range ticks {
		r.tick()
	}
}

// shot aims from the first player at where body 1 is at one moment, and claims to see
// another.
func shot(aimed float32, seen int64) sim.Shot {
	s := sim.Aim(at(aimed).Sub(geom.Vec3{X: -6, Z: 0.75}))
	s.Claimed, s.Seen = true, uint16(seen&(1<<sim.SeenBits-1))
	return s
}

// TestJudgesThePast says that a shot at where a body was is a hit in the past that it
// claims to show and a miss now, and the other way round; that the past is that of the
// moment, between ticks; and that the knob says which counts.
func TestJudgesThePast(t *testing.T) {
	for _, on := range []string{"on", "off"} {
		r := newRig(t, "lag-compensation", on)
		r.run(100)
		seen := int64(88*sim.SeenParts + 5) // at tick 100 that is 11 and 11/16 ticks ago
		r.tick(shot(float32(seen), seen), shot(100*sim.SeenParts, seen))
		if len(r.verdicts) != 2 {
			t.Fatalf("%d verdicts", len(r.verdicts))
		}
		v := &r.verdicts[0]
		if v.Rewound.Hit.Body != 1 || v.Now.Hit.Body != sim.NoBody || v.Refused != predict.NotRefused || v.Tick != 100 || v.Age != 100*sim.SeenParts-seen {
			t.Errorf("at the past: %+v", v)
		}
		if d := v.TargetThen.Pos.Sub(at(float32(seen))).Len(); d > 1e-4 {
			t.Errorf("the past is %v m beside", d)
		}
		if d := v.TargetNow.Pos.Sub(at(100 * sim.SeenParts)).Len(); d > 1e-4 {
			t.Errorf("the present is %v m beside", d)
		}
		if got := v.Hit() == 1; got != (on == "on") {
			t.Errorf("lag-compensation %s: hit %v", on, got)
		}
		v = &r.verdicts[1]
		if v.Rewound.Hit.Body != sim.NoBody || v.Now.Hit.Body != 1 || v.Target() != 1 {
			t.Errorf("at the present: %+v", v)
		}
		if got := v.Hit() == 1; got != (on == "off") {
			t.Errorf("lag-compensation %s: hit %v", on, got)
		}
		m := r.env.Counters
		if m.Value("shots_judged") != 2 || m.Value("shots_hit_rewound") != 1 || m.Value("shots_hit_now") != 1 || m.Value("shots_disagree") != 2 {
			t.Errorf("%+v", m.All())
		}
		if got := m.Value("shots_moved_max_m"); got < 2.33 || got > 2.35 { // 11 11/16 ticks of 0.2 m
			t.Errorf("what was hit has moved %v m", got)
		}
	}
}

// TestFractions says that a sixteenth of a tick makes the difference that it should: a
// shot just past the edge of a body hits it or not by the fraction alone.
func TestFractions(t *testing.T) {
	r := newRig(t, "history", "1s")
	r.run(100)
	for part := range int64(sim.SeenParts) {
		seen := 90*sim.SeenParts + part
		// Past the corner that is nearest, as it is in the middle of the tick.
		s := shot(0, seen)
		aim := sim.Aim(geom.Vec3{X: 11.25, Y: at(90.5*sim.SeenParts).Y - 0.75})
		s.Yaw, s.Pitch = aim.Yaw, aim.Pitch
		r.tick(s)
		v := &r.verdicts[len(r.verdicts)-1]
		if v.Refused != predict.NotRefused {
			t.Fatalf("%+v", v)
		}
		// The aim has steps of 1.7 cm there, and in a sixteenth of a tick it goes 1.25 cm.
		if part < 7 && v.Rewound.Hit.Body != 1 || part > 9 && v.Rewound.Hit.Body != sim.NoBody {
			t.Errorf("%d sixteenths: %+v", part, v.Rewound.Hit)
		}
	}
}

// TestRefuses says that what is older than the history is refused, to the sixteenth of
// a tick, with any history; that what is from the future waits for its moment, and is
// refused if that is far away; and that such a shot is no hit whatever it would meet.
func TestRefuses(t *testing.T) {
	for history, ticks := range map[string]int64{"300ms": 18, "0ms": 0, "1000ms": 60, "50ms": 3} {
		r := newRig(t, "history", history)
		r.run(100)
		edge := (100 - ticks) * sim.SeenParts
		r.tick(shot(float32(edge), edge), shot(float32(edge-1), edge-1))
		if len(r.verdicts) != 2 {
			t.Fatalf("%s: %d verdicts", history, len(r.verdicts))
		}
		if v := &r.verdicts[0]; v.Refused != predict.NotRefused || v.Hit() != 1 {
			t.Errorf("%s: at its edge: %+v", history, v)
		}
		if v := &r.verdicts[1]; v.Refused != predict.TooOld || v.Hit() != sim.NoBody {
			t.Errorf("%s: beyond its edge: %+v", history, v)
		}
	}
	r := newRig(t)
	r.run(100)
	soon, far := int64(105*sim.SeenParts), int64((101+aheadSecs*60)*sim.SeenParts)
	r.tick(shot(float32(soon), soon), shot(float32(far), far))
	if len(r.verdicts) != 1 || r.verdicts[0].Refused != predict.TooNew || r.verdicts[0].Hit() != sim.NoBody {
		t.Fatalf("%+v", r.verdicts)
	}
	r.run(5)
	if len(r.verdicts) != 2 || r.verdicts[1].Tick != 105 || r.verdicts[1].Age != 0 || r.verdicts[1].Hit() != 1 {
		t.Errorf("%+v", r.verdicts)
	}
	young := newRig(t)
	young.run(3)
	young.tick(shot(0, -2*sim.SeenParts))
	if len(young.verdicts) != 1 || young.verdicts[0].Refused == predict.NotRefused {
		t.Errorf("a shot from before the session: %+v", young.verdicts)
	}
}

// TestOwnCubeAhead says that a ray begins where the server had the shooter's cube: at
// the moment of the picture, or as much later as the shooter's own cube was drawn; and
// that nothing of what a client says can put it elsewhere.
func TestOwnCubeAhead(t *testing.T) {
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
		s.Claimed, s.Seen = true, 90*sim.SeenParts
		ahead := s
		ahead.Ahead = 7 * sim.SeenParts
		r.tick(s, ahead)
	}
	for i, want := range []sim.Tick{90, 97} {
		v := &r.verdicts[i]
		if d := v.Rewound.From.Sub(own(want)).Len(); d > 1e-4 {
			t.Errorf("shot %d begins %v m from where the cube was", i, d)
		}
		if d := v.Now.From.Sub(own(100)).Len(); d > 1e-4 {
			t.Errorf("shot %d begins %v m from where the cube is", i, d)
		}
	}
}

// TestShotsWithoutClaim says that a shot that claims nothing, such as that of a player
// at the server, is of the present.
func TestShotsWithoutClaim(t *testing.T) {
	r := newRig(t)
	r.run(50)
	s := shot(50*sim.SeenParts, 0)
	s.Claimed, s.Seen = false, 0
	b := r.w.Bodies()[1]
	b.Pose.Pos = at(50 * sim.SeenParts)
	r.w.SetBody(1, b)
	r.j.Tick(r.w, []sim.Input{{Shot: s}, {}, {Shot: s}}, nil, r)
	if len(r.verdicts) != 1 || r.verdicts[0].Age != 0 || r.verdicts[0].Rewound.Hit != r.verdicts[0].Now.Hit || r.verdicts[0].Hit() != 1 {
		t.Errorf("%+v", r.verdicts)
	}
}

// TestComplete holds the completion of a moment's low bits, on both sides of a wrap.
func TestComplete(t *testing.T) {
	const size = 1 << sim.SeenBits
	for _, now := range []int64{0, 100, size - 1, size, 5*size + 3, 5*size + size/2} {
		for _, off := range []int64{0, -1, -100, 1, 100, -size/2 + 1, size/2 - 1} {
			if want := now + off; want >= 0 && complete(uint16(want&(size-1)), now) != want {
				t.Errorf("%d near %d: %d", want, now, complete(uint16(want&(size-1)), now))
			}
		}
	}
}

// TestCopy says that a copy judges what its original would have.
func TestCopy(t *testing.T) {
	a, b := newRig(t), newRig(t)
	a.run(80)
	a.tick(shot(0, 84*sim.SeenParts)) // it waits
	b.run(3)
	b.w.CopyFrom(a.w)
	b.j.CopyFrom(&a.j)
	for _, r := range []*rig{a, b} {
		r.run(5)
		r.tick(shot(75*sim.SeenParts, 75*sim.SeenParts))
	}
	if len(a.verdicts) != 2 || len(b.verdicts) != 2 || a.verdicts[0] != b.verdicts[0] || a.verdicts[1] != b.verdicts[1] || a.verdicts[1].Hit() != 1 {
		t.Errorf("%+v\n%+v", a.verdicts, b.verdicts)
	}
}

// TestNoAllocations says that neither a tick nor a shot takes new memory.
func TestNoAllocations(t *testing.T) {
	r := newRig(t)
	r.env.OnHit = nil
	r.run(100)
	s := shot(0, 0)
	n := testing.AllocsPerRun(200, func() {
		s.Seen = uint16((int64(r.w.Tick())*sim.SeenParts - 37) & (1<<sim.SeenBits - 1))
		r.tick(s)
	})
	if n != 0 || r.env.Counters.Value("shots_judged") < 200 {
		t.Errorf("%v allocations a tick, %v shots", n, r.env.Counters.Value("shots_judged"))
	}
}

// BenchmarkRemember is what a tick without a shot costs, and BenchmarkShot what one
// costs, in a world of 901 cubes that all move.
func BenchmarkRemember(b *testing.B) {
	r := newBusy(b)
	for b.Loop() {
		r.j.Remember(r.w)
		r.w.SetTick(r.w.Tick() + 1)
	}
}

func BenchmarkShot(b *testing.B) {
	r := newBusy(b)
	s := sim.Aim(geom.Vec3{X: 1})
	s.Claimed = true
	s.Seen = uint16((int64(r.w.Tick())*sim.SeenParts - 37) & (1<<sim.SeenBits - 1))
	for b.Loop() {
		r.j.Hear(r.w, 0, s)
		r.j.Play(r.w)
	}
}

func newBusy(b *testing.B) *rig {
	s, err := sim.SceneNamed("katamari")
	if err != nil {
		b.Fatal(err)
	}
	r := newRig(b)
	r.env.OnHit = nil
	r.w = sim.New(s, 60)
	r.env.World = r.w
	for t := range 60 {
		for i := range r.w.Bodies() {
			x := r.w.Bodies()[i]
			x.Pose.Pos.Z += 0.01
			x.Pose.Rot = geom.Turn(geom.Vec3{Z: 1}, float32(t)*0.02)
			r.w.SetBody(i, x)
		}
		r.j.Remember(r.w)
		r.w.SetTick(r.w.Tick() + 1)
	}
	r.j.Remember(r.w)
	return r
}

// TestCovered says that who is hit in the past and stands behind something now is told
// of as shot around a corner, and who stands in the open is not.
func TestCovered(t *testing.T) {
	for name, wall := range map[string]geom.Vec3{"covered": {X: 0, Y: -0.1, Z: 1}, "in the open": {X: 0, Y: 8, Z: 1}} {
		r := newRig(t)
		scene := *r.w.Scene()
		scene.Static = []sim.Box{{Half: geom.Vec3{X: 0.2, Y: 0.4, Z: 1}, Start: sim.Body{Pose: geom.Pose{Pos: wall, Rot: geom.Identity}}}}
		r.w = sim.New(scene, 60)
		r.env.World = r.w
		r.run(100)
		r.tick(shot(85*sim.SeenParts, 85*sim.SeenParts)) // 3 m to the south of the line
		if v := &r.verdicts[0]; v.Hit() != 1 || v.Covered != (name == "covered") {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
