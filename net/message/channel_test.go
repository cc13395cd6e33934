package message

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"ghostcube/net/packet"
	"ghostcube/net/quant"
)

const tick = time.Second / 60

// setStartID sets the first id of the stream from a to b.
func setStartID(a, b *Channel, id uint64) {
	a.nextSendID, a.oldestUnackedID, a.peerReceiveID = id, id, id
	b.nextReceiveID, b.ackedReceiveID = id, id
}

// writeChannel writes a section on its own.
func writeChannel(c *Channel, now time.Duration, room int) []byte {
	var w quant.Coder
	b := make([]byte, (room+63)/64*8+8)
	w.BeginWrite(b)
	c.Write(&w, now, 0, room)
	if w.Err() != nil || w.BitsProcessed() > room {
		panic(fmt.Sprintf("%v: %d bits in a room of %d", w.Err(), w.BitsProcessed(), room))
	}
	return w.FinishWrite()
}

func readChannel(c *Channel, b []byte) bool {
	var r quant.Coder
	r.BeginRead(b)
	return c.Read(&r)
}

func receiveAll(receive func() ([]byte, bool)) (got []string) {
	for b, ok := receive(); ok; b, ok = receive() {
		got = append(got, string(b))
	}
	return got
}

// TestGoldenChannel checks the layout of a section, bit for bit, against
// docs/reference/wire.md.
func TestGoldenChannel(t *testing.T) {
	c := NewChannel(Config{})
	setStartID(c, c, 0xfff0)
	if got := writeChannel(c, 0, 1000); !bytes.Equal(got, []byte{0}) {
		t.Errorf("without anything to send: % x", got)
	}
	c.nextReceiveID = 0x10102
	for _, m := range []string{"A", "BCDEF", ""} {
		c.Send([]byte(m))
	}
	c.sendQueue[0xfff1%1024].acked = true // skips an id
	c.SendUnreliable([]byte("z"))
	var w quant.Coder
	want := make([]byte, 32)
	w.BeginWrite(want)
	for _, f := range []struct{ value, bits int }{
		{1, 1}, {0x0102, 16}, // receive id
		{1, 1}, {1, 5}, {0xfff0, 16}, // two messages, the first id
		{1, 7}, {'A', 8},
		{0, 1}, {0, 8}, {0, 7}, // distance of two ids, an empty message
		{1, 1}, {0, 5}, {1, 7}, {'z', 8}, // one unreliable message
	} {
		w.Bits(uint32(f.value), f.bits)
	}
	if got := writeChannel(c, 0, 1000); !bytes.Equal(got, w.FinishWrite()) {
		t.Errorf("% x, want % x", got, w.FinishWrite())
	}
	if golden := []byte{0x05, 0x02, 0x06, 0xf8, 0xff, 0x40, 0x10, 0x00, 0x40, 0x10, 0xd0, 0x03}; !bytes.Equal(w.FinishWrite(), golden) {
		t.Errorf("% x, want % x", w.FinishWrite(), golden)
	}
}

// TestResend checks that a message is repeated 1.25 round trips after the last time,
// and not before 100 ms, until it is acked and consumed.
func TestResend(t *testing.T) {
	for _, x := range []struct{ rtt, want time.Duration }{
		{0, 100 * time.Millisecond}, {80 * time.Millisecond, 100 * time.Millisecond}, {200 * time.Millisecond, 250 * time.Millisecond},
	} {
		c := NewChannel(Config{})
		c.Send([]byte("x"))
		var times []time.Duration
		for now := time.Duration(0); now < 600*time.Millisecond; now += time.Millisecond {
			before := c.Stats.Sent
			var w quant.Coder
			w.BeginWrite(make([]byte, 64))
			c.Write(&w, now, x.rtt, 400)
			c.PacketSent(packet.Sequence(now / time.Millisecond))
			if c.Stats.Sent > before {
				times = append(times, now)
			}
		}
		if len(times) < 3 || times[0] != 0 || times[1] != x.want || times[2] != 2*x.want {
			t.Errorf("RTT %v: sent at %v", x.rtt, times)
		}
		c.Acknowledge([]packet.Sequence{packet.Sequence(times[1] / time.Millisecond)})
		if c.UnackedCount() != 0 {
			t.Error("acked but still queued")
		}
		if !readChannel(c, packBits(1, 1, 1, 16, 0, 2)) {
			t.Fatal("the receive id is rejected")
		}
		if writeChannel(c, time.Hour, 400); c.Stats.Sent != uint64(len(times)) {
			t.Error("repeated after it was acked")
		}
	}
}

