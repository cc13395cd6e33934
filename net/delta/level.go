package delta

import (
	"ghostcube/net/entropy"
	"ghostcube/net/quant"
)

// Level is how much is done to save bits. Up to ChangedParts each does what the
// one before does, and something more.
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
	{"raw", "position and quaternion in floats of 32 bits, and a bit for touched: 225 bits a cube"},
	{"smallest-three", "the rotation in 29 bits: 126 bits a cube"},
	{"quantised", "the position in 50 bits, 512 steps a metre: 80 bits a cube"},
	{"changed-bits", "a bit for each cube, and those that are other than in the base"},
	{"indices", "the changed cubes by the distances of their indices, where that is shorter"},
	{"relative-position", "positions by their difference from the base: steps of 5 and 9 bits"},
	{"relative-rotation", "rotations by their difference from the base: steps of 5 and 8 bits"},
	{"changed-fields", "and a bit for a position that has changed, one for a rotation: the article's scheme"},
	{"fine-rotation", "without these bits, and rotations in steps of 4 and 7 bits"},
	{"predicted", "the challenge's reference program: positions where the last motion leads, ranges of 5, 6, 7 bits"},
	{"arithmetic", "an adaptive arithmetic coder on what is expected of each cube's motion and the ball's"},
}

// String returns the level's name.
func (l Level) String() string { return descriptions[l].name }

// Doc says in a line what the level does.
func (l Level) Doc() string { return descriptions[l].doc }

// Levels returns all levels, in their order.
func Levels() []Level {
	list := make([]Level, levelCount)
	for i := range list {
		list[i] = Level(i)
	}
	return list
}

// olderGap returns how many ticks before the base an older frame is of most use to
// the level; 0: of none.
func (l Level) olderGap() int {
	switch l {
	case Predicted:
		return 6 // the base's own base, as in the challenge
	case Arithmetic:
		return 3 // nearer, and the grid shows in the speed; 2 to 6 are alike
	}
	return 0
}

// maxSnapshotBytes returns how many bytes a frame of so many cubes can take up to level
// Predicted, and more than Arithmetic was ever seen to take: a multiple of eight.
func maxSnapshotBytes(cubes int) int { return (cubes*32 + 64 + 7) &^ 7 }

// codec writes and reads frames. It keeps memory, so that it allocates nothing
// after its first frame; its zero value is ready.
type codec struct {
	packer     bitPacker
	bits       quant.Coder
	arithmetic entropy.Coder
	breakdown  BitBreakdown
}

// BitBreakdown is what the bits of a frame have told. Of an arithmetic coder they are no
// whole numbers, and the sum is what the frame takes but for two bytes at most.
type BitBreakdown struct {
	Index    float64 // which cubes are other than in the base
	Touched  float64
	Position float64
	Rotation float64
}

// bitAccount puts bits down to what they told.
type bitAccount struct {
	*BitBreakdown
	charged float64 // bits that are put down
}

// chargeUpTo puts down all bits up to a count.
func (l *bitAccount) chargeUpTo(on *float64, upTo float64) {
	*on += upTo - l.charged
	l.charged = upTo
}

// encode writes a frame into b, which has MostBytes or more, and returns the bytes. What
// is learned by it goes into m, at level Arithmetic; else m may be nil. It fails
// for a frame that does not fit, and for a cube that is out of its range.
func (d *codec) encode(b []byte, l Level, now []Cube, p *baseline, m *motionModel) ([]byte, error) {
	if l == Arithmetic && p.cubes != nil {
		m.loadBaseline(p, len(now))
		d.arithmetic.BeginWrite(b)
		d.breakdown = BitBreakdown{}
		m.codeSnapshot(&d.arithmetic, now, p, &d.breakdown)
		out := d.arithmetic.FinishWrite()
		return out, d.arithmetic.Err()
	}
	if l == Arithmetic {
		m.reset(len(now))
	}
	d.bits.BeginWrite(b[:len(b)&^7])
	d.code(l, now, p)
	return d.bits.FinishWrite(), d.bits.Err()
}

// decode reads a frame that Write wrote with an equal past into now, which has its
// length. Where it fails now and m are undefined.
func (d *codec) decode(b []byte, l Level, now []Cube, p *baseline, m *motionModel) error {
	if l == Arithmetic && p.cubes != nil {
		m.loadBaseline(p, len(now))
		d.arithmetic.BeginRead(b)
		d.breakdown = BitBreakdown{}
		m.codeSnapshot(&d.arithmetic, now, p, &d.breakdown)
		return d.arithmetic.FinishRead()
	}
	if l == Arithmetic {
		m.reset(len(now))
	}
	d.bits.BeginRead(b)
	d.code(l, now, p)
	if err := d.bits.Err(); err != nil {
		return err
	}
	if !d.bits.AtEnd(len(b)) {
		return ErrTrailingBytes
	}
	return nil
}

// code is a frame at a bit-packed level. Without a base it is whole.
func (d *codec) code(l Level, now []Cube, p *baseline) {
	x := &d.packer
	x.c, x.cubes, x.baseline = &d.bits, now, p
	d.breakdown = BitBreakdown{}
	x.bitAccount = bitAccount{BitBreakdown: &d.breakdown}
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
	x.cubes, x.baseline, x.bitAccount = nil, nil, bitAccount{}
}
