// Package statistics has the mean of a few sessions with its 95 % confidence interval, and what follows from it.
//
// The interval is Student's t. Sessions of two strategies share their seeds, so a comparison takes the
// differences of each seed, whose interval is narrower than that of two means. At ten sessions the
// interval of normal values contains the true mean in 95 % of all cases, that of exponential ones in 90 %,
// and that of the difference of two exponential ones, which is symmetric, in 96 %. A percentile bootstrap
// contains it less often in each case, so there is none: TestCoverage measures all of them.
package statistics

import "math"

// Interval is a mean with the ends of its 95 % confidence interval.
type Interval struct {
	N         int     // values
	Mean      float64 // 0 if there are none
	Low, High float64 // ends of the interval; below two values they are the mean
	SD        float64 // standard deviation of the values; 0 below two
}

// Mean returns mean and interval of values. Sums are in their order and fuse no product, so they are the
// same on every machine. Without values all is 0.
func Mean(values []float64) Interval {
	n := float64(len(values))
	if n == 0 {
		return Interval{}
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	mean := sum / n
	if n < 2 || equal(values) { // the sum of equal values may be rounded
		return Interval{N: len(values), Mean: values[0], Low: values[0], High: values[0]}
	}
	square := 0.0
	for _, v := range values {
		square += float64((v - mean) * (v - mean))
	}
	variance := square / (n - 1)
	half := float64(quantile(len(values)-1) * math.Sqrt(variance/n))
	return Interval{N: len(values), Mean: mean, Low: mean - half, High: mean + half, SD: math.Sqrt(variance)}
}

// Half returns half of the interval's width.
func (i Interval) Half() float64 { return (i.High - i.Low) / 2 }

// equal reports whether all values are the same.
func equal(values []float64) bool {
	for _, v := range values {
		if v != values[0] {
			return false
		}
	}
	return true
}

// student95 are the two-sided 95 % quantiles of Student's distribution by degrees of freedom, from 1.
var student95 = [...]float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
	2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042}

// quantile returns a quantile of the table. From 31 on it is the normal quantile with two terms of the
// Cornish-Fisher expansion, which is exact to a thousandth.
func quantile(freedom int) float64 {
	if freedom <= len(student95) {
		return student95[freedom-1]
	}
	const z = 1.959964
	n := float64(freedom)
	return z + (z*z*z+z)/(4*n) + (5*z*z*z*z*z+16*z*z*z+3*z)/(96*float64(n*n))
}
