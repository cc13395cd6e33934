package window

import (
	"slices"
	"testing"

	"ghostcube/predict/score"
)

// TestBars holds the best pane and the lengths of bars for each way of being better, and promises none where
// values cannot be compared.
func TestBars(t *testing.T) {
	for _, c := range []struct {
		better  score.Better
		values  []float64 // below -200: unknown
		lengths []float32
		best    int
	}{
		{score.Lower, []float64{2, 8, 4}, []float32{0.25, 1, 0.5}, 0},
		{score.Lower, []float64{0, 8}, []float32{0, 1}, 0},
		{score.Lower, []float64{3, 3}, nil, -1},
		{score.Lower, []float64{1, 1, 2}, []float32{0.5, 0.5, 1}, -1},
		{score.NearZero, []float64{-160, 40}, []float32{1, 0.25}, 1},
		{score.NearOne, []float64{0.25, 2}, []float32{1, 0.5}, 1},
		{score.Neither, []float64{1, 2}, nil, -1},
		{score.Lower, []float64{5, -999}, nil, -1},
		{score.Lower, []float64{5, -999, 10}, []float32{0.5, 0, 1}, 0},
	} {
		var values []*score.Measure
		for _, v := range c.values {
			values = append(values, &score.Measure{Value: v, OK: v > -200, Better: c.better})
		}
		if lengths, best := barLengths(values); !slices.Equal(lengths, c.lengths) || best != c.best {
			t.Errorf("%v of %v: %v, best %d", c.better, c.values, lengths, best)
		}
	}
}
