package quant

import "math"

// SmallestThree writes rotations as quaternions without their largest
// component, which follows from the others since the length is 1 (Fiedler,
// Snapshot Compression). The value is the bits of each component that is sent,
// in [2,16]; the whole takes 2 + 3 times as many.
//
// A component lies in +-1/sqrt(2). It is sent as a whole number of steps in
// [-Most, Most], Most = 2^(bits-1) - 1: one code fewer than in the articles,
// where zero lies between two codes. Here zero and 1/sqrt(2) are on the grid,
// and so every quarter turn about an axis is exact: what lies flat is sent flat.
// The largest component is the root of a whole number of steps squared, 2*Most^2
// less the squares of the others, so nothing else needs to be normalised, and
// what is no rotation is seen in integers.
//
// The error is at most 2*sqrt(3) steps, a step being 1/(sqrt(2)*Most), to first
// order: a component is off by half a step, the largest one by up to three times
// as much (where all four are equal), and the angle of a rotation is twice that
// between quaternions. The bound held at every width for 120 million rotations,
// and the worst that was found comes close to it from 9 bits on:
//
//	bits   bound, degrees   worst found       bits   bound, degrees   worst found
//	   2        140.4          101.6             9         0.551          0.545
//	   3         46.8           30.0            10         0.275          0.273
//	   4         20.1           18.9            11         0.1371         0.1368
//	   5          9.36           8.64           12         0.0686         0.0684
//	   6          4.53           4.25           13         0.0344         0.0342
//	   7          2.23           2.12           14         0.0172         0.0171
//	   8          1.105          1.080          15         0.00868        0.00857
//	                                            16         0.00440        0.00428
//
// The mean error of random rotations is 1.06 steps. Snapshots have used 9 bits,
// state synchronisation 12 and, at last, 15.
//
// Quantising twice is as good as once, bit for bit, at every width: see Encode.
type SmallestThree int

// The widths of the articles.
const (
	SnapshotRotation SmallestThree = 9  // 29 bits
	SyncRotation     SmallestThree = 15 // 47 bits
)

// QuantisedRotation is a rotation in the integers of a SmallestThree. The zero value is
// half a turn about x.
type QuantisedRotation struct {
	Largest  uint8    // which component is not sent and is positive: 0..3 are x, y, z, w
	Smallest [3]int16 // the others in their order, in steps
}

// formats holds the numbers that follow from the bits of a component.
var formats = func() (t [17]struct {
	maxComponent  int64
	step          float64 // 1/sqrt(2) divided by most
	stepsPerUnit  float64 // steps in 1
	maxAngleError float64 // bound of the error, radians
}) {
	for b := 2; b <= 16; b++ {
		w := &t[b]
		w.maxComponent = 1<<(b-1) - 1
		w.stepsPerUnit = math.Sqrt(float64(2 * w.maxComponent * w.maxComponent))
		w.step = 1 / w.stepsPerUnit
		w.maxAngleError = float64(w.step*2*1.7320508075688772) + 2e-6
	}
	return
}()

// Bits returns the bits of one rotation.
func (s SmallestThree) Bits() int { return 2 + 3*int(s) }

// MaxComponent returns the largest number of steps of a component.
func (s SmallestThree) MaxComponent() int { return int(formats[s].maxComponent) }

// MaxAngleError returns a bound, in radians, of the angle between a rotation and what
// a reader makes of it: 2*sqrt(3) steps, and 2e-6 for what 32-bit floats and
// lengths that are nearly 1 add.
func (s SmallestThree) MaxAngleError() float64 { return formats[s].maxAngleError }

