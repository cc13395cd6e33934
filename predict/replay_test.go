package predict_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
)

// replayRig is a world with the states and inputs that led to it. It replays from a tick in the past with other inputs.
type replayRig struct {
	w      *predict.World
	states []*predict.State // by tick
	inputs [][]sim.Input
	last   int // bodies that the last replay stepped
}

func (r *replayRig) step(in []sim.Input) {
	s := &predict.State{}
	r.w.Save(s)
	r.states, r.inputs = append(r.states, s), append(r.inputs, in)
	r.w.Step(in...)
}

// replay steps the ticks from first on again, all bodies or only those that can differ, with other inputs and at the
// beginning other states of some bodies.
func (r *replayRig) replay(first int, selective bool, inputs [][]sim.Input, bodies []int32, states []sim.Body) (selected bool) {
	now := len(r.states)
	begin := func() bool {
		if len(bodies) > 0 {
			return r.w.ReplayBodies(r.states[first], r.states[first+1], bodies, states)
		}
		return r.w.BeginReplay(&r.states[first].State)
	}
	if selective && begin() {
		for t := first; t < now; t++ {
			var after *predict.State
			if t+1 < now {
				after = r.states[t+1]
			}
			r.w.Replay(r.states[t], after, r.inputs[t], inputs[t-first])
			r.inputs[t] = inputs[t-first]
		}
		r.last = 0
		for i := range r.w.Bodies() {
			if r.w.Replays(i) {
				r.last++
			}
		}
		r.w.EndReplay()
		return true
	}
	r.w.Load(r.states[first])
	for _, i := range bodies {
		r.w.SetBody(int(i), states[i])
	}
	for t := first; t < now; t++ {
		r.w.Save(r.states[t])
		r.inputs[t] = inputs[t-first]
		r.w.Step(r.inputs[t]...)
	}
	r.last = len(r.w.Bodies())
	return false
}

// randomInputs returns inputs of all players: long phases, so that they meet things, and seldom fields.
func randomInputs(r *rand.Rand, before []sim.Input) []sim.Input {
	in := slices.Clone(before)
	for p := range in {
		if r.IntN(20) == 0 {
			in[p] = sim.Input{Buttons: sim.Buttons(r.IntN(16)), Heading: uint8(r.IntN(256))}
			if r.IntN(4) == 0 {
				in[p].Buttons |= [...]sim.Buttons{sim.Lift, sim.Pull, sim.Lift | sim.Pull}[r.IntN(3)]
			}
		}
	}
	return in
}

// equalWorlds returns what differs between two worlds, or "".
func equalWorlds(a, b *predict.World) string {
	ab, ac := a.Hash()
	bb, bc := b.Hash()
	switch {
	case a.Tick() != b.Tick():
		return "the tick"
	case ab != bb:
		for i := range a.Bodies() {
			if a.BodyHash(i) != b.BodyHash(i) {
				return "a body"
			}
		}
		return "the bodies"
	case ac != bc:
		return "contacts or joints"
	case !slices.Equal(a.TouchedBy(), b.TouchedBy()):
		return "who touches"
	case !slices.Equal(a.AppendContactPairs(nil), b.AppendContactPairs(nil)):
		return "the pairs in contact"
	}
	for i := range a.Bodies() {
		if a.Island(i) != b.Island(i) {
			return "an island"
		}
	}
	return ""
}

