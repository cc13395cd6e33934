package score

import (
	"math"
	"testing"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestLagErrorAll holds the error of all bodies, and inconsistency, against bodies
// drawn beside the true ones. What has never moved is in neither, wherever it is
// drawn; what has moved stays in it when it rests.
func TestLagErrorAll(t *testing.T) {
	goes := along(60, func(t float64) float64 { return 3 * t })
	rest := func(int) geom.Pose { return poseAt(-40) }
	stops := func(i int) geom.Pose { return goes(min(i, 120)) }
	off := func(f func(int) geom.Pose, m float32) motionPair {
		return motionPair{f, func(i int) geom.Pose { return shiftedY(f(i), m) }}
	}
	for _, c := range []struct {
		name               string
		one, other         motionPair
		rms, own, everyone float64
	}{
		{"the truth", off(goes, 0), off(goes, 0), 0, 0, 0},
		{"one that rests", off(goes, 0.25), off(rest, 1), 0.25, 12, 12},
		{"one that stops", off(goes, 0.25), off(stops, 0.65), math.Sqrt((0.25*0.25 + 0.65*0.65) / 2), 12, 24},
		{"a little", off(goes, 0.04), off(stops, 0.04), 0.04, 0, 0},
		{"half the time", motionPair{goes, func(i int) geom.Pose { return shiftedY(goes(i), 0.25*float32(i/60%2)) }}, off(rest, 0), 0.25 / math.Sqrt2, 6, 6},
	} {
		card := &newSession(t, 60, 2).run(60+600, c.one, c.other).score
		if rms, own, all := card.LagErrorRMSAll(), card.Inconsistency(), card.InconsistencyAll(); !within(rms, c.rms, 1e-4) || !within(own, c.own, 0.01) || !within(all, c.everyone, 0.01) {
			t.Errorf("%s: %v m, %v and %v m s a minute; want %v, %v, %v", c.name, rms, own, all, c.rms, c.own, c.everyone)
		}
	}
}

// TestScreenPixels holds what the scoring camera sees of a pop: it looks along +y and
// down by 24 degrees, from 12 m, and its picture is 720 pixels and 40 degrees high.
func TestScreenPixels(t *testing.T) {
	metre := 360 / math.Tan(20*math.Pi/180) / 12
	down := 24 * math.Pi / 180
	for _, c := range []struct {
		way  geom.Vec3
		want float64
	}{
		{geom.Vec3{X: 1}, metre},
		{geom.Vec3{Y: 2}, 2 * metre * math.Sin(down)},
		{geom.Vec3{Z: -1}, metre * math.Cos(down)},
		{geom.Vec3{Y: float32(math.Cos(down)), Z: -float32(math.Sin(down))}, 0},
	} {
		still := rollingPose
		leap := func(i int) geom.Pose {
			p := rollingPose(i)
			if i >= 200 {
				p.Pos = p.Pos.Add(c.way)
			}
			return p
		}
		for _, shift := range []int{-12, 10} {
			if p := popsOf(400, shift, still, leap); p.count != 1 || !within(float64(p.largestPixels), c.want, 0.01*metre) {
				t.Errorf("%v: %d pops, %v pixels, want %v", c.way, p.count, p.largestPixels, c.want)
			}
		}
	}
}

// stepChangesOf is a session of two bodies, the second of which does as it is told,
// drawn shift ticks ahead of the truth.
func stepChangesOf(t *testing.T, shift int, truth, drawn func(i int) geom.Pose) *stepChanges {
	t.Helper()
	p := newSession(t, 60, 2)
	far := func(int) geom.Pose { return poseAt(-40) }
	for i := range 400 {
		p.world.SetBody(0, sim.Body{Pose: far(i)})
		p.world.SetBody(1, sim.Body{Pose: truth(i)})
		p.view.Bodies[0], p.view.Bodies[1] = far(i), drawn(i+shift)
		p.world.SetTick(sim.Tick(i + 1000))
		p.view.Tick = sim.Tick(i + shift + 1000)
		p.score.Add(p.world, &p.view, 0)
	}
	return &p.score.bodies.stepChanges
}

// TestStepChanges says that a leap of any body is one pop of its size, ahead or behind;
// that what the truth does too at the same label is none, and six ticks off it
// is one; and that a picture that goes in steps pops with each, which those of
// the player's cube do not see.
func TestStepChanges(t *testing.T) {
	for _, shift := range []int{-12, 0, 10, 40} {
		for _, size := range []float32{0.06, 0.3, 2} {
			leap := func(i int) geom.Pose {
				if i >= 200 {
					return shiftedY(rollingPose(i), size)
				}
				return rollingPose(i)
			}
			j := stepChangesOf(t, shift, rollingPose, leap)
			if j.count != 1 || !withinShare(j.energy, float64(size*size), 1e-3) {
				t.Errorf("shift %d, %v m: %d pops, energy %v", shift, size, j.count, j.energy)
			}
			if j := stepChangesOf(t, shift, leap, leap); j.count != 0 {
				t.Errorf("shift %d, %v m in the truth too: %d pops", shift, size, j.count)
			}
			if j := stepChangesOf(t, shift, leap, delayed(leap, 2)); j.count != 0 {
				t.Errorf("shift %d, %v m two ticks late: %d pops", shift, size, j.count)
			}
			if j := stepChangesOf(t, shift, leap, delayed(leap, 6)); j.count != 1 {
				t.Errorf("shift %d, %v m six ticks late: %d pops", shift, size, j.count)
			}
			if j := stepChangesOf(t, shift, leap, delayed(leap, -6)); j.count != 1 {
				t.Errorf("shift %d, %v m six ticks early: %d pops", shift, size, j.count)
			}
			if j := stepChangesOf(t, shift, leap, rollingPose); j.count != 0 {
				t.Errorf("shift %d, %v m in the truth alone: %d pops", shift, size, j.count)
			}
		}
		// 3 m/s in steps of two ticks: every tick's step differs by 10 cm from the
		// one before, and each other one takes the last one back.
		j := stepChangesOf(t, shift, rollingPose, func(i int) geom.Pose { return rollingPose(i / 2 * 2) })
		if j.count < 100 || j.count > 190 {
			t.Errorf("shift %d, in steps: %d pops", shift, j.count)
		}
		fades := func(i int) geom.Pose {
			if i > 200 {
				return shiftedY(rollingPose(i), float32(1-math.Pow(0.96, float64(i-200))))
			}
			return rollingPose(i)
		}
		if j := stepChangesOf(t, shift, rollingPose, fades); j.count != 0 {
			t.Errorf("shift %d, fading: %d pops", shift, j.count)
		}
	}
	// More than can wait are judged all the same, and more than can be
	// remembered are forgotten.
	var s stepChanges
	s.addServer(0, 5000, geom.Vec3{X: 1})
	for range stepChangeHistory {
		s.addServer(5, 5000, geom.Vec3{X: 1})
	}
	for i := range stepChangesPendingMax + 10 {
		s.addDrawn(i%5, 5000, geom.Vec3{X: 1})
	}
	if s.resolveDue(5002); s.count != stepChangesPendingMax+10 || len(s.pending) != 0 {
		t.Errorf("%d of %d counted, %d wait", s.count, stepChangesPendingMax+10, len(s.pending))
	}
}

// TestBoxPenetration holds the depth against boxes whose depth is known: side by side,
// edge into face, edge across edge; it is the same from both sides, and in any
// frame.
func TestBoxPenetration(t *testing.T) {
	cube := geom.Vec3{X: 0.75, Y: 0.75, Z: 0.75}
	plank := geom.Vec3{X: 2, Y: 0.1, Z: 0.5}
	about := func(axis geom.Vec3) geom.Quat { return geom.AxisAngle(axis, geom.Pi/4) }
	x, y, z := geom.Vec3{X: 1}, geom.Vec3{Y: 1}, geom.Vec3{Z: 1}
	one := geom.Identity
	root := float32(math.Sqrt2)
	for _, c := range []struct {
		name       string
		a, b       geom.Quat
		half, hold geom.Vec3
		off        geom.Vec3
		want       float32
	}{
		{"side by side", one, one, cube, cube, geom.Vec3{X: 1.2, Y: 0.1}, 0.3},
		{"apart", one, one, cube, cube, geom.Vec3{X: 1.6, Y: 0.1}, 0},
		{"the same place", one, one, cube, cube, geom.Vec3{}, 1.5},
		{"spheres meet, boxes do not", one, one, cube, cube, geom.Vec3{X: 1.51, Y: 1.4}, 0},
		{"edge into face", one, about(z), cube, cube, geom.Vec3{X: 1.5}, 0.75*root - 0.75},
		{"edge across edge", about(y), about(x), cube, cube, geom.Vec3{Z: 2}, 1.5*root - 2},
		{"edge askew across edge", about(y), geom.AxisAngle(z, 0.5).Mul(about(x)), cube, cube, geom.Vec3{Z: 2}, 1.5*root - 2},
		{"edge above edge", about(y), about(x), cube, cube, geom.Vec3{Z: 2.13}, 0},
		{"plank", one, one, cube, plank, geom.Vec3{X: 2.7, Y: 0.8}, 0.05},
	} {
		for i := range 20 {
			turn := geom.AxisAngle(geom.Vec3{X: 1, Y: float32(i), Z: 2}.Unit(), float32(i))
			p := geom.Pose{Pos: geom.Vec3{X: float32(i), Y: 3}, Rot: turn.Mul(c.a)}
			q := geom.Pose{Pos: p.Pos.Add(turn.Rotate(c.off)), Rot: turn.Mul(c.b)}
			a, b := boxPenetration(&p, &q, &c.half, &c.hold), boxPenetration(&q, &p, &c.hold, &c.half)
			if geom.Abs(a-c.want) > 2e-5 || geom.Abs(b-c.want) > 2e-5 {
				t.Errorf("%s, frame %d: %v, from the other side %v, want %v", c.name, i, a, b, c.want)
			}
		}
	}
}

// TestOverlap holds depths and pairs against five bodies of which some are in
// each other for known times, in truth or in the picture.
func TestOverlap(t *testing.T) {
	put := func(x float64) func(int) geom.Pose { return func(int) geom.Pose { return poseAt(x) } }
	half := func(x, y float64) func(int) geom.Pose {
		return func(i int) geom.Pose { return poseAt([2]float64{x, y}[i/60%2]) }
	}
	// Half of a cube is 0.75 m. The first two meet in the picture, the third and
	// the fourth in both for half of the time, the fifth touches the fourth.
	card := &newSession(t, 60, 5).run(60+1200,
		motionPair{put(0), put(0)}, motionPair{put(1.6), put(1.3)},
		motionPair{put(10), put(10)}, motionPair{half(11.1, 11.6), half(11.3, 11.6)},
		motionPair{put(13.09), put(13.09)}).score
	for _, c := range []struct {
		name        string
		figures     func() (float64, float64)
		deep, pairs float64
	}{
		{"drawn", card.Overlap, 0.2, 1.5}, {"true", card.ServerOverlap, 0.4, 0.5},
		{"own drawn", card.PlayerOverlap, 0.2, 1}, {"own true", card.ServerPlayerOverlap, 0, 0},
	} {
		if deep, pairs := c.figures(); !within(deep, c.deep, 1e-5) || !within(pairs, c.pairs, 0.01) {
			t.Errorf("%s: %v m, %v pairs; want %v, %v", c.name, deep, pairs, c.deep, c.pairs)
		}
	}
}

// TestUpdates holds the rate of news and the age of the picture against views
// that get something new every few ticks, or nothing, or say an older label.
func TestUpdates(t *testing.T) {
	for _, every := range []int{1, 4, 30} {
		p := newSession(t, 60, 2)
		p.view.LastReceived = make([]geom.Pose, 2)
		for i := range 60 + 600 {
			p.view.LastReceived[1] = poseAt(float64(i / every))
			p.world.SetTick(sim.Tick(i + 100))
			p.view.Tick = sim.Tick(i + 100 - 7 + i%2*4)
			p.score.Add(p.world, &p.view, 0)
		}
		n, gap, ok := p.score.Updates()
		mean, most := p.score.NominalDelay()
		if !ok || n != 659/every-60/every || gap != every || mean != 5 || most != 7 {
			t.Errorf("every %d ticks: %d updates, at most %d ticks between, %v; age %v, at most %d", every, n, gap, ok, mean, most)
		}
	}
	ahead := runOne(t, 60, 5, rollingPose, rollingPose)
	if _, _, ok := ahead.Updates(); ok {
		t.Error("a view without a last state has updates")
	}
	p := newSession(t, 60, 1)
	for i := range 200 {
		p.world.SetTick(sim.Tick(i))
		p.view.Tick = sim.Tick(i + 9 + i%2)
		p.score.Add(p.world, &p.view, 0)
	}
	if mean, most := p.score.NominalDelay(); mean != -9.5 || most != -9 {
		t.Errorf("ahead: age %v, at most %d", mean, most)
	}
}

// TestMeasures says that the list is the same whatever a card has seen, and that
// each measure explains itself.
func TestMeasures(t *testing.T) {
	empty, full := new(Score).Measures(nil), runOne(t, 60, 10, rollingPose, rollingPose).Measures(nil)
	if len(empty) != len(full) {
		t.Fatalf("%d and %d", len(empty), len(full))
	}
	seen := map[string]bool{}
	for i, m := range full {
		if m.Name != empty[i].Name || seen[m.Name] || m.Title != "" && seen[m.Title] || m.Help == "" || !m.OK && m.Text() != "-" {
			t.Errorf("%+v", m)
		}
		seen[m.Name], seen[m.Title] = true, true
		if math.IsNaN(m.Value) || math.IsInf(m.Value, 0) || math.IsNaN(empty[i].Value) || math.IsInf(empty[i].Value, 0) {
			t.Errorf("%+v", m)
		}
	}
	list := make([]Measure, 0, len(full))
	card := runOne(t, 60, 10, rollingPose, rollingPose)
	if n := testing.AllocsPerRun(10, func() { card.Measures(list) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestCompoundOverlap says that a body of several boxes sticks in another, and in the ground,
// with any of them, and that bodies of a group do not stick in each other.
func TestCompoundOverlap(t *testing.T) {
	half := geom.Vec3{X: 0.5, Y: 0.5, Z: 0.5}
	arm := sim.Box{Half: half, Parts: []sim.Part{{Half: half, Pose: geom.Pose{Pos: geom.Vec3{X: 3}, Rot: geom.Identity}}}}
	plain := sim.Box{Half: half}
	at := func(x, z float32) *geom.Pose {
		return &geom.Pose{Pos: geom.Vec3{X: x, Z: z}, Rot: geom.Identity}
	}
	if d := bodyPenetration(at(0, 1), at(3.8, 1), &arm, &plain); !within(float64(d), 0.2, 1e-5) {
		t.Errorf("the part is %v m in the other", d)
	}
	if d := bodyPenetration(at(3.8, 1), at(0, 1), &plain, &arm); !within(float64(d), 0.2, 1e-5) {
		t.Errorf("the other is %v m in the part", d)
	}
	if d := bodyPenetration(at(0, 1), at(1.5, 1), &arm, &plain); d != 0 {
		t.Errorf("between the boxes it is %v m in", d)
	}
	if r := boundingRadius(&arm); r < 3.8 || r > 4 {
		t.Errorf("a radius of %v m", r)
	}
	arm.FilterGroup, plain.FilterGroup = 2, 2
	if d := bodyPenetration(at(0, 1), at(0.5, 1), &arm, &plain); d != 0 {
		t.Errorf("of one group, and %v m in", d)
	}
	plain.FilterGroup = 3
	if d := bodyPenetration(at(0, 1), at(0.5, 1), &arm, &plain); d == 0 {
		t.Error("of two groups, and not in")
	}
	down := at(0, 1)
	down.Rot = geom.AxisAngle(geom.Vec3{Y: 1}, geom.Pi/2) // its part hangs below
	if d := bodyFloorDepth(down, &arm); !within(float64(d), 2.5, 1e-4) {
		t.Errorf("the part is %v m in the ground", d)
	}
}

// TestJointSeparation says how far apart the ends of joints are drawn: not at all where
// the picture is the truth, and as far as one body is moved beside it.
func TestJointSeparation(t *testing.T) {
	scene, err := sim.SceneNamed("trailer")
	if err != nil {
		t.Fatal(err)
	}
	w := sim.New(scene, 60)
	var c Score
	var v predict.View
	for i := range 180 {
		w.Step()
		v.Reset()
		v.Tick, v.Bodies = w.Tick(), predict.AppendPoses(v.Bodies, w.Bodies())
		if j := &scene.Joints[0]; i == 120 {
			v.Bodies[j.B].Pos.Z += 0.25
		}
		c.Add(w, &v, 0)
	}
	rms, most, truth, ok := c.JointSeparation()
	if !ok || truth > 0.001 || most < 0.249 || most > 0.251 || rms < 0.001 || rms > 0.1 {
		t.Errorf("%v m, at most %v; true %v; %t", rms, most, truth, ok)
	}
	if _, _, _, ok := runOne(t, 60, 5, rollingPose, rollingPose).JointSeparation(); ok {
		t.Error("a scene without joints has some")
	}
}
