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

// randomBytes is n bytes that no other seed has.
func randomBytes(seed uint64, n int) []byte {
	b := make([]byte, n)
	x := seed*0x9E3779B97F4A7C15 + uint64(n)
	for i := range b {
		x = x*6364136223846793005 + 1442695040888963407
		b[i] = byte(x >> 56)
	}
	return b
}

// packBits writes values of so many bits each: value, bits, value, bits.
func packBits(f ...int) []byte {
	var w quant.Coder
	w.BeginWrite(make([]byte, 256))
	for i := 0; i < len(f); i += 2 {
		w.Bits(uint32(f[i]), f[i+1])
	}
	return w.FinishWrite()
}

// TestGoldenSlicesAndAcks holds the layout of slices and acks, byte for byte: only the
// last slice of a block says its size.
func TestGoldenSlicesAndAcks(t *testing.T) {
	s := NewBlockSender(1e9)
	s.chunkID = 0x0102
	block := randomBytes(1, 2*SliceBytes+5)
	if err := s.Send(block); err != nil {
		t.Fatal(err)
	}
	s.addCredit(time.Hour)
	heads := []string{"0402000402", "0402020402", "040204041200"}
	var parts [][]byte
	for i, head := range heads {
		parts = append(parts, s.Write(nil, time.Hour, 0))
		want := head + hex.EncodeToString(block[i*SliceBytes:min(len(block), (i+1)*SliceBytes)])
		if got := hex.EncodeToString(parts[i]); got != want {
			t.Errorf("slice %d is %d bytes, %s..., want %d, %s...", i, len(got)/2, got[:14], len(want)/2, want[:14])
		}
	}
	r := NewBlockReceiver(MaxBlockBytes)
	r.chunkID = 0x0102
	r.Read(parts[0])
	r.Read(parts[2])
	if got := hex.EncodeToString(r.Write(nil, 0)); got != "0502040a" {
		t.Errorf("ack %s", got)
	}
}

// transferBlock runs a sender and a receiver over a wire without delay until the
// block is there and the sender knows, or a simulated hour is over. lose says
// which parts vanish.
func transferBlock(t *testing.T, s *BlockSender, r *BlockReceiver, rtt time.Duration, lose func(ack bool, now time.Duration) bool) (block []byte, took time.Duration) {
	t.Helper()
	from := max(s.creditAt, r.ackedAt)
	for now := from; now < from+time.Hour; now += tick {
		for p := s.Write(nil, now, rtt); len(p) > 0; p = s.Write(nil, now, rtt) {
			if !lose(false, now) && !r.Read(p) {
				t.Fatalf("slice refused: %+v", r.Stats)
			}
		}
		if p := r.Write(nil, now); len(p) > 0 && !lose(true, now) && !s.Read(p) {
			t.Fatalf("ack refused: %+v", s.Stats)
		}
		if b, ok := r.Receive(nil); ok {
			if block != nil {
				t.Fatal("the block came twice")
			}
			block = b
		}
		if !s.Busy() {
			return block, now - from
		}
	}
	t.Fatalf("no end: %+v %+v", s.Stats, r.Stats)
	return nil, 0
}

func noLoss(bool, time.Duration) bool { return false }

// TestBlockSizes carries blocks of odd sizes and of sizes around those of
// slices and chunks, up to the largest, in chunks one after the other.
func TestBlockSizes(t *testing.T) {
	s, r := NewBlockSender(1e8), NewBlockReceiver(MaxBlockBytes)
	for i, n := range []int{1, SliceBytes - 1, SliceBytes, SliceBytes + 1, 77777, ChunkBytes - 1, ChunkBytes, ChunkBytes + 1, 3*ChunkBytes + 5001, MaxBlockBytes, 2} {
		want := randomBytes(uint64(i), n)
		if err := s.Send(want); err != nil {
			t.Fatal(err)
		}
		if err := s.Send(want); err != ErrBusy {
			t.Errorf("a second block at once: %v", err)
		}
		want = slices.Clone(want)
		if got, _ := transferBlock(t, s, r, 0, noLoss); !bytes.Equal(got, want) {
			t.Errorf("%d bytes came as %d, or others", n, len(got))
		}
	}
	if s.Stats.Resent != 0 || r.Stats.Duplicates+r.Stats.Stale+r.Stats.Early != 0 || s.Stats.Blocks != 11 || r.Stats.Blocks != 11 {
		t.Errorf("%+v %+v", s.Stats, r.Stats)
	}
	if s.Send(nil) != ErrEmptyBlock || s.Send(make([]byte, MaxBlockBytes+1)) != ErrBlockTooLarge {
		t.Error("an empty block or one too large is taken")
	}
}

// TestBlockRate holds the time for a chunk of 256 KiB against Fiedler's table:
// 8, 4 and 2 seconds at 256 kbit/s, 512 kbit/s and 1 Mbit/s; the heads of the
// slices and the last ack come on top.
func TestBlockRate(t *testing.T) {
	for _, c := range []struct {
		rate int
		want time.Duration
	}{{32000, 8 * time.Second}, {64000, 4 * time.Second}, {125000, 2 * time.Second}} {
		s, r := NewBlockSender(c.rate), NewBlockReceiver(MaxBlockBytes)
		s.Send(randomBytes(1, ChunkBytes))
		_, took := transferBlock(t, s, r, 0, noLoss)
		if exact := time.Duration(ChunkBytes) * time.Second / time.Duration(c.rate); took < exact || took > exact+exact/50+200*time.Millisecond {
			t.Errorf("%d bytes/s: %v, want %v and a little", c.rate, took, exact)
		}
	}
}

