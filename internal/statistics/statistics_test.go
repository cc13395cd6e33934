package statistics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMean checks the interval on a textbook case: the mean of 1 to 5 is 3, the standard deviation
// sqrt(2.5), and with four degrees of freedom half of the interval is 2.776 times sqrt(2.5/5).
func TestMean(t *testing.T) {
	s := Mean([]float64{1, 2, 3, 4, 5})
	half := 2.776 * math.Sqrt(2.5/5)
	if s.Mean != 3 || math.Abs(s.High-3-half) > 1e-12 || math.Abs(s.Low-3+half) > 1e-12 || s.N != 5 ||
		math.Abs(s.SD-math.Sqrt(2.5)) > 1e-12 || math.Abs(s.Half()-half) > 1e-12 {
		t.Errorf("%+v", s)
	}
	if s := Mean(nil); s != (Interval{}) {
		t.Errorf("no values: %+v", s)
	}
	if s := Mean([]float64{7}); s != (Interval{N: 1, Mean: 7, Low: 7, High: 7}) {
		t.Errorf("one value: %+v", s)
	}
	if s := Mean(slices.Repeat([]float64{0.1}, 10)); s != (Interval{N: 10, Mean: 0.1, Low: 0.1, High: 0.1}) {
		t.Errorf("equal values: %+v", s)
	}
}

// TestQuantile compares the quantiles with a published table, and their probability by Simpson's rule
// over Student's density with 97.5 %.
func TestQuantile(t *testing.T) {
	for freedom, want := range map[int]float64{1: 12.706, 9: 2.262, 30: 2.042, 31: 2.040, 40: 2.021, 60: 2.000, 100: 1.984, 999: 1.962} {
		if got := quantile(freedom); math.Abs(got-want) > 0.001 {
			t.Errorf("%d degrees of freedom: %v, want %v", freedom, got, want)
		}
	}
	before := 13.0
	for freedom := 1; freedom < 200; freedom++ {
		q := quantile(freedom)
		if q > before {
			t.Errorf("%d: %v after %v", freedom, q, before)
		}
		before = q
		if p := probability(q, float64(freedom)); math.Abs(p-0.975) > 0.0001 {
			t.Errorf("%d: %v is the quantile of %v", freedom, q, p)
		}
	}
}

// probability returns the probability that a variable of Student's distribution is below x.
func probability(x, freedom float64) float64 {
	a, _ := math.Lgamma((freedom + 1) / 2)
	b, _ := math.Lgamma(freedom / 2)
	density := func(t float64) float64 {
		return math.Exp(a-b-(freedom+1)/2*math.Log1p(t*t/freedom)) / math.Sqrt(freedom*math.Pi)
	}
	const n = 2000
	h, sum := x/n, density(0)+density(x)
	for i := 1; i < n; i++ {
		sum += density(float64(i)*h) * float64(2+2*(i%2))
	}
	return 0.5 + sum*h/3
}

// TestCoverage counts how often the interval of ten values contains the true mean, and how often the
// 95 % interval of a percentile bootstrap does: the reason to use Student's also where values are skewed.
func TestCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, x := range []struct {
		name      string
		draw      func() float64
		mean      float64
		low, high float64 // share of intervals of Student's that contain the mean
	}{
		{"normal", random.NormFloat64, 0, 0.94, 0.965},
		{"exponential", random.ExpFloat64, 1, 0.88, 0.92},
		{"difference of exponentials", func() float64 { return random.ExpFloat64() - random.ExpFloat64() }, 0, 0.94, 0.975},
	} {
		const trials = 2000
		student, bootstrap := 0, 0
		values, means := make([]float64, 10), make([]float64, 200)
		for range trials {
			for i := range values {
				values[i] = x.draw()
			}
			if s := Mean(values); s.Low <= x.mean && x.mean <= s.High {
				student++
			}
			for i := range means {
				means[i] = 0
				for range values {
					means[i] += values[random.IntN(len(values))] / float64(len(values))
				}
			}
			slices.Sort(means)
			if means[4] <= x.mean && x.mean <= means[195] {
				bootstrap++
			}
		}
		if share := float64(student) / trials; share < x.low || share > x.high || bootstrap >= student {
			t.Errorf("%s: %d of %d intervals of Student's, %d of the bootstrap's contain the mean", x.name, student, trials, bootstrap)
		} else {
			t.Logf("%s: Student %.3f, bootstrap %.3f", x.name, share, float64(bootstrap)/trials)
		}
	}
}