// TestBounds checks that a channel rejects messages that are too long or too many and
// room that is too small, and that a section exceeds neither its room nor the budget.
func TestBounds(t *testing.T) {
	c := NewChannel(Config{MaxBytes: 10, QueueLen: 3, Budget: 40})
	if c.Send(make([]byte, 11)) != ErrTooLong || c.SendUnreliable(make([]byte, 11)) != ErrTooLong {
		t.Error("a message that is too long is accepted")
	}
	for i := range 4 {
		if err := c.Send([]byte("0123456789")); (err == nil) != (i < 3) || i == 3 && !errors.Is(err, ErrQueueFull) {
			t.Errorf("message %d: %v", i, err)
		}
	}
	for i := range MaxPerPacket + 1 {
		if err := c.SendUnreliable([]byte("0123456789")); (err == nil) != (i < MaxPerPacket) {
			t.Errorf("unreliable message %d: %v", i, err)
		}
	}
	// 5+16+4+80 bits for the first, 1+4+80 for each after it: three in 40 bytes.
	if got := len(writeChannel(c, 0, c.BitsForLongest()+85)); c.Stats.Sent != 2 || got > (c.BitsForLongest()+85+7)/8 {
		t.Errorf("%d bytes, %+v", got, c.Stats)
	}
	if c.Stats.UnreliableDropped != MaxPerPacket || c.Stats.UnreliableSent != 0 {
		t.Errorf("%+v", c.Stats)
	}
	writeChannel(c, time.Second, 4000)
	if c.Stats.Sent != 5 {
		t.Errorf("%d sent within a budget of 40 bytes", c.Stats.Sent-2)
	}
	for _, f := range []func(){
		func() { writeChannel(c, 0, MinBits-1) },
		func() { NewChannel(Config{MaxBytes: MaxBytes + 1}) },
		func() { NewChannel(Config{MaxBytes: -1}) },
		func() { NewChannel(Config{QueueLen: 1<<16 + 1}) },
		func() { NewChannel(Config{MaxBytes: 64, Budget: 66}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		}()
	}
}

// TestFullReceiveWindow checks that a receiver that does not consume its messages loses
// none: the sender stops at the window, although every packet was acked, and continues
// as the receiver consumes. It repeats only the first message, every 400 ms.
func TestFullReceiveWindow(t *testing.T) {
	a, b := NewChannel(Config{Budget: 1000}), NewChannel(Config{})
	s := packet.Sequence(0)
	exchange := func(now time.Duration) {
		if !readChannel(b, writeChannel(a, now, 8000)) {
			t.Fatal("a section is rejected")
		}
		a.PacketSent(s)
		a.Acknowledge([]packet.Sequence{s})
		if !readChannel(a, writeChannel(b, now, 8000)) {
			t.Fatal("a section is rejected")
		}
		b.PacketSent(s)
		b.Acknowledge([]packet.Sequence{s})
		s++
	}
	for i := range 1000 {
		a.Send(binary.LittleEndian.AppendUint32(nil, uint32(i)))
	}
	for i := range 100 {
		exchange(time.Duration(i) * tick)
	}
	if b.Stats.Received != Window || a.Stats.Resent > 100/24 || b.Stats.OutOfWindow != 0 {
		t.Errorf("%+v\n%+v", a.Stats, b.Stats)
	}
	for i := range uint32(1000) {
		m, ok := b.Receive()
		if !ok || binary.LittleEndian.Uint32(m) != i {
			t.Fatalf("message %d: %v %v", i, m, ok)
		}
		for k := range 2 {
			exchange(time.Duration(100+2*int(i)+k) * tick)
		}
	}
	if a.UnackedCount() != 0 || b.Stats.OutOfWindow != 0 {
		t.Errorf("%d unacknowledged, %+v", a.UnackedCount(), b.Stats)
	}
}

// TestFalseAcks loses every packet for a while, acknowledges all of them falsely, in both directions, and checks
// that all messages arrive within two seconds at a round trip of 100 ms.
func TestFalseAcks(t *testing.T) {
	a, b := NewChannel(Config{}), NewChannel(Config{})
	type flight struct {
		at  int
		seq packet.Sequence
		b   []byte
	}
	var toB, toA []flight
	got, forged, s := 0, 0, packet.Sequence(0)
	for i := range 240 {
		now := time.Duration(i) * tick
		if i < 60 && i%3 == 0 {
			a.Send([]byte{byte(i)})
		}
		if i == 50 {
			var all []packet.Sequence
			for k := range s {
				all = append(all, k)
			}
			a.Acknowledge(all)
			b.Acknowledge(all)
			forged = a.UnackedCount()
		}
		lost := i >= 20 && i < 55
		toB, toA = append(toB, flight{i + 3, s, writeChannel(a, now, 400)}), append(toA, flight{i + 3, s, writeChannel(b, now, 400)})
		a.PacketSent(s)
		b.PacketSent(s)
		if s++; lost {
			toB, toA = toB[:len(toB)-1], toA[:len(toA)-1]
		}
		for ; len(toB) > 0 && toB[0].at <= i; toB = toB[1:] {
			readChannel(b, toB[0].b)
			a.Acknowledge([]packet.Sequence{toB[0].seq})
			for m, ok := b.Receive(); ok; m, ok = b.Receive() {
				if got++; int(m[0]) != 3*(got-1) {
					t.Fatalf("message %d: %v", got-1, m)
				}
			}
		}
		for ; len(toA) > 0 && toA[0].at <= i; toA = toA[1:] {
			readChannel(a, toA[0].b)
			b.Acknowledge([]packet.Sequence{toA[0].seq})
		}
		if i == 50+120 && (got != 20 || a.UnackedCount() != 0) {
			t.Errorf("%d messages of 20 are received after two seconds, %d are unacknowledged", got, a.UnackedCount())
		}
	}
	if forged != 0 || a.peerReceiveID != 20 {
		t.Errorf("%d messages unacknowledged after the attack, %d consumed in the end", forged, a.peerReceiveID)
	}
}

// TestAcksOfForgottenPackets checks that an ack of a packet without messages, already
// acked or too old acknowledges no message, even if an older packet in the same slot
// had one.
func TestAcksOfForgottenPackets(t *testing.T) {
	c := NewChannel(Config{})
	c.Send([]byte("x"))
	writeChannel(c, 0, 400)
	c.PacketSent(5)
	writeChannel(c, time.Millisecond, 400) // nothing is due
	c.PacketSent(5 + packetHistory)
	writeChannel(c, time.Second, 400) // repeated
	c.PacketSent(6 + packetHistory)
	c.Acknowledge([]packet.Sequence{5, 5 + packetHistory, 5 + packetHistory, 6, 5 + 2*packetHistory, 6 + 2*packetHistory})
	if c.UnackedCount() != 1 || c.Stats.Acked != 0 {
		t.Errorf("%d unacknowledged, %+v", c.UnackedCount(), c.Stats)
	}
	c.Acknowledge([]packet.Sequence{6 + packetHistory})
	if c.UnackedCount() != 0 || c.Stats.Acked != 1 {
		t.Errorf("%d unacknowledged, %+v", c.UnackedCount(), c.Stats)
	}
}

// TestReceiveIDIsSentUntilAcked checks that a side sends its receive id until it is
// acked, and then no more, and that the other side takes it as an acknowledgement.
func TestReceiveIDIsSentUntilAcked(t *testing.T) {
	a, b := NewChannel(Config{}), NewChannel(Config{})
	now := time.Duration(0)
	deliver := func() {
		now += time.Second
		a.Send([]byte("x"))
		readChannel(b, writeChannel(a, now, 400))
		if _, ok := b.Receive(); !ok {
			t.Fatal("lost")
		}
	}
	sendsReceiveID := func() bool { return writeChannel(b, now, 400)[0]&1 != 0 }
	deliver()
	if !sendsReceiveID() {
		t.Error("no receive id after the first message")
	}
	b.PacketSent(1)
	deliver()
	if !sendsReceiveID() {
		t.Error("no receive id after the second message")
	}
	b.PacketSent(2)
	b.Acknowledge([]packet.Sequence{1})
	if !sendsReceiveID() {
		t.Error("the second receive id is not repeated")
	}
	b.Acknowledge([]packet.Sequence{2})
	if sendsReceiveID() {
		t.Error("the receive id is sent after it was acked")
	}
	b.ackedReceiveID = 0
	if !readChannel(a, writeChannel(b, now, 400)) || a.UnackedCount() != 0 || a.Stats.Acked != 2 {
		t.Errorf("%d unacknowledged, %+v", a.UnackedCount(), a.Stats)
	}
}

// TestRemaining checks that the rest of a payload begins at the next byte, and that
// non-zero padding and failed reads are rejected.
func TestRemaining(t *testing.T) {
	var c quant.Coder
	for n := 1; n <= 16; n++ {
		b := []byte{0, 0, 'r', 's'}
		c.BeginRead(b)
		c.Bits(0, n)
		if got := string(Remaining(&c, b)); got != string(b[(n+7)/8:]) {
			t.Errorf("after %d bits %q", n, got)
		}
		if n%8 == 0 {
			continue
		}
		b[n/8] = 0x80
		c.BeginRead(b)
		c.Bits(0, n)
		if Remaining(&c, b) != nil || c.Err() == nil {
			t.Errorf("a set bit after %d bits is accepted", n)
		}
	}
	c.BeginRead([]byte{0})
	c.Bits(0, 9)
	if Remaining(&c, []byte{0}) != nil {
		t.Error("a rest after reading past the end")
	}
}

// TestChannelCopyFrom checks that a copy behaves like the original and independently of
// it.
func TestChannelCopyFrom(t *testing.T) {
	a, b := NewChannel(Config{}), NewChannel(Config{QueueLen: 7})
	for i := range 50 {
		a.Send(fmt.Append(nil, "message ", i))
	}
	a.SendUnreliable([]byte("u"))
	readChannel(a, writeChannel(a, 0, 2000)) // connected to itself
	b.CopyFrom(a)
	for i := range 20 {
		a.Send(fmt.Append(nil, "more ", i))
		b.Send(fmt.Append(nil, "more ", i))
		now := time.Duration(i) * 50 * time.Millisecond
		x, y := writeChannel(a, now, 600), writeChannel(b, now, 600)
		if !bytes.Equal(x, y) {
			t.Fatalf("% x\n% x", x, y)
		}
		a.PacketSent(packet.Sequence(i))
		b.PacketSent(packet.Sequence(i))
		readChannel(a, x)
		readChannel(b, y)
		a.Acknowledge([]packet.Sequence{packet.Sequence(i - 1)})
		b.Acknowledge([]packet.Sequence{packet.Sequence(i - 1)})
		if p, q := receiveAll(a.Receive), receiveAll(b.Receive); !slices.Equal(p, q) {
			t.Fatalf("%q %q", p, q)
		}
	}
	if a.Stats != b.Stats || a.Stats.Acked == 0 {
		t.Errorf("%+v\n%+v", a.Stats, b.Stats)
	}
}

// steadyExchange returns one step of a steady exchange: every packet has messages of
// both kinds and acks.
func steadyExchange() func() {
	a, b := NewChannel(Config{}), NewChannel(Config{})
	var w, r quant.Coder
	buf := make([]byte, 256)
	m := make([]byte, 24)
	acks := make([]packet.Sequence, 1)
	i := 0
	return func() {
		now := time.Duration(i) * tick
		for _, c := range [2][2]*Channel{{a, b}, {b, a}} {
			c[0].Send(m)
			c[0].Send(m)
			c[0].SendUnreliable(m)
			w.BeginWrite(buf)
			c[0].Write(&w, now, 0, 1200)
			c[0].PacketSent(packet.Sequence(i & 0xffff))
			acks[0] = packet.Sequence(i & 0xffff)
			r.BeginRead(w.FinishWrite())
			if !c[1].Read(&r) {
				panic("a section is rejected")
			}
			for n := 0; ; n++ {
				if _, ok := c[1].Receive(); !ok {
					if n != 2 {
						panic("lost")
					}
					break
				}
			}
			c[1].ReceiveUnreliable()
			c[0].Acknowledge(acks)
		}
		i++
	}
}

func TestAllocatesNothing(t *testing.T) {
	step := steadyExchange()
	for range 2000 {
		step()
	}
	if n := testing.AllocsPerRun(1000, step); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkExchange measures two packets, one each way, each with two reliable messages
// and an unreliable one, written, read and acked.
func BenchmarkExchange(b *testing.B) {
	step := steadyExchange()
	b.ReportAllocs()
	for b.Loop() {
		step()
	}
}
