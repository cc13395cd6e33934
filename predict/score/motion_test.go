package score

import (
	"fmt"
	"math"
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// motionPair is a body's motion on the server and as drawn, as functions of the tick.
type motionPair struct {
	server, drawn func(i int) geom.Pose
}

// session is a session of a score with bodies that move as given.
type session struct {
	score Score
	world *predict.World
	view  predict.View
	ticks int
}

// newSession makes a session of a number of bodies; the first is the player's cube.
func newSession(t testing.TB, rate, bodies int) *session {
	t.Helper()
	sc := predicttest.Scene(t, "plain")
	for len(sc.Boxes) < bodies {
		sc.Boxes = append(sc.Boxes, sc.Boxes[0])
	}
	return &session{world: predict.NewWorld(sc, rate), view: predict.View{Bodies: make([]geom.Pose, bodies)}}
}

// run adds ticks.
func (s *session) run(ticks int, bodies ...motionPair) *session {
	for range ticks {
		for k, b := range bodies {
			s.world.SetBody(k, sim.Body{Pose: b.server(s.ticks)})
			s.view.Bodies[k] = b.drawn(s.ticks)
		}
		s.world.SetTick(sim.Tick(s.ticks))
		s.view.ShowTick(sim.Tick(s.ticks))
		s.score.Add(s.world, &s.view, 0)
		s.ticks++
	}
	return s
}

// runOne scores one body.
func runOne(t testing.TB, rate, seconds int, server, drawn func(i int) geom.Pose) *Score {
	t.Helper()
	return &newSession(t, rate, 1).run(seconds*rate, motionPair{server, drawn}).score
}

// poseAt returns a pose at x, above the ground.
func poseAt(x float64) geom.Pose {
	return geom.Pose{Pos: geom.Vec3{X: float32(x), Z: 2}, Rot: geom.Identity}
}

// along returns a motion along x; x is a function of time in seconds.
func along(rate int, x func(t float64) float64) func(i int) geom.Pose {
	return func(i int) geom.Pose { return poseAt(x(float64(i) / float64(rate))) }
}

// varyingSpeed is a position whose speed varies between 0.4 and 5.6 m/s without repeating.
func varyingSpeed(t float64) float64 {
	return 3*t - 1.2*math.Cos(1.1*t) - 0.4*math.Cos(2.7*t+1) - 0.04*math.Cos(5.3*t+2)
}

// delayed returns a motion some ticks later.
func delayed(f func(i int) geom.Pose, ticks int) func(i int) geom.Pose {
	return func(i int) geom.Pose { return f(i - ticks) }
}

// allMeasures returns everything that a score measures, as text.
func allMeasures(c *Score) string {
	return fmt.Sprint(c.Ticks, c.LagError(), c.Measures(nil, Counts{}))
}

// TestDisplayDelay checks that motion drawn some ticks later or earlier has that display delay at
// every rate, also if it is drawn elsewhere and half as large.
func TestDisplayDelay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rate, lag int }{
		{60, 7}, {60, -3}, {60, 0}, {60, 1}, {60, -10}, {60, -90}, {60, 60}, {60, 180},
		{10, 2}, {10, -15}, {10, 30}, {240, 18}, {240, -38}, {240, 720},
	} {
		server := along(c.rate, varyingSpeed)
		for name, drawn := range map[string]func(i int) geom.Pose{
			"the same": server,
			"elsewhere": func(i int) geom.Pose {
				p := server(i)
				return geom.Pose{Pos: geom.Vec3{Y: 5 + p.Pos.X/2, Z: 1}, Rot: geom.Identity}
			},
		} {
			got, ok := runOne(t, c.rate, 20, server, delayed(drawn, c.lag)).DisplayDelay()
			if !ok || got != c.lag {
				t.Errorf("%s at %d Hz, %d ticks behind: %d ticks, %v", name, c.rate, c.lag, got, ok)
			}
		}
	}
}

