package delta

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ghostcube/internal/experiment"
	"ghostcube/net/entropy"
	"ghostcube/net/quant"
)

// TestLevels checks that any snapshot, at every level and with any baseline, is read as
// written, that both ends learn the same, and that absolute snapshots have the size
// stated in the article.
func TestLevels(t *testing.T) {
	experiment.Skip(t)
	rapid.Check(t, func(t *rapid.T) {
		f := drawSnapshots(t, 4)
		p := baseline{cubes: f[2], age: rapid.IntRange(1, 48).Draw(t, "age")}
		if rapid.Bool().Draw(t, "older") {
			p.olderCubes, p.olderGap = f[1], rapid.IntRange(1, 48).Draw(t, "gap")
		}
		if rapid.IntRange(0, 5).Draw(t, "base") == 0 {
			p = baseline{}
		}
		now := f[3]
		b := make([]byte, maxSnapshotBytes(len(now))+64)
		for _, l := range Levels() {
			var w, r codec
			var m, n, learned motionModel
			if l == Arithmetic && p.cubes != nil && rapid.Bool().Draw(t, "learned") {
				if _, err := w.encode(b, l, f[2], &baseline{cubes: f[0], age: 3}, &learned); err != nil {
					t.Fatal(err)
				}
				p.model = &learned
			}
			data, err := w.encode(b, l, now, &p, &m)
			if err != nil {
				t.Fatalf("%v: %v", l, err)
			}
			got := make([]Cube, len(now))
			if err := r.decode(bytes.Clone(data), l, got, &p, &n); err != nil || !slices.Equal(got, now) {
				t.Fatalf("%v: %v is read as %v, %v", l, now, got, err)
			}
			if !reflect.DeepEqual(&m, &n) {
				t.Fatalf("%v: writer and reader learned different models", l)
			}
			if bits, absolute := map[Level]int{Raw: 225, SmallestThree: 126, Quantised: 80}[l]; absolute && len(data) != (bits*len(now)+7)/8 {
				t.Fatalf("%v: %d cubes take %d bytes", l, len(now), len(data))
			}
			if p.cubes == nil && l > Quantised && len(data) != 10*len(now) {
				t.Fatalf("%v: without a baseline %d cubes take %d bytes", l, len(now), len(data))
			}
			for cut := range len(data) {
				if err := r.decode(data[:cut], l, got, &p, &n); err == nil && slices.Equal(got, now) {
					t.Fatalf("%v: %d of %d bytes decode to the same snapshot", l, cut, len(data))
				}
			}
			if err := r.decode(append(bytes.Clone(data), 0), l, got, &p, &n); err == nil && slices.Equal(got, now) {
				t.Fatalf("%v: a trailing byte is accepted", l)
			}
		}
	})
}

