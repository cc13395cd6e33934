package message

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"ghostcube/net/quant"

	"pgregory.net/rapid"
)

// makeSlice makes any slice, true or not.
func makeSlice(chunk, slice, count int, final bool, size int, data []byte) []byte {
	f := []int{0, 1, chunk, 16, slice, 8, count - 1, 8, 0, 1}
	if final {
		f[8] = 1
	}
	if slice == count-1 {
		f = append(f, size-1, 10)
	}
	return append(packBits(f...), data...)
}

// TestMaliciousSlices says that slices which contradict themselves, or what
// came before, or the bounds, are counted and change nothing.
func TestMaliciousSlices(t *testing.T) {
	full := randomBytes(9, SliceBytes)
	fresh := func() *BlockReceiver { return NewBlockReceiver(ChunkBytes + 5*SliceBytes) }
	begun := func() *BlockReceiver {
		r := fresh()
		r.Read(makeSlice(0, 1, 3, true, SliceBytes, full))
		return r
	}
	whole := func() *BlockReceiver {
		r := fresh()
		r.Read(makeSlice(0, 1, MaxSlicesPerChunk, true, SliceBytes, full))
		return r
	}
	second := func() *BlockReceiver {
		r := fresh()
		for i := range MaxSlicesPerChunk {
			r.Read(makeSlice(0, i, MaxSlicesPerChunk, false, SliceBytes, full))
		}
		return r
	}
	padded := makeSlice(0, 0, 3, true, SliceBytes, full)
	padded[4] |= 0x80
	for name, c := range map[string]struct {
		r    *BlockReceiver
		part []byte
		want ReceiverStats // beyond what was before
	}{
		"nothing":                        {fresh(), nil, ReceiverStats{Malformed: 1}},
		"an ack":                         {fresh(), packBits(1, 1, 0, 16, 0, 8, 1, 1), ReceiverStats{Malformed: 1}},
		"a head alone":                   {fresh(), makeSlice(0, 0, 3, true, SliceBytes, nil), ReceiverStats{Malformed: 1}},
		"a byte too few":                 {fresh(), makeSlice(0, 0, 3, true, SliceBytes, full[1:]), ReceiverStats{Malformed: 1}},
		"a byte too many":                {fresh(), makeSlice(0, 0, 3, true, SliceBytes, append(full, 0)), ReceiverStats{Malformed: 1}},
		"padding that is not zero":       {fresh(), padded, ReceiverStats{Malformed: 1}},
		"a slice that the chunk has not": {fresh(), makeSlice(0, 3, 3, true, SliceBytes, full), ReceiverStats{Malformed: 1}},
		"a short chunk before the last":  {fresh(), makeSlice(0, 0, 3, false, SliceBytes, full), ReceiverStats{Malformed: 1}},
		"a short slice before the last":  {fresh(), makeSlice(0, 255, 256, false, 5, full[:5]), ReceiverStats{Malformed: 1}},
		"another count":                  {begun(), makeSlice(0, 0, 4, true, SliceBytes, full), ReceiverStats{Malformed: 1}},
		"no longer the last chunk":       {whole(), makeSlice(0, 0, 256, false, SliceBytes, full), ReceiverStats{Malformed: 1}},
		"the same slice, other bytes":    {begun(), makeSlice(0, 1, 3, true, SliceBytes, randomBytes(8, SliceBytes)), ReceiverStats{Duplicates: 1}},
		"a chunk to come":                {begun(), makeSlice(1, 0, 3, true, SliceBytes, full), ReceiverStats{Early: 1}},
		"a chunk far away":               {begun(), makeSlice(32767, 0, 3, true, SliceBytes, full), ReceiverStats{Early: 1}},
		"a chunk long gone":              {begun(), makeSlice(40000, 0, 3, true, SliceBytes, full), ReceiverStats{Stale: 1}},
		"a block larger than it takes":   {second(), makeSlice(1, 0, 7, true, SliceBytes, full), ReceiverStats{TooLarge: 1}},
		"a byte larger than it takes":    {second(), makeSlice(1, 5, 6, true, 1, full[:1]), ReceiverStats{TooLarge: 1}},
	} {
		before := receiverState(c.r)
		want := c.r.Stats
		want.Malformed += c.want.Malformed
		want.Duplicates += c.want.Duplicates
		want.Early += c.want.Early
		want.Stale += c.want.Stale
		want.TooLarge += c.want.TooLarge
		c.r.Read(c.part)
		if c.r.Stats != want || receiverState(c.r) != before {
			t.Errorf("%s: %+v, want %+v", name, c.r.Stats, want)
		}
	}
	r := second() // exactly as large as it takes
	for i := range 5 {
		r.Read(makeSlice(1, i, 5, true, SliceBytes, full))
	}
	if b, ok := r.Receive(nil); !ok || len(b) != ChunkBytes+5*SliceBytes {
		t.Errorf("%d bytes, %+v", len(b), r.Stats)
	}
}