// TestDisplayDelayOfPeriodicMotion checks that among the periods that explain a swinging cube equally well the one closest to 0 is
// taken, however the period divides into ticks, and that the delay between ticks is found.
func TestDisplayDelayOfPeriodicMotion(t *testing.T) {
	for _, late := range []float64{14.4, -9.7} { // ticks
		at := func(i float64) geom.Pose { return poseAt(i/24 + math.Sin(2*math.Pi*i/133.92)) }
		score := runOne(t, 144, 14, func(i int) geom.Pose { return at(float64(i)) }, func(i int) geom.Pose { return at(float64(i) - late) })
		d, ok := score.DisplayDelay()
		between, also := score.DisplayDelayBetween()
		if !ok || !also || math.Abs(float64(d)-late) > 0.5 || math.Abs(between-late) > 0.1 {
			t.Errorf("%v ticks behind: %d, %v, between ticks %v", late, d, ok, between)
		}
	}
}

// rolls moves at speeds[k] m/s for length seconds from every k-th period on, in seconds, and rests in
// between.
func rolls(period, length float64, speeds ...float64) func(t float64) float64 {
	return func(t float64) float64 {
		x := 0.0
		for k, v := range speeds {
			x += v * min(max(t-float64(k)*period, 0), length)
		}
		return x
	}
}

// TestDisplayDelayNeedsEvidence checks that sparse motion has no display delay if it is too short, or
// if a lag far from the best one explains it nearly as well; and that it has one if it is long and
// clear enough.
func TestDisplayDelayNeedsEvidence(t *testing.T) {
	alike := func(factor, modulus int) (speeds []float64) {
		for k := range 30 {
			speeds = append(speeds, 3+0.05*float64(k*factor%modulus))
		}
		return speeds
	}
	clear := rolls(4, 1, 2, 5, 3, 4, 1, 6, 2, 3)
	for _, c := range []struct {
		name          string
		server, drawn func(t float64) float64
		ok            bool
	}{
		{"one short roll", rolls(14, 1, 0, 3), rolls(14, 1, 0, 3), false},
		{"rolls at a distance of 1.4 s", rolls(1.4, 0.4, alike(3, 7)...), rolls(1.4, 0.4, alike(5, 11)...), false},
		{"clear rolls", clear, clear, true},
	} {
		drawn := delayed(along(60, c.drawn), 25)
		if d, ok := runOne(t, 60, 30, along(60, c.server), drawn).DisplayDelay(); ok != c.ok || ok && d != 25 {
			t.Errorf("%s: %d ticks, %v", c.name, d, ok)
		}
	}
}

// TestDisplayDelayOfSteps checks that motion drawn in steps has the display delay of its poses plus
// half the time that each of them is shown, to a tick.
func TestDisplayDelayOfSteps(t *testing.T) {
	server := along(60, varyingSpeed)
	for _, c := range []struct{ lag, stays int }{{5, 2}, {5, 6}, {12, 10}, {-10, 6}} {
		stepped := func(i int) geom.Pose { return server(i/c.stays*c.stays - c.lag) }
		d, ok := runOne(t, 60, 30, server, stepped).DisplayDelay()
		if want := float64(c.lag) + float64(c.stays-1)/2; !ok || math.Abs(float64(d)-want) > 1 {
			t.Errorf("%d ticks behind, a new pose every %d ticks: %d ticks, %v, want %v", c.lag, c.stays, d, ok, want)
		}
	}
}

// TestDisplayDelayUnknown checks that there is no display delay at rest, at a constant speed, for
// unrelated motion, for a drawn cube at rest, and in the first seconds.
func TestDisplayDelayUnknown(t *testing.T) {
	even := along(60, func(t float64) float64 { return 5 * t })
	rest := along(60, func(float64) float64 { return 1 })
	server := along(60, varyingSpeed)
	other := along(60, func(t float64) float64 { return 3*t - math.Cos(7.7*t) })
	for name, s := range map[string]motionPair{
		"rest": {rest, rest}, "even": {even, even}, "unlike": {server, other}, "stands": {server, rest},
	} {
		if d, ok := runOne(t, 60, 20, s.server, s.drawn).DisplayDelay(); ok {
			t.Errorf("%s: %d ticks", name, d)
		}
	}
	for seconds, want := range map[int]bool{6: false, 7: true} {
		if d, ok := runOne(t, 60, seconds, server, delayed(server, 7)).DisplayDelay(); ok != want || ok && d != 7 {
			t.Errorf("after %d s: %d ticks, %v", seconds, d, ok)
		}
	}
	if d, ok := new(Score).DisplayDelay(); ok {
		t.Errorf("an empty score: %d ticks", d)
	}
}