// TestSelectiveReplay replays random changes of inputs and bodies in all scenes, in one world by stepping all bodies and in
// another by stepping those that can differ, and compares every remembered state and the present.
func TestSelectiveReplay(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	names := append(scene.Names(), "katamari:cubes=200:players=4", "katamari:cubes=100:players=8", "pile:layers=3", "zen:avatar=1")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(len(name)), 7))
			full, part := &replayRig{w: newWorld(t, name)}, &replayRig{w: newWorld(t, name)}
			spare := [2]*predict.World{newWorld(t, name), newWorld(t, name)}
			in := make([]sim.Input, full.w.Scene().Players)
			ticks, bodies := experiment.Pick(120, 240, 240), len(full.w.Bodies())
			if !experiment.Enabled() && bodies > 100 {
				ticks = 48
			}
			selected, replays, stepped := 0, 0, 0
			for now := 1; now <= ticks; now++ {
				in = randomInputs(r, in)
				full.step(in)
				part.step(in)
				if r.IntN(40) == 0 && bodies > len(in) { // a change from outside
					i := r.IntN(bodies)
					b := full.w.Bodies()[i]
					b.Linear, b.Asleep = b.Linear.Add(geom.Vec3{X: 3 * r.Float32(), Z: 5}), false
					full.w.SetBody(i, b)
					part.w.SetBody(i, b)
				}
				if now%6 == 0 && len(in) > 0 {
					depth := 1 + r.IntN(min(now, 20))
					changed := slices.Clone(full.inputs[now-depth:])
					p, x := r.IntN(len(in)), sim.Input{Buttons: sim.Buttons(r.IntN(64)), Heading: uint8(r.IntN(256))}
					for k := range changed {
						changed[k] = slices.Clone(changed[k])
						if changed[k][p] = x; k > 8 {
							break
						}
					}
					var moved []int32
					states := slices.Clone(full.states[now-depth].Bodies)
					if depth > 1 && r.IntN(2) == 0 {
						for range 1 + r.IntN(3) {
							i := r.IntN(bodies)
							states[i].Pose.Pos.X += 0.2 * r.Float32()
							states[i].Linear.Y, states[i].Asleep = 4*r.Float32(), r.IntN(4) == 0
							moved = append(moved, int32(i))
						}
					}
					full.replay(now-depth, false, changed, moved, states)
					if part.replay(now-depth, true, changed, moved, states) {
						selected++
						stepped += part.last
					}
					replays++
					for tick := now - depth; tick < now; tick++ {
						spare[0].Load(full.states[tick])
						spare[1].Load(part.states[tick])
						if what := equalWorlds(spare[0], spare[1]); what != "" {
							t.Fatalf("at %d, replay from %d: state %d differs in %s", now, now-depth, tick, what)
						}
					}
				}
				if what := equalWorlds(full.w, part.w); what != "" {
					t.Fatalf("tick %d differs in %s", now, what)
				}
			}
			t.Logf("%d of %d replays are selective, of %.2f of the bodies", selected, replays, float64(stepped)/float64(max(selected, 1)*bodies))
			if possible := len(in) > 0 && !full.w.Scene().HasActions(); possible != (selected > 0) {
				t.Errorf("%d of %d replays are selective", selected, replays)
			}
		})
	}
}

// TestPasserStays checks that a selective replay does not step a cube whose bounds overlap those of the player, but that
// it does not touch.
func TestPasserStays(t *testing.T) {
	s := *newWorld(t, "plain").Scene()
	corner := s.Boxes[0].Start.Pose.Pos.Add(s.Boxes[0].Half)
	for _, c := range []struct{ gap, stepped int }{{20, 1}, {14, 2}} { // cm along x and y; the cube's edge is 14 cm from there
		along := float32(c.gap) / 100
		beside := sim.Box{
			Half: geom.Vec3{X: 0.2, Y: 0.2, Z: 0.2}, Density: 1, Friction: 1,
			Start: sim.Body{Pose: geom.Pose{
				Pos: geom.Vec3{X: corner.X + along, Y: corner.Y + along, Z: 0.2}, Rot: geom.AxisAngle(geom.Vec3{Z: 1}, geom.TwoPi/8),
			}},
		}
		s.Boxes = append(s.Boxes[:1:1], beside)
		rig := &replayRig{w: predict.NewWorld(s, 60)}
		for range 10 {
			rig.step([]sim.Input{{}})
		}
		changed := [][]sim.Input{{{Heading: 9}}, {{Heading: 9}}}
		if !rig.replay(8, true, changed, nil, nil) || rig.last != c.stepped {
			t.Errorf("%d cm: %d bodies are stepped, want %d", c.gap, rig.last, c.stepped)
		}
	}
}