// receiverState is what a receiver holds.
func receiverState(r *BlockReceiver) string {
	n := 0
	sum := 0
	for _, p := range r.slices {
		n += len(p)
		for i, x := range p {
			sum += i * int(x)
		}
	}
	return fmt.Sprint(r.chunkID, r.sliceCount, r.lastChunk, r.received, len(r.slices), n, sum, r.complete)
}

// TestMaliciousAcks says that an ack of what was never sent, or of another
// count, is refused whole; that one for another chunk does nothing; and that an
// older ack takes nothing back.
func TestMaliciousAcks(t *testing.T) {
	s := NewBlockSender(1e9)
	s.Send(randomBytes(1, 4*SliceBytes))
	s.addCredit(time.Second)
	for range 3 {
		s.Write(nil, time.Second, 0)
	}
	ack := func(chunk, count, bits int) []byte { return packBits(1, 1, chunk, 16, count-1, 8, bits, count) }
	for name, p := range map[string][]byte{
		"nothing": nil, "a slice": makeSlice(0, 0, 1, true, 1, []byte{1}), "one never sent": ack(0, 4, 0b1001),
		"another count": ack(0, 5, 0b00001), "cut": ack(0, 4, 0b0001)[:3], "too long": append(ack(0, 4, 0b0001), 0),
		"padding that is not zero": packBits(1, 1, 0, 16, 3, 8, 1, 4, 1, 1),
	} {
		n := s.Stats.Malformed
		if s.Read(p) || s.Stats.Malformed != n+1 || s.acked.count() != 0 {
			t.Errorf("%s: %+v", name, s.Stats)
		}
	}
	s.Read(ack(1, 4, 0b0111))
	s.Read(ack(65535, 4, 0b0111))
	if s.Stats.Stale != 2 || s.acked.count() != 0 {
		t.Errorf("%+v", s.Stats)
	}
	s.Read(ack(0, 4, 0b0110))
	s.Read(ack(0, 4, 0b0010))
	if s.acked.count() != 2 || s.Stats.Acks != 2 {
		t.Errorf("%d acked, %+v", s.acked.count(), s.Stats)
	}
	if sent, acked := s.SliceState(0); !sent || acked {
		t.Error("slice 0")
	}
	if sent, acked := s.SliceState(3); sent || acked || s.SliceCount() != 4 {
		t.Error("slice 3")
	}
}

