package statesync

import (
	"math"
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// TestOffsetStats compares the decay times and accelerations of error offsets with their closed
// form, for one correction of each size.
func TestOffsetStats(t *testing.T) {
	sc := predicttest.Scene(t, "plain")
	for _, c := range []struct {
		mode   smoothing.Mode
		keep   float64
		by     float32
		decays int
		ticks  float64 // of the decay
		snaps  float64
	}{
		{smoothing.Single, 0.95, 4.9, 1, 59, 0}, // 0.95 to the 59th is 0.048
		{smoothing.Single, 0.85, 4.9, 1, 19, 0},
		{smoothing.TwoFactor, 0, 4.9, 1, 26, 0}, // 10 ticks to 0.96 m, and 16 more
		{smoothing.Single, 0.9, 0.99, 0, 0, 0},
		{smoothing.Single, 0.95, 0.2, 0, 0, 0},
		{smoothing.Single, 0.85, 0.2, 0, 0, 0},
		{smoothing.Single, 0.9, 5.1, 0, 0, 1},
		{smoothing.None, 0, 4, 0, 0, 0},
	} {
		k, m := &predict.Knobs{}, &predict.Counters{}
		newTestClient := func() *client {
			env := predicttest.NewEnv(sc, 60, -1)
			env.Knobs, env.Counters = k, m
			return newClient(env).(*client)
		}
		x, y := newTestClient(), newTestClient()
		x.settings.smoothing.Mode, x.settings.smoothing.PositionFactor, x.settings.smoothing.SnapDistance = c.mode, c.keep, 5
		x.settings.smoothing.MaxSpeed = 0
		for range 600 {
			x.decayOffsets()
			if x.state.localTick == 100 {
				b := x.env.World.Bodies()[0]
				b.Pose.Pos = b.Pose.Pos.Add(geom.Vec3{X: c.by})
				x.correctBody(0, b)
				y.CopyFrom(x)
			}
			x.state.localTick++
		}
		// The first step has the largest acceleration; the next ones slow the decay down.
		acceleration := 0.0
		if c.by == 0.2 {
			sum, n, left, step := 0.0, 0, float64(c.by), 0.0
			for ; left >= 1e-4; n++ {
				next := left * c.keep
				if next < 1e-4 {
					next = 0 // decayed to zero
				}
				sum += (next - left - step) * (next - left - step)
				left, step = next, next-left
			}
			acceleration = math.Sqrt(sum/float64(n)) * 3600
		}
		got := m.Value("offset_acceleration_m_per_s2")
		decays, snaps, longest := m.Value("offset_decays"), m.Value("offset_snaps"), m.Value("offset_decay_max_ms")
		if int(decays) != c.decays || snaps != c.snaps ||
			math.Abs(longest*0.06-c.ticks) > 1e-6 || m.Value("offset_decay_mean_ms") != longest ||
			acceleration > 0 && math.Abs(got-acceleration) > 0.01*acceleration {
			t.Errorf("%v, factor %v, correction of %v m: %v decays, longest %v ticks, %v snaps, acceleration %v; want %v, %v, %v, %v",
				smoothing.ModeNames[c.mode], c.keep, c.by,
				decays, longest*0.06, snaps, got, c.decays, c.ticks, c.snaps, acceleration)
		}
		for y.state.localTick++; y.state.localTick < x.state.localTick; y.state.localTick++ {
			y.decayOffsets()
		}
		a, b := &x.state.offsetStats, &y.state.offsetStats
		if a.decayCount != b.decayCount || a.maxDecayTicks != b.maxDecayTicks || a.accelSum != b.accelSum {
			t.Errorf("correction of %v m: the statistics of a copy differ", c.by)
		}
	}
}

// TestOffsetStatsRepeated checks that a body that is corrected again while its offset decays counts
// as one decay, from the first correction on.
func TestOffsetStatsRepeated(t *testing.T) {
	b, m := clientBody{}, &predict.Counters{}
	var counters offsetCounters
	counters.init(m)
	s := smoothing.DefaultSettings
	b.errorOffset.Pos = geom.Vec3{X: 1.5}
	for now := range sim.Tick(5) {
		b.recordCorrection(1.5, &s, now, &counters)
	}
	if b.offset.largeSince != 1 {
		t.Errorf("the decay began at %d, want 1", b.offset.largeSince)
	}
	b.recordCorrection(float32(s.SnapDistance), &s, 6, &counters)
	if b.offset.largeSince != 0 || m.Value("offset_snaps") != 1 {
		t.Errorf("after a snap the decay continues since %d", b.offset.largeSince)
	}
}
