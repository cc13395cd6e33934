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
	ChangedParts
	FineRotation
	Predicted
	Arithmetic
	levels
)

var descriptions = [levels]struct{ name, doc string }{
	{"raw", "position and quaternion in floats of 32 bits, and a bit for touched: 225 bits a cube"},
	{"smallest-three", "the rotation in 29 bits: 126 bits a cube"},
	{"quantised", "the position in 50 bits, 512 steps a metre: 80 bits a cube"},
	{"changed-bits", "a bit for each cube, and those that are other than in the base"},
	{"indices", "the changed cubes by the distances of their indices, where that is shorter"},
	{"relative-position", "positions by their difference from the base: steps of 5 and 9 bits"},
	{"relative-rotation", "rotations by their difference from the base: steps of 5 and 8 bits"},
	{"changed-parts", "and a bit for a position that has changed, one for a rotation: the article's scheme"},
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
	list := make([]Level, levels)
	for i := range list {
		list[i] = Level(i)
	}
	return list
}

// Apart returns how many ticks before the base an older frame is of most use to
// the level; 0: of none.
func (l Level) Apart() int {
	switch l {
	case Predicted:
		return 6 // the base's own base, as in the challenge
	case Arithmetic:
		return 3 // nearer, and the grid shows in the speed; 2 to 6 are alike
	}
	return 0
}

// MostBytes returns how many bytes a frame of so many cubes can take up to level
// Predicted, and more than Arithmetic was ever seen to take: a multiple of eight.
func MostBytes(cubes int) int { return (cubes*32 + 64 + 7) &^ 7 }

// Codec writes and reads frames. It keeps memory, so that it allocates nothing
// after its first frame; its zero value is ready.
type Codec struct {
	packed packed
	bits   quant.Coder
	chance entropy.Coder
	spent  Spent
}

// Spent is what the bits of a frame have told. Of an arithmetic coder they are no
// whole numbers, and the sum is what the frame takes but for two bytes at most.
type Spent struct {
	Index    float64 // which cubes are other than in the base
	Touched  float64
	Position float64
	Rotation float64
}

// Spent returns what the bits of the last frame have told.
func (d *Codec) Spent() Spent { return d.spent }

// ledger puts bits down to what they told.
type ledger struct {
	*Spent
	from float64 // bits that are put down
}

// put puts down all bits up to a count.
func (l *ledger) put(on *float64, upTo float64) {
	*on += upTo - l.from
	l.from = upTo
}

// Write writes a frame into b, which has MostBytes or more, and returns the bytes. What
// is learned by it goes into m, at level Arithmetic; else m may be nil. It fails
// for a frame that does not fit, and for a cube that is out of its range.
func (d *Codec) Write(b []byte, l Level, now []Cube, p *Past, m *Model) ([]byte, error) {
	if l == Arithmetic && p.Base != nil {
		m.begin(p, len(now))
		d.chance.Write(b)
		d.spent = Spent{}
		m.frame(&d.chance, now, p, &d.spent)
		out := d.chance.Data()
		return out, d.chance.Err()
	}
	if l == Arithmetic {
		m.forget(len(now))
	}
	d.bits.Write(b[:len(b)&^7])
	d.code(l, now, p)
	return d.bits.Data(), d.bits.Err()
}

// Read reads a frame that Write wrote with an equal past into now, which has its
// length. Where it fails now and m are undefined.
func (d *Codec) Read(b []byte, l Level, now []Cube, p *Past, m *Model) error {
	if l == Arithmetic && p.Base != nil {
		m.begin(p, len(now))
		d.chance.Read(b)
		d.spent = Spent{}
		m.frame(&d.chance, now, p, &d.spent)
		return d.chance.End()
	}
	if l == Arithmetic {
		m.forget(len(now))
	}
	d.bits.Read(b)
	d.code(l, now, p)
	if err := d.bits.Err(); err != nil {
		return err
	}
	if !d.bits.Whole(len(b)) {
		return ErrLength
	}
	return nil
}

// code is a frame at a bit-packed level. Without a base it is whole.
func (d *Codec) code(l Level, now []Cube, p *Past) {
	x := &d.packed
	x.c, x.now, x.past = &d.bits, now, p
	d.spent = Spent{}
	x.ledger = ledger{Spent: &d.spent}
	if p.Base == nil && l > Quantised {
		l = Quantised
	}
	switch l {
	case Raw:
		x.raw()
	case SmallestThree:
		x.smallestThree()
	case Quantised:
		x.quantised()
	default:
		x.changed(l)
	}
	x.now, x.past, x.ledger = nil, nil, ledger{}
}
