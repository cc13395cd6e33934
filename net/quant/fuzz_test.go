package quant

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// operation is one value of a stream, with its kind and its parameters.
type operation struct {
	kind, size int
	base       int
	integer    int
	real       [3]float32
	rotation   [4]float32
	position   [3]int
	quantised  QuantisedRotation
	list       []int
	bytes      []byte
}

// kindCount is the number of kinds of operations.
const kindCount = 18

var fuzzDeltaBits = [...]DeltaBits{PositionDeltaBits, RotationDeltaBits, FineRotationDeltaBits, vrDeltaBits}

var fuzzGrids = [...]*Grid{&SnapshotPosition, &snapshotLinearVelocity, &snapshotLinearVelocityFine, &SyncPosition, &SyncLinearVelocity, &SyncAngularVelocity}

var fuzzIndexBuckets = [...]*IndexBuckets{&SnapshotIndexBuckets, &DenseIndexBuckets}

// parseScript turns bytes into operations, three bytes each.
func parseScript(b []byte) (ops []operation) {
	for ; len(b) >= 3 && len(ops) < 64; b = b[3:] {
		ops = append(ops, operation{kind: int(b[0]) % kindCount, size: int(b[1]), base: int(b[2])})
	}
	return ops
}

func (o *operation) deltaBits() DeltaBits { return fuzzDeltaBits[o.base%len(fuzzDeltaBits)] }

func (o *operation) grid() *Grid { return fuzzGrids[o.base%len(fuzzGrids)] }

func (o *operation) buckets() *IndexBuckets { return fuzzIndexBuckets[o.base%len(fuzzIndexBuckets)] }

func (o *operation) format() SmallestThree { return SmallestThree(2 + o.size%15) }

// code reads, writes or measures the value.
func (o *operation) code(c *Coder) {
	n := 1 + o.size%32
	switch o.kind {
	case 0:
		o.integer = int(c.Bits(uint32(o.integer), n))
	case 1:
		o.integer = c.Int(o.integer, -o.base, o.size*o.size)
	case 2:
		o.integer = int(c.Signed(int32(o.integer), n))
	case 3:
		if c.Bool(o.integer != 0) {
			o.integer = 1
		} else {
			o.integer = 0
		}
	case 4:
		o.integer = int(math.Float32bits(c.Float(math.Float32frombits(uint32(o.integer)))))
	case 5, 6:
		o.real = c.CompressedVector(o.real, o.grid())
	case 7, 8:
		o.rotation = c.Rotation(o.rotation, o.format())
	case 9:
		o.quantised = c.QuantisedRotation(o.quantised, o.format())
	case 10:
		o.integer = c.Delta(o.integer, o.deltaBits())
	case 11, 12:
		o.position = c.RelativePosition(o.position, [3]int{o.base * 8, o.size * 8, 0}, &SyncPosition, o.deltaBits())
	case 13:
		o.integer = c.relativeIndex(o.integer, o.base, 257+o.size, o.buckets())
	case 14:
		o.list = c.Indices(o.list, o.size, o.buckets())
	case 15:
		o.list = c.Subset(o.list, o.size, o.buckets())
	case 16:
		o.bytes = c.Bytes(o.bytes, o.size)
	case 17:
		if o.size%2 == 0 {
			c.Align()
		} else {
			c.EnableChecks(true)
			c.Check("script")
		}
	}
}

// FuzzRead reads arbitrary bytes with an arbitrary script. The reader must not panic,
// must not pass the end, and must stop at the first failure. Values read without a
// failure must measure and write to the same bits: every value has one encoding.
func FuzzRead(f *testing.F) {
	seed := make([]byte, 3*kindCount)
	for i := range kindCount {
		seed[3*i], seed[3*i+1], seed[3*i+2] = byte(i), byte(7*i+3), byte(5*i)
	}
	f.Add(seed, make([]byte, 200))
	f.Add(seed, bytes.Repeat([]byte{0xff}, 200))
	f.Add([]byte{14, 200, 0, 15, 100, 1}, []byte{3, 1, 0, 2, 9, 9, 9, 9})
	f.Add([]byte{7, 7, 0}, []byte{0xff, 0xfc, 0xe7, 0x0f})
	f.Fuzz(func(t *testing.T, plan, data []byte) {
		if len(data) > 4096 {
			return
		}
		ops := parseScript(plan)
		var c Coder
		c.BeginRead(data)
		for i := range ops {
			failed := c.Err()
			ops[i].code(&c)
			if failed != nil && c.Err() != failed {
				t.Fatalf("%v after %v", c.Err(), failed)
			}
			if c.BitsProcessed() > len(data)*8 {
				t.Fatalf("%d bits of %d bytes", c.BitsProcessed(), len(data))
			}
		}
		if c.Err() != nil {
			_ = c.Err().Error()
			return
		}
		reencode(t, ops, data, c.BitsProcessed())
	})
}