// TestDisplayDelayOfFaults checks that jumps do not count as motion. The server's cube is moved
// aside by a metre every two seconds; a cube drawn 10 ticks ahead that follows each jump 15 ticks
// later is 10 ticks ahead.
func TestDisplayDelayOfFaults(t *testing.T) {
	server := along(60, varyingSpeed)
	aside := func(f func(i int) geom.Pose, late int) func(i int) geom.Pose {
		return func(i int) geom.Pose { return shiftedY(f(i), float32(max(0, i-late)/120)) }
	}
	if d, ok := runOne(t, 60, 60, aside(server, 0), aside(delayed(server, -10), 15)).DisplayDelay(); !ok || d != -10 {
		t.Errorf("%d ticks, %v", d, ok)
	}
}

// TestFreezes compares the share and length of freezes with cubes drawn at rest for known
// times, at several rates.
func TestFreezes(t *testing.T) {
	const seconds = 11 // ten of them scored
	for _, rate := range []int{30, 60, 240} {
		server := along(rate, func(t float64) float64 { return 3 * t })
		stepped := func(hz int) func(i int) geom.Pose {
			n := rate / hz
			return func(i int) geom.Pose { return server(i / n * n) }
		}
		creep := func(speed float64) func(i int) geom.Pose {
			return along(rate, func(t float64) float64 { return speed * t })
		}
		for _, c := range []struct {
			name    string
			drawn   func(i int) geom.Pose
			frozen  float64
			longest int
		}{
			{"no freeze", server, 0, 0},
			{"behind", delayed(server, 20), 0, 0},
			{"5 times a second", stepped(5), 1 - 5/float64(rate), rate/5 - 1},
			{"30 times a second", stepped(30), 1 - 30/float64(rate), 0},
			{"creeping at 5 cm/s", creep(0.05), 1, 10 * rate},
			{"creeping at 7 cm/s", creep(0.07), 0, 0},
		} {
			score := runOne(t, rate, seconds, server, c.drawn)
			if longest := score.freezes.longest; math.Abs(score.Frozen()-c.frozen) > 1e-9 || longest != c.longest {
				t.Errorf("%s at %d Hz: %.4f frozen, the longest freeze %d ticks; want %.4f, %d",
					c.name, rate, score.Frozen(), longest, c.frozen, c.longest)
			}
		}
	}
}

// TestNoFreeze checks that a drawn cube at rest is not frozen while the server's cube rests,
// creeps, or only jumps.
func TestNoFreeze(t *testing.T) {
	rest := along(60, func(float64) float64 { return 1 })
	for name, server := range map[string]func(i int) geom.Pose{
		"rest":  rest,
		"creep": along(60, func(t float64) float64 { return 0.4 * t }),
		"fault": func(i int) geom.Pose { return shiftedY(rest(i), float32(i/100)) },
	} {
		score := runOne(t, 60, 10, server, rest)
		if n := score.freezes.longest; n != 0 || score.Frozen() != 0 {
			t.Errorf("%s: a freeze of %d ticks, %v frozen", name, n, score.Frozen())
		}
	}
}

// oscillation returns a sine motion with an amplitude in metres and an angular frequency in rad/s.
// The third difference of a sine is a sine too, with (2 sin(frequency/rate/2))^3 times the
// amplitude.
func oscillation(rate int, metres, frequency float64) func(i int) geom.Pose {
	return along(rate, func(t float64) float64 { return metres * math.Sin(frequency*t) })
}

func oscillationThirdDifference(rate int, metres, frequency float64) float64 {
	return metres * math.Pow(2*math.Sin(frequency/float64(rate)/2), 3)
}

