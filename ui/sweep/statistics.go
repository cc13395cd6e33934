package sweep

import (
	"math"
	"slices"

	"ghostcube/internal/statistics"
)

// confidence is that of all intervals, two-sided.
const confidence = 0.95

// maxNeededSeeds bounds NeededSeeds.
const maxNeededSeeds = 100_000

// Interval is a mean with its 95 % confidence interval by Student's t, which is exact for values with a normal
// distribution and close for means of a session's many events.
type Interval struct {
	N    int     // values
	Mean float64 // 0 if there are none
	Half float64 // of the interval; 0 if there are fewer than two values
	SD   float64 // standard deviation of the values; likewise
}

// NewInterval returns the interval of values, as bench prints it.
func NewInterval(values []float64) Interval {
	m := statistics.Mean(values)
	x := Interval{N: m.N, Mean: m.Mean, Half: m.Half()}
	if x.N > 1 {
		square := 0.0
		for _, v := range values {
			square += float64((v - x.Mean) * (v - x.Mean))
		}
		x.SD = math.Sqrt(square / float64(x.N-1))
	}
	return x
}

// PValue returns the probability of a mean at least as far from 0 if the true one is 0. It is 1 for fewer than two values.
func (i Interval) PValue() float64 {
	switch {
	case i.N < 2 || i.Mean == 0:
		return 1
	case i.SD == 0:
		return 0
	}
	t := math.Abs(i.Mean) / (i.SD / math.Sqrt(float64(i.N)))
	return 2 * (1 - studentCDF(t, i.N-1))
}

// NeededSeeds returns the number of values for which half of the interval is at most half, if their standard deviation
// stays the same. It is at most maxNeededSeeds.
func (i Interval) NeededSeeds(half float64) int {
	if i.SD == 0 {
		return 2
	}
	enough := func(n int) bool {
		return studentQuantile((1+confidence)/2, n-1)*i.SD/math.Sqrt(float64(n)) <= half
	}
	low, high := 1, maxNeededSeeds // low is not enough
	for high-low > 1 {
		if n := (low + high) / 2; enough(n) {
			high = n
		} else {
			low = n
		}
	}
	return high
}

// PairedDifference returns the interval of a's values minus b's of the same seeds. Both are by seed. The outcomes of the
// network are the same for a seed, so the difference varies less than either.
func PairedDifference(a, b map[uint64]float64) Interval {
	var seeds []uint64
	for seed := range a {
		if _, ok := b[seed]; ok {
			seeds = append(seeds, seed)
		}
	}
	slices.Sort(seeds)
	differences := make([]float64, len(seeds))
	for i, seed := range seeds {
		differences[i] = a[seed] - b[seed]
	}
	return NewInterval(differences)
}

// Holm reports which of many hypotheses are refuted at a level by their p-values, so that the chance that any true one
// is among them stays below the level (Holm, A Simple Sequentially Rejective Multiple Test Procedure, 1979).
func Holm(p []float64, level float64) []bool {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	refuted := make([]bool, len(p))
	for rank, i := range order {
		if p[i] > level/float64(len(p)-rank) {
			break
		}
		refuted[i] = true
	}
	return refuted
}

// studentQuantile returns the value that Student's distribution with some degrees of freedom stays below with a
// probability of at least 1/2.
func studentQuantile(probability float64, freedom int) float64 {
	low, high := 0.0, 1.0
	for studentCDF(high, freedom) < probability {
		high *= 2
	}
	for range 100 {
		if middle := (low + high) / 2; studentCDF(middle, freedom) < probability {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// studentCDF returns the probability that Student's distribution stays below t, which is at least 0.
func studentCDF(t float64, freedom int) float64 {
	n := float64(freedom)
	return 1 - incompleteBeta(n/(n+t*t), n/2, 0.5)/2
}

// incompleteBeta returns the regularised incomplete beta function (NIST Digital Library of Mathematical Functions, 8.17)
// by its continued fraction, evaluated by Lentz's method.
func incompleteBeta(x, a, b float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2):
		return 1 - incompleteBeta(1-x, b, a)
	}
	sum, _ := math.Lgamma(a + b)
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	front := math.Exp(sum-la-lb+a*math.Log(x)+b*math.Log1p(-x)) / a
	const tiny, enough = 1e-300, 1e-15
	c, d, f := 1.0, 0.0, 1.0
	for i := range 500 {
		m := float64(i / 2)
		var term float64
		switch {
		case i == 0:
			term = 1
		case i%2 == 0:
			term = m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		default:
			term = -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		}
		if d = 1 + term*d; math.Abs(d) < tiny {
			d = tiny
		}
		if c = 1 + term/c; math.Abs(c) < tiny {
			c = tiny
		}
		d = 1 / d
		f *= c * d
		if math.Abs(c*d-1) < enough && i > 0 {
			break
		}
	}
	return front * (f - 1)
}
