package tune

import (
	"math"
	"slices"
	"strconv"

	"ghostcube/predict"
)

// Knob is a knob that is searched, with the values that are tried.
type Knob struct {
	Name    string
	Levels  []string // values as the knob prints them; numbers ascend
	Start   int      // index of the value from which the search starts
	Ordered bool     // the levels are numbers
}

// Numbers of levels.
const (
	allBelow   = 16 // a range of fewer whole numbers has all of them
	besideMost = 10 // whole numbers up to it have their neighbours as levels
	linearPart = 8  // parts of a range in whose middle the start is
)

// fine and coarse are the first digits of numbers near the start and far from it.
var (
	fine   = []float64{1, 1.5, 2, 3, 5, 7}
	coarse = []float64{1, 2, 5}
)

// newKnob returns the levels of a knob: both values of a switch, all of a choice, and numbers that are close together near
// the knob's value, which has to be its start.
func newKnob(knobs *predict.Knobs, k *predict.Knob) Knob {
	x := Knob{Name: k.Name, Ordered: k.Kind == predict.Float || k.Kind == predict.Int}
	start := k.Value()
	switch k.Kind {
	case predict.Bool:
		x.Levels = []string{"off", "on"}
	case predict.Choice:
		x.Levels = slices.Clone(k.Options)
	default:
		for _, v := range numbers(k.Number(), k.Min, k.Max, k.Kind == predict.Int) {
			if knobs.Set(k.Name, strconv.FormatFloat(v, 'f', -1, 64)) == nil {
				x.Levels = append(x.Levels, k.Value())
			}
		}
		_ = knobs.Set(k.Name, start) // it had this value
		x.Levels = slices.Compact(x.Levels)
	}
	x.Start = slices.Index(x.Levels, start)
	return x
}

// numbers returns ascending numbers in [low, high], v, low and high among them. Where v is in the middle of the range they
// have equal distances. Otherwise their distances from the nearer end have rising powers of ten, from a hundredth of v's
// distance on, or a thousandth of the range if v is the end: a time of 60 ms in 0 to 5 s, or a factor of 0.95 in 0 to 1. A
// range that begins a little above 0 counts from there, so that numbers are round: 300 in 16 to 4096, not 316.
// A small whole number gets its neighbours as levels: 4 and 6 for 5.
func numbers(v, low, high float64, whole bool) []float64 {
	list := []float64{v, low, high}
	base := low
	if low > 0 && float64(low*4) <= high {
		base = 0
	}
	span := high - base
	end, sign, distance := base, 1.0, v-base
	if high-v < distance {
		end, sign, distance = high, -1, high-v
	}
	if end > 0.99 && end < 1 { // stands for all below 1
		end = 1
		distance = 1 - v
	}
	switch {
	case whole && span < allBelow:
		for n := low; n <= high; n++ {
			list = append(list, n)
		}
	case float64(distance*3) >= span:
		for i := range linearPart {
			list = append(list, base+float64(span*float64(i)/linearPart))
		}
	default:
		if distance == 0 {
			distance = span / 10
		}
		for _, d := range distances(distance, span) {
			list = append(list, end+float64(sign*d))
		}
	}
	if whole && v <= besideMost {
		list = append(list, v-1, v+1)
	}
	for i, n := range list[3:] {
		list[i+3] = rounded(n)
		if whole {
			list[i+3] = math.Floor(n + 0.5)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.DeleteFunc(list, func(n float64) bool { return n < low || n > high })
}

// distances returns the distances from an end of a range of which a distance is one.
func distances(distance, span float64) (list []float64) {
	for decade := -6; decade <= 7; decade++ {
		scale, divisor := 1.0, 1.0
		for range decade {
			scale *= 10
		}
		for range -decade {
			divisor *= 10
		}
		for _, digit := range fine {
			d := float64(digit*scale) / divisor
			near := float64(d*8) >= distance && d <= float64(distance*8)
			if d < span && float64(d*100) >= distance && (near || slices.Contains(coarse, digit)) {
				list = append(list, d)
			}
		}
	}
	return list
}

// rounded returns a number with four digits.
func rounded(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		return v
	}
	return r
}
