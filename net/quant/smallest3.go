package quant

import "math"

// SmallestThree encodes rotations as quaternions without their largest component, which
// follows from the others because the length is 1 (Fiedler, Snapshot Compression). Its
// value is the number of bits per component sent, in [2,16]; a rotation takes 2 + 3
// times that many bits.
//
// A component lies in +-1/sqrt(2). It is sent as an integer in [-max, max] with max =
// 2^(bits-1) - 1. That is one code fewer than in the articles, where zero lies between
// two codes. Here both zero and 1/sqrt(2) are on the grid, so every quarter turn about
// an axis is exact and a box that lies flat is sent flat. The largest component is the
// square root of an integer number of squared steps, 2*max^2 minus the squares of the
// others. Nothing else needs normalising, and integers tell whether a code is a
// rotation.
//
// To first order the error is at most 2*sqrt(3) steps of 1/(sqrt(2)*max): a component
// is off by half a step, the largest by up to three times that (where all four are
// equal), and the angle of a rotation is twice the angle between quaternions. The bound
// held at every width for 120 million rotations. From 9 bits on, the worst error found
// is close to it:
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
// The mean error of random rotations is 1.06 steps. Snapshots use 9 bits, state
// synchronisation 12 and later 15.
//
// Quantising is idempotent at every width; see Encode.
type SmallestThree int

// The widths of the articles.
const (
	SnapshotRotation SmallestThree = 9  // 29 bits
	SyncRotation     SmallestThree = 15 // 47 bits
)

// QuantisedRotation is a rotation in the integers of a SmallestThree. The zero value is
// a half turn about x.
type QuantisedRotation struct {
	Largest  uint8    // omitted component, taken as positive: 0..3 are x, y, z, w
	Smallest [3]int16 // other components in order, in steps
}

