package score

import (
	"math"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// withinShare reports whether got differs from want by at most a share of want.
func withinShare(got, want, share float64) bool { return within(got, want, share*math.Abs(want)) }

// within reports whether got differs from want by at most the tolerance. NaN does not.
func within(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance }

// TestAlignedError checks that a delay alone is no aligned error. A cube drawn beside the server's,
// rotated, or swinging around it has exactly that error at any delay.
func TestAlignedError(t *testing.T) {
	t.Parallel()
	rates := []int{10, 60, 240}
	if experiment.Brief() {
		rates = rates[:2]
	}
	for _, rate := range rates {
		server := func(i int) geom.Pose {
			p := along(rate, varyingSpeed)(i)
			p.Rot = geom.AxisAngle(geom.Vec3{Y: 1}, 2*float32(i)/float32(rate))
			return p
		}
		aside := func(i int) geom.Pose { return shiftedY(server(i), 0.3) }
		rotated := func(i int) geom.Pose {
			p := server(i)
			p.Rot = geom.AxisAngle(geom.Vec3{X: 1, Z: 1}.Unit(), -0.4).Mul(p.Rot).Neg()
			return p
		}
		swings := func(i int) geom.Pose {
			return shiftedY(server(i), float32(0.1*math.Sin(1.6*float64(i)/float64(rate))))
		}
		for _, lag := range []int{0, rate / 8, -rate / 6, rate} {
			for _, c := range []struct {
				name          string
				drawn         func(i int) geom.Pose
				metres, angle float64
			}{
				{"no error", server, 0, 0},
				{"aside", aside, 0.3, 0},
				{"turned", rotated, 0, 0.4 * 180 / math.Pi},
				{"swings", swings, 0.1 / math.Sqrt2, 0},
			} {
				score := runOne(t, rate, 25, server, delayed(c.drawn, lag))
				s, ok := score.MotionError()
				if !ok || !within(s.Distance, c.metres, 0.04*c.metres+1e-4) || !within(s.Angle, c.angle, 0.01*c.angle+1e-3) || s.Backward != 0 || !within(s.SpeedModulation, 0, 0.02) {
					t.Errorf("%s at %d Hz, %d ticks behind: %+v, %v; want %v m, %v degrees", c.name, rate, lag, s, ok, c.metres, c.angle)
				}
			}
		}
	}
	even := along(60, func(t float64) float64 { return 5 * t })
	if s, ok := runOne(t, 60, 20, even, even).MotionError(); ok {
		t.Errorf("without a display delay: %+v", s)
	}
}

// TestBackward checks that only a drawn cube that moves against the server's cube while that moves
// goes backward, not one that stands, is late, or turns back when the server's cube does.
func TestBackward(t *testing.T) {
	server := along(60, varyingSpeed)
	// back returns positions at the server's speed, in reverse for a share of each second.
	back := func(share int) func(i int) geom.Pose {
		x, places := 0.0, make([]geom.Pose, 1300)
		for i := range places {
			step := varyingSpeed(float64(i)/60) - varyingSpeed(float64(i-1)/60)
			if i%60 < share {
				step = -step
			}
			x += step
			places[i] = poseAt(x)
		}
		return func(i int) geom.Pose { return places[max(i, 0)] }
	}
	for _, share := range []int{0, 6, 30, 60} {
		for _, lag := range []int{0, 9} {
			s, ok := runOne(t, 60, 20, server, delayed(back(share), lag)).MotionError()
			if !ok || !within(s.Backward, float64(share)/60, 0.02) {
				t.Errorf("%d of 60 ticks, %d behind: %v, %v", share, lag, s.Backward, ok)
			}
		}
	}
	swings := oscillation(60, 1, 3)
	stepped := func(i int) geom.Pose { return server(i / 6 * 6) }
	// Half of the time the server's cube creeps at 0.1 m/s and the drawn one creeps back.
	creeps := func(sign float64) func(i int) geom.Pose {
		return func(i int) geom.Pose {
			return poseAt(0.5*float64(i/240) + 0.5*math.Min(float64(i%240)/120, 1) + sign*0.1*math.Max(0, float64(i%240-120)/60))
		}
	}
	for name, s := range map[string]motionPair{
		"turns back late": {swings, delayed(swings, 13)},
		"in steps":        {server, stepped},
		"creeps back":     {creeps(0.5), creeps(-0.5)},
	} {
		if s, ok := runOne(t, 60, 30, s.server, s.drawn).MotionError(); !ok || !within(s.Backward, 0, 0.01) {
			t.Errorf("%s: %v backward, %v", name, s.Backward, ok)
		}
	}
}

// bandPassGain is the gain of the band-pass at a frequency in Hz: that of the analogue filters,
// with frequencies warped as the bilinear transform does.
func bandPassGain(hz float64, rate int) float64 {
	warped := func(hz float64) float64 { return math.Tan(math.Pi * hz / float64(rate)) }
	g := 1 / math.Sqrt(1+math.Pow(warped(1)/warped(hz), 4))
	if rate > 12 {
		g /= math.Sqrt(1 + math.Pow(warped(hz)/warped(6), 4))
	}
	return g
}

// TestSpeedModulation compares the difference of speeds between 1 and 6 Hz with sines in the drawn
// speed, inside and outside the band, with and without a delay.
func TestSpeedModulation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rate int
		hz   []float64
	}{{10, []float64{0.3, 1, 2.5}}, {60, []float64{0.3, 1, 2.5, 6, 15}}, {240, []float64{0.3, 1, 2.5, 6, 15}}} {
		for _, hz := range c.hz {
			if experiment.Brief() && c.rate == 240 && hz != 6 {
				continue
			}
			for _, lag := range []int{0, c.rate / 10} {
				server := along(c.rate, varyingSpeed)
				w := 2 * math.Pi * hz
				modulated := func(i int) geom.Pose {
					s := float64(i) / float64(c.rate)
					return poseAt(varyingSpeed(s-float64(lag)/float64(c.rate)) + 0.3/w*math.Sin(w*s))
				}
				s, ok := runOne(t, c.rate, 25, server, modulated).MotionError()
				// The difference of two positions attenuates a sine a little more than its
				// derivative does.
				half := w / float64(2*c.rate)
				want := 0.3 / math.Sqrt2 * math.Sin(half) / half * bandPassGain(hz, c.rate)
				if !ok || !within(s.SpeedModulation, want, 0.03*want+0.004) {
					t.Errorf("%v Hz at %d Hz, %d ticks behind: %v m/s, %v; want %v", hz, c.rate, lag, s.SpeedModulation, ok, want)
				}
			}
		}
	}
	// Jumps are pops, not modulation.
	server := along(60, varyingSpeed)
	jumps := func(i int) geom.Pose { return shiftedY(server(i), float32(i/120)) }
	if s, ok := runOne(t, 60, 30, server, jumps).MotionError(); !ok || !within(s.SpeedModulation, 0, 0.1) {
		t.Errorf("jumps: %v m/s, %v", s.SpeedModulation, ok)
	}
}