// TestSliceResend says that a slice is sent again after one and a quarter round
// trips, and not before 100 ms; that only those are that are not acked; and that
// the sender goes round.
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

// TestSlicesAreSentRoundRobin says that a sender that may send less than is due goes round,
// so that no slice is sent twice before each was sent once.
func TestSlicesAreSentRoundRobin(t *testing.T) {
	s := NewBlockSender(10 * (SliceBytes + maxSliceHeaderBytes)) // a slice in 100 ms
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

// TestAckInterval carries 1,000 slices while half of all acks are lost: an ack
// carries the state of the whole chunk, so it can be lost, and never are there
// two within 50 ms, nor one for each slice.
func TestAckInterval(t *testing.T) {
	s, r := NewBlockSender(125000), NewBlockReceiver(MaxBlockBytes)
	want := randomBytes(1, 1000*SliceBytes)
	s.Send(want)
	var at []time.Duration
	got, took := transferBlock(t, s, r, 0, func(ack bool, now time.Duration) bool {
		if ack {
			at = append(at, now)
		}
		return ack && len(at)%2 == 0
	})
	if !bytes.Equal(got, want) || r.Stats.Slices != 1000 {
		t.Errorf("%d bytes, %+v", len(got), r.Stats)
	}
	if len(at) < 10 || len(at) > int(took/(50*time.Millisecond))+1 {
		t.Errorf("%d acks in %v", len(at), took)
	}
	for i := 1; i < len(at); i++ {
		if at[i]-at[i-1] < 50*time.Millisecond {
			t.Errorf("acks at %v and %v", at[i-1], at[i])
		}
	}
}

// TestLastAckLost says that a sender whose last ack is lost ends all the same: a
// slice of a chunk that is whole is answered with a full ack, also when the
// block has been taken, and when it has not.
func TestLastAckLost(t *testing.T) {
	for _, take := range []bool{false, true} {
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
		if take {
			if b, ok := r.Receive(nil); !ok || len(b) != 3000 {
				t.Fatal("no block")
			}
		}
		if !s.Busy() {
			t.Fatal("the sender knows what it cannot know")
		}
		s.Read(step())
		if s.Busy() || r.Stats.Stale != 3 || r.Stats.Blocks != 1 {
			t.Errorf("taken %v: %+v %+v", take, s.Stats, r.Stats)
		}
		// Older ones still are answered, but never behind a newer one.
		r.Read(packBits(0, 1, 0xfff0, 16, 0, 8, 0, 8, 1, 1, 0, 10, 0, 4, 'x', 8))
		r.Read(packBits(0, 1, 0, 16, 0, 8, 0, 8, 1, 1, 0, 10, 0, 4, 'x', 8))
		r.Read(packBits(0, 1, 0xfff1, 16, 0, 8, 0, 8, 1, 1, 0, 10, 0, 4, 'x', 8))
		if got := r.Write(nil, time.Hour); !bytes.Equal(got, packBits(1, 1, 0, 16, 0, 8, 1, 1)) {
			t.Errorf("answer % x", got)
		}
	}
}

// TestNextBlockWaits says that the slices of the next block are not kept, nor
// acked, until the one before is taken, and then come again.
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
			t.Error("taken twice")
		}
		step()
	}
	if s.Busy() {
		t.Error("the second block does not end")
	}
}

// TestBlockChannelBothWays says that one side's acks and slices are told apart by the
// other, and that an ack goes before a slice.
func TestBlockChannelBothWays(t *testing.T) {
	a, b := NewBlockChannel(1e6, 1e5), NewBlockChannel(1e6, 1e5)
	x, y := randomBytes(1, 90000), randomBytes(2, 50001)
	a.Sender.Send(x)
	b.Sender.Send(y)
	var gotX, gotY []byte
	for now := time.Duration(0); now < 10*time.Second; now += tick {
		for _, p := range []struct{ from, to BlockChannel }{{a, b}, {b, a}} {
			owed := p.from.Receiver.ackPending && (!p.from.Receiver.ackedBefore || now-p.from.Receiver.ackedAt >= ackInterval)
			if part := p.from.Write(nil, now, 0); len(part) > 0 && (!p.to.Read(part) || owed && part[0]&1 == 0) {
				t.Fatalf("% x", part[:6])
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

// TestBlockChannelCopyFrom says that a copy goes on as its model does, and apart from
// it.
func TestBlockChannelCopyFrom(t *testing.T) {
	a, b := NewBlockChannel(1e6, MaxBlockBytes), NewBlockChannel(1, 5000)
	b.Sender.Send([]byte("other"))
	b.Receiver.Read(b.Sender.Write(nil, time.Second, 0))
	want := randomBytes(3, 300000)
	a.Sender.Send(want)
	run := func(x BlockChannel, from, to time.Duration) (block []byte, trace string) {
		for now := from; now < to; now += tick { // to itself
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
	x, one := run(a, 200*time.Millisecond, 2*time.Second)
	y, two := run(b, 200*time.Millisecond, 2*time.Second)
	if one != two || !bytes.Equal(x, want) || !bytes.Equal(y, want) || a.Receiver.Stats != b.Receiver.Stats || a.Sender.Stats != b.Sender.Stats {
		t.Errorf("%d and %d bytes of %d", len(x), len(y), len(want))
	}
}
