package statistics

import (
	"math"
	"testing"
)

// TestStudentCDF checks probabilities of Student's distribution at its quantiles in published tables (NIST/SEMATECH e-Handbook
// of Statistical Methods, 1.3.6.7.2), and where it has a closed form.
func TestStudentCDF(t *testing.T) {
	for _, c := range []struct {
		probability float64
		freedom     int
		quantile    float64
	}{
		{0.975, 1, 12.706}, {0.975, 2, 4.303}, {0.975, 4, 2.776}, {0.975, 9, 2.262}, {0.975, 30, 2.042}, {0.975, 100, 1.984},
		{0.95, 5, 2.015}, {0.99, 10, 2.764}, {0.995, 9, 3.250}, {0.999, 20, 3.552}, {0.975, 100_000, 1.960}, {0.9, 3, 1.638},
	} {
		if got := studentCDF(c.quantile, c.freedom); math.Abs(got-c.probability) > 0.0001 {
			t.Errorf("below %v with %d degrees of freedom: %v, want %v", c.quantile, c.freedom, got, c.probability)
		}
	}
	for _, x := range []float64{0, 0.1, 1, 3, 50} {
		if got, want := studentCDF(x, 1), 0.5+math.Atan(x)/math.Pi; math.Abs(got-want) > 1e-12 { // Cauchy's distribution
			t.Errorf("below %v with one degree: %v, want %v", x, got, want)
		}
		if got, want := studentCDF(x, 2), 0.5+x/(2*math.Sqrt(2+x*x)); math.Abs(got-want) > 1e-12 {
			t.Errorf("below %v with two degrees: %v, want %v", x, got, want)
		}
	}
}

// TestPValue checks a textbook case: t = 3/sqrt(0.5) = 4.2426 with four degrees of freedom.
func TestPValue(t *testing.T) {
	if p := Mean([]float64{1, 2, 3, 4, 5}).PValue(); math.Abs(p-0.013236) > 1e-5 {
		t.Errorf("p = %v", p)
	}
	if p := Mean([]float64{7}).PValue(); p != 1 {
		t.Errorf("one value: p = %v", p)
	}
}

// TestPairedDifference checks that a difference which is the same for every seed has no uncertainty however much both
// sides vary, and that seeds of one side alone do not count.
func TestPairedDifference(t *testing.T) {
	a := map[uint64]float64{1: 10, 2: 200, 3: 3000, 9: 5}
	b := map[uint64]float64{1: 8, 2: 198, 3: 2998, 7: 5}
	if x := PairedDifference(a, b); x != (Interval{N: 3, Mean: 2, Low: 2, High: 2}) || x.PValue() != 0 {
		t.Errorf("%+v, p = %v", x, x.PValue())
	}
}

// TestNeededSeeds checks that the answer is the smallest number that is enough.
func TestNeededSeeds(t *testing.T) {
	x := Interval{N: 10, Mean: 100, SD: 10}
	for _, half := range []float64{50, 10, 5, 2, 0.5} {
		n := x.NeededSeeds(half)
		halfOf := func(n int) float64 { return quantile(n-1) * x.SD / math.Sqrt(float64(n)) }
		if !(halfOf(n) <= half) || n > 2 && halfOf(n-1) <= half {
			t.Errorf("±%v: %d seeds", half, n)
		}
	}
	if n := x.NeededSeeds(5); n != 18 { // 2.1098*10/sqrt(18) = 4.973
		t.Errorf("±5: %d", n)
	}
	if n := x.NeededSeeds(1e-9); n != maxNeededSeeds {
		t.Errorf("±1e-9: %d", n)
	}
}

// TestHolm checks the example of the method: with four hypotheses 0.01 and 0.005 are below 0.05/4 and 0.05/3, and 0.03 is
// not below 0.05/2, so that 0.04 is kept as well.
func TestHolm(t *testing.T) {
	got := Holm([]float64{0.01, 0.04, 0.03, 0.005}, 0.05)
	for i, want := range []bool{true, false, false, true} {
		if got[i] != want {
			t.Errorf("%v", got)
		}
	}
}

// TestMeanDifference checks Welch's interval by hand: the variances of the means are 0.5 and 1, so there are
// 1.5²/(0.5²/4+1²/3) = 5.68 degrees of freedom, rounded down to 5, whose quantile is 2.571.
func TestMeanDifference(t *testing.T) {
	a, b := Mean([]float64{1, 2, 3, 4, 5}), Interval{N: 4, Mean: 10, SD: 2}
	d := MeanDifference(a, b)
	if half := 2.571 * math.Sqrt(1.5); math.Abs(d.Half()-half) > 1e-12 || d.Mean != a.Mean-b.Mean || d.N != 4 {
		t.Errorf("%+v, want ±%v", d, half)
	}
	if d := MeanDifference(Mean([]float64{2, 2}), Mean([]float64{1, 1})); d.Low != 1 || d.High != 1 {
		t.Errorf("without variance: %+v", d)
	}
	if d := MeanDifference(a, Mean([]float64{7})); d.Mean != -4 || d.Low != -4 || d.High != -4 {
		t.Errorf("with one value: %+v", d)
	}
}