// Encode returns the integers of a rotation x, y, z, w of any length; q and -q
// are the same rotation. What has no direction counts as no turn.
//
// Which component is the largest is less clear than it seems: after rounding it
// may be another one, and then what was decoded would be encoded as something
// else, and creep. So all components that come within three steps of the largest
// are tried, and the nearest result is taken, provided that its own largest
// component would still be tried; of equals the first. What comes of this
// changes no more: encoded again, the same integers are among those tried, at no
// distance at all. Only another form of exactly the same rotation can be as near
// and come first; where there may be one, the search is made twice.
func (s SmallestThree) Encode(q [4]float32) QuantisedRotation {
	n, ok := normalise(q)
	if !ok {
		return QuantisedRotation{Largest: 3}
	}
	p, back := s.nearest(&n)
	if _, alone := s.candidateFloor(&back); !alone {
		p, _ = s.nearest(&back)
	}
	return p
}

// Decode returns the rotation of p, of length 1 to within 2^-23, its largest
// component positive. For a p that is not Valid it returns no turn.
func (s SmallestThree) Decode(p QuantisedRotation) (q [4]float32) {
	n, ok := s.decode(p)
	if !ok {
		return [4]float32{3: 1}
	}
	return [4]float32{float32(n[0]), float32(n[1]), float32(n[2]), float32(n[3])}
}

// Quantise returns what a reader has after q was sent.
func (s SmallestThree) Quantise(q [4]float32) [4]float32 { return s.Decode(s.Encode(q)) }

// valid reports whether p is a rotation: its integers are in their ranges and
// the sum of their squares leaves something for the largest.
func (s SmallestThree) valid(p QuantisedRotation) bool {
	most := formats[s].maxComponent
	for _, n := range p.Smallest {
		if int64(n) < -most || int64(n) > most {
			return false
		}
	}
	return p.Largest < 4 && s.largestSquared(p) > 0
}

// Canonical reports whether p is what Encode makes of its rotation.
func (s SmallestThree) Canonical(p QuantisedRotation) bool {
	return s.valid(p) && s.Encode(s.Decode(p)) == p
}

// largestSquared is the square of the largest component, in steps squared.
func (s SmallestThree) largestSquared(p QuantisedRotation) int64 {
	a, b, c := int64(p.Smallest[0]), int64(p.Smallest[1]), int64(p.Smallest[2])
	return 2*formats[s].maxComponent*formats[s].maxComponent - a*a - b*b - c*c
}

// decode returns the rotation of p in numbers that 32-bit floats hold.
func (s SmallestThree) decode(p QuantisedRotation) (q [4]float64, ok bool) {
	if !s.valid(p) {
		return q, false
	}
	w, i := &formats[s], 0
	for j := range q {
		if j == int(p.Largest) {
			q[j] = float64(float32(math.Sqrt(float64(s.largestSquared(p))) * w.step))
		} else {
			q[j] = float64(float32(float64(p.Smallest[i]) * w.step))
			i++
		}
	}
	return q, true
}

// nearest returns, of the roundings of n that decode to something that would be
// rounded so again, the one nearest to n, and what it decodes to.
func (s SmallestThree) nearest(n *[4]float64) (best QuantisedRotation, back [4]float64) {
	floor, alone := s.candidateFloor(n)
	least := math.Inf(1)
	for i := range n {
		if math.Abs(n[i]) < floor {
			continue
		}
		p := s.round(n, i)
		q, _ := s.decode(p)
		if alone {
			return p, q // the largest stays in reach of the largest
		}
		if again, _ := s.candidateFloor(&q); q[i] < again {
			continue
		}
		var away float64
		for j := range q {
			d := n[j] - q[j]
			if n[i] < 0 {
				d = n[j] + q[j]
			}
			away += float64(d * d)
		}
		if away < least {
			least, best, back = away, p, q
		}
	}
	return best, back
}

// candidateSteps is how many steps below the largest component another one may be and
// still be tried. To first order rounding brings them two steps nearer or
// further apart.
const candidateSteps = 3

// candidateFloor returns the least magnitude of n that is tried as the largest, and
// whether only one is. It is never zero, which has no sign.
func (s SmallestThree) candidateFloor(n *[4]float64) (floor float64, alone bool) {
	a, b, c, d := math.Abs(n[0]), math.Abs(n[1]), math.Abs(n[2]), math.Abs(n[3])
	if a < b {
		a, b = b, a
	}
	if c < d {
		c, d = d, c
	}
	second := max(min(a, c), b, d)
	step := formats[s].step
	floor = max(max(a, c)-float64(candidateSteps*step), float64(0.5*step))
	return floor, second < floor
}

