package message

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"
	"time"

	"ghostcube/net/quant"
)

// randomBytes returns n pseudo-random bytes.
func randomBytes(seed uint64, n int) []byte {
	b := make([]byte, n)
	x := seed*0x9E3779B97F4A7C15 + uint64(n)
	for i := range b {
		x = x*6364136223846793005 + 1442695040888963407
		b[i] = byte(x >> 56)
	}
	return b
}

// packBits packs values of given widths: value, bits, value, bits.
func packBits(f ...int) []byte {
	var w quant.Coder
	w.BeginWrite(make([]byte, 256))
	for i := 0; i < len(f); i += 2 {
		w.Bits(uint32(f[i]), f[i+1])
	}
	return w.FinishWrite()
}

// TestGoldenSlicesAndAcks checks the layout of slices and acks, byte for byte. Only the
// last slice of a block has a size field.
func TestGoldenSlicesAndAcks(t *testing.T) {
	s := NewBlockSender(1e9)
	s.chunkID = 0x0102
	block := randomBytes(1, 2*SliceBytes+5)
	if err := s.Send(block); err != nil {
		t.Fatal(err)
	}
	s.addCredit(time.Hour)
	headers := []string{"0402000402", "0402020402", "040204041200"}
	var slices [][]byte
	for i, header := range headers {
		slices = append(slices, s.Write(nil, time.Hour, 0))
		want := header + hex.EncodeToString(block[i*SliceBytes:min(len(block), (i+1)*SliceBytes)])
		if got := hex.EncodeToString(slices[i]); got != want {
			t.Errorf("slice %d is %d bytes, %s..., want %d, %s...", i, len(got)/2, got[:14], len(want)/2, want[:14])
		}
	}
	r := NewBlockReceiver(MaxBlockBytes)
	r.chunkID = 0x0102
	r.Read(slices[0])
	r.Read(slices[2])
	if got := hex.EncodeToString(r.Write(nil, 0)); got != "0502040a" {
		t.Errorf("ack %s", got)
	}
}

// transferBlock runs a sender and a receiver over a wire without delay until the block
// has arrived and the sender knows, for at most a simulated hour. lose decides what is
// lost.
func transferBlock(
	t *testing.T, s *BlockSender, r *BlockReceiver, rtt time.Duration, lose func(ack bool, now time.Duration) bool,
) (block []byte, duration time.Duration) {
	t.Helper()
	start := max(s.creditAt, r.ackedAt)
	for now := start; now < start+time.Hour; now += tick {
		for p := s.Write(nil, now, rtt); len(p) > 0; p = s.Write(nil, now, rtt) {
			if !lose(false, now) && !r.Read(p) {
				t.Fatalf("slice rejected: %+v", r.Stats)
			}
		}
		if p := r.Write(nil, now); len(p) > 0 && !lose(true, now) && !s.Read(p) {
			t.Fatalf("ack rejected: %+v", s.Stats)
		}
		if b, ok := r.Receive(nil); ok {
			if block != nil {
				t.Fatal("the block is received twice")
			}
			block = b
		}
		if !s.Busy() {
			return block, now - start
		}
	}
	t.Fatalf("not finished: %+v %+v", s.Stats, r.Stats)
	return nil, 0
}

func noLoss(bool, time.Duration) bool { return false }

// TestBlockSizes transfers blocks of odd sizes and of sizes around those of slices and
// chunks, up to the largest.
func TestBlockSizes(t *testing.T) {
	s, r := NewBlockSender(1e8), NewBlockReceiver(MaxBlockBytes)
	for i, n := range []int{
		1, SliceBytes - 1, SliceBytes, SliceBytes + 1, 77777,
		ChunkBytes - 1, ChunkBytes, ChunkBytes + 1, 3*ChunkBytes + 5001, MaxBlockBytes, 2,
	} {
		want := randomBytes(uint64(i), n)
		if err := s.Send(want); err != nil {
			t.Fatal(err)
		}
		if err := s.Send(want); err != ErrBusy {
			t.Errorf("a second block at the same time: %v", err)
		}
		want = slices.Clone(want)
		if got, _ := transferBlock(t, s, r, 0, noLoss); !bytes.Equal(got, want) {
			t.Errorf("%d bytes are received as %d, or changed", n, len(got))
		}
	}
	if s.Stats.Resent != 0 || r.Stats.Duplicates+r.Stats.Stale+r.Stats.Early != 0 || s.Stats.Blocks != 11 || r.Stats.Blocks != 11 {
		t.Errorf("%+v %+v", s.Stats, r.Stats)
	}
	if s.Send(nil) != ErrEmptyBlock || s.Send(make([]byte, MaxBlockBytes+1)) != ErrBlockTooLarge {
		t.Error("an empty or too large block is accepted")
	}
}

