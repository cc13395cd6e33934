package packet

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"ghostcube/net/link"
)

const tick = time.Second / 60

// goldenChecksum is the checksum of the golden header, computed by another program.
const goldenChecksum uint32 = 0xe74ea1c7

func newPair(t testing.TB, network string, seed uint64) (*Endpoint, *Endpoint) {
	t.Helper()
	n := &link.Network{Seed: seed}
	if err := n.Parse(network); err != nil {
		t.Fatal(err)
	}
	a, b := link.Pair(n, 0)
	return NewEndpoint(a), NewEndpoint(b)
}

// TestGoldenHeader checks the layout of a packet, byte for byte.
func TestGoldenHeader(t *testing.T) {
	var b [headerBytes + 3]byte
	copy(b[headerBytes:], "abc")
	h := header{sequence: 0x0102, ack: 0x0304, ackBits: 0x05060708, ackDelay: 0x090a}
	h.encode(b[:])
	want := []byte{0xc7, 0xa1, 0x4e, 0xe7, 2, 1, 4, 3, 8, 7, 6, 5, 0x0a, 9, 'a', 'b', 'c'}
	if !bytes.Equal(b[:], want) {
		t.Errorf("% x, want % x", b, want)
	}
	if got := binary.LittleEndian.Uint32(b[:]); got != goldenChecksum {
		t.Errorf("checksum %08x, want %08x", got, goldenChecksum)
	}
	var decoded header
	if decoded.decode(b[:]) != valid || decoded != h {
		t.Errorf("read back %+v", decoded)
	}
}

// TestConversation runs two endpoints over bad links with sequence numbers about to
// wrap. Every packet delivered must have been sent, and every packet acknowledged must
// have been delivered, each once.
func TestConversation(t *testing.T) {
	for _, network := range []string{"perfect", "csp-25-loss", "torture", "latency=50ms,jitter=50ms,loss=50%,duplicate=30%"} {
		for seed := range uint64(20) {
			a, b := newPair(t, network, seed)
			a.next, b.next = Sequence(65000+seed*50), Sequence(65500)
			type side struct {
				e         *Endpoint
				sent      map[uint32]bool
				delivered map[uint32]bool
				acked     map[Sequence]bool
				names     map[Sequence]uint32 // message by sequence number
			}
			sides := [2]*side{}
			for i, e := range []*Endpoint{a, b} {
				sides[i] = &side{e, map[uint32]bool{}, map[uint32]bool{}, map[Sequence]bool{}, map[Sequence]uint32{}}
			}
			n := uint32(0)
			for i := range 1800 {
				now := time.Duration(i) * tick
				for k, s := range sides {
					s.e.Update(now)
					for p, ok := s.e.Receive(); ok; p, ok = s.e.Receive() {
						id := binary.LittleEndian.Uint32(p.Payload)
						if !sides[1-k].sent[id] {
							t.Fatal("delivered a packet that was never sent")
						}
						if s.delivered[id] {
							t.Fatal("delivered twice")
						}
						s.delivered[id] = true
					}
					for _, q := range s.e.Acks() {
						if !sides[1-k].delivered[s.names[q]] {
							t.Fatal("acknowledged a packet that was not delivered")
						}
						if s.acked[q] {
							t.Fatal("acked twice")
						}
						s.acked[q] = true
					}
					n++
					var m [8]byte
					binary.LittleEndian.PutUint32(m[:], n)
					s.names[s.e.Send(m[:])] = n
					s.sent[n] = true
				}
			}
			if got := len(sides[0].delivered); got < 700 {
				t.Errorf("%s: only %d delivered", network, got)
			}
			if got, want := len(sides[0].acked), len(sides[1].delivered)*8/10; got < want {
				t.Errorf("%s: only %d acked of %d delivered", network, got, len(sides[1].delivered))
			}
		}
	}
}