// round returns n without its component i, in whole steps. If the steps are so
// coarse that nothing is left for the missing component, the largest of them
// gives way.
func (s SmallestThree) round(n *[4]float64, i int) (p QuantisedRotation) {
	w, k := &formats[s], 0
	p.Largest = uint8(i)
	for j, x := range n {
		if j == i {
			continue
		}
		if n[i] < 0 {
			x = -x
		}
		steps := int16(min(int32(float64(math.Abs(x)*w.stepsPerUnit)+0.5), int32(w.maxComponent)))
		if x < 0 {
			steps = -steps
		}
		p.Smallest[k] = steps
		k++
	}
	for s.largestSquared(p) <= 0 {
		k := 0
		for j := range p.Smallest {
			if abs(p.Smallest[j]) > abs(p.Smallest[k]) {
				k = j
			}
		}
		if p.Smallest[k] > 0 {
			p.Smallest[k]--
		} else {
			p.Smallest[k]++
		}
	}
	return p
}

func abs(n int16) int16 { return max(n, -n) }

// unitTolerance is how far from 1 the squared length of a rotation may be and still
// be taken as it is: more than Decode is off.
const unitTolerance = 1e-6

// normalise returns q with length 1, and reports false for what has no direction.
func normalise(q [4]float32) (n [4]float64, ok bool) {
	var sum float64
	for i, x := range q {
		n[i] = float64(x)
		sum += float64(n[i] * n[i])
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return n, false
	}
	if math.Abs(sum-1) > unitTolerance {
		length := math.Sqrt(sum)
		for i := range n {
			n[i] /= length
		}
	}
	return n, true
}

// writeTolerance is how far from 1 the squared length of a rotation may be and
// still be written.
const writeTolerance = 2e-3

// Rotation is a rotation x, y, z, w, and returns what a reader gets, as Real
// does. One that is not of length 1, to within a thousandth, is not written.
func (c *Coder) Rotation(q [4]float32, s SmallestThree) [4]float32 {
	at := c.BitsProcessed()
	if c.mode == reading {
		return s.Decode(c.QuantisedRotation(QuantisedRotation{}, s))
	}
	var sum float64
	for _, x := range q {
		sum += float64(float64(x) * float64(x))
	}
	if !(math.Abs(sum-1) <= writeTolerance) {
		c.fail("Rotation", at, ErrRange)
		return q
	}
	return s.Decode(c.codeComponents(s.Encode(q), s))
}

// QuantisedRotation is a rotation in integers. Only what Encode makes of some rotation is
// read or written; what is read is no turn where that fails.
func (c *Coder) QuantisedRotation(p QuantisedRotation, s SmallestThree) QuantisedRotation {
	at := c.BitsProcessed()
	return c.requireCanonical(c.codeComponents(p, s), s, at)
}

// codeComponents are the integers of a rotation, whatever they mean.
func (c *Coder) codeComponents(p QuantisedRotation, s SmallestThree) QuantisedRotation {
	most := s.MaxComponent()
	p.Largest = uint8(c.codeField(uint32(p.Largest), 2, "QuantisedRotation"))
	for i := range p.Smallest {
		p.Smallest[i] = int16(c.codeInt(int(p.Smallest[i]), -most, most, "QuantisedRotation"))
	}
	return p
}

// requireCanonical refuses a rotation that began at a bit if Encode never makes it.
func (c *Coder) requireCanonical(p QuantisedRotation, s SmallestThree, at int) QuantisedRotation {
	if c.err == nil && !s.Canonical(p) {
		c.fail("QuantisedRotation", at, ErrNotCanonical)
	}
	if c.err != nil && c.mode == reading {
		return QuantisedRotation{Largest: 3}
	}
	return p
}