// TestJerkRatio compares the ratio with that of sines, for the player's cube and for all bodies.
func TestJerkRatio(t *testing.T) {
	for _, rate := range []int{30, 60, 240} {
		const slow, fast = 2 * math.Pi, 6 * math.Pi // 1 and 3 times a second
		first := motionPair{oscillation(rate, 1, slow), oscillation(rate, 0.5, fast)}
		second := motionPair{along(rate, func(float64) float64 { return 0 }), oscillation(rate, 0.2, fast)}
		c := &newSession(t, rate, 2).run(11*rate, first, second).score
		a, b, d := oscillationThirdDifference(rate, 1, slow), oscillationThirdDifference(rate, 0.5, fast), oscillationThirdDifference(rate, 0.2, fast)
		if r, ok := c.JerkRatio(); !ok || math.Abs(r/(b/a)-1) > 0.01 {
			t.Errorf("%d Hz: %v, %v, want %v", rate, r, ok, b/a)
		}
		if r, ok := c.JerkRatioAll(); !ok || math.Abs(r/(math.Hypot(b, d)/a)-1) > 0.01 {
			t.Errorf("%d Hz: %v, %v of all, want %v", rate, r, ok, math.Hypot(b, d)/a)
		}
	}
}

// TestJerkOfStop compares the jerk of a body that stops: a missing step of 0.1 m makes two third
// differences of that size.
func TestJerkOfStop(t *testing.T) {
	c := runOne(t, 60, 11, oscillation(60, 1, 6*math.Pi), func(i int) geom.Pose { return poseAt(0.1 * float64(min(i, 300))) })
	want := math.Sqrt(2*0.01/600) / (oscillationThirdDifference(60, 1, 6*math.Pi) / math.Sqrt2)
	if r, ok := c.JerkRatio(); !ok || math.Abs(r/want-1) > 0.01 {
		t.Errorf("%v, %v, want %v", r, ok, want)
	}
}

// TestJerkOfCollisions checks that a bounce, stop or jump on the server, drawn some ticks later, is
// not rougher than the server's motion. Motion drawn without it is smoother, and with added pops
// rougher.
func TestJerkOfCollisions(t *testing.T) {
	for name, server := range map[string]func(i int) geom.Pose{
		"bounce": func(i int) geom.Pose { return rollingPose(300 - max(i-300, 300-i)) },
		"stop":   func(i int) geom.Pose { return rollingPose(min(i, 300)) },
		"jump":   func(i int) geom.Pose { return shiftedY(rollingPose(i), float32(i/300)) },
	} {
		c := runOne(t, 60, 10, server, delayed(server, 8))
		one, ok := c.JerkRatio()
		if all, ok2 := c.JerkRatioAll(); !ok || !ok2 || math.Abs(one-1) > 0.01 || math.Abs(all-1) > 0.01 {
			t.Errorf("%s: %v, %v of all", name, one, all)
		}
		if r, ok := runOne(t, 60, 10, server, rollingPose).JerkRatio(); !ok || r > 0.1 {
			t.Errorf("%s that is not drawn: %v", name, r)
		}
		popping := func(i int) geom.Pose { return shiftedY(server(i), 0.5*float32(i/100%2)) }
		if r, ok := runOne(t, 60, 10, server, popping).JerkRatio(); !ok || r < 1.2 {
			t.Errorf("%s and pops: %v", name, r)
		}
	}
	rest := along(60, func(float64) float64 { return 1 })
	if r, ok := runOne(t, 60, 10, rest, oscillation(60, 1, 6)).JerkRatio(); ok {
		t.Errorf("server at rest: %v", r)
	}
}

// TestFewerBodies checks that a view may have fewer bodies than the server, and more of them later;
// their appearance is not a jump.
func TestFewerBodies(t *testing.T) {
	p := newSession(t, 60, 2)
	s := motionPair{along(60, varyingSpeed), along(60, varyingSpeed)}
	whole := p.view.Bodies
	p.view.Bodies = whole[:1]
	p.run(120, s)
	p.view.Bodies = whole
	p.run(120, s, s)
	p.view.Bodies = whole[:1]
	p.run(60, s)
	p.view.Bodies = whole
	p.run(120, s, s)
	if r, ok := p.score.JerkRatioAll(); !ok || math.Abs(r-1) > 1e-6 {
		t.Errorf("%v, %v", r, ok)
	}
}

