package score

import (
	"math"
	"strings"
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestLagErrorAll compares the lag error of all bodies with known offsets. A body that has never
// moved is not in it, wherever it is drawn; one that has moved stays in it at rest.
func TestLagErrorAll(t *testing.T) {
	moving := along(60, func(t float64) float64 { return 3 * t })
	rest := func(int) geom.Pose { return poseAt(-40) }
	stops := func(i int) geom.Pose { return moving(min(i, 120)) }
	offset := func(f func(int) geom.Pose, m float32) motionPair {
		return motionPair{f, func(i int) geom.Pose { return shiftedY(f(i), m) }}
	}
	for _, c := range []struct {
		name       string
		one, other motionPair
		rms        float64
	}{
		{"no offset", offset(moving, 0), offset(moving, 0), 0},
		{"the other rests", offset(moving, 0.25), offset(rest, 1), 0.25},
		{"the other stops", offset(moving, 0.25), offset(stops, 0.65), math.Sqrt((0.25*0.25 + 0.65*0.65) / 2)},
		{"both by a little", offset(moving, 0.04), offset(stops, 0.04), 0.04},
		{"every other second", motionPair{moving, func(i int) geom.Pose { return shiftedY(moving(i), 0.25*float32(i/60%2)) }}, offset(rest, 0), 0.25 / math.Sqrt2},
	} {
		score := &newSession(t, 60, 2).run(60+600, c.one, c.other).score
		if rms := score.bodies.lagError.rms(); !within(rms, c.rms, 1e-4) {
			t.Errorf("%s: %v m, want %v", c.name, rms, c.rms)
		}
	}
}

// stepChangesOf runs two bodies, the first at rest and the second moving as given, drawn shift
// ticks ahead of the server.
func stepChangesOf(t *testing.T, shift int, server, drawn func(i int) geom.Pose) *stepChanges {
	t.Helper()
	p := newSession(t, 60, 2)
	rest := func(int) geom.Pose { return poseAt(-40) }
	for i := range 400 {
		p.world.SetBody(0, sim.Body{Pose: rest(i)})
		p.world.SetBody(1, sim.Body{Pose: server(i)})
		p.view.Bodies[0], p.view.Bodies[1] = rest(i), drawn(i+shift)
		p.world.SetTick(sim.Tick(i + 1000))
		p.view.ShowTick(sim.Tick(i + shift + 1000))
		p.score.Add(p.world, &p.view, 0)
	}
	return &p.score.bodies.stepChanges
}

// TestStepChanges checks that a jump of any body is one pop of its size, ahead or behind. A jump
// that the server makes too within two ticks is none; six ticks off it is one. A body drawn in
// steps pops with each step, which the pops of the player's cube do not see.
func TestStepChanges(t *testing.T) {
	for _, shift := range []int{-12, 0, 10, 40} {
		for _, size := range []float32{0.06, 0.3, 2} {
			jump := aside(by(size))
			j := stepChangesOf(t, shift, rollingPose, jump)
			if j.count != 1 || !withinShare(j.energy, float64(size*size), 1e-3) {
				t.Errorf("shift %d, %v m: %d pops, energy %v", shift, size, j.count, j.energy)
			}
			for late, want := range map[int]int{0: 0, 2: 0, 6: 1, -6: 1} {
				if j := stepChangesOf(t, shift, jump, delayed(jump, late)); j.count != want {
					t.Errorf("shift %d, %v m, %d ticks after the server: %d pops", shift, size, late, j.count)
				}
			}
			if j := stepChangesOf(t, shift, jump, rollingPose); j.count != 0 {
				t.Errorf("shift %d, %v m on the server alone: %d pops", shift, size, j.count)
			}
		}
		// 3 m/s drawn in steps of two ticks: each step differs by 10 cm from the one before, and
		// every other change takes the last one back.
		j := stepChangesOf(t, shift, rollingPose, func(i int) geom.Pose { return rollingPose(i / 2 * 2) })
		if j.count < 100 || j.count > 190 {
			t.Errorf("shift %d, in steps: %d pops", shift, j.count)
		}
		// Two changes in a row, of 4 and 6 cm in opposite directions: only the second is long enough for a pop.
		turns := aside(func(k int) float32 { return 0.04 - 0.02*float32(k) })
		if j := stepChangesOf(t, shift, turns, turns); j.count != 0 {
			t.Errorf("shift %d, turning: %d pops", shift, j.count)
		}
		decays := aside(func(k int) float32 { return float32(1 - math.Pow(0.96, float64(k))) })
		if j := stepChangesOf(t, shift, rollingPose, decays); j.count != 0 {
			t.Errorf("shift %d, fading: %d pops", shift, j.count)
		}
	}
	// Changes beyond the waiting limit are resolved at once, and those beyond the history are
	// forgotten.
	var s stepChanges
	s.addServer(0, 5000, geom.Vec3{X: 1})
	for range stepChangeHistory {
		s.addServer(5, 5000, geom.Vec3{X: 1})
	}
	for i := range stepChangesPendingMax + 10 {
		s.addDrawn(i%5, 5000, geom.Vec3{X: 1})
	}
	if s.resolveDue(5002); s.count != stepChangesPendingMax+10 || len(s.pending) != 0 {
		t.Errorf("%d of %d counted, %d waiting", s.count, stepChangesPendingMax+10, len(s.pending))
	}
}

// TestBoxPenetration compares depths with known ones: face into face, edge into face, edge across
// edge. The depth is the same from both sides and in any frame.
func TestBoxPenetration(t *testing.T) {
	cube := geom.Vec3{X: 0.75, Y: 0.75, Z: 0.75}
	plank := geom.Vec3{X: 2, Y: 0.1, Z: 0.5}
	about := func(axis geom.Vec3) geom.Quat { return geom.AxisAngle(axis, geom.Pi/4) }
	x, y, z := geom.Vec3{X: 1}, geom.Vec3{Y: 1}, geom.Vec3{Z: 1}
	identity := geom.Identity
	sqrt2 := float32(math.Sqrt2)
	for _, c := range []struct {
		name            string
		a, b            geom.Quat
		half, otherHalf geom.Vec3
		offset          geom.Vec3
		want            float32
	}{
		{"face into face", identity, identity, cube, cube, geom.Vec3{X: 1.2, Y: 0.1}, 0.3},
		{"apart", identity, identity, cube, cube, geom.Vec3{X: 1.6, Y: 0.1}, 0},
		{"same position", identity, identity, cube, cube, geom.Vec3{}, 1.5},
		{"bounding spheres meet, boxes do not", identity, identity, cube, cube, geom.Vec3{X: 1.51, Y: 1.4}, 0},
		{"edge into face", identity, about(z), cube, cube, geom.Vec3{X: 1.5}, 0.75*sqrt2 - 0.75},
		{"edge across edge", about(y), about(x), cube, cube, geom.Vec3{Z: 2}, 1.5*sqrt2 - 2},
		{"skew edges", about(y), geom.AxisAngle(z, 0.5).Mul(about(x)), cube, cube, geom.Vec3{Z: 2}, 1.5*sqrt2 - 2},
		{"edge above edge", about(y), about(x), cube, cube, geom.Vec3{Z: 2.13}, 0},
		{"plank", identity, identity, cube, plank, geom.Vec3{X: 2.7, Y: 0.8}, 0.05},
	} {
		for i := range 20 {
			turn := geom.AxisAngle(geom.Vec3{X: 1, Y: float32(i), Z: 2}.Unit(), float32(i))
			p := geom.Pose{Pos: geom.Vec3{X: float32(i), Y: 3}, Rot: turn.Mul(c.a)}
			q := geom.Pose{Pos: p.Pos.Add(turn.Rotate(c.offset)), Rot: turn.Mul(c.b)}
			a, b := boxPenetration(&p, &q, &c.half, &c.otherHalf), boxPenetration(&q, &p, &c.otherHalf, &c.half)
			if geom.Abs(a-c.want) > 2e-5 || geom.Abs(b-c.want) > 2e-5 {
				t.Errorf("%s, frame %d: %v, swapped %v, want %v", c.name, i, a, b, c.want)
			}
		}
	}
}

// TestOverlap compares the depths of five bodies of which some overlap for known times, on the server
// or as drawn.
func TestOverlap(t *testing.T) {
	at := func(x float64) func(int) geom.Pose { return func(int) geom.Pose { return poseAt(x) } }
	alternating := func(x, y float64) func(int) geom.Pose {
		return func(i int) geom.Pose { return poseAt([2]float64{x, y}[i/60%2]) }
	}
	// A cube's half extent is 0.75 m. The first two overlap only as drawn; the third and the fourth
	// overlap on both sides half of the time; the fifth touches the fourth.
	score := &newSession(t, 60, 5).run(60+1200,
		motionPair{at(0), at(0)}, motionPair{at(1.6), at(1.3)},
		motionPair{at(10), at(10)}, motionPair{alternating(11.1, 11.6), alternating(11.3, 11.6)},
		motionPair{at(13.09), at(13.09)}).score
	if o := &score.overlaps; !within(float64(o.drawn), 0.2, 1e-5) || !within(float64(o.server), 0.4, 1e-5) {
		t.Errorf("%v m as drawn, %v m on the server; want 0.2 and 0.4", o.drawn, o.server)
	}
}

// TestUpdates compares the longest gap between updates and the nominal delay with views whose received state
// changes every few ticks or never, and whose tick is behind or ahead.
func TestUpdates(t *testing.T) {
	for _, every := range []int{1, 4, 30} {
		p := newSession(t, 60, 2)
		p.view.LastReceived = make([]geom.Pose, 2)
		for i := range 60 + 600 {
			p.view.LastReceived[1] = poseAt(float64(i / every))
			p.world.SetTick(sim.Tick(i + 100))
			p.view.ShowTick(sim.Tick(i + 100 - 7 + i%2*4))
			p.score.Add(p.world, &p.view, 0)
		}
		u := &p.score.updates
		if delay := p.score.NominalDelay(); !u.available || u.gapMax != every || delay != 5 {
			t.Errorf("every %d ticks: at most %d ticks between updates, %v; delay %v", every, u.gapMax, u.available, delay)
		}
	}
	if ahead := runOne(t, 60, 5, rollingPose, rollingPose); ahead.updates.available {
		t.Error("a view without a received state has updates")
	}
	p := newSession(t, 60, 1)
	for i := range 200 {
		p.world.SetTick(sim.Tick(i))
		p.view.ShowTick(sim.Tick(i + 9 + i%2))
		p.score.Add(p.world, &p.view, 0)
	}
	if delay := p.score.NominalDelay(); delay != -9.5 {
		t.Errorf("ahead: delay %v", delay)
	}
}

// TestMeasures checks that the list is the same whatever a score has seen, every measure has a name
// and a help text of its own, all values are finite, and listing them allocates nothing.
func TestMeasures(t *testing.T) {
	empty, full := new(Score).Measures(nil, Counts{}), runOne(t, 60, 10, rollingPose, rollingPose).Measures(nil, Counts{})
	if len(empty) != len(full) {
		t.Fatalf("%d and %d", len(empty), len(full))
	}
	seen := map[string]bool{}
	for i, m := range full {
		if m.Name != empty[i].Name || seen[m.Name] || m.Title == "" || seen[m.Title] || m.Help == "" || !m.OK && m.Text() != "-" {
			t.Errorf("%+v", m)
		}
		if strings.Trim(m.Name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			t.Errorf("a name in JSON: %q", m.Name)
		}
		seen[m.Name], seen[m.Title] = true, true
		if math.IsNaN(m.Value) || math.IsInf(m.Value, 0) || math.IsNaN(empty[i].Value) || math.IsInf(empty[i].Value, 0) {
			t.Errorf("%+v", m)
		}
	}
	list := make([]Measure, 0, len(full))
	score := runOne(t, 60, 10, rollingPose, rollingPose)
	if n := testing.AllocsPerRun(10, func() { score.Measures(list, Counts{}) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestDefinitions checks that every definition says what it measures and what it does not see, and that lists can end
// its parts with a full stop.
func TestDefinitions(t *testing.T) {
	for _, d := range Definitions {
		if d.Group == "" || d.Title == "" || len(d.Measures) == 0 || d.Blind == "" {
			t.Errorf("incomplete: %+v", d)
		}
		if !strings.HasSuffix(d.Text, ".") {
			t.Errorf("%s: the text is no sentence", d.Title)
		}
		for _, text := range []string{d.Undefined, d.Source, d.Blind} {
			if strings.HasSuffix(text, ".") {
				t.Errorf("%s: %q ends with a full stop, which lists add", d.Title, text)
			}
		}
	}
}

// TestEvidence checks that measures are unknown while there is too little of what they measure: scored
// time, motion of the cube, or time for events a minute.
func TestEvidence(t *testing.T) {
	moving := along(60, varyingSpeed)
	rest := func(int) geom.Pose { return poseAt(1) }
	briefly := func(i int) geom.Pose { return moving(min(i, 100)) } // 40 ticks in the scored time
	always := []string{"path_error_rms_m", "path_error_max_m", "lag_error_rms_m", "largest_pop_m", "pop_energy_all_m2", "overlap_max_m", "nominal_delay_mean_ms"}
	perMinute := []string{"pops_per_minute", "pops_all_per_minute"}
	frozen := []string{"freeze_percent", "longest_freeze_ms"}
	motion := []string{"display_delay_ms"}
	for _, c := range []struct {
		name           string
		motion         func(i int) geom.Pose
		ticks          int
		known, unknown [][]string
	}{
		{"nothing scored", moving, 30, nil, [][]string{always, perMinute, frozen, motion}},
		{"half a second", moving, 90, nil, [][]string{always, perMinute, frozen, motion}},
		{"two seconds", moving, 180, [][]string{always, frozen}, [][]string{perMinute, motion}},
		{"six seconds", moving, 420, [][]string{always, perMinute, frozen}, nil},
		{"at rest", rest, 1200, [][]string{always, perMinute}, [][]string{frozen, motion, {"jerk_ratio"}}},
		{"40 ticks of motion", briefly, 1200, [][]string{always, perMinute}, [][]string{frozen, motion}},
		{"all", moving, 1200, [][]string{always, perMinute, frozen, motion}, nil},
	} {
		known := map[string]bool{}
		for _, m := range newSession(t, 60, 1).run(c.ticks, motionPair{c.motion, c.motion}).score.Measures(nil, Counts{}) {
			known[m.Name] = m.OK
		}
		for _, group := range c.known {
			for _, name := range group {
				if !known[name] {
					t.Errorf("%s: %s is unknown", c.name, name)
				}
			}
		}
		for _, group := range c.unknown {
			for _, name := range group {
				if ok, listed := known[name]; ok || !listed {
					t.Errorf("%s: %s is known", c.name, name)
				}
			}
		}
	}
}

// TestCompoundOverlap checks that a body of several boxes overlaps another body with any of its boxes; bodies of one filter group do not overlap.
func TestCompoundOverlap(t *testing.T) {
	half := geom.Vec3{X: 0.5, Y: 0.5, Z: 0.5}
	arm := sim.Box{Half: half, SubShapes: []sim.SubShape{{Half: half, Pose: geom.Pose{Pos: geom.Vec3{X: 3}, Rot: geom.Identity}}}}
	plain := sim.Box{Half: half}
	at := func(x, z float32) *geom.Pose {
		return &geom.Pose{Pos: geom.Vec3{X: x, Z: z}, Rot: geom.Identity}
	}
	if d := bodyPenetration(at(0, 1), at(3.8, 1), &arm, &plain); !within(float64(d), 0.2, 1e-5) {
		t.Errorf("the part is %v m inside the other body", d)
	}
	if d := bodyPenetration(at(3.8, 1), at(0, 1), &plain, &arm); !within(float64(d), 0.2, 1e-5) {
		t.Errorf("the other body is %v m inside the part", d)
	}
	if d := bodyPenetration(at(0, 1), at(1.5, 1), &arm, &plain); d != 0 {
		t.Errorf("between the boxes: depth %v m", d)
	}
	if r := boundingRadius(&arm); r < 3.8 || r > 4 {
		t.Errorf("radius %v m", r)
	}
	arm.FilterGroup, plain.FilterGroup = 2, 2
	if d := bodyPenetration(at(0, 1), at(0.5, 1), &arm, &plain); d != 0 {
		t.Errorf("same filter group: depth %v m", d)
	}
	plain.FilterGroup = 3
	if d := bodyPenetration(at(0, 1), at(0.5, 1), &arm, &plain); d == 0 {
		t.Error("different filter groups: no depth")
	}
}

// TestJointSeparation checks that the anchors of a joint are drawn together where the view equals
// the server, and apart by as much as one body is drawn beside its position.
func TestJointSeparation(t *testing.T) {
	sc := predicttest.Scene(t, "trailer")
	w := predict.NewWorld(sc, 60)
	var c Score
	var v predict.View
	for i := range 180 {
		w.Step()
		v.Reset()
		v.ShowTick(w.Tick())
		v.Bodies = predict.AppendPoses(v.Bodies, w.Bodies())
		if j := &sc.Joints[0]; i == 120 {
			v.Bodies[j.B].Pos.Z += 0.25
		}
		c.Add(w, &v, 0)
	}
	rms, largest, server, ok := c.JointSeparation()
	if !ok || server > 0.001 || largest < 0.249 || largest > 0.251 || rms < 0.001 || rms > 0.1 {
		t.Errorf("%v m, at most %v; server %v; %t", rms, largest, server, ok)
	}
	if _, _, _, ok := runOne(t, 60, 5, rollingPose, rollingPose).JointSeparation(); ok {
		t.Error("a scene without joints has a joint separation")
	}
}