// stopAndGo moves at 4 m/s for a second and a half, then rests for as long, and repeats.
func stopAndGo(t float64) float64 {
	cycle := math.Floor(t / 3)
	return 6*cycle + 4*math.Min(t-3*cycle, 1.5)
}

// TestStops compares overshoot and settling time with motion drawn late, ahead, and past the
// server's cube by an offset that decays.
func TestStops(t *testing.T) {
	server := along(60, stopAndGo)
	decays := func(i int) geom.Pose {
		p := server(i)
		if k := i%180 - 91; k >= 0 { // the first tick at rest
			p.Pos.X += float32(0.3 * math.Pow(0.9, float64(k)))
		}
		return p
	}
	for _, c := range []struct {
		name      string
		drawn     func(i int) geom.Pose
		overshoot float64
		settle    float64
		longest   int
	}{
		{"no error", server, 0, 0, 0},
		{"late", delayed(server, 12), 0, 11, 11},                                            // it arrives in the twelfth tick
		{"ahead", delayed(server, -12), 0, 0, 0},                                            // and moves on before the server's cube
		{"beyond", decays, 0.3, 26, 26},                                                     // 0.3 m * 0.9^26 is below 2 cm
		{"beside", func(i int) geom.Pose { return shiftedY(server(i), 0.05) }, 0, 89.9, 90}, // the last stop is not over
		{"nearly", func(i int) geom.Pose { return shiftedY(server(i), 0.015) }, 0, 0, 0},
	} {
		n, settle, longest, overshoot := runOne(t, 60, 30, server, c.drawn).Stops()
		if n != 10 || !within(settle, c.settle, 1e-9) || longest != c.longest || !within(overshoot, c.overshoot, 1e-3) {
			t.Errorf("%s: %d stops, %v m, settled after %v ticks, at most %d; want %v m, %v, %d",
				c.name, n, overshoot, settle, longest, c.overshoot, c.settle, c.longest)
		}
	}
	// Overshoot is measured along the direction of motion, whatever jump aside the server's cube
	// makes.
	jumps := func(f func(i int) geom.Pose) func(i int) geom.Pose {
		return func(i int) geom.Pose { return shiftedY(f(i), float32((i+90)/180)) }
	}
	if n, _, _, overshoot := runOne(t, 60, 30, jumps(server), jumps(decays)).Stops(); n != 10 || !within(overshoot, 0.3, 1e-3) {
		t.Errorf("jumping aside: %d stops, %v m", n, overshoot)
	}
}