// TestRTT checks that the estimate is the round trip of the wire and not of the ticks:
// 75 ms each way are 150 ms, although packets wait for the next tick at both ends.
func TestRTT(t *testing.T) {
	for _, c := range []struct {
		network string
		every   int
		want    time.Duration
	}{{"latency=75ms", 1, 150 * time.Millisecond}, {"latency=75ms", 4, 150 * time.Millisecond}, {"latency=3ms", 1, 6 * time.Millisecond}, {"up.latency=10ms,down.latency=90ms,loss=20%", 1, 100 * time.Millisecond}} {
		a, b := newPair(t, c.network, 1)
		for i := range 600 {
			now := time.Duration(i) * tick
			a.Update(now)
			a.Send(nil)
			b.Update(now)
			if i%c.every == 0 {
				b.Send(nil)
			}
		}
		if d := a.Stats.RTT - c.want; d < -ackDelayUnit || d > ackDelayUnit {
			t.Errorf("%s: RTT %v, want %v", c.network, a.Stats.RTT, c.want)
		}
	}
}

// TestLoss compares the measured loss with that of the network.
func TestLoss(t *testing.T) {
	a, b := newPair(t, "up.loss=25%,down.loss=5%,latency=40ms,jitter=30ms", 4)
	for i := range 6000 {
		now := time.Duration(i) * tick
		for _, e := range []*Endpoint{a, b} {
			e.Update(now)
			e.Send([]byte{1})
		}
	}
	if l := b.Stats.loss(); l < 0.23 || l > 0.27 {
		t.Errorf("up: %.3f", l)
	}
	if l := a.Stats.loss(); l < 0.04 || l > 0.06 {
		t.Errorf("down: %.3f", l)
	}
	if got, want := a.Stats.BytesSent, uint64(6000*(1+headerBytes+link.UDPIPHeaderBytes)); got != want {
		t.Errorf("%d bytes counted, want %d", got, want)
	}
}

// scriptedConn is a wire that delivers the datagrams of a test.
type scriptedConn struct{ in [][]byte }

func (s *scriptedConn) Send(time.Duration, []byte) error { return nil }

func (s *scriptedConn) Receive(now time.Duration) (link.Datagram, bool) {
	if len(s.in) == 0 {
		return link.Datagram{}, false
	}
	d := link.Datagram{Bytes: s.in[0], ReceivedAt: now}
	s.in = s.in[1:]
	return d, true
}

func makeDatagram(seq Sequence, payload string) []byte {
	b := make([]byte, headerBytes, headerBytes+len(payload))
	b = append(b, payload...)
	h := header{sequence: seq.low16()}
	h.encode(b)
	return b
}

// TestRefuses checks that a packet with any flipped bit, truncated, repeated or
// foreign, is counted and dropped, and changes nothing else.
func TestRefuses(t *testing.T) {
	s := &scriptedConn{in: [][]byte{makeDatagram(5, "hello")}}
	e := NewEndpoint(s)
	e.Update(0)
	if p, ok := e.Receive(); !ok || string(p.Payload) != "hello" || p.Sequence != 5 {
		t.Fatal("an intact packet does not arrive")
	}
	good := makeDatagram(6, "world")
	for bit := range len(good) * 8 {
		b := slices.Clone(good)
		b[bit/8] ^= 1 << (bit % 8)
		s.in = append(s.in, b)
	}
	for n := range good {
		s.in = append(s.in, good[:n])
	}
	s.in = append(s.in, make([]byte, MaxDatagram+1), makeDatagram(5, "hello"))
	n := uint64(len(s.in))
	before := e.Stats
	e.Update(tick)
	if p, ok := e.Receive(); ok {
		t.Errorf("delivered %q", p.Payload)
	}
	// Those shorter than a header and the one that is too long are out of range.
	before.RejectedChecksum, before.RejectedRange, before.Duplicates = n-2-headerBytes, headerBytes+1, 1
	if e.Stats != before {
		t.Errorf("%+v, want %+v", e.Stats, before)
	}
	s.in = append(s.in, makeDatagram(6, "world"))
	e.Update(2 * tick)
	if _, ok := e.Receive(); !ok {
		t.Error("the genuine packet is rejected after forgeries")
	}
}