// TestSizes checks the size of a cube at the limits of each encoding: bits for one
// changed cube of two, with a baseline.
func TestSizes(t *testing.T) {
	base := Cube{Orientation{3, [3]int16{256, 256, 256}}, [3]int32{0, 0, 1000}, false}
	by := func(x, y, z int32, a int16) Cube {
		k := base
		k.Pos[0], k.Pos[1], k.Pos[2] = k.Pos[0]+x, k.Pos[1]+y, k.Pos[2]+z
		k.Smallest[0] += a
		return k
	}
	other := base
	other.Largest = 2
	const flags = 1 + 2 // bitmap or indices, and one bit per cube
	for _, c := range []struct {
		level Level
		now   Cube
		bits  int
	}{
		{ChangedBits, by(1, 0, 0, 0), 2 + 80},
		{Indices, by(1, 0, 0, 0), flags + 80},
		{RelativePosition, by(15, -16, 0, 0), flags + 1 + 1 + 18 + 29},
		{RelativePosition, by(16, -16, 0, 0), flags + 1 + 1 + 22 + 29},
		{RelativePosition, by(272, 0, 0, 0), flags + 1 + 51 + 29},
		{RelativeRotation, by(0, 0, 1, 15), flags + 1 + 19 + 1 + 18},
		{RelativeRotation, by(0, 0, 1, 143), flags + 1 + 19 + 1 + 21},
		{RelativeRotation, by(0, 0, 1, 144), flags + 1 + 19 + 30},
		{RelativeRotation, other, flags + 1 + 19 + 30},
		{ChangedFields, by(0, 0, 0, 1), flags + 1 + 1 + 1 + 1 + 18},
		{ChangedFields, by(1, 0, 0, 0), flags + 1 + 1 + 19 + 1},
		{FineRotation, by(0, 0, 0, 7), flags + 1 + 19 + 1 + 15},
		{FineRotation, by(0, 0, 0, 8), flags + 1 + 19 + 1 + 18},
		// The prediction is the baseline less 3 in z, so a difference of 0 is 3 above
		// it.
		{Predicted, by(7, -8, -3, 0), flags + 1 + 1 + 1 + 12 + 1 + 1 + 6},
		{Predicted, by(8, 0, -3, 0), flags + 1 + 1 + 2 + 18 + 1 + 1 + 6},
		{Predicted, by(16, 0, -3, 0), flags + 1 + 1 + 2 + 8 + 6 + 6 + 1 + 1 + 6},
		{Predicted, by(0, 0, 0, 1), flags + 1 + 1 + 1 + 1 + 6},
		{Predicted, by(0, 0, 0, 2), flags + 1 + 1 + 1 + 1 + 15},
		{Predicted, by(0, 0, 0, 88), flags + 1 + 1 + 1 + 29},
		{Predicted, by(112, 0, 0, 0), flags + 1 + 1 + 2 + 50 + 1 + 1 + 6},
	} {
		var d codec
		p := baseline{cubes: []Cube{base, base}, age: 6}
		data, err := d.encode(make([]byte, maxSnapshotBytes(2)+64), c.level, []Cube{base, c.now}, &p, nil)
		if err != nil || d.bits.BitsProcessed() != c.bits {
			t.Errorf("%v: %v takes %d bits, want %d (%v, %d bytes)", c.level, c.now, d.bits.BitsProcessed(), c.bits, err, len(data))
		}
	}
}

// TestReferencePrediction checks the reference program's prediction: the last motion
// less 6.2 % drag rounded up, less gravity, above the ground.
func TestReferencePrediction(t *testing.T) {
	at := func(x, y, z int32) []Cube { return []Cube{{Pos: [3]int32{x, y, z}}} }
	for _, c := range []struct {
		older, base, want []Cube
	}{
		{nil, at(100, -100, 500), at(100, -100, 497)},
		{at(0, 0, 500), at(100, -100, 500), at(100+93, -100-94, 497)},
		{at(0, 0, 500), at(1000, -1000, 5000), at(1000+938, -1000-938, 5000+4500-279-3)},
		{at(0, 0, 200), at(0, 0, 120), at(0, 0, 105)},
	} {
		p := bitPacker{baseline: &baseline{cubes: c.base, olderCubes: c.older, age: 6, olderGap: 6}}
		if got := p.referencePrediction(0); got != c.want[0].Pos {
			t.Errorf("%v after %v: %v", c.base, c.older, got)
		}
	}
}

// TestWriterRefuses checks that a cube out of range is not written.
func TestWriterRefuses(t *testing.T) {
	good := Cube{Orientation{3, [3]int16{256, 256, 256}}, [3]int32{0, 0, 1000}, false}
	for _, bad := range []Cube{
		{good.Orientation, [3]int32{MaxPosition[0] + 1, 0, 0}, false},
		{Orientation{3, [3]int16{0, 0, 0}}, good.Pos, false},
		{Orientation{3, [3]int16{512, 256, 256}}, good.Pos, false},
	} {
		for _, l := range Levels() {
			if l == Raw || l == SmallestThree {
				continue // a float has no range
			}
			w := NewWriter(l)
			if _, _, err := w.Write(make([]byte, MaxPacketBytes(1)+64), []Cube{bad}); err == nil {
				t.Errorf("%v: %v is written", l, bad)
			}
		}
	}
}

// Snapshots that FuzzRead decodes relative to.
var fuzzSnapshots = rollingBall(4, 3)