// TestBlockRate compares the time for a chunk of 256 KiB with Fiedler's table: 8, 4 and
// 2 seconds at 256 kbit/s, 512 kbit/s and 1 Mbit/s, plus slice headers and the last
// ack.
func TestBlockRate(t *testing.T) {
	for _, c := range []struct {
		rate int
		want time.Duration
	}{{32000, 8 * time.Second}, {64000, 4 * time.Second}, {125000, 2 * time.Second}} {
		s, r := NewBlockSender(c.rate), NewBlockReceiver(MaxBlockBytes)
		s.Send(randomBytes(1, ChunkBytes))
		_, duration := transferBlock(t, s, r, 0, noLoss)
		if exact := time.Duration(ChunkBytes) * time.Second / time.Duration(c.rate); duration < exact || duration > exact+exact/50+200*time.Millisecond {
			t.Errorf("%d bytes/s: %v, want slightly more than %v", c.rate, duration, exact)
		}
	}
}

// TestSliceResend checks that a slice is repeated after 1.25 round trips, and not
// before 100 ms, only if it is not acked, and in round-robin order.
func TestSliceResend(t *testing.T) {
	for _, c := range []struct{ rtt, want time.Duration }{
		{0, 100 * time.Millisecond}, {80 * time.Millisecond, 100 * time.Millisecond}, {400 * time.Millisecond, 500 * time.Millisecond},
	} {
		s := NewBlockSender(1e9)
		s.Send(randomBytes(1, 5*SliceBytes))
		const first = 10 * time.Millisecond // there is no credit at 0
		var got []string
		acked := false
		for now := time.Duration(0); now <= 2*c.want+first; now += 10 * time.Millisecond {
			for p := s.Write(nil, now, c.rtt); len(p) > 0; p = s.Write(nil, now, c.rtt) {
				var h sliceHeader
				h.decode(&quant.Coder{}, p)
				got = append(got, fmt.Sprint(h.slice, "@", now))
			}
			if now >= c.want/2 && !acked {
				acked = true
				s.Read(packBits(1, 1, 0, 16, 4, 8, 0b01010, 5))
			}
		}
		var want []string
		for round, which := range [][]int{{0, 1, 2, 3, 4}, {0, 2, 4}, {0, 2, 4}} {
			for _, i := range which {
				want = append(want, fmt.Sprint(i, "@", time.Duration(round)*c.want+first))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("RTT %v:\n%v\n%v", c.rtt, got, want)
		}
	}
}

// TestSlicesAreSentRoundRobin checks that a sender whose rate is too low for all due
// slices sends every slice once before it repeats one.
func TestSlicesAreSentRoundRobin(t *testing.T) {
	s := NewBlockSender(10 * (SliceBytes + maxSliceHeaderBytes)) // one slice per 100 ms
	s.Send(randomBytes(1, 4*SliceBytes))
	var got []int
	for now := time.Duration(0); len(got) < 9; now += 50 * time.Millisecond {
		if p := s.Write(nil, now, 0); len(p) > 0 {
			var h sliceHeader
			h.decode(&quant.Coder{}, p)
			got = append(got, h.slice)
		}
	}
	if want := []int{0, 1, 2, 3, 0, 1, 2, 3, 0}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestAckInterval transfers 1,000 slices while half of all acks are lost. An ack covers
// the whole chunk, so it may be lost; there is at most one per 50 ms, and not one per
// slice.
func TestAckInterval(t *testing.T) {
	s, r := NewBlockSender(125000), NewBlockReceiver(MaxBlockBytes)
	want := randomBytes(1, 1000*SliceBytes)
	s.Send(want)
	var times []time.Duration
	got, duration := transferBlock(t, s, r, 0, func(ack bool, now time.Duration) bool {
		if ack {
			times = append(times, now)
		}
		return ack && len(times)%2 == 0
	})
	if !bytes.Equal(got, want) || r.Stats.Slices != 1000 {
		t.Errorf("%d bytes, %+v", len(got), r.Stats)
	}
	if len(times) < 10 || len(times) > int(duration/(50*time.Millisecond))+1 {
		t.Errorf("%d acks in %v", len(times), duration)
	}
	for i := 1; i < len(times); i++ {
		if times[i]-times[i-1] < 50*time.Millisecond {
			t.Errorf("acks at %v and %v", times[i-1], times[i])
		}
	}
}

// TestLastAckLost checks that a sender whose last ack was lost finishes: a slice of a
// completed chunk is answered with a full ack, whether the block was consumed or not.
func TestLastAckLost(t *testing.T) {
	for _, consume := range []bool{false, true} {
		s, r := NewBlockSender(1e9), NewBlockReceiver(MaxBlockBytes)
		s.Send(randomBytes(1, 3000))
		now := time.Duration(0)
		step := func() []byte {
			now += 150 * time.Millisecond
			for p := s.Write(nil, now, 0); len(p) > 0; p = s.Write(nil, now, 0) {
				r.Read(p)
			}
			return r.Write(nil, now)
		}
		if len(step()) == 0 {
			t.Fatal("no ack")
		}
		if consume {
			if b, ok := r.Receive(nil); !ok || len(b) != 3000 {
				t.Fatal("no block")
			}
		}
		if !s.Busy() {
			t.Fatal("the sender is finished without an ack")
		}
		s.Read(step())
		if s.Busy() || r.Stats.Stale != 3 || r.Stats.Blocks != 1 {
			t.Errorf("consumed %v: %+v %+v", consume, s.Stats, r.Stats)
		}
		// Older chunks are acked as well, but never after a newer one.
		r.Read(packBits(0, 1, 0xfff0, 16, 0, 8, 0, 8, 1, 1, 0, 10, 0, 4, 'x', 8))
		r.Read(packBits(0, 1, 0, 16, 0, 8, 0, 8, 1, 1, 0, 10, 0, 4, 'x', 8))
		r.Read(packBits(0, 1, 0xfff1, 16, 0, 8, 0, 8, 1, 1, 0, 10, 0, 4, 'x', 8))
		if got := r.Write(nil, time.Hour); !bytes.Equal(got, packBits(1, 1, 0, 16, 0, 8, 1, 1)) {
			t.Errorf("ack % x", got)
		}
	}
}

// TestNextBlockWaits checks that slices of the next block are neither stored nor acked
// until the previous block is consumed, and are then repeated.
func TestNextBlockWaits(t *testing.T) {
	s, r := NewBlockSender(1e9), NewBlockReceiver(MaxBlockBytes)
	now := time.Duration(0)
	step := func() {
		now += 150 * time.Millisecond
		for p := s.Write(nil, now, 0); len(p) > 0; p = s.Write(nil, now, 0) {
			r.Read(p)
		}
		if p := r.Write(nil, now); len(p) > 0 {
			s.Read(p)
		}
	}
	s.Send([]byte("one"))
	step()
	s.Send([]byte("two"))
	for range 5 {
		step()
	}
	if !s.Busy() || r.Stats.Early != 5 {
		t.Errorf("%+v", r.Stats)
	}
	for _, want := range []string{"one", "two"} {
		if b, ok := r.Receive([]byte("<")); !ok || string(b) != "<"+want {
			t.Errorf("%q %v", b, ok)
		}
		if _, ok := r.Receive(nil); ok {
			t.Error("received twice")
		}
		step()
	}
	if s.Busy() {
		t.Error("the second block is not finished")
	}
}

// TestBlockChannelBothWays checks that acks and slices are distinguished, and that an
// ack is sent before a slice.
func TestBlockChannelBothWays(t *testing.T) {
	a, b := NewBlockChannel(1e6, 1e5), NewBlockChannel(1e6, 1e5)
	x, y := randomBytes(1, 90000), randomBytes(2, 50001)
	a.Sender.Send(x)
	b.Sender.Send(y)
	var gotX, gotY []byte
	for now := time.Duration(0); now < 10*time.Second; now += tick {
		for _, p := range []struct{ from, to BlockChannel }{{a, b}, {b, a}} {
			ackDue := p.from.Receiver.ackPending && (!p.from.Receiver.ackedBefore || now-p.from.Receiver.ackedAt >= ackInterval)
			if data := p.from.Write(nil, now, 0); len(data) > 0 && (!p.to.Read(data) || ackDue && data[0]&1 == 0) {
				t.Fatalf("% x", data[:6])
			}
		}
		if m, ok := b.Receiver.Receive(nil); ok {
			gotX = m
		}
		if m, ok := a.Receiver.Receive(nil); ok {
			gotY = m
		}
	}
	if !bytes.Equal(gotX, x) || !bytes.Equal(gotY, y) || a.Sender.Busy() || b.Sender.Busy() {
		t.Errorf("%d and %d bytes", len(gotX), len(gotY))
	}
}

// TestBlockChannelCopyFrom checks that a copy behaves like the original and
// independently of it.
func TestBlockChannelCopyFrom(t *testing.T) {
	a, b := NewBlockChannel(1e6, MaxBlockBytes), NewBlockChannel(1, 5000)
	b.Sender.Send([]byte("other"))
	b.Receiver.Read(b.Sender.Write(nil, time.Second, 0))
	want := randomBytes(3, 300000)
	a.Sender.Send(want)
	run := func(x BlockChannel, from, to time.Duration) (block []byte, trace string) {
		for now := from; now < to; now += tick { // connected to itself
			for p := x.Write(nil, now, 0); len(p) > 0; p = x.Write(nil, now, 0) {
				x.Read(p)
				trace += fmt.Sprintf("%d %x;", now, p[:4])
			}
			if m, ok := x.Receiver.Receive(nil); ok {
				block = m
			}
		}
		return block, trace
	}
	run(a, 0, 200*time.Millisecond)
	b.CopyFrom(a)
	x, traceA := run(a, 200*time.Millisecond, 2*time.Second)
	y, traceB := run(b, 200*time.Millisecond, 2*time.Second)
	if traceA != traceB || !bytes.Equal(x, want) || !bytes.Equal(y, want) || a.Receiver.Stats != b.Receiver.Stats || a.Sender.Stats != b.Sender.Stats {
		t.Errorf("%d and %d bytes of %d", len(x), len(y), len(want))
	}
}