// TestBlockMemory says that no datagram costs more than a little memory,
// whatever its head promises, and that a receiver's memory is used again.
func TestBlockMemory(t *testing.T) {
	r := NewBlockReceiver(MaxBlockBytes)
	full := randomBytes(9, SliceBytes)
	var before, after runtime.MemStats
	worst := uint64(0)
	for chunk := range MaxBlockBytes / ChunkBytes {
		for _, i := range []int{255, 0, 128} {
			p := makeSlice(chunk, i, MaxSlicesPerChunk, chunk == 15, SliceBytes, full)
			runtime.ReadMemStats(&before)
			r.Read(p)
			runtime.ReadMemStats(&after)
			worst = max(worst, after.TotalAlloc-before.TotalAlloc)
		}
		for i := range MaxSlicesPerChunk {
			r.Read(makeSlice(chunk, i, MaxSlicesPerChunk, chunk == 15, SliceBytes, full))
		}
	}
	if worst > 16<<10 { // the test itself costs some
		t.Errorf("%d bytes for a datagram of one KiB", worst)
	}
	block, ok := r.Receive(nil)
	if !ok || len(block) != MaxBlockBytes {
		t.Fatalf("%d bytes, %+v", len(block), r.Stats)
	}
	parts := make([][]byte, 300)
	chunk := int(r.chunkID)
	for i := range parts {
		parts[i] = makeSlice(chunk+i, 0, 1, true, SliceBytes, full)
	}
	i := 0
	if n := testing.AllocsPerRun(200, func() {
		r.Read(parts[i])
		block, _ = r.Receive(block[:0])
		i++
	}); n != 0 || len(block) != SliceBytes {
		t.Errorf("%v allocations, %d bytes", n, len(block))
	}
}

// TestBlockProperties runs two ends under any order of sending, losing,
// doubling, delaying and taking: blocks come whole, in order and once each; a
// sender is done only with what came; nothing true is refused; and when the
// faults end, the rest comes.
func TestBlockProperties(t *testing.T) { rapid.Check(t, blockProperties) }

func blockProperties(t *rapid.T) {
	s, r := NewBlockSender(rapid.SampledFrom([]int{20000, 1e6}).Draw(t, "rate")), NewBlockReceiver(2*ChunkBytes)
	s.chunkID = rapid.Uint64Range(65530, 65540).Draw(t, "chunk")
	r.chunkID = s.chunkID
	var sent [][]byte
	taken := 0
	var slicesAir, acksAir [][]byte
	now := time.Duration(0)
	send := func() {
		n := rapid.SampledFrom([]int{1, 900, SliceBytes, 5 * SliceBytes, 20000, 30000, 9, ChunkBytes + 1}).Draw(t, "bytes")
		b := randomBytes(uint64(len(sent)), n)
		if s.Send(b) == nil {
			sent = append(sent, b)
		}
	}
	take := func() {
		b, ok := r.Receive(nil)
		if !ok {
			return
		}
		if taken >= len(sent) || !bytes.Equal(b, sent[taken]) {
			t.Fatalf("block %d has %d bytes", taken, len(b))
		}
		taken++
	}
	land := func(air *[][]byte, read func([]byte) bool, again bool) {
		if len(*air) == 0 {
			return
		}
		i := rapid.IntRange(0, len(*air)-1).Draw(t, "which")
		p := (*air)[i]
		if !again {
			*air = slices.Delete(*air, i, i+1)
		}
		if !read(p) {
			t.Fatalf("% x is refused", p[:min(len(p), 40)])
		}
	}
	check := func() {
		whole := taken
		if r.complete {
			whole++
		}
		if int(s.Stats.Blocks) > whole || int(r.Stats.Blocks) != whole || whole > len(sent) {
			t.Fatalf("%d of %d came, %+v", whole, len(sent), s.Stats)
		}
		if s.Busy() && s.chunkID == r.chunkID && !s.acked.subsetOf(&r.received) {
			t.Fatal("acked what did not come")
		}
		if s.chunkID > r.chunkID || len(r.slices)+len(r.freeSlices) > 3*MaxSlicesPerChunk {
			t.Fatalf("chunk %d of %d, %d slices kept", s.chunkID, r.chunkID, len(r.slices)+len(r.freeSlices))
		}
	}
	for range rapid.IntRange(1, 200).Draw(t, "steps") {
		switch rapid.IntRange(0, 9).Draw(t, "step") {
		case 0:
			send()
		case 1, 2:
			for range 40 {
				if p := s.Write(nil, now, 0); len(p) > 0 {
					slicesAir = append(slicesAir, p)
				}
			}
		case 3, 4, 5:
			for range rapid.IntRange(1, 40).Draw(t, "slices") {
				land(&slicesAir, r.Read, rapid.IntRange(0, 3).Draw(t, "again") == 0)
			}
		case 6:
			if p := r.Write(nil, now); len(p) > 0 {
				acksAir = append(acksAir, p)
			}
		case 7:
			land(&acksAir, s.Read, rapid.Bool().Draw(t, "again"))
		case 8:
			slicesAir = slicesAir[:len(slicesAir)/2]
			acksAir = acksAir[:len(acksAir)/2]
		case 9:
			take()
		}
		now += time.Duration(rapid.IntRange(0, 200).Draw(t, "ms")) * time.Millisecond
		check()
	}
	for i := 0; i < 40000 && (s.Busy() || taken < len(sent)); i++ {
		for p := s.Write(nil, now, 0); len(p) > 0; p = s.Write(nil, now, 0) {
			r.Read(p)
		}
		if p := r.Write(nil, now); len(p) > 0 {
			s.Read(p)
		}
		take()
		now += 20 * time.Millisecond
		check()
	}
	if s.Busy() || taken != len(sent) {
		t.Fatalf("%d of %d came, %+v %+v", taken, len(sent), s.Stats, r.Stats)
	}
}