// TestEndedContactReplays checks that a selective replay keeps the contact of two cubes asleep that ended in the remembered
// step, because the player woke one of them: it was an old contact, of cubes that are farther apart by now than cubes that
// get one. So does that of a client that has just downloaded its world, which knows no islands of before.
func TestEndedContactReplays(t *testing.T) {
	s := *newWorld(t, "plain").Scene()
	diagonal := geom.Vec3{X: math.Sqrt2 / 2, Y: math.Sqrt2 / 2} // along which the cubes are apart, so that their bounds overlap
	cube := func(along float32) sim.Box {
		return sim.Box{
			Half: geom.Vec3{X: 0.2, Y: 0.2, Z: 0.2}, Density: 1, Friction: 1,
			Start: sim.Body{Pose: geom.Pose{
				Pos: geom.Vec3{X: 2.6, Z: 0.2}.AddScaled(along, diagonal), Rot: geom.AxisAngle(geom.Vec3{Z: 1}, geom.TwoPi/8),
			}},
		}
	}
	s.Boxes = append(s.Boxes[:1:1], cube(0), cube(0.412))
	open := func(downloaded bool) *replayRig {
		rig := &replayRig{w: predict.NewWorld(s, 60)}
		for range 30 { // from 12 to 42 mm
			b := rig.w.Bodies()[2]
			b.Pose.Pos = b.Pose.Pos.AddScaled(0.001, diagonal)
			rig.w.SetBody(2, b)
			rig.step([]sim.Input{{}})
		}
		for range 60 {
			rig.step([]sim.Input{{}})
		}
		if b := rig.w.Bodies(); !b[1].Asleep || !b[2].Asleep {
			t.Fatal("the cubes are awake")
		}
		if downloaded {
			world := predict.NewWorld(s, 60)
			if err := codec.ReadWorld(codec.AppendWorld(nil, rig.w, true), world, true); err != nil {
				t.Fatal(err)
			}
			rig = &replayRig{w: predict.NewWorld(s, 60)}
			rig.w.CopyFrom(world)
		}
		return rig
	}
	const depth = 15
	for _, downloaded := range []bool{false, true} {
		full, part := open(downloaded), open(downloaded)
		for woken := false; !woken; woken = !full.w.Bodies()[1].Asleep {
			if full.w.Tick() > 300 {
				t.Fatalf("the player does not meet the cube: %v", full.w.Bodies()[0].Pose.Pos)
			}
			full.step([]sim.Input{{Buttons: sim.Right}})
			part.step([]sim.Input{{Buttons: sim.Right}})
			first := len(full.inputs) - depth
			if first < 1 { // no step led to the first state
				continue
			}
			original := slices.Clone(full.inputs[first:])
			changed := slices.Repeat([][]sim.Input{{{Buttons: sim.Left}}}, depth)
			full.replay(first, false, changed, nil, nil)
			if !part.replay(first, true, changed, nil, nil) {
				t.Fatal("the replay is not selective")
			}
			if what := equalWorlds(full.w, part.w); what != "" {
				t.Fatalf("downloaded %v: tick %d differs in %s", downloaded, full.w.Tick(), what)
			}
			full.replay(first, false, original, nil, nil)
			part.replay(first, false, original, nil, nil)
		}
	}
}