// reencode measures and writes values and compares the result with the bits they were
// read from.
func reencode(t rapid.TB, ops []operation, data []byte, bits int) {
	t.Helper()
	var c Coder
	ops = slices.Clone(ops)
	c.BeginMeasure()
	for i := range ops {
		ops[i].code(&c)
	}
	if c.Err() != nil || c.BitsProcessed() != bits {
		t.Fatalf("measured %d bits of %d, %v", c.BitsProcessed(), bits, c.Err())
	}
	c.BeginWrite(make([]byte, (len(data)+7)&^7))
	for i := range ops {
		ops[i].code(&c)
	}
	if c.Err() != nil || c.BitsProcessed() != bits {
		t.Fatalf("wrote %d bits of %d, %v", c.BitsProcessed(), bits, c.Err())
	}
	written := c.FinishWrite()
	for bit := range bits {
		if (written[bit/8]^data[bit/8])>>(bit%8)&1 != 0 {
			t.Fatalf("bit %d of %d differs: %x from %x", bit, bits, written, data)
		}
	}
}

// TestScriptsRoundTrip checks, for arbitrary scripts of valid values, that they are
// read as written, that the measured size is right, and that truncated data is
// rejected.
func TestScriptsRoundTrip(t *testing.T) { rapid.Check(t, scriptsRoundTrip) }

// FuzzScripts runs the same property under the fuzzer.
func FuzzScripts(f *testing.F) { f.Fuzz(rapid.MakeFuzz(scriptsRoundTrip)) }

func scriptsRoundTrip(t *rapid.T) {
	var ops []operation
	for range rapid.IntRange(1, 40).Draw(t, "count") {
		o := operation{
			kind: rapid.IntRange(0, kindCount-1).Draw(t, "kind"),
			size: rapid.IntRange(1, 255).Draw(t, "size"),
			base: rapid.IntRange(0, 255).Draw(t, "base"),
		}
		o.draw(t)
		ops = append(ops, o)
	}
	var c Coder
	c.BeginMeasure()
	for i := range ops {
		ops[i].code(&c)
	}
	measured := c.BitsProcessed()
	c.BeginWrite(make([]byte, 16384))
	for i := range ops {
		ops[i].code(&c)
	}
	bits, data := c.BitsProcessed(), c.FinishWrite()
	if c.Err() != nil || measured != bits {
		t.Fatalf("%d bits, measured %d: %v", bits, measured, c.Err())
	}
	c.BeginRead(data)
	for _, want := range ops {
		got := operation{kind: want.kind, size: want.size, base: want.base}
		got.code(&c)
		if fmt.Sprint(got) != fmt.Sprint(want) || c.Err() != nil {
			t.Fatalf("%+v is read as %+v, %v", want, got, c.Err())
		}
	}
	if n := len(data); bits > 0 && (!c.AtEnd(n) || c.AtEnd(n+1) || c.AtEnd(n-1)) {
		t.Fatalf("%d bits do not end in %d bytes", bits, n)
	}
	if n := len(data); bits > 0 && (!c.AtEnd(n) || c.AtEnd(n+1) || c.AtEnd(n-1)) {
		t.Fatalf("%d bits do not end in %d bytes", bits, n)
	}
	reencode(t, ops, data, bits)
	for _, cut := range []int{0, len(data) / 2, len(data) - 1} {
		if cut < 0 || cut*8 >= bits {
			continue
		}
		c.BeginRead(data[:cut])
		for _, o := range ops {
			o.list, o.bytes = nil, nil
			o.code(&c)
		}
		if c.Err() == nil || c.BitsProcessed() > cut*8 {
			t.Fatalf("%d of %d bytes are read, %v", cut, len(data), c.Err())
		}
	}
}

// draw chooses a valid value. Quantised kinds get values that are on their grid.
func (o *operation) draw(t *rapid.T) {
	n := 1 + o.size%32
	switch o.kind {
	case 0:
		o.integer = int(rapid.Uint32().Draw(t, "bits") & (1<<n - 1))
	case 1:
		o.integer = rapid.IntRange(-o.base, o.size*o.size).Draw(t, "int")
	case 2:
		o.integer = int(rapid.Int32().Draw(t, "signed") >> (32 - n))
	case 3:
		o.integer = rapid.IntRange(0, 1).Draw(t, "bool")
	case 4:
		o.integer = int(rapid.Uint32().Draw(t, "float"))
	case 5, 6:
		g := o.grid()
		for i := range g {
			o.real[i] = g[i].Quantise(rapid.Float32Range(g[i].low, g[i].high).Draw(t, "real"))
		}
	case 7, 8, 9:
		x := rapid.Float64Range(-1, 1)
		p := o.format().Encode(unitRotation(x.Draw(t, "x"), x.Draw(t, "y"), x.Draw(t, "z"), 0.001+x.Draw(t, "w")))
		o.rotation = o.format().Decode(p)
		if o.kind < 9 {
			return
		}
		o.rotation, o.quantised = [4]float32{}, p
	case 10:
		o.integer = rapid.IntRange(o.deltaBits().bounds()).Draw(t, "delta")
	case 11, 12:
		for i := range o.position {
			o.position[i] = rapid.IntRange(0, SyncPosition[i].Steps()).Draw(t, "point")
			if o.kind == 12 {
				o.position[i] %= 3000
			}
		}
	case 13:
		o.integer = rapid.IntRange(o.base+1, 256+o.size).Draw(t, "next")
	case 14, 15:
		o.list = rapid.SliceOfNDistinct(rapid.IntRange(0, o.size-1), 0, o.size, rapid.ID).Draw(t, "list")
		slices.Sort(o.list)
	case 16:
		o.bytes = rapid.SliceOfN(rapid.Byte(), 0, o.size).Draw(t, "bytes")
	}
}
