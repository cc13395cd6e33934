package delta

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"
)

// delivery is a packet on its way.
type delivery struct {
	arrivalTick int // tick in which it arrives
	bytes       []byte
	sequence    uint16
	level       Level
}

// splitArrived returns what has arrived by a tick, and the rest.
func splitArrived(list []delivery, tick int) (now, rest []delivery) {
	for _, p := range list {
		if p.arrivalTick <= tick {
			now = append(now, p)
		} else {
			rest = append(rest, p)
		}
	}
	return now, rest
}

// TestSurvivesLoss says that whatever is lost, late, doubled or overtaken on the
// way, of packets and of their acknowledgements, every packet that is not later
// than packets are kept for is read as it was written, at every level. So nothing
// that is learned hangs on a packet that did not arrive. Nor does it hang on when
// the level is turned, or on which of two equal ends goes on.
func TestSurvivesLoss(t *testing.T) {
	read, relative := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		frames := drawSnapshots(t, 12)
		l := rapid.SampledFrom(Levels()).Draw(t, "level")
		loss := rapid.SampledFrom([]int{0, 20, 70, 95}).Draw(t, "loss")
		late := rapid.SampledFrom([]int{1, 6, 31, 79}).Draw(t, "late")
		fate := rapid.Custom(func(t *rapid.T) int { // ticks on the way; 0: lost
			if rapid.IntRange(0, 99).Draw(t, "lost") < loss {
				return 0
			}
			return rapid.IntRange(1, late).Draw(t, "ticks")
		})
		w, r := NewWriter(l), NewReader(l, len(frames[0]))
		w.next = uint16(rapid.SampledFrom([]int{0, 65500}).Draw(t, "first"))
		b := make([]byte, MaxPacketBytes(len(frames[0])))
		var down, up []delivery
		sent := map[uint16][]Cube{}
		for tick := range rapid.IntRange(20, 200).Draw(t, "ticks") {
			var now []delivery
			now, up = splitArrived(up, tick)
			for _, a := range now {
				w.Acknowledge(a.sequence)
			}
			switch rapid.IntRange(0, 19).Draw(t, "event") {
			case 1:
				l = rapid.SampledFrom(Levels()).Draw(t, "next level")
				w.SetLevel(l)
			case 2:
				o := NewWriter(Raw)
				o.CopyFrom(w)
				w = o
			case 3:
				o := NewReader(Raw, 0)
				o.CopyFrom(r)
				r = o
			}
			frame := frames[tick%len(frames)]
			p, q, err := w.Write(b, frame)
			if err != nil {
				t.Fatal(err)
			}
			sent[q] = frame
			for range rapid.IntRange(1, 2).Draw(t, "copies") {
				if n := fate.Draw(t, "down"); n > 0 {
					down = append(down, delivery{tick + n, bytes.Clone(p), q, l})
				}
			}
			now, down = splitArrived(down, tick)
			for _, p := range now {
				r.SetLevel(p.level)
				got, q, err := r.Read(p.bytes)
				if errors.Is(err, ErrStale) {
					continue // the second of two copies
				}
				if err != nil || q != p.sequence || !equalCubes(got, sent[q]) {
					t.Fatalf("%v: packet %d is read as %d, %v", p.level, p.sequence, q, err)
				}
				read++
				relative += boolInt(p.bytes[2] != 0)
				if n := fate.Draw(t, "up"); n > 0 {
					up = append(up, delivery{tick + n, nil, q, 0})
				}
			}
		}
	})
	if read < 100 || relative < read/5 {
		t.Errorf("%d packets are read, %d of them relative", read, relative)
	}
}