// formats holds the constants of each width.
var formats = func() (t [17]struct {
	maxComponent  int64
	step          float64 // 1/sqrt(2) divided by maxComponent
	stepsPerUnit  float64 // steps in 1
	maxAngleError float64 // radians
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

// Bits returns the bits of a rotation.
func (s SmallestThree) Bits() int { return 2 + 3*int(s) }

// MaxComponent returns the largest magnitude of a component, in steps.
func (s SmallestThree) MaxComponent() int { return int(formats[s].maxComponent) }

// MaxAngleError returns a bound on the angle between a rotation and its decoded form,
// in radians: 2*sqrt(3) steps, plus 2e-6 for 32-bit floats and lengths that are not
// quite 1.
func (s SmallestThree) MaxAngleError() float64 { return formats[s].maxAngleError }

// Encode returns the integers of a rotation x, y, z, w of any length; q and -q are the
// same rotation. The zero quaternion, infinities and NaN become the identity.
//
// The largest component before rounding need not be the largest after it. A naive
// encoder would then encode its own output differently, and a body quantised every tick
// would creep. So Encode tries every component within three steps of the largest and
// takes the nearest result whose own omitted component would be tried again; the first
// wins a tie. The result is stable: encoding it again finds the same integers at
// distance zero. Only another encoding of exactly the same rotation could tie with it
// and come first; where one may exist, the search runs twice.
func (s SmallestThree) Encode(q [4]float32) QuantisedRotation {
	n, ok := normalise(q)
	if !ok {
		return QuantisedRotation{Largest: 3}
	}
	p, decoded := s.nearest(&n)
	if _, single := s.candidateFloor(&decoded); !single {
		p, _ = s.nearest(&decoded)
	}
	return p
}

// Decode returns the rotation of p, with length 1 to within 2^-23 and its largest
// component positive. An invalid p becomes the identity.
func (s SmallestThree) Decode(p QuantisedRotation) (q [4]float32) {
	n, ok := s.decode(p)
	if !ok {
		return [4]float32{3: 1}
	}
	return [4]float32{float32(n[0]), float32(n[1]), float32(n[2]), float32(n[3])}
}

// Quantise returns the rotation a reader gets for q.
func (s SmallestThree) Quantise(q [4]float32) [4]float32 { return s.Decode(s.Encode(q)) }

// valid reports whether p is a rotation: its integers are in range and their squares
// leave something for the largest component.
func (s SmallestThree) valid(p QuantisedRotation) bool {
	limit := formats[s].maxComponent
	for _, n := range p.Smallest {
		if int64(n) < -limit || int64(n) > limit {
			return false
		}
	}
	return p.Largest < 4 && s.largestSquared(p) > 0
}

// Canonical reports whether p is the encoding that Encode chooses for its rotation.
func (s SmallestThree) Canonical(p QuantisedRotation) bool {
	return s.valid(p) && s.Encode(s.Decode(p)) == p
}

// largestSquared returns the square of the largest component, in squared steps.
func (s SmallestThree) largestSquared(p QuantisedRotation) int64 {
	a, b, c := int64(p.Smallest[0]), int64(p.Smallest[1]), int64(p.Smallest[2])
	return 2*formats[s].maxComponent*formats[s].maxComponent - a*a - b*b - c*c
}

// decode returns the rotation of p as 32-bit floats.
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

// nearest returns the encoding nearest to n among those that Encode would choose again,
// and its decoded form.
func (s SmallestThree) nearest(n *[4]float64) (best QuantisedRotation, decoded [4]float64) {
	floor, single := s.candidateFloor(n)
	bestDistance := math.Inf(1)
	for i := range n {
		if math.Abs(n[i]) < floor {
			continue
		}
		p := s.round(n, i)
		q, _ := s.decode(p)
		if single {
			return p, q // no other component can become the largest
		}
		if again, _ := s.candidateFloor(&q); q[i] < again {
			continue
		}
		var distance float64
		for j := range q {
			d := n[j] - q[j]
			if n[i] < 0 {
				d = n[j] + q[j]
			}
			distance += float64(d * d)
		}
		if distance < bestDistance {
			bestDistance, best, decoded = distance, p, q
		}
	}
	return best, decoded
}

// candidateSteps is how far below the largest component another one is still tried. To
// first order, rounding changes their difference by two steps.
const candidateSteps = 3

// candidateFloor returns the smallest magnitude that is tried as the largest component
// of n, and whether only one component qualifies. It is never zero, which has no sign.
func (s SmallestThree) candidateFloor(n *[4]float64) (floor float64, single bool) {
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

// round rounds n without component i to whole steps. If the steps are so coarse that
// nothing is left for the omitted component, it shrinks the largest of the others.
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

// unitTolerance is how far from 1 a squared length may be without normalisation: more
// than the error of Decode.
const unitTolerance = 1e-6

// normalise returns q with length 1. It reports false if q has no direction.
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

// writeTolerance is how far from 1 the squared length of a rotation written may be.
const writeTolerance = 2e-3

// Rotation codes a rotation x, y, z, w and returns the value a reader gets. A
// quaternion whose length differs from 1 by more than a thousandth is an error.
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

// QuantisedRotation codes a rotation in integers. An encoding that Encode does not
// choose is an error; a reader then returns the identity.
func (c *Coder) QuantisedRotation(p QuantisedRotation, s SmallestThree) QuantisedRotation {
	at := c.BitsProcessed()
	return c.requireCanonical(c.codeComponents(p, s), s, at)
}

// codeComponents codes the integers of a rotation without checking them.
func (c *Coder) codeComponents(p QuantisedRotation, s SmallestThree) QuantisedRotation {
	limit := s.MaxComponent()
	p.Largest = uint8(c.codeField(uint32(p.Largest), 2, "QuantisedRotation"))
	for i := range p.Smallest {
		p.Smallest[i] = int16(c.codeInt(int(p.Smallest[i]), -limit, limit, "QuantisedRotation"))
	}
	return p
}

// requireCanonical fails unless p, which begins at bit at, is canonical.
func (c *Coder) requireCanonical(p QuantisedRotation, s SmallestThree, at int) QuantisedRotation {
	if c.err == nil && !s.Canonical(p) {
		c.fail("QuantisedRotation", at, ErrNotCanonical)
	}
	if c.err != nil && c.mode == reading {
		return QuantisedRotation{Largest: 3}
	}
	return p
}