// TestCopyFrom checks that a copy continues as the original would have, whatever the original does
// meanwhile, and copying again allocates nothing.
func TestCopyFrom(t *testing.T) {
	server := along(60, varyingSpeed)
	jumping := func(i int) geom.Pose {
		p := shiftedY(server(i/7*7-4), 0.3*float32(i/90%2))
		p.Pos.Z = 0.7
		return p
	}
	first, second := motionPair{server, jumping}, motionPair{jumping, server}
	whole := newSession(t, 60, 2).run(500, first, second).run(400, first, second)
	p := newSession(t, 60, 2).run(500, first, second)
	var c Score
	c.CopyFrom(&p.score)
	before := allMeasures(&c)
	if before != allMeasures(&p.score) {
		t.Errorf("the copy has %s\nthe original %s", before, allMeasures(&p.score))
	}
	q := *p
	q.score = Score{}
	q.score.CopyFrom(&c)
	q.world = newSession(t, 60, 2).world
	q.view.Bodies = make([]geom.Pose, 2)
	p.run(400, second, first)
	if allMeasures(&c) != before {
		t.Errorf("a copy changed with the original: %s\nfrom %s", allMeasures(&c), before)
	}
	q.run(400, first, second)
	if allMeasures(&q.score) != allMeasures(&whole.score) {
		t.Errorf("a copy continues differently: %s\nwant %s", allMeasures(&q.score), allMeasures(&whole.score))
	}
	if n := testing.AllocsPerRun(10, func() { c.CopyFrom(&p.score) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkAdd scores one tick of 901 bodies: all of them moving, all but the player's at rest, and
// a pile in which each body is close to many others.
func BenchmarkAdd(b *testing.B) {
	for _, c := range []struct {
		name  string
		spec  string
		rate  int
		moves int
	}{{"moving", "katamari", 60, 901}, {"asleep", "katamari", 60, 1}, {"moving-240Hz", "katamari", 240, 901}, {"pile", "pile", 60, 901}} {
		b.Run(c.name, func(b *testing.B) {
			sc := predicttest.Scene(b, c.spec)
			// Two states alternate, so that the world need not be stepped.
			var worlds [2]*predict.World
			var views [2]predict.View
			for k := range worlds {
				w := predict.NewWorld(sc, c.rate)
				for i := range w.Bodies()[:c.moves] {
					body := w.Bodies()[i]
					rotation := geom.AxisAngle(geom.Vec3{X: 1}, 0.01*float32(k*(i%7+1)))
					body.Pose.Pos.X += 0.02 * float32(k)
					body.Pose.Rot = rotation.Mul(body.Pose.Rot)
					w.SetBody(i, body)
				}
				worlds[k] = w
				for i := range w.Bodies() {
					views[k].Bodies = append(views[k].Bodies, w.Bodies()[i].Pose)
				}
				views[k].LastReceived = views[k].Bodies
			}
			var score Score
			tick := sim.Tick(0)
			add := func() {
				w := worlds[tick%2]
				w.SetTick(tick)
				views[tick%2].ShowTick(tick)
				score.Add(w, &views[tick%2], 0)
				tick++
			}
			for range 6 * c.rate {
				add()
			}
			b.ReportAllocs()
			for b.Loop() {
				add()
			}
		})
	}
}

// TestShortestFreeze checks that at any rate a run of frozen ticks is a freeze if it lasts a twentieth of a second or
// longer, and none if it is shorter.
func TestShortestFreeze(t *testing.T) {
	for rate, shortest := range map[int]int{10: 1, 20: 1, 30: 2, 60: 3, 64: 4, 120: 6, 128: 7, 240: 12} {
		for run := 1; run <= shortest+1; run++ {
			var f freezes
			for range run {
				f.add(1/float64(rate), 0, rate)
			}
			want := run
			if run < shortest {
				want = 0
			}
			if f.longest != want || f.ticks != run {
				t.Errorf("%d frozen ticks at %d Hz: the longest freeze is %d ticks, want %d", run, rate, f.longest, want)
			}
		}
	}
}
