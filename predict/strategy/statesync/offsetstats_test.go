package statesync

import (
	"math"
	"testing"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
	"ghostcube/smoothing"
)

// TestOffsetStats holds how long large offsets fall, and how much small ones shake,
// against their closed form: a body is set right by so many metres, once.
func TestOffsetStats(t *testing.T) {
	sc, err := scene.Named("plain")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		mode  smoothing.Mode
		keep  float64
		by    float32
		falls int
		ticks float64 // of the fall
		snaps float64
	}{
		{smoothing.Single, 0.95, 4.9, 1, 59, 0}, // 0.95 to the 59th is 0.048
		{smoothing.Single, 0.85, 4.9, 1, 19, 0},
		{smoothing.TwoFactor, 0, 4.9, 1, 26, 0}, // 10 to 0.96 m, and 16 more
		{smoothing.Single, 0.9, 0.99, 0, 0, 0},
		{smoothing.Single, 0.95, 0.2, 0, 0, 0},
		{smoothing.Single, 0.85, 0.2, 0, 0, 0},
		{smoothing.Single, 0.9, 5.1, 0, 0, 1},
		{smoothing.None, 0, 4, 0, 0, 0},
	} {
		k, m := &predict.Knobs{}, &predict.Counters{}
		half := func() *client {
			return newClient(&predict.Env{World: predict.NewWorld(sc, 60), Players: 1, Player: -1, LastInputs: make([]sim.Input, 1), Knobs: k, Counters: m}).(*client)
		}
		x, y := half(), half()
		x.settings.smoothing.Mode, x.settings.smoothing.PositionFactor, x.settings.smoothing.SnapDistance = c.mode, c.keep, 5
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
		// The first step is the whole change, the next ones take a share of it back.
		shake := 0.0
		if c.by == 0.2 {
			sum, n, left, step := 0.0, 0, float64(c.by), 0.0
			for ; left >= 1e-4; n++ {
				next := left * c.keep
				if next < 1e-4 {
					next = 0 // it has faded
				}
				sum += (next - left - step) * (next - left - step)
				left, step = next, next-left
			}
			shake = math.Sqrt(sum/float64(n)) * 3600
		}
		got := m.Value("offset_acceleration_m_per_s2")
		if n := m.Value("offset_decays"); int(n) != c.falls || m.Value("offset_snaps") != c.snaps || math.Abs(m.Value("offset_decay_max_ms")*0.06-c.ticks) > 1e-6 ||
			m.Value("offset_decay_mean_ms") != m.Value("offset_decay_max_ms") || shake > 0 && math.Abs(got-shake) > 0.01*shake {
			t.Errorf("%v, %v kept, by %v m: %v falls, longest %v ticks, %v snaps, shake %v; want %v, %v, %v, %v", smoothing.ModeNames[c.mode], c.keep, c.by,
				n, m.Value("offset_decay_max_ms")*0.06, m.Value("offset_snaps"), got, c.falls, c.ticks, c.snaps, shake)
		}
		for y.state.localTick++; y.state.localTick < x.state.localTick; y.state.localTick++ {
			y.decayOffsets()
		}
		if y.state.offsetStats.decayCount != x.state.offsetStats.decayCount || y.state.offsetStats.maxDecayTicks != x.state.offsetStats.maxDecayTicks || y.state.offsetStats.accelSum != x.state.offsetStats.accelSum {
			t.Errorf("by %v m: a copy heals otherwise", c.by)
		}
	}
}

// TestOffsetStatsRepeated says that a body which is set right again while its offset
// falls has one fall, from the first time on.
func TestOffsetStatsRepeated(t *testing.T) {
	b, m := clientBody{}, &predict.Counters{}
	declareOffsetCounters(m)
	s := smoothing.DefaultSettings
	b.errorOffset.Pos = geom.Vec3{X: 1.5}
	for now := range sim.Tick(5) {
		b.recordCorrection(1.5, &s, now, m)
	}
	if b.offset.largeSince != 1 {
		t.Errorf("it began at %d", b.offset.largeSince)
	}
	b.recordCorrection(2, &s, 6, m)
	if b.offset.largeSince != 0 || m.Value("offset_snaps") != 1 {
		t.Errorf("after a snap it goes on since %d", b.offset.largeSince)
	}
}
