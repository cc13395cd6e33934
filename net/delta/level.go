package delta

import (
	"ghostcube/net/entropy"
	"ghostcube/net/quant"
)

// Level selects the compression. Up to ChangedFields every level does what the one
// before it does, and something more.
type Level int

// The levels.
const (
	Raw Level = iota
	SmallestThree
	Quantised
	ChangedBits
	Indices
	RelativePosition
	RelativeRotation
	ChangedFields
	FineRotation
	Predicted
	Arithmetic
	levelCount
)

var descriptions = [levelCount]struct{ name, doc string }{
	{"raw", "position and quaternion as 32-bit floats, one bit for touched: 225 bits per cube"},
	{"smallest-three", "rotation in 29 bits: 126 bits per cube"},
	{"quantised", "position in 50 bits, 512 steps per metre: 80 bits per cube"},
	{"changed-bits", "one bit per cube, then the cubes that differ from the baseline"},
	{"indices", "indices of the changed cubes instead of one bit per cube, where shorter"},
	{"relative-position", "positions as differences from the baseline, in 5 or 9 bits"},
	{"relative-rotation", "rotations as differences from the baseline, in 5 or 8 bits"},
	{"changed-fields", "one bit for a changed position and one for a changed rotation: the article's scheme"},
	{"fine-rotation", "without those two bits, rotation differences in 4 or 7 bits"},
	{"predicted", "the challenge's reference program: extrapolated positions, ranges of 5, 6 and 7 bits"},
	{"arithmetic", "adaptive arithmetic coder that predicts each cube's motion and the ball's"},
}

// String returns the name of the level.
func (l Level) String() string { return descriptions[l].name }

// Doc describes the level in one line.
func (l Level) Doc() string { return descriptions[l].doc }

// Levels returns all levels in order.
func Levels() []Level {
	list := make([]Level, levelCount)
	for i := range list {
		list[i] = Level(i)
	}
	return list
}

// olderGap returns the preferred number of ticks between the older snapshot and the
// baseline, 0 if the level does not use one.
func (l Level) olderGap() int {
	switch l {
	case Predicted:
		return 6 // baseline of the baseline, as in the challenge
	case Arithmetic:
		return 3 // with smaller gaps the grid distorts the velocity; 2 to 6 differ little
	}
	return 0
}

// maxSnapshotBytes returns the largest size of a snapshot, a multiple of eight: a bound
// up to level Predicted, and well above anything seen at Arithmetic.
func maxSnapshotBytes(cubes int) int { return (cubes*32 + 64 + 7) &^ 7 }

// codec writes and reads single snapshots. It reuses memory and allocates nothing after
// the first. The zero value is ready.
type codec struct {
	packer     bitPacker
	bits       quant.Coder
	arithmetic entropy.Coder
	motion     snapshotCoder
	breakdown  BitBreakdown
	cubes      cubeBits
	indices    quant.IndexEncoding
}

// BitBreakdown tells which fields the bits of a snapshot encode. For an arithmetic
// coder they are fractions, and their sum is the snapshot's size to within two bytes.
type BitBreakdown struct {
	Index    float64 // which cubes differ from the baseline
	Touched  float64
	Position float64
	Rotation float64
}

// bitAccount attributes bits to fields.
type bitAccount struct {
	*BitBreakdown
	charged float64 // bits attributed so far
}

// cubeBits attributes the bits of a snapshot to its cubes.
type cubeBits struct {
	each    []float64 // by cube
	shared  float64   // of all cubes: which of them differ
	charged float64
}

// begin empties the account and makes room for a number of cubes.
func (b *cubeBits) begin(cubes int) {
	if len(b.each) != cubes {
		b.each = make([]float64, cubes)
	}
	clear(b.each)
	b.shared, b.charged = 0, 0
}

// chargeCube attributes all bits up to a count to a cube.
func (b *cubeBits) chargeCube(i int, upTo float64) {
	b.each[i] += upTo - b.charged
	b.charged = upTo
}

// chargeShared attributes all bits up to a count to no cube.
func (b *cubeBits) chargeShared(upTo float64) {
	b.shared += upTo - b.charged
	b.charged = upTo
}

// chargeUpTo attributes all bits up to a count to a field.
func (b *bitAccount) chargeUpTo(on *float64, upTo float64) {
	*on += upTo - b.charged
	b.charged = upTo
}

// encode writes a snapshot into b, which has at least maxSnapshotBytes, and returns the
// bytes. At level Arithmetic it stores the model learned in m; at other levels m may be
// nil. It fails if a cube is out of range.
func (c *codec) encode(b []byte, l Level, now []Cube, p *baseline, m *motionModel) ([]byte, error) {
	c.cubes.begin(len(now))
	if l == Arithmetic && p.cubes != nil {
		m.loadBaseline(p)
		c.arithmetic.BeginWrite(b)
		c.breakdown = BitBreakdown{}
		c.motion.code(&c.arithmetic, now, p, m, &c.breakdown, &c.cubes)
		out := c.arithmetic.FinishWrite()
		return out, c.arithmetic.Err()
	}
	if l == Arithmetic {
		m.reset()
	}
	c.bits.BeginWrite(b[:len(b)&^7])
	c.code(l, now, p)
	return c.bits.FinishWrite(), c.bits.Err()
}

// decode reads a snapshot into now, which must have its length. The baseline must equal
// the writer's. After an error now and m are undefined.
func (c *codec) decode(b []byte, l Level, now []Cube, p *baseline, m *motionModel) error {
	c.cubes.begin(len(now))
	if l == Arithmetic && p.cubes != nil {
		m.loadBaseline(p)
		c.arithmetic.BeginRead(b)
		c.breakdown = BitBreakdown{}
		c.motion.code(&c.arithmetic, now, p, m, &c.breakdown, &c.cubes)
		return c.arithmetic.FinishRead()
	}
	if l == Arithmetic {
		m.reset()
	}
	c.bits.BeginRead(b)
	c.code(l, now, p)
	if err := c.bits.Err(); err != nil {
		return err
	}
	if !c.bits.AtEnd(len(b)) {
		return ErrTrailingBytes
	}
	return nil
}

// code codes a snapshot at a bit-packed level; without a baseline, in full.
func (c *codec) code(l Level, now []Cube, p *baseline) {
	x := &c.packer
	x.c, x.cubes, x.baseline, x.indices = &c.bits, now, p, c.indices
	c.breakdown = BitBreakdown{}
	x.bitAccount, x.spent = bitAccount{BitBreakdown: &c.breakdown}, &c.cubes
	if p.cubes == nil && l > Quantised {
		l = Quantised
	}
	switch l {
	case Raw:
		x.codeRaw()
	case SmallestThree:
		x.codeSmallestThree()
	case Quantised:
		x.codeQuantised()
	default:
		x.codeChanged(l)
	}
	x.cubes, x.baseline, x.bitAccount, x.spent = nil, nil, bitAccount{}, nil
}
