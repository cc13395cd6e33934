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

// makeSlice returns a slice with arbitrary fields.
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

// TestMaliciousSlices checks that slices that contradict themselves, earlier slices or
// the limits are counted and change nothing.
func TestMaliciousSlices(t *testing.T) {
	full := randomBytes(9, SliceBytes)
	empty := func() *BlockReceiver { return NewBlockReceiver(ChunkBytes + 5*SliceBytes) }
	started := func() *BlockReceiver {
		r := empty()
		r.Read(makeSlice(0, 1, 3, true, SliceBytes, full))
		return r
	}
	fullChunk := func() *BlockReceiver {
		r := empty()
		r.Read(makeSlice(0, 1, MaxSlicesPerChunk, true, SliceBytes, full))
		return r
	}
	secondChunk := func() *BlockReceiver {
		r := empty()
		for i := range MaxSlicesPerChunk {
			r.Read(makeSlice(0, i, MaxSlicesPerChunk, false, SliceBytes, full))
		}
		return r
	}
	padded := makeSlice(0, 0, 3, true, SliceBytes, full)
	padded[4] |= 0x80
	for name, c := range map[string]struct {
		r    *BlockReceiver
		data []byte
		want ReceiverStats // increase
	}{
		"nothing":                       {empty(), nil, ReceiverStats{Malformed: 1}},
		"an ack":                        {empty(), packBits(1, 1, 0, 16, 0, 8, 1, 1), ReceiverStats{Malformed: 1}},
		"a header alone":                {empty(), makeSlice(0, 0, 3, true, SliceBytes, nil), ReceiverStats{Malformed: 1}},
		"a byte too few":                {empty(), makeSlice(0, 0, 3, true, SliceBytes, full[1:]), ReceiverStats{Malformed: 1}},
		"a byte too many":               {empty(), makeSlice(0, 0, 3, true, SliceBytes, append(full, 0)), ReceiverStats{Malformed: 1}},
		"padding that is not zero":      {empty(), padded, ReceiverStats{Malformed: 1}},
		"a slice beyond the chunk":      {empty(), makeSlice(0, 3, 3, true, SliceBytes, full), ReceiverStats{Malformed: 1}},
		"a short chunk before the last": {empty(), makeSlice(0, 0, 3, false, SliceBytes, full), ReceiverStats{Malformed: 1}},
		"a short slice before the last": {empty(), makeSlice(0, 255, 256, false, 5, full[:5]), ReceiverStats{Malformed: 1}},
		"another count":                 {started(), makeSlice(0, 0, 4, true, SliceBytes, full), ReceiverStats{Malformed: 1}},
		"no longer the last chunk":      {fullChunk(), makeSlice(0, 0, 256, false, SliceBytes, full), ReceiverStats{Malformed: 1}},
		"the same slice, other bytes":   {started(), makeSlice(0, 1, 3, true, SliceBytes, randomBytes(8, SliceBytes)), ReceiverStats{Duplicates: 1}},
		"the next chunk":                {started(), makeSlice(1, 0, 3, true, SliceBytes, full), ReceiverStats{Early: 1}},
		"a chunk far ahead":             {started(), makeSlice(32767, 0, 3, true, SliceBytes, full), ReceiverStats{Early: 1}},
		"an old chunk":                  {started(), makeSlice(40000, 0, 3, true, SliceBytes, full), ReceiverStats{Stale: 1}},
		"a block above the limit":       {secondChunk(), makeSlice(1, 0, 7, true, SliceBytes, full), ReceiverStats{TooLarge: 1}},
		"a byte above the limit":        {secondChunk(), makeSlice(1, 5, 6, true, 1, full[:1]), ReceiverStats{TooLarge: 1}},
	} {
		before := receiverState(c.r)
		want := c.r.Stats
		want.Malformed += c.want.Malformed
		want.Duplicates += c.want.Duplicates
		want.Early += c.want.Early
		want.Stale += c.want.Stale
		want.TooLarge += c.want.TooLarge
		c.r.Read(c.data)
		if c.r.Stats != want || receiverState(c.r) != before {
			t.Errorf("%s: %+v, want %+v", name, c.r.Stats, want)
		}
	}
	r := secondChunk() // exactly the limit
	for i := range 5 {
		r.Read(makeSlice(1, i, 5, true, SliceBytes, full))
	}
	if b, ok := r.Receive(nil); !ok || len(b) != ChunkBytes+5*SliceBytes {
		t.Errorf("%d bytes, %+v", len(b), r.Stats)
	}
}

