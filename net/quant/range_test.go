package quant

import (
	"flag"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"ghostcube/internal/experiment"
)

// sampleFlag is the number of random values per kind. 4,000,000 take two minutes.
var sampleFlag = flag.Int("samples", 50_000, "random values of a kind")

// sampleCount returns the number of random values per kind in this run.
func sampleCount() int {
	if experiment.Brief() {
		return *sampleFlag / 10
	}
	return *sampleFlag
}

// stepSize is the distance between two neighbours on the grid.
func (r *Range) stepSize() float32 { return float32(r.span / float64(r.steps)) }

// maxError returns a bound of |Quantise(x) - x| for x in the range: half a step, plus
// rounding, which is at most half the distance between neighbouring 32-bit floats at
// the largest number and 2^-26 of a step.
func (r *Range) maxError() float64 {
	return float64(r.span/float64(r.steps)*(0.5+1.0/(1<<26))) + float64(r.ulp()*0.5)
}

// ranges are the ranges under test.
var ranges = map[string]Range{
	"snapshot xy":     SnapshotPosition[0],
	"snapshot z":      SnapshotPosition[2],
	"snapshot linear": snapshotLinearVelocity[0],
	"fine linear":     snapshotLinearVelocityFine[0],
	"sync xy":         SyncPosition[0],
	"sync z":          SyncPosition[2],
	"sync linear":     SyncLinearVelocity[0],
	"sync angular":    SyncAngularVelocity[0],
	"ten":             rangeBetween(0, 10, 0.01),
	"hundred":         rangeBetween(-100, 100, 0.01),
	"all below zero":  rangeBetween(-3, -0.1, 0.001),
	"far from zero":   rangeBetween(1000, 1001, 0.01),
	"uneven":          rangeBetween(-0.3, 0.7, 0.3),
	"two numbers":     rangeBetween(-1, 1, 5),
	"small":           rangeBetween(-1e-30, 3e-30, 1e-33),
	"finest":          rangeBetween(-1, 1, 1.0/(1<<23)),
}

// TestGridBits checks the sizes of the quantised fields against the articles and the
// program: 512 per metre take 18, 18 and 14 bits, 4096 take 21, 21 and 17; a linear
// velocity takes 11, 13 or 18 bits per axis, an angular velocity 17. It also checks the
// steps of the compressed float's examples.
func TestGridBits(t *testing.T) {
	for name, g := range map[string]struct {
		grid Grid
		bits [3]int
	}{
		"snapshot position":    {SnapshotPosition, [3]int{18, 18, 14}},
		"snapshot linear":      {snapshotLinearVelocity, [3]int{11, 11, 11}},
		"snapshot linear fine": {snapshotLinearVelocityFine, [3]int{13, 13, 13}},
		"sync position":        {SyncPosition, [3]int{21, 21, 17}},
		"sync linear":          {SyncLinearVelocity, [3]int{18, 18, 18}},
		"sync angular":         {SyncAngularVelocity, [3]int{17, 17, 17}},
	} {
		sum := 0
		for i, r := range g.grid {
			if r.bits != g.bits[i] {
				t.Errorf("%s, axis %d: %d bits, want %d", name, i, r.bits, g.bits[i])
			}
			sum += g.bits[i]
		}
		if g.grid.Bits() != sum {
			t.Errorf("%s: %d bits, want %d", name, g.grid.Bits(), sum)
		}
	}
	for _, r := range []struct {
		low, high, resolution float32
		steps, bits           int
	}{{0, 10, 0.01, 1000, 10}, {-10, 10, 0.01, 2000, 11}, {-32, 32, 0.01, 6400, 13}, {0, 1, 0.3, 4, 3}, {0, 1, 1, 1, 1}, {0, 1, 7, 1, 1}} {
		got := rangeBetween(r.low, r.high, r.resolution)
		if got.Steps() != r.steps || got.bits != r.bits || got.low != r.low || got.high != r.high {
			t.Errorf("%v: %d steps, %d bits", r, got.Steps(), got.bits)
		}
		if got.stepSize() > r.resolution {
			t.Errorf("%v: a step of %v", r, got.stepSize())
		}
	}
}

// TestRangeErrorIsBounded checks that no error exceeds maxError at the worst points:
// halfway between neighbours on the grid, and the floats next to that. It also checks
// that the bound is tight, that every integer survives decoding and encoding, and that
// numbers increase.
func TestRangeErrorIsBounded(t *testing.T) {
	for name, r := range ranges {
		worst, checked := 0.0, 0
		stride := max(1, r.Steps()>>21) // all of most grids, part of the finest
		if experiment.Brief() {
			stride = max(1, r.Steps()>>17)
		}
		for n := 0; n < r.Steps(); n += stride {
			a, b := r.Decode(n), r.Decode(n+1)
			if !(a < b) || r.Encode(a) != n || r.Encode(b) != n+1 {
				t.Fatalf("%s: %d is %v and then %d, %d is %v and then %d", name, n, a, r.Encode(a), n+1, b, r.Encode(b))
			}
			middle := float32((float64(a) + float64(b)) / 2)
			for _, x := range []float32{math.Nextafter32(middle, a), middle, math.Nextafter32(middle, b)} {
				worst = max(worst, math.Abs(float64(r.Quantise(x))-float64(x)))
				checked++
			}
		}
		if worst > r.maxError() || worst < 0.9*float64(r.stepSize())/2 {
			t.Errorf("%s: off by %g, bound %g, half a step %g", name, worst, r.maxError(), r.stepSize()/2)
		}
		t.Logf("%-15s %2d bits, worst of %8d points %.9g, bound %.9g", name, r.bits, checked, worst, r.maxError())
	}
}