// FuzzBlockRead feeds both ends, in the middle of a block, anything at all.
func FuzzBlockRead(f *testing.F) {
	f.Add([]byte{}, []byte{})
	f.Add(makeSlice(3, 1, 3, true, SliceBytes, randomBytes(1, SliceBytes)), packBits(1, 1, 7, 16, 2, 8, 0b011, 3))
	f.Fuzz(func(t *testing.T, one, two []byte) {
		b := NewBlockChannel(1e9, 3*SliceBytes)
		b.Sender.Send(randomBytes(2, 3*SliceBytes))
		b.Sender.chunkID, b.Receiver.chunkID = 7, 3
		b.Sender.addCredit(time.Second)
		b.Sender.Write(nil, time.Second, 0)
		b.Sender.Write(nil, time.Second, 0)
		for i, p := range [][]byte{one, two, one} {
			b.Read(p)
			if s := b.Sender; !s.acked.subsetOf(&s.sent) || s.Busy() && s.acked.count() == 3 {
				t.Errorf("%+v", s.Stats)
			}
			kept := 0
			for _, p := range b.Receiver.slices {
				kept += len(p)
			}
			if kept > len(one)*2+len(two) || kept > 3*SliceBytes {
				t.Errorf("%d bytes kept", kept)
			}
			answer := b.Receiver.Write(nil, time.Duration(i)*time.Second)
			var h ackHeader
			if len(answer) > 0 && (len(answer) > 36 || !h.decode(&quant.Coder{}, answer)) {
				t.Errorf("answer % x", answer)
			}
			b.Receiver.Receive(nil)
		}
	})
}

// BenchmarkSlice is a slice written and read, with its share of the acks.
func BenchmarkSlice(b *testing.B) {
	s, r := NewBlockSender(1e9), NewBlockReceiver(MaxBlockBytes)
	block := randomBytes(1, ChunkBytes)
	var part, ack, out []byte
	b.ReportAllocs()
	b.SetBytes(SliceBytes)
	now := time.Duration(0)
	for b.Loop() {
		if !s.Busy() {
			s.Send(block)
		}
		now += 20 * time.Microsecond
		part = s.Write(part[:0], now, 0)
		if len(part) > 0 && !r.Read(part) {
			b.Fatal("refused")
		}
		if ack = r.Write(ack[:0], now); len(ack) > 0 {
			s.Read(ack)
		}
		out, _ = r.Receive(out[:0])
	}
}