// TestSelectiveReplayAllocates checks that a selective replay needs no new memory once there has been one like it.
func TestSelectiveReplayAllocates(t *testing.T) {
	rig := &replayRig{w: newWorld(t, "two-players")}
	for range 150 {
		rig.step([]sim.Input{{Buttons: sim.Right}, {Buttons: sim.Left}})
	}
	original := slices.Clone(rig.inputs[90:])
	changed := slices.Clone(original)
	for k := range changed {
		changed[k] = []sim.Input{changed[k][0], {Buttons: sim.Left | sim.Pull}}
	}
	if n := testing.AllocsPerRun(5, func() {
		if !rig.replay(90, true, changed, nil, nil) || rig.last < 3 || !rig.replay(90, true, original, nil, nil) {
			t.Fatalf("the replay is not selective, or concerns no cube: %d bodies", rig.last)
		}
	}); n > 0 {
		t.Errorf("%v allocations a replay", n)
	}
}

// BenchmarkReplay replays twelve ticks after a change of one player's input, with all bodies and with those that can
// differ, in turn. It reports the mean and the largest time of both, of the smallest times of five passes over each
// replay, and the share of the bodies that are stepped.
func BenchmarkReplay(b *testing.B) {
	for _, c := range []struct {
		name, scene string
		warmUp      int
		still       sim.Input // of all players until the present, or none: at random
	}{
		{"four-players", "katamari:cubes=200:players=4", 60, sim.Input{}}, {"two-players", "two-players", 60, sim.Input{}},
		{"resting-pile", "pile", 600, sim.Input{Buttons: sim.Back}}, {"pushed-pile", "pile:layers=3", 30, sim.Input{Buttons: sim.Forward}},
		{"katamari", "katamari", 60, sim.Input{}}, {"falling-heap", "heap:layers=2", 30, sim.Input{}}, {"train", "train", 60, sim.Input{}},
	} {
		b.Run(c.name, func(b *testing.B) {
			s, err := scene.Named(c.scene)
			if err != nil {
				b.Fatal(err)
			}
			rig := &replayRig{w: predict.NewWorld(s, 60)}
			r := rand.New(rand.NewPCG(1, 2))
			in := make([]sim.Input, s.Players)
			for p := range in {
				in[p] = c.still
			}
			for range c.warmUp {
				rig.w.Step(in...)
			}
			const ticks, depth = 120, 12
			var total, longest [2]time.Duration
			replays, stepped := 0, 0
			for now := 1; now <= ticks; now++ {
				if c.still == (sim.Input{}) {
					in = randomInputs(r, in)
				}
				rig.step(in)
				if now < depth || now%4 > 0 {
					continue
				}
				first := now - depth
				changed := slices.Clone(rig.inputs[first:])
				p, x := r.IntN(len(in)), sim.Input{Buttons: sim.Buttons(1 + r.IntN(15)), Heading: uint8(r.IntN(256))}
				for k := range changed {
					changed[k] = slices.Clone(changed[k])
					changed[k][p] = x
				}
				original := slices.Clone(rig.inputs[first:])
				var least [2]time.Duration
				for pass := range 5 {
					for k, selective := range [...]bool{false, true} {
						rig.replay(first, false, original, nil, nil)
						began := time.Now()
						if rig.replay(first, selective, changed, nil, nil) != selective {
							b.Fatal("the replay steps all bodies")
						}
						if d := time.Since(began); pass == 0 || d < least[k] {
							least[k] = d
						}
						if selective && pass == 0 {
							stepped += rig.last
						}
					}
				}
				for k := range least {
					total[k], longest[k] = total[k]+least[k], max(longest[k], least[k])
				}
				replays++
			}
			us := func(d time.Duration) float64 { return float64(d) / 1000 }
			b.ReportMetric(us(total[0])/float64(replays), "all-us")
			b.ReportMetric(us(total[1])/float64(replays), "part-us")
			b.ReportMetric(float64(total[1])/float64(total[0]), "ratio")
			b.ReportMetric(float64(longest[1])/float64(longest[0]), "max-ratio")
			b.ReportMetric(float64(stepped)/float64(replays*len(s.Boxes)), "share")
		})
	}
}
