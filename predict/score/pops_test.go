package score

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// rollingPose moves straight at 3 m/s and rolls.
func rollingPose(tick int) geom.Pose {
	t := float32(tick) / 60
	return geom.Pose{Pos: geom.Vec3{X: 3 * t, Z: 0.75}, Rot: geom.AxisAngle(geom.Vec3{Y: 1}, 4*t)}
}

// aside returns that motion, from tick 200 on beside itself by an offset in metres at each tick from there.
func aside(offset func(k int) float32) func(tick int) geom.Pose {
	return func(i int) geom.Pose {
		if i < 200 {
			return rollingPose(i)
		}
		return shiftedY(rollingPose(i), offset(i-200))
	}
}

// by returns an offset that stays the same.
func by(metres float32) func(int) float32 { return func(int) float32 { return metres } }

func shiftedY(p geom.Pose, x float32) geom.Pose {
	p.Pos.Y += x
	return p
}

// popsOf returns the pops of a drawn motion that is shift ticks ahead of the server's; both are
// functions of the tick they show.
func popsOf(ticks, shift int, server, drawn func(tick int) geom.Pose) *pops {
	p := &pops{}
	for i := range ticks {
		p.addServer(server(i), sim.Tick(i))
		p.add(drawn(i+shift), sim.Moment(i+shift)*sim.MomentsPerTick, true)
	}
	return p
}

// TestPopDetected checks that one jump of the drawn cube is one pop of its size, whether it stays
// away or comes back, and whether it is drawn ahead or behind.
func TestPopDetected(t *testing.T) {
	for _, shift := range []int{-12, 0, 10, 40} {
		for _, size := range []float32{0.06, 0.3, 1, 2.5} {
			p := popsOf(400, shift, rollingPose, aside(by(size)))
			if p.count != 1 || geom.Abs(p.largest-size) > 1e-3 {
				t.Errorf("shift %d: a jump of %v m: %d pops, largest %v", shift, size, p.count, p.largest)
			}
			spike := func(k int) float32 { return size * float32(max(1-k, 0)) }
			if p := popsOf(400, shift, rollingPose, aside(spike)); p.count != 2 {
				t.Errorf("shift %d: there and back by %v m: %d pops, want 2", shift, size, p.count)
			}
		}
	}
}

// TestCollisionIsNoPop checks that a stop, bounce, sudden spin or nudge that the server's cube
// makes in the same tick is no pop.
func TestCollisionIsNoPop(t *testing.T) {
	for name, motion := range map[string]func(i int) geom.Pose{
		"stop":   func(i int) geom.Pose { return rollingPose(min(i, 200)) },
		"bounce": func(i int) geom.Pose { return rollingPose(min(i, 400-i)) },
		"spin": func(i int) geom.Pose {
			p := rollingPose(i)
			if i > 200 {
				p.Rot = geom.AxisAngle(geom.Vec3{X: 1}, 0.3*float32(i-200)).Mul(rollingPose(200).Rot)
			}
			return p
		},
		"nudge": aside(by(1)),
	} {
		for _, shift := range []int{-12, 0, 10} {
			if p := popsOf(400, shift, motion, motion); p.count != 0 {
				t.Errorf("%s, shift %d: %d pops", name, shift, p.count)
			}
		}
		// Six ticks away from it, the same motion is a pop.
		late := func(i int) geom.Pose { return motion(i - 6) }
		if p := popsOf(400, 0, motion, late); p.count == 0 {
			t.Errorf("%s, six ticks late: no pop", name)
		}
	}
}

// TestCollisionBetweenTicks checks that what the server's cube does in one tick is no pop where the view is
// between two ticks and shows it in parts, and that a jump of the drawn cube alone is one there, too.
func TestCollisionBetweenTicks(t *testing.T) {
	stop := func(i int) geom.Pose { return rollingPose(min(i, 200)) }
	nudge := aside(by(1))
	for _, motion := range []func(i int) geom.Pose{stop, nudge, rollingPose} {
		for part := range 8 {
			share := float32(part) / 8
			for _, jump := range []float32{0, 0.3} {
				p := &pops{}
				for i := range 400 {
					p.addServer(motion(i), sim.Tick(i))
					a, b := motion(i-12), motion(i-11)
					drawn := geom.Pose{Pos: a.Pos.AddScaled(share, b.Pos.Sub(a.Pos)), Rot: geom.Slerp(a.Rot, b.Rot, share)}
					if i >= 300 {
						drawn.Pos.Y += jump
					}
					p.add(drawn, (sim.Moment(i-12)*8+sim.Moment(part))*(sim.MomentsPerTick/8), true)
				}
				if want := map[bool]int{true: 1}[jump > 0]; p.count != want {
					t.Errorf("at %v of a tick, a jump of %v m: %d pops, want %d", share, jump, p.count, want)
				}
			}
		}
	}
}

