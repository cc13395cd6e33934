package delta

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"ghostcube/net/quant"

	"pgregory.net/rapid"
)

// delivery is a packet in flight.
type delivery struct {
	arrivalTick int
	bytes       []byte
	sequence    uint16
	level       Level
	indices     quant.IndexEncoding
}

// splitArrived separates the packets that have arrived by a tick from the others.
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

// TestSurvivesLoss checks that under loss, delay, duplication and reordering of packets
// and acknowledgements, every packet that arrives while its baseline is stored is read
// as written, at every level. Nothing learned depends on a packet that was lost.
// Switching the level or the encoding of indices, or continuing with a copy of either end, changes nothing.
func TestSurvivesLoss(t *testing.T) {
	read, relative := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		snapshots := drawSnapshots(t, 12)
		l := rapid.SampledFrom(Levels()).Draw(t, "level")
		indices := quant.ShorterIndices
		loss := rapid.SampledFrom([]int{0, 20, 70, 95}).Draw(t, "loss")
		late := rapid.SampledFrom([]int{1, 6, 31, 79}).Draw(t, "late")
		delay := rapid.Custom(func(t *rapid.T) int { // ticks in flight; 0: lost
			if rapid.IntRange(0, 99).Draw(t, "lost") < loss {
				return 0
			}
			return rapid.IntRange(1, late).Draw(t, "ticks")
		})
		w, r := NewWriter(l), NewReader(l, len(snapshots[0]))
		w.next = uint16(rapid.SampledFrom([]int{0, 65500}).Draw(t, "first"))
		b := make([]byte, MaxPacketBytes(len(snapshots[0])))
		var down, up []delivery
		sent := map[uint16][]Cube{}
		for tick := range rapid.IntRange(20, 200).Draw(t, "ticks") {
			var now []delivery
			now, up = splitArrived(up, tick)
			for _, a := range now {
				w.Acknowledge(a.sequence)
			}
			switch rapid.IntRange(0, 19).Draw(t, "event") {
			case 0:
				indices = rapid.SampledFrom(quant.IndexEncodings()).Draw(t, "indices")
				w.SetIndices(indices)
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
			snapshot := snapshots[tick%len(snapshots)]
			p, q, err := w.Write(b, snapshot)
			if err != nil {
				t.Fatal(err)
			}
			sent[q] = snapshot
			for range rapid.IntRange(1, 2).Draw(t, "copies") {
				if n := delay.Draw(t, "down"); n > 0 {
					down = append(down, delivery{tick + n, bytes.Clone(p), q, l, indices})
				}
			}
			now, down = splitArrived(down, tick)
			for _, p := range now {
				r.SetLevel(p.level)
				r.SetIndices(p.indices)
				got, q, err := r.Read(p.bytes)
				if errors.Is(err, ErrStale) {
					continue // second copy
				}
				if err != nil || q != p.sequence || !slices.Equal(got, sent[q]) {
					t.Fatalf("%v: packet %d is read as %d, %v", p.level, p.sequence, q, err)
				}
				read++
				relative += boolInt(p.bytes[2] != 0)
				if n := delay.Draw(t, "up"); n > 0 {
					up = append(up, delivery{tick + n, nil, q, 0, 0})
				}
			}
		}
	})
	if read < 100 || relative < read/5 {
		t.Errorf("%d packets read, %d of them relative", read, relative)
	}
}

// TestBaselines checks which packet is the baseline: the newest acknowledged one. The
// older one is at the gap that the level prefers or the next acknowledged one before
// it. There is no baseline once all acknowledged packets are too old.
func TestBaselines(t *testing.T) {
	snapshots := rollingBall(3, 1)
	for _, c := range []struct {
		level    Level
		acked    []uint16
		packets  int
		age, gap byte
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
			if _, _, err := w.Write(b, snapshots[0]); err != nil {
				t.Fatal(err)
			}
		}
		for _, q := range c.acked {
			w.Acknowledge(q)
		}
		p, _, err := w.Write(b, snapshots[0])
		if err != nil || p[2] != c.age || p[3] != c.gap {
			t.Errorf("%v, %v acknowledged of %d: baseline age %d, older gap %d (%v)", c.level, c.acked, c.packets, p[2], p[3], err)
		}
	}
}