// TestStallIsNoStop checks that a server's cube that stands because its server does not tick has
// not stopped; one that stands for as long while its server ticks has.
func TestStallIsNoStop(t *testing.T) {
	for _, ticks := range []bool{false, true} {
		p := newSession(t, 60, 1)
		label := sim.Tick(0)
		for i := range 300 {
			x := min(i, 150) + max(0, i-190)
			if ticks || i <= 150 || i > 190 {
				label++
			}
			p.world.SetBody(0, sim.Body{Pose: poseAt(float64(x) / 15)})
			p.world.SetTick(label)
			p.view.ShowTick(sim.Tick(i))
			p.view.Bodies[0] = poseAt(float64(i) / 15)
			p.score.Add(p.world, &p.view, 0)
		}
		if n, _, _, _ := p.score.Stops(); n != map[bool]int{false: 0, true: 1}[ticks] {
			t.Errorf("ticking %v: %d stops", ticks, n)
		}
	}
}

// TestNoStop checks that turning back is no stop, nor is rest, creeping, or a jump at rest.
func TestNoStop(t *testing.T) {
	rest := func(int) geom.Pose { return poseAt(1) }
	for name, server := range map[string]func(i int) geom.Pose{
		"turns": oscillation(60, 1, 3),
		"rests": rest,
		"creep": along(60, func(t float64) float64 { return 0.9 * math.Min(t-math.Floor(t/3)*2, 10) }),
		"jumps": func(i int) geom.Pose { return shiftedY(rest(i), float32(i/100)) },
	} {
		if n, _, _, _ := runOne(t, 60, 20, server, rest).Stops(); n != 0 {
			t.Errorf("%s: %d stops", name, n)
		}
	}
}