// TestRefusedPacketIsLost checks that a packet that the receiver refuses is never acknowledged, also
// not by later acknowledgements, and that all others are, each once.
func TestRefusedPacketIsLost(t *testing.T) {
	a, b := newPair(t, "latency=20ms", 1)
	acked := map[Sequence]int{}
	for i := range 100 {
		now := time.Duration(i) * tick
		a.Update(now)
		for _, s := range a.Acks() {
			acked[s]++
		}
		a.Send([]byte{byte(i)})
		b.Update(now)
		for p, ok := b.Receive(); ok; p, ok = b.Receive() {
			if p.Payload[0]%5 == 2 {
				b.Refuse(p.Sequence)
			}
		}
		b.Send(nil)
	}
	for i := range Sequence(80) {
		want := 1
		if i%5 == 2 {
			want = 0
		}
		if acked[i] != want {
			t.Errorf("packet %d is acknowledged %d times, want %d", i, acked[i], want)
		}
	}
}

// TestStale checks that a packet from before the history is stale and one inside it is
// not.
func TestStale(t *testing.T) {
	s := &scriptedConn{in: [][]byte{
		makeDatagram(10, "a"), makeDatagram(9+historyLen, "confirmed by"), makeDatagram(10+historyLen, "b"),
		makeDatagram(9, "late"), makeDatagram(11, "in time"), makeDatagram(11, "again"),
	}}
	e := NewEndpoint(s)
	e.Update(0)
	var got []string
	for p, ok := e.Receive(); ok; p, ok = e.Receive() {
		got = append(got, string(p.Payload))
	}
	if want := []string{"a", "confirmed by", "b", "in time"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if e.Stats.Stale != 1 || e.Stats.Duplicates != 1 {
		t.Errorf("%+v", e.Stats)
	}
}

// TestCopyFrom checks that a copy behaves like the original, also in the middle of
// fragmented packets.
func TestCopyFrom(t *testing.T) {
	w := &link.Network{Seed: 1}
	if err := w.Parse("torture,burst=0"); err != nil {
		t.Fatal(err)
	}
	type session struct {
		ca, cb *link.End
		a, b   *Endpoint
	}
	start := func() session {
		ca, cb := link.Pair(w, 0)
		return session{ca, cb, NewEndpoint(ca), NewEndpoint(cb)}
	}
	run := func(s session, from, to int) {
		for i := from; i < to; i++ {
			now := time.Duration(i) * tick
			for _, e := range []*Endpoint{s.a, s.b} {
				e.Update(now)
				e.Send(pattern(i*37%5000, byte(i)))
			}
		}
	}
	original, copied := start(), start()
	run(original, 0, 300)
	copied.ca.CopyFrom(original.ca)
	copied.a.CopyFrom(original.a)
	copied.b.CopyFrom(original.b)
	if original.a.reassembler.packetCount == 0 {
		t.Error("no packet lacks fragments")
	}
	if p, ok := original.a.Receive(); ok {
		if q, ok := copied.a.Receive(); !ok || !bytes.Equal(p.Payload, q.Payload) {
			t.Error("the inbox was not copied")
		}
	}
	run(original, 300, 600)
	run(copied, 300, 600)
	if original.a.Stats != copied.a.Stats || original.b.Stats != copied.b.Stats {
		t.Errorf("%+v\n%+v", original.a.Stats, copied.a.Stats)
	}
}

func TestAllocatesNothing(t *testing.T) {
	a, b := newPair(t, "torture", 1)
	i := 0
	payload := make([]byte, 256)
	step := func() {
		now := time.Duration(i) * tick
		i++
		for _, e := range []*Endpoint{a, b} {
			e.Update(now)
			for _, ok := e.Receive(); ok; _, ok = e.Receive() {
			}
			e.Send(payload)
		}
	}
	for range 5000 {
		step()
	}
	if n := testing.AllocsPerRun(1000, step); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