// TestReaderRefuses checks that a reader rejects unknown baselines, trailing bytes and
// malformed packets, and then continues as if they had not arrived.
func TestReaderRefuses(t *testing.T) {
	snapshots := rollingBall(5, 120)
	w, r := NewWriter(Arithmetic), NewReader(Arithmetic, 5)
	b := make([]byte, MaxPacketBytes(5))
	rapid.Check(t, func(t *rapid.T) {
		wrong := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "bytes")
		if len(wrong) > 2 && wrong[2] == 0 {
			wrong[2] = 1 // without a baseline it could be valid
		}
		if _, _, err := r.Read(wrong); err == nil {
			t.Fatalf("%x is read", wrong)
		}
	})
	for i, f := range snapshots {
		if i >= 6 {
			w.Acknowledge(uint16(i - 6))
		}
		p, _, err := w.Write(b, f)
		if err != nil {
			t.Fatal(err)
		}
		p = bytes.Clone(p)
		base := uint16(i - 6 + readerWindow) // a packet that would overwrite the baseline
		for _, wrong := range [][]byte{
			nil,
			p[:3],
			append(bytes.Clone(p), 0),
			{byte(base), byte(base >> 8), 0, 0, 1},
			{p[0], p[1], p[2] + 20, p[3]},
			{p[0], p[1], 0, 1},
			{p[0], p[1], 255, 255},
		} {
			if _, _, err := r.Read(wrong); err == nil {
				t.Fatalf("packet %d: %x is read", i, wrong)
			}
		}
		if got, q, err := r.Read(p); err != nil || int(q) != i || !slices.Equal(got, f) {
			t.Fatalf("packet %d: %v", i, err)
		}
		if _, _, err := r.Read(p); !errors.Is(err, ErrStale) {
			t.Fatalf("packet %d is read twice: %v", i, err)
		}
	}
}

// TestNeverLongerThanAbsolute checks that a snapshot that would be longer relative to a
// baseline is sent in full, and can then be a baseline.
func TestNeverLongerThanAbsolute(t *testing.T) {
	const cubes = 20
	for _, l := range Levels()[ChangedBits:] {
		w, r := NewWriter(l), NewReader(l, cubes)
		b := make([]byte, MaxPacketBytes(cubes))
		absolute := 0
		for i := range 300 {
			f := make([]Cube, cubes)
			for k := range f {
				// They oscillate by one step, and every hundredth snapshot jump
				// elsewhere.
				f[k] = Cube{Orientation{3, [3]int16{256 + int16(i%2), 256, 256}}, [3]int32{int32(i % 2), 0, 1000}, false}
				if i%100 == 99 {
					f[k] = Cube{
						Orientation{0, [3]int16{int16(100 + 10*k), 200, 130}},
						[3]int32{MaxPosition[0] - int32(k*k), MinPosition[1] + int32(99*k), MaxPosition[2]},
						k%2 == 0,
					}
				}
			}
			p, q, err := w.Write(b, f)
			if err != nil {
				t.Fatal(err)
			}
			if got, _, err := r.Read(p); err != nil || !slices.Equal(got, f) || len(p) > HeaderBytes+absoluteCubeBytes*cubes {
				t.Fatalf("%v: snapshot %d: %d bytes, %v", l, i, len(p), err)
			}
			absolute += boolInt(p[2] == 0)
			w.Acknowledge(q)
		}
		// The first snapshot, those with a jump, and those after them are absolute. At
		// level Arithmetic the trained models make others shorter.
		if l >= RelativePosition && l <= Predicted && absolute != 1+3+2 {
			t.Errorf("%v: %d absolute snapshots", l, absolute)
		}
	}
}

// TestAllocatesNothing checks that neither end allocates once it has stored as many
// packets as it can.
func TestAllocatesNothing(t *testing.T) {
	snapshots := rollingBall(60, 400)
	for _, l := range Levels() {
		w, r := NewWriter(l), NewReader(l, 60)
		b := make([]byte, MaxPacketBytes(60))
		i := 0
		step := func() {
			if i >= 6 {
				w.Acknowledge(uint16(i - 6))
			}
			p, _, err := w.Write(b, snapshots[i])
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
			t.Errorf("%v: %v allocations per snapshot", l, a)
		}
	}
}

// TestBitBreakdown checks that the breakdown adds up to the size of the snapshot, that
// both ends agree on it, and that the fields have the sizes documented for the level.
// The last byte of an arithmetic coder may contain more or less than its bits.
func TestBitBreakdown(t *testing.T) {
	const cubes = 60
	snapshots := rollingBall(cubes, 60)
	for _, l := range Levels() {
		w, r := NewWriter(l), NewReader(l, cubes)
		b := make([]byte, MaxPacketBytes(cubes))
		var last BitBreakdown
		for i, f := range snapshots {
			if i >= 6 {
				w.Acknowledge(uint16(i - 6))
			}
			p, _, err := w.Write(b, f)
			if err != nil {
				t.Fatal(err)
			}
			last = w.BitBreakdown()
			sum := last.Index + last.Touched + last.Position + last.Rotation
			if size := float64(8 * (len(p) - HeaderBytes)); sum > size+16 || sum < size-16 {
				t.Errorf("%v: snapshot %d takes %v bits, the breakdown has %v", l, i, size, sum)
			}
			if _, _, err := r.Read(p); err != nil || r.codec.breakdown != last {
				t.Errorf("%v: snapshot %d: %+v at the reader, %+v at the writer (%v)", l, i, r.codec.breakdown, last, err)
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
