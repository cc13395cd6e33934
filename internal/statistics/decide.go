package statistics

import (
	"maps"
	"math"
	"slices"
)

// maxNeededSeeds bounds NeededSeeds.
const maxNeededSeeds = 100_000

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
		return quantile(n-1)*i.SD/math.Sqrt(float64(n)) <= half
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
	differences := make(map[uint64]float64, len(a))
	for seed, v := range a {
		if w, ok := b[seed]; ok {
			differences[seed] = v - w
		}
	}
	return BySeed(differences)
}

// MeanDifference returns the interval of a's mean minus b's, whose values are independent, by Welch's approximation of the
// degrees of freedom, rounded down (Welch, The Generalization of Student's Problem, 1947). Below two values of either there is none: its
// ends are the difference.
func MeanDifference(a, b Interval) Interval {
	d := Interval{N: min(a.N, b.N), Mean: a.Mean - b.Mean}
	d.Low, d.High = d.Mean, d.Mean
	if d.N < 2 || a.SD == 0 && b.SD == 0 {
		return d
	}
	x, y := float64(a.SD*a.SD)/float64(a.N), float64(b.SD*b.SD)/float64(b.N)
	freedom := float64((x+y)*(x+y)) / (float64(x*x)/float64(a.N-1) + float64(y*y)/float64(b.N-1))
	half := float64(quantile(max(int(freedom), 1)) * math.Sqrt(x+y))
	d.Low, d.High, d.SD = d.Mean-half, d.Mean+half, float64(math.Sqrt(x+y)*math.Sqrt(float64(d.N)))
	return d
}

// BySeed returns the interval of values by seed.
func BySeed(values map[uint64]float64) Interval {
	list := make([]float64, 0, len(values))
	for _, seed := range slices.Sorted(maps.Keys(values)) {
		list = append(list, values[seed])
	}
	return Mean(list)
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

// studentCDF returns the probability that Student's distribution stays below t, which is at least 0.
func studentCDF(t float64, freedom int) float64 {
	n := float64(freedom)
	return 1 - float64(incompleteBeta(n/(n+float64(t*t)), n/2, 0.5)/2)
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
	front := math.Exp(sum-la-lb+float64(a*math.Log(x))+float64(b*math.Log1p(-x))) / a
	const tiny, enough = 1e-300, 1e-15
	c, d, f := 1.0, 0.0, 1.0
	for i := range 500 {
		m := float64(i / 2)
		k := float64(2 * m)
		var term float64
		switch {
		case i == 0:
			term = 1
		case i%2 == 0:
			term = m * (b - m) * x / ((a + k - 1) * (a + k))
		default:
			term = -(a + m) * (a + b + m) * x / ((a + k) * (a + k + 1))
		}
		if d = 1 + float64(term*d); math.Abs(d) < tiny {
			d = tiny
		}
		if c = 1 + term/c; math.Abs(c) < tiny {
			c = tiny
		}
		d = 1 / d
		f *= c * d
		if math.Abs(float64(c*d)-1) < enough && i > 0 {
			break
		}
	}
	return front * (f - 1)
}