// TestTurnBetweenSnapshots checks that a sudden turn of the server's cube is no pop where the view goes evenly
// between snapshots of every third tick, whether it is drawn at whole ticks or between them.
func TestTurnBetweenSnapshots(t *testing.T) {
	for turn := 200; turn < 203; turn++ {
		motion := func(i int) geom.Pose {
			return geom.Pose{Pos: geom.Vec3{X: 0.2 * float32(min(i, turn)), Y: 0.2 * float32(max(i-turn, 0))}, Rot: geom.Identity}
		}
		for part := range 8 {
			p := &pops{}
			for i := range 400 {
				p.addServer(motion(i), sim.Tick(i))
				at := 8*(i+60) + part // eighths of a tick
				a, share := at/24*3, float32(at%24)/24
				from, to := motion(a-72), motion(a-69)
				drawn := geom.Pose{Pos: from.Pos.AddScaled(share, to.Pos.Sub(from.Pos)), Rot: geom.Slerp(from.Rot, to.Rot, share)}
				p.add(drawn, (sim.Moment(i-12)*8+sim.Moment(part))*(sim.MomentsPerTick/8), true)
			}
			if p.count > 0 {
				t.Errorf("at %d eighths of a tick: %d pops", part, p.count)
			}
		}
	}
}

// TestSmoothIsNoPop checks that an offset that decays is no pop, however far it goes: a metre at a
// factor of 0.98.
func TestSmoothIsNoPop(t *testing.T) {
	decaying := func(k int) float32 { return float32(1 - math.Pow(0.98, float64(k))) }
	if p := popsOf(600, 0, rollingPose, aside(decaying)); p.count != 0 {
		t.Errorf("%d pops, largest %v", p.count, p.largest)
	}
}

// TestRotationPop checks that a jump in orientation alone is a pop.
func TestRotationPop(t *testing.T) {
	rotated := func(i int) geom.Pose {
		p := rollingPose(i)
		if i >= 200 {
			p.Rot = geom.AxisAngle(geom.Vec3{Z: 1}, 0.2).Mul(p.Rot)
		}
		return p
	}
	if p := popsOf(400, 0, rollingPose, rotated); p.count != 1 || p.largest > 0.01 {
		t.Errorf("%d pops of up to %v m", p.count, p.largest)
	}
}

// TestStutterPops checks that a cube drawn at rest every eighth tick pops each time it catches up,
// if it moves fast enough for 5 cm. Stutter in every other tick becomes the expected deviation, and
// is not counted.
func TestStutterPops(t *testing.T) {
	fast := func(i int) geom.Pose { return geom.Pose{Pos: geom.Vec3{X: 0.1 * float32(i)}, Rot: geom.Identity} }
	stutter := func(i int) geom.Pose {
		if i%8 == 7 {
			return fast(i - 1)
		}
		return fast(i)
	}
	if p := popsOf(400, 0, fast, stutter); p.count < 90 {
		t.Errorf("%d pops", p.count)
	}
}

// TestScore compares the lag errors with values in closed form, and checks that the first second is
// not scored.
func TestScore(t *testing.T) {
	sc := predicttest.Scene(t, "plain")
	w := predict.NewWorld(sc, 60)
	c := &Score{}
	for i := range 180 {
		w.Step()
		p := w.Bodies()[0].Pose
		offset := float32(9)
		if i >= 60 {
			offset = 0.3
			if i%2 == 0 {
				offset = 0.4
			}
		}
		p.Pos.X += offset
		c.Add(w, &predict.View{Others: w.Tick().Moment(), Bodies: []geom.Pose{p}}, 0)
	}
	if want := math.Sqrt((0.09 + 0.16) / 2); math.Abs(c.LagErrorRMS()-want) > 1e-4 || c.Ticks != 120 {
		t.Errorf("RMS %v over %d ticks", c.LagErrorRMS(), c.Ticks)
	}
	// From 9 m to 0.4 m in the first scored tick, and then 10 cm in every other tick: the median
	// step is 0 or 10 cm, so each change stands out.
	if c.pops.largest < 8.5 || c.PopsPerMinute() < 60 {
		t.Errorf("%v pops a minute, largest %v m", c.PopsPerMinute(), c.pops.largest)
	}
	var d Score
	d.CopyFrom(c)
	if d.LagErrorRMS() != c.LagErrorRMS() || d.pops.largest != c.pops.largest {
		t.Error("not a copy")
	}
	if n := testing.AllocsPerRun(100, func() { c.Add(w, &predict.View{}, 0) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestMedianDeviation checks the median of the last deviations, which is kept sorted, against sorting them, also for
// equal ones and for those that are no number.
func TestMedianDeviation(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var m motionTracker
	var last []float32
	for i := range 2000 {
		d := float32(rng.IntN(40)) / 8
		if i%97 == 96 {
			d = float32(math.NaN())
		}
		want := float32(0)
		if len(last) > 0 {
			want = median(slices.Clone(last))
		}
		if got := m.medianDeviation(d); got != want {
			t.Fatalf("the median of %d deviations is %v, want %v", len(last), got, want)
		}
		if d != d {
			d = math.MaxFloat32
		}
		if last = append(last, d); len(last) > deviationWindow {
			last = last[1:]
		}
	}
}