// TestBaselines says what a packet is relative to: the newest that is known to have
// arrived, the older one as far before it as the level asks for or the next that
// is known, and nothing once all that is known is too old.
func TestBaselines(t *testing.T) {
	frames := rollingBall(3, 1)
	for _, c := range []struct {
		level       Level
		acked       []uint16
		packets     int
		back, apart byte
	}{
		{Arithmetic, nil, 10, 0, 0},
		{Arithmetic, []uint16{3}, 9, 6, 0},
		{Arithmetic, []uint16{3, 1}, 9, 6, 0},
		{Arithmetic, []uint16{0, 1, 2, 3, 4, 5}, 10, 5, 3},
		{Arithmetic, []uint16{0, 4, 5}, 10, 5, 5},
		{Predicted, []uint16{0, 1, 2, 3, 4, 8}, 10, 2, 6},
		{FineRotation, []uint16{1, 8}, 10, 2, 0},
		{Arithmetic, []uint16{1, 2}, 2 + maxBaselineAge, maxBaselineAge, 0},
		{Arithmetic, []uint16{1, 2}, 3 + maxBaselineAge, 0, 0},
	} {
		w := NewWriter(c.level)
		b := make([]byte, MaxPacketBytes(3))
		for range c.packets {
			if _, _, err := w.Write(b, frames[0]); err != nil {
				t.Fatal(err)
			}
		}
		for _, q := range c.acked {
			w.Acknowledge(q)
		}
		p, _, err := w.Write(b, frames[0])
		if err != nil || p[2] != c.back || p[3] != c.apart {
			t.Errorf("%v, %v known of %d: back %d, apart %d (%v)", c.level, c.acked, c.packets, p[2], p[3], err)
		}
	}
}

// TestReaderRefuses says that a reader refuses what refers to what it does not have,
// bytes that are left over, and what is no packet, and reads on as if they had
// not come.
func TestReaderRefuses(t *testing.T) {
	frames := rollingBall(5, 120)
	w, r := NewWriter(Arithmetic), NewReader(Arithmetic, 5)
	b := make([]byte, MaxPacketBytes(5))
	rapid.Check(t, func(t *rapid.T) {
		wrong := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "bytes")
		if len(wrong) > 2 && wrong[2] == 0 {
			wrong[2] = 1 // a packet without a base is one
		}
		if _, _, err := r.Read(wrong); err == nil {
			t.Fatalf("%x is read", wrong)
		}
	})
	for i, f := range frames {
		if i >= 6 {
			w.Acknowledge(uint16(i - 6))
		}
		p, _, err := w.Write(b, f)
		if err != nil {
			t.Fatal(err)
		}
		p = bytes.Clone(p)
		base := uint16(i - 6 + readerWindow) // a packet that would take the base's place
		for _, wrong := range [][]byte{nil, p[:3], {byte(base), byte(base >> 8), 0, 0, 1}, append(bytes.Clone(p), 0), {p[0], p[1], p[2] + 20, p[3]}, {p[0], p[1], 0, 1}, {p[0], p[1], 255, 255}} {
			if _, _, err := r.Read(wrong); err == nil {
				t.Fatalf("packet %d: %x is read", i, wrong)
			}
		}
		if got, q, err := r.Read(p); err != nil || int(q) != i || !equalCubes(got, f) {
			t.Fatalf("packet %d: %v", i, err)
		}
		if _, _, err := r.Read(p); !errors.Is(err, ErrStale) {
			t.Fatalf("packet %d is read twice: %v", i, err)
		}
	}
}