// receiverState describes the state of a receiver.
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

// TestMaliciousAcks checks that an ack of a slice never sent, or of another count, is
// rejected; that an ack of another chunk is ignored; and that an older ack clears
// nothing.
func TestMaliciousAcks(t *testing.T) {
	s := NewBlockSender(1e9)
	s.Send(randomBytes(1, 4*SliceBytes))
	s.addCredit(time.Second)
	for range 3 {
		s.Write(nil, time.Second, 0)
	}
	ack := func(chunk, count, bits int) []byte { return packBits(1, 1, chunk, 16, count-1, 8, bits, count) }
	for name, p := range map[string][]byte{
		"nothing": nil, "a slice": makeSlice(0, 0, 1, true, 1, []byte{1}), "a slice never sent": ack(0, 4, 0b1001),
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

// TestBlockMemory checks that no datagram allocates much, whatever its header claims,
// and that a receiver reuses its memory.
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
	if worst > 16<<10 { // the test itself allocates some
		t.Errorf("%d bytes for a datagram of 1 KiB", worst)
	}
	block, ok := r.Receive(nil)
	if !ok || len(block) != MaxBlockBytes {
		t.Fatalf("%d bytes, %+v", len(block), r.Stats)
	}
	slices := make([][]byte, 300)
	chunk := int(r.chunkID)
	for i := range slices {
		slices[i] = makeSlice(chunk+i, 0, 1, true, SliceBytes, full)
	}
	i := 0
	if n := testing.AllocsPerRun(200, func() {
		r.Read(slices[i])
		block, _ = r.Receive(block[:0])
		i++
	}); n != 0 || len(block) != SliceBytes {
		t.Errorf("%v allocations, %d bytes", n, len(block))
	}
}

// TestBlockProperties runs a sender and a receiver under any order of sending, loss,
// duplication, delay and consumption. Blocks must arrive complete, in order and once; a
// sender must finish only blocks that arrived; nothing valid may be rejected; and once
// the faults end, everything must arrive.
func TestBlockProperties(t *testing.T) { rapid.Check(t, blockProperties) }

func blockProperties(t *rapid.T) {
	s, r := NewBlockSender(rapid.SampledFrom([]int{20000, 1e6}).Draw(t, "rate")), NewBlockReceiver(2*ChunkBytes)
	s.chunkID = rapid.Uint64Range(65530, 65540).Draw(t, "chunk")
	r.chunkID = s.chunkID
	var sent [][]byte
	consumed := 0
	var slicesInFlight, acksInFlight [][]byte
	now := time.Duration(0)
	send := func() {
		n := rapid.SampledFrom([]int{1, 900, SliceBytes, 5 * SliceBytes, 20000, 30000, 9, ChunkBytes + 1}).Draw(t, "bytes")
		b := randomBytes(uint64(len(sent)), n)
		if s.Send(b) == nil {
			sent = append(sent, b)
		}
	}
	consume := func() {
		b, ok := r.Receive(nil)
		if !ok {
			return
		}
		if consumed >= len(sent) || !bytes.Equal(b, sent[consumed]) {
			t.Fatalf("block %d has %d bytes", consumed, len(b))
		}
		consumed++
	}
	deliver := func(inFlight *[][]byte, read func([]byte) bool, again bool) {
		if len(*inFlight) == 0 {
			return
		}
		i := rapid.IntRange(0, len(*inFlight)-1).Draw(t, "which")
		p := (*inFlight)[i]
		if !again {
			*inFlight = slices.Delete(*inFlight, i, i+1)
		}
		if !read(p) {
			t.Fatalf("% x is rejected", p[:min(len(p), 40)])
		}
	}
	check := func() {
		complete := consumed
		if r.complete {
			complete++
		}
		if int(s.Stats.Blocks) > complete || int(r.Stats.Blocks) != complete || complete > len(sent) {
			t.Fatalf("%d of %d received, %+v", complete, len(sent), s.Stats)
		}
		if s.Busy() && s.chunkID == r.chunkID && !s.acked.subsetOf(&r.received) {
			t.Fatal("acked a slice that did not arrive")
		}
		if s.chunkID > r.chunkID || len(r.slices)+len(r.freeSlices) > 3*MaxSlicesPerChunk {
			t.Fatalf("chunk %d of %d, %d slices stored", s.chunkID, r.chunkID, len(r.slices)+len(r.freeSlices))
		}
	}
	for range rapid.IntRange(1, 200).Draw(t, "steps") {
		switch rapid.IntRange(0, 9).Draw(t, "step") {
		case 0:
			send()
		case 1, 2:
			for range 40 {
				if p := s.Write(nil, now, 0); len(p) > 0 {
					slicesInFlight = append(slicesInFlight, p)
				}
			}
		case 3, 4, 5:
			for range rapid.IntRange(1, 40).Draw(t, "slices") {
				deliver(&slicesInFlight, r.Read, rapid.IntRange(0, 3).Draw(t, "again") == 0)
			}
		case 6:
			if p := r.Write(nil, now); len(p) > 0 {
				acksInFlight = append(acksInFlight, p)
			}
		case 7:
			deliver(&acksInFlight, s.Read, rapid.Bool().Draw(t, "again"))
		case 8:
			slicesInFlight = slicesInFlight[:len(slicesInFlight)/2]
			acksInFlight = acksInFlight[:len(acksInFlight)/2]
		case 9:
			consume()
		}
		now += time.Duration(rapid.IntRange(0, 200).Draw(t, "ms")) * time.Millisecond
		check()
	}
	for i := 0; i < 40000 && (s.Busy() || consumed < len(sent)); i++ {
		for p := s.Write(nil, now, 0); len(p) > 0; p = s.Write(nil, now, 0) {
			r.Read(p)
		}
		if p := r.Write(nil, now); len(p) > 0 {
			s.Read(p)
		}
		consume()
		now += 20 * time.Millisecond
		check()
	}
	if s.Busy() || consumed != len(sent) {
		t.Fatalf("%d of %d received, %+v %+v", consumed, len(sent), s.Stats, r.Stats)
	}
}

// FuzzBlockRead feeds both ends arbitrary bytes in the middle of a block.
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
			stored := 0
			for _, p := range b.Receiver.slices {
				stored += len(p)
			}
			if stored > len(one)*2+len(two) || stored > 3*SliceBytes {
				t.Errorf("%d bytes stored", stored)
			}
			answer := b.Receiver.Write(nil, time.Duration(i)*time.Second)
			var h ackHeader
			if len(answer) > 0 && (len(answer) > 36 || !h.decode(&quant.Coder{}, answer)) {
				t.Errorf("ack % x", answer)
			}
			b.Receiver.Receive(nil)
		}
	})
}

// BenchmarkSlice measures a slice written and read, with its share of acks.
func BenchmarkSlice(b *testing.B) {
	s, r := NewBlockSender(1e9), NewBlockReceiver(MaxBlockBytes)
	block := randomBytes(1, ChunkBytes)
	var slice, ack, out []byte
	b.ReportAllocs()
	b.SetBytes(SliceBytes)
	now := time.Duration(0)
	for b.Loop() {
		if !s.Busy() {
			s.Send(block)
		}
		now += 20 * time.Microsecond
		slice = s.Write(slice[:0], now, 0)
		if len(slice) > 0 && !r.Read(slice) {
			b.Fatal("a slice is rejected")
		}
		if ack = r.Write(ack[:0], now); len(ack) > 0 {
			s.Read(ack)
		}
		out, _ = r.Receive(out[:0])
	}
}