// FuzzRead decodes arbitrary bytes at every level. It must not panic, and what it
// decodes must be in range and encode to the same bytes: every snapshot has one
// encoding. Level Predicted is an exception, because its reader accepts a longer one,
// as the reference program does.
func FuzzRead(f *testing.F) {
	var d codec
	for _, l := range Levels() {
		var m motionModel
		b, err := d.encode(make([]byte, 1024), l, fuzzSnapshots[2], &baseline{cubes: fuzzSnapshots[1], age: 1, olderCubes: fuzzSnapshots[0], olderGap: 1}, &m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(l), bytes.Clone(b))
	}
	f.Add(uint8(Arithmetic), []byte{})
	f.Fuzz(func(t *testing.T, level uint8, data []byte) {
		l := Level(level % uint8(levelCount))
		var r, w codec
		var m, n motionModel
		p := baseline{cubes: fuzzSnapshots[1], age: 1, olderCubes: fuzzSnapshots[0], olderGap: 1}
		if level >= 128 {
			p = baseline{cubes: fuzzSnapshots[1], age: 5}
		}
		now := make([]Cube, 4)
		if r.decode(data, l, now, &p, &m) != nil {
			return
		}
		for i := range now {
			if _, err := ParseCube(now[i].AppendTo(nil)); err != nil {
				t.Fatalf("%v: cube %d: %v", l, i, err)
			}
		}
		out, err := w.encode(make([]byte, 1024), l, now, &p, &n)
		if err != nil || !bytes.Equal(out, data) && l != Predicted {
			t.Fatalf("%v: %x is written as %x, %v", l, data, out, err)
		}
	})
}

// TestGolden holds the size and a hash of all packets of a rolling ball at every level.
// They must not depend on the machine, or two machines could not communicate.
func TestGolden(t *testing.T) {
	snapshots := rollingBall(40, 120)
	want := [levelCount]string{
		"135480 48411334aed5d88e", "76080 c9d58042dd38cc45", "48480 432c046581700a5d", "30150 b8ce6663ff496875",
		"30244 f735aad00f4e1166", "23266 0103bbad4f72fb45", "21202 24373e73f8a1fde8", "21872 d6b347de7a6c42f0",
		"21185 d6ea2c8a2fc41f41", "18881 29c78b46b31e0d41", "10219 8a6324ad13c45fe5",
	}
	for _, l := range Levels() {
		w := NewWriter(l)
		b := make([]byte, MaxPacketBytes(40))
		h := fnv.New64a()
		sum := 0
		for i, f := range snapshots {
			if i >= 6 {
				w.Acknowledge(uint16(i - 6))
			}
			packet, _, err := w.Write(b, f)
			if err != nil {
				t.Fatal(l, err)
			}
			sum += len(packet)
			h.Write(packet)
		}
		if got := fmt.Sprintf("%d %016x", sum, h.Sum64()); got != want[l] {
			t.Errorf("%v: %q", l, got)
		}
	}
}

// TestReaderRefusesUnchangedCubes checks that a reader rejects a cube marked as changed
// that equals its baseline.
func TestReaderRefusesUnchangedCubes(t *testing.T) {
	base := []Cube{{Orientation{3, [3]int16{256, 256, 256}}, [3]int32{5, 6, 700}, false}}
	var c quant.Coder
	c.BeginWrite(make([]byte, 64))
	c.Bitmap([]int{0}, 1)
	p := bitPacker{c: &c}
	p.c.Bool(false)
	k := base[0]
	p.codePosition(&k)
	p.codeOrientation(&k.Orientation)
	var d codec
	now := make([]Cube, 1)
	if err := d.decode(c.FinishWrite(), ChangedBits, now, &baseline{cubes: base, age: 1}, nil); !errors.Is(err, quant.ErrNotCanonical) {
		t.Error(err)
	}
}

// TestReaderRefusesUnchangedGroups checks that a reader rejects a group marked as changed
// in which every cube equals its baseline.
func TestReaderRefusesUnchangedGroups(t *testing.T) {
	cubes := slices.Clone(fuzzSnapshots[1])
	var c entropy.Coder
	var m motionModel
	for i := range cubes {
		cubes[i].Touched = false
	}
	base := baseline{cubes: cubes, age: 1, olderCubes: cubes, olderGap: 1}
	s := snapshotCoder{motionModel: &m, c: &c, cubes: base.cubes, baseline: &base, bitAccount: bitAccount{BitBreakdown: &BitBreakdown{}}}
	s.cubeBits = &cubeBits{each: make([]float64, len(base.cubes))}
	c.BeginWrite(make([]byte, 64))
	s.begin()
	c.Bit(true, &m.groupChanged[0])
	for i := range base.cubes {
		if s.codeCube(i, true) {
			t.Fatalf("cube %d changes", i)
		}
	}
	var d codec
	now := make([]Cube, len(base.cubes))
	var n motionModel
	if err := d.decode(c.FinishWrite(), Arithmetic, now, &base, &n); !errors.Is(err, entropy.ErrNotCanonical) {
		t.Error(err)
	}
}