// TestNeverLongerThanAbsolute says that a frame that would take more relative to
// another is sent whole, and is a base like any other.
func TestNeverLongerThanAbsolute(t *testing.T) {
	const cubes = 20
	for _, l := range Levels()[ChangedBits:] {
		w, r := NewWriter(l), NewReader(l, cubes)
		b := make([]byte, MaxPacketBytes(cubes))
		whole := 0
		for i := range 300 {
			f := make([]Cube, cubes)
			for k := range f {
				// They tremble by a step, and now and then are anywhere.
				f[k] = Cube{Orientation{3, [3]int16{256 + int16(i%2), 256, 256}}, [3]int32{int32(i % 2), 0, 1000}, false}
				if i%100 == 99 {
					f[k] = Cube{Orientation{0, [3]int16{int16(100 + 10*k), 200, 130}}, [3]int32{MaxPosition[0] - int32(k*k), MinPosition[1] + int32(99*k), MaxPosition[2]}, k%2 == 0}
				}
			}
			p, q, err := w.Write(b, f)
			if err != nil {
				t.Fatal(err)
			}
			if got, _, err := r.Read(p); err != nil || !equalCubes(got, f) || len(p) > HeaderBytes+absoluteCubeBytes*cubes {
				t.Fatalf("%v: frame %d: %d bytes, %v", l, i, len(p), err)
			}
			whole += boolInt(p[2] == 0)
			w.Acknowledge(q)
		}
		// Those that are anywhere, those after them, and the first. What is learned
		// of them makes arithmetic take less.
		if l >= RelativePosition && l <= Predicted && whole != 1+3+2 {
			t.Errorf("%v: %d packets are whole", l, whole)
		}
	}
}

// TestAllocatesNothing says that neither end allocates anything once it has
// had as many packets as it keeps.
func TestAllocatesNothing(t *testing.T) {
	frames := rollingBall(60, 400)
	for _, l := range Levels() {
		w, r := NewWriter(l), NewReader(l, 60)
		b := make([]byte, MaxPacketBytes(60))
		i := 0
		step := func() {
			if i >= 6 {
				w.Acknowledge(uint16(i - 6))
			}
			p, _, err := w.Write(b, frames[i])
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := r.Read(p); err != nil {
				t.Fatal(err)
			}
			i++
		}
		for range 2 * readerWindow {
			step()
		}
		if a := testing.AllocsPerRun(100, step); a != 0 {
			t.Errorf("%v: %v allocations a frame", l, a)
		}
	}
}

// TestBitBreakdown says that what the bits of a frame have told sums up to the frame, at
// both ends alike, and that each is what the level's description says it is. The
// last byte of an arithmetic coder may say more than its bits, or nothing.
func TestBitBreakdown(t *testing.T) {
	const cubes = 60
	frames := rollingBall(cubes, 60)
	for _, l := range Levels() {
		w, r := NewWriter(l), NewReader(l, cubes)
		b := make([]byte, MaxPacketBytes(cubes))
		var last BitBreakdown
		for i, f := range frames {
			if i >= 6 {
				w.Acknowledge(uint16(i - 6))
			}
			p, _, err := w.Write(b, f)
			if err != nil {
				t.Fatal(err)
			}
			last = w.BitBreakdown()
			sum := last.Index + last.Touched + last.Position + last.Rotation
			if took := float64(8 * (len(p) - HeaderBytes)); sum > took+16 || sum < took-16 {
				t.Errorf("%v: frame %d takes %v bits, told are %v", l, i, took, sum)
			}
			if _, _, err := r.Read(p); err != nil || r.codec.breakdown != last {
				t.Errorf("%v: frame %d is %+v to the reader, %+v to the writer (%v)", l, i, r.codec.breakdown, last, err)
			}
		}
		want := map[Level]BitBreakdown{
			Raw:           {Touched: cubes, Position: cubes * 96, Rotation: cubes * 128},
			SmallestThree: {Touched: cubes, Position: cubes * 96, Rotation: cubes * 29},
			Quantised:     {Touched: cubes, Position: cubes * 50, Rotation: cubes * 29},
			ChangedBits:   {Index: cubes, Touched: cubes / 2, Position: cubes / 2 * 50, Rotation: cubes / 2 * 29},
		}
		if is, ok := want[l]; ok && is != last {
			t.Errorf("%v: %+v, want %+v", l, last, is)
		}
		if l == Arithmetic && (last.Touched > cubes/2 || last.Position < 3 || last.Rotation < 3 || last.Index > cubes/2) {
			t.Errorf("%v: %+v", l, last)
		}
	}
}