// TestRangeOfAnyFloat checks that any 32 bits encode to an integer in range: numbers
// out of bounds are clamped and NaN becomes 0.
func TestRangeOfAnyFloat(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for name, r := range ranges {
		for x, want := range map[float32]int{inf: r.Steps(), -inf: 0, math.MaxFloat32: r.Steps(), -math.MaxFloat32: 0,
			r.low: 0, r.high: r.Steps(), math.Nextafter32(r.low, -inf): 0, math.Nextafter32(r.high, inf): r.Steps()} {
			if got := r.Encode(x); got != want {
				t.Errorf("%s: %v is %d, want %d", name, x, got, want)
			}
		}
		if r.Encode(nan) != 0 || r.Contains(nan) || r.Contains(inf) || !r.Contains(r.low) || !r.Contains(r.high) {
			t.Errorf("%s: bounds", name)
		}
		if r.Decode(-1) != r.low || r.Decode(math.MaxInt32) != r.high || r.Decode(0) != r.low || r.Decode(r.Steps()) != r.high {
			t.Errorf("%s: integers beyond the bounds", name)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		r := ranges[rapid.SampledFrom([]string{"sync xy", "ten", "uneven", "far from zero"}).Draw(t, "range")]
		x := math.Float32frombits(rapid.Uint32().Draw(t, "bits"))
		if n := r.Encode(x); n < 0 || n > r.Steps() || r.Encode(r.Decode(n)) != n {
			t.Fatalf("%v is %d", x, n)
		}
	})
}

// TestRangeVectors checks values at which fused or 32-bit arithmetic gives another
// result: halfway points, a low bound that is not zero, and the two that exposed a bug
// in a published port of the compressed float.
func TestRangeVectors(t *testing.T) {
	ten, hundred := rangeBetween(0, 10, 0.01), rangeBetween(-100, 100, 0.01)
	for _, v := range []struct {
		r    Range
		x    float32
		n    int
		back string
	}{
		{ten, 0.005, 0, "0x0p+00"}, // the float below 0.005
		{ten, 0.0050000004, 1, "0x1.47ae14p-07"},
		{ten, 9.995, 999, "0x1.3fae14p+03"}, // the float below 9.995
		{ten, 9.995001, 1000, "0x1.4p+03"},
		{hundred, -96.16, 384, "-0x1.80a3d8p+06"},
		{hundred, -0.005, 10000, "0x0p+00"},
		{hundred, -0.0050000004, 9999, "-0x1.47ae14p-07"},
		{SnapshotPosition[0], 0.0009765625, 131073, "0x1p-09"}, // half a step: up
		{SnapshotPosition[0], -0.0009765625, 131072, "0x0p+00"},
		{SnapshotPosition[0], 256, 262143, "0x1.ffffp+07"},
		{SyncPosition[2], 31.9999, 131071, "0x1.ffffp+04"},
		{snapshotLinearVelocityFine[0], 0.005, 3200, "0x0p+00"},
		{snapshotLinearVelocityFine[0], 31.99, 6399, "0x1.ffd70ap+04"},
	} {
		n := v.r.Encode(v.x)
		if back := fmt.Sprintf("%x", v.r.Decode(n)); n != v.n || back != v.back {
			t.Errorf("%v: %d and back %s, want %d, %s", v.x, n, back, v.n, v.back)
		}
	}
}

// TestRangeMisuse checks that ranges whose promises cannot hold panic.
func TestRangeMisuse(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for name, f := range map[string]func(){
		"order":      func() { newRange(1, 0, 10) },
		"empty":      func() { newRange(1, 1, 10) },
		"nan":        func() { newRange(0, nan, 10) },
		"infinite":   func() { newRange(-inf, 0, 10) },
		"too wide":   func() { newRange(-math.MaxFloat32, math.MaxFloat32, 8) },
		"too fine":   func() { newRange(1000, 1001, 10_000) },
		"VR grid":    func() { NewRangePerUnit(-64, 64, 1<<20) },
		"no unit":    func() { NewRangePerUnit(0, 1, 0) },
		"one number": func() { NewRangePerUnit(0, 1, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// TestWriterGetsQuantisedVector checks that a writer gets the value that the reader
// gets, at the size that the grid reports, and that a number out of bounds is not
// written.
func TestWriterGetsQuantisedVector(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.SampledFrom([]Grid{
			SnapshotPosition, snapshotLinearVelocity, snapshotLinearVelocityFine,
			SyncPosition, SyncLinearVelocity, SyncAngularVelocity,
		}).Draw(t, "grid")
		var v [3]float32
		for i := range v {
			v[i] = rapid.Float32Range(g[i].low, g[i].high).Draw(t, "v")
		}
		var b [64]byte
		var c Coder
		c.BeginWrite(b[:])
		written := c.CompressedVector(v, &g)
		if c.Err() != nil || c.BitsProcessed() != g.Bits() || written != g.Quantise(v) {
			t.Fatalf("%v is written as %v in %d bits, %v", v, written, c.BitsProcessed(), c.Err())
		}
		data := c.FinishWrite()
		c.BeginRead(data)
		if got := c.CompressedVector([3]float32{}, &g); got != written || c.Err() != nil || !c.AtEnd(len(data)) {
			t.Fatalf("%v is read as %v, %v", written, got, c.Err())
		}
		c.BeginMeasure()
		if c.CompressedVector(v, &g); c.BitsProcessed() != g.Bits() {
			t.Fatalf("measured %d bits", c.BitsProcessed())
		}
	})
}
