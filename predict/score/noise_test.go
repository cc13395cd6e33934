package score

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ghostcube/sim/geom"
)

// TestNoise compares the standard error of a mean and of a root mean square with those of their known
// distributions; the error of a constant is zero, and that of a measure that becomes known late is
// known only after noiseBlocks blocks.
func TestNoise(t *testing.T) {
	const seconds, samples, trials = 60, 60, 40
	var sums [2]float64
	var n Noise
	for trial := range trials {
		rng := rand.New(rand.NewPCG(uint64(trial), 5))
		n = Noise{}
		sum, square := 0.0, 0.0
		for k := 1; k <= seconds; k++ {
			for range samples {
				x := rng.NormFloat64() + 1
				sum += x
				square += x * x
			}
			count := float64(k * samples)
			n.Add([]Measure{{Value: sum / count, OK: true}, {Value: math.Sqrt(square / count), OK: true}, {Value: 7, OK: true},
				{Value: sum, OK: k > seconds-noiseBlocks}})
		}
		e := n.StandardErrors(nil)
		sums[0] += e[0] / trials
		sums[1] += e[1] / trials
		if e[2] > 1e-12 || !math.IsInf(e[3], 1) {
			t.Fatalf("a constant has an error of %v, a measure of %d values one of %v", e[2], noiseBlocks, e[3])
		}
	}
	root := math.Sqrt(seconds * samples)
	// The variance of x^2 is 2 + 4, and the root mean square is sqrt(2).
	for i, want := range []float64{1 / root, math.Sqrt(6) / (2 * math.Sqrt2) / root} {
		if !withinShare(sums[i], want, 0.05) {
			t.Errorf("measure %d: standard error %v, want %v", i, sums[i], want)
		}
	}
	var c Noise
	c.CopyFrom(&n)
	n.Add(make([]Measure, 4))
	if e := c.StandardErrors(nil); math.IsInf(e[0], 1) {
		t.Error("the copy changed with the original")
	}
}

// TestBest checks that the best of several values is marked only where it differs from all others by
// more than the noise, and visibly.
func TestBest(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		better         Better
		values, errors []float64 // values below -200 are unknown
		best           int
	}{
		{Lower, []float64{2, 8, 4}, []float64{0, 0, 0}, 0},
		{Lower, []float64{2, 8, 4}, []float64{0.6, 0.6, 0.6}, 0},
		{Lower, []float64{2, 8, 4}, []float64{0.8, 0.8, 0.8}, -1},
		{Lower, []float64{2, 8, 4}, []float64{0, 9, 0}, -1},
		{Lower, []float64{2, 8}, []float64{0, inf}, -1},
		{Lower, []float64{0, 8}, []float64{0, 1}, 0},
		{Lower, []float64{3, 3}, []float64{0, 0}, -1},
		{Lower, []float64{0.001, 0.002}, []float64{0, 0}, -1},
		{Lower, []float64{5, -999}, []float64{0, 0}, -1},
		{Lower, []float64{5, -999, 10}, []float64{0, inf, 0}, 0},
		{NearZero, []float64{-160, 40}, []float64{10, 10}, 1},
		{NearZero, []float64{-41, 40}, []float64{10, 10}, -1},
		{NearOne, []float64{0.25, 2}, []float64{0.02, 0.02}, 1},
		{NearOne, []float64{0.25, 2}, []float64{0.1, 0.02}, -1},
		{Neither, []float64{1, 2}, []float64{0, 0}, -1},
	} {
		var values []*Measure
		for _, v := range c.values {
			values = append(values, &Measure{Value: v, OK: v > -200, Better: c.better})
		}
		if best := Best(values, c.errors); best != c.best {
			t.Errorf("%v of %v ± %v: best %d, want %d", c.better, c.values, c.errors, best, c.best)
		}
	}
}

// TestBestOfEqualMotions checks the two together: of two panes whose errors come from the same
// distribution, one is marked best in few sessions; of two that differ by half, in most.
func TestBestOfEqualMotions(t *testing.T) {
	marked := func(factor float64) (n int) {
		for trial := range 40 {
			var measures [2]Measure
			var errors []float64
			for pane, size := range []float64{1, factor} {
				rng := rand.New(rand.NewPCG(uint64(2*trial+pane), 9))
				s := newSession(t, 20, 1)
				server := along(20, varyingSpeed)
				offset := make([]float32, 20*20)
				for i := range offset {
					offset[i] = float32(size * 0.2 * rng.NormFloat64())
				}
				var noise Noise
				for range 20 {
					s.run(20, motionPair{server, func(i int) geom.Pose { return shiftedY(server(i), offset[i]) }})
					noise.Add(s.score.Measures(nil, Counts{}))
				}
				for i, m := range s.score.Measures(nil, Counts{}) {
					if m.Name == "path_error_rms_m" {
						measures[pane] = m
						errors = append(errors, noise.StandardErrors(nil)[i])
					}
				}
			}
			if Best([]*Measure{&measures[0], &measures[1]}, errors) >= 0 {
				n++
			}
		}
		return n
	}
	if equal, different := marked(1), marked(1.5); equal > 6 || different < 36 {
		t.Errorf("of 40 sessions, %d of equal panes and %d of different ones have a best pane", equal, different)
	}
}

// TestBars checks the lengths of bars for each order of values, and that there are none where values cannot be
// compared. Best has a test of its own.
func TestBars(t *testing.T) {
	for _, c := range []struct {
		better  Better
		values  []float64 // below -200: unknown
		lengths []float32
		best    int // of values without noise
	}{
		{Lower, []float64{2, 8, 4}, []float32{0.25, 1, 0.5}, 0},
		{Lower, []float64{0, 8}, []float32{0, 1}, 0},
		{Lower, []float64{3, 3}, nil, -1},
		{Lower, []float64{1, 1, 2}, []float32{0.5, 0.5, 1}, -1},
		{NearZero, []float64{-160, 40}, []float32{1, 0.25}, 1},
		{NearOne, []float64{0.25, 2}, []float32{1, 1.0 / 3}, 1},
		{Neither, []float64{1, 2}, nil, -1},
		{Lower, []float64{5, -999}, nil, -1},
		{Lower, []float64{5, -999, 10}, []float32{0.5, 0, 1}, 0},
	} {
		var values []*Measure
		for _, v := range c.values {
			values = append(values, &Measure{Value: v, OK: v > -200, Better: c.better})
		}
		best := Best(values, make([]float64, len(values)))
		if lengths := AppendBars(nil, values); !slices.Equal(lengths, c.lengths) || best != c.best {
			t.Errorf("%v of %v: %v, best %d", c.better, c.values, lengths, best)
		}
	}
}