// TestSpectralArcLength compares the spectral arc length with that of a constant speed, whose
// windowed spectrum is known, and with a direct Fourier sum of another speed.
func TestSpectralArcLength(t *testing.T) {
	for _, rate := range []int{60, 240} {
		even := along(rate, func(t float64) float64 { return 2 * t })
		sum, last := 0.0, 0
		v := func(k int) float64 {
			x := float64(k) / 4 // frequency times window length
			switch x {
			case 0:
				return 1
			case 1:
				return 0.5
			}
			return math.Abs(math.Sin(math.Pi*x) / (math.Pi * x) / (1 - x*x))
		}
		for k := range 81 {
			if v(k) >= 0.05 {
				last = k
			}
		}
		for k := 1; k <= last; k++ {
			sum += math.Hypot(1/float64(last), v(k)-v(k-1))
		}
		if a, ok := runOne(t, rate, 15, even, delayed(even, 9)).SpectralArcLength(); !ok || !withinShare(a, -sum, 1e-3) {
			t.Errorf("even at %d Hz: %v, %v; want %v", rate, a, ok, -sum)
		}
	}
	var a spectralArc
	speeds := make([]float64, 120)
	for i := range speeds {
		speeds[i] = 3 + math.Sin(float64(i*i)/300) + float64(i%7)
		a.add(speeds[i], 60)
	}
	spectrum := func(k int) float64 {
		re, im := 0.0, 0.0
		for i, v := range speeds {
			x := v * (1 - math.Cos(2*math.Pi*float64(i)/120))
			re += x * math.Cos(2*math.Pi*float64(k*i)/480)
			im += x * math.Sin(2*math.Pi*float64(k*i)/480)
		}
		return math.Hypot(re, im)
	}
	sum, last := 0.0, 0
	for k := range 81 {
		if spectrum(k) >= 0.05*spectrum(0) {
			last = k
		}
	}
	for k := 1; k <= last; k++ {
		sum += math.Hypot(1/float64(last), (spectrum(k)-spectrum(k-1))/spectrum(0))
	}
	if got, ok := a.mean(); !ok || !withinShare(got, -sum, 1e-6) {
		t.Errorf("%v, %v; want %v, up to sample %d", got, ok, -sum, last)
	}
}

// TestSpectralArcOrder checks that motion drawn in steps is less smooth than the server's; delay or
// half the speed makes no difference; a cube at rest has no spectral arc length.
func TestSpectralArcOrder(t *testing.T) {
	server := along(60, varyingSpeed)
	for name, c := range map[string]struct {
		drawn func(i int) geom.Pose
		same  bool
	}{
		"late":     {delayed(server, 120), true},
		"half":     {along(60, func(t float64) float64 { return varyingSpeed(t) / 2 }), true},
		"in steps": {func(i int) geom.Pose { return server(i / 15 * 15) }, false},
		"jumps":    {func(i int) geom.Pose { return shiftedY(server(i), float32(i/60%2)) }, false},
	} {
		score := runOne(t, 60, 61, server, c.drawn)
		drawn, _ := score.SpectralArcLength()
		serverLength, ok := score.ServerSpectralArcLength()
		if !ok || (math.Abs(drawn-serverLength) < 0.05) != c.same || !c.same && drawn > serverLength-0.2 {
			t.Errorf("%s: %v, the server %v, %v", name, drawn, serverLength, ok)
		}
	}
	rest := along(60, func(float64) float64 { return 1 })
	if a, ok := runOne(t, 60, 10, rest, rest).SpectralArcLength(); ok {
		t.Errorf("at rest: %v", a)
	}
}

// TestChordSquared checks that two quaternions of the same rotation have no chord between them,
// whatever their signs and rounded lengths; others have the chord of their angle.
func TestChordSquared(t *testing.T) {
	q := geom.AxisAngle(geom.Vec3{X: 0.6, Y: 0.8}, 1.3)
	for _, length := range []float32{1, 1.0001, 0.9999, -1, -1.0001, -0.9999} {
		p := geom.Quat{X: q.X * length, Y: q.Y * length, Z: q.Z * length, W: q.W * length}
		if c := chordSquared(&p, &q); c < 0 || c > 2e-8 {
			t.Errorf("by %v: %v apart", length, c)
		}
	}
	for _, angle := range []float32{0.01, 1, 3, 3.14} {
		p := geom.AxisAngle(geom.Vec3{X: 0.6, Y: 0.8}, 1.3+angle)
		half := 2 * math.Sin(float64(angle)/4)
		for _, sign := range []float32{1, -1} {
			o := geom.Quat{X: sign * p.X, Y: sign * p.Y, Z: sign * p.Z, W: sign * p.W}
			if c := chordSquared(&o, &q); math.Abs(math.Sqrt(float64(c))-half) > 1e-5 {
				t.Errorf("%v rad, sign %v: %v, want %v", angle, sign, math.Sqrt(float64(c)), half)
			}
		}
	}
}
