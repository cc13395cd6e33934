package packet

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"ghostcube/net/link"
)

const tick = time.Second / 60

func newPair(t testing.TB, network string, seed uint64) (*Endpoint, *Endpoint) {
	t.Helper()
	n := &link.Network{Seed: seed}
	if err := n.Parse(network); err != nil {
		t.Fatal(err)
	}
	a, b := link.Pair(n, 0)
	return NewEndpoint(a), NewEndpoint(b)
}

// TestRTT checks that the estimate is the round trip of the wire and not of the ticks:
// 75 ms each way are 150 ms without jitter, although packets wait for the next tick at
// both ends.
func TestRTT(t *testing.T) {
	for _, c := range []struct {
		network string
		every   int
		want    time.Duration
	}{
		{"latency=75ms", 1, 150 * time.Millisecond},
		{"latency=75ms", 4, 150 * time.Millisecond},
		{"latency=3ms", 1, 6 * time.Millisecond},
		{"up.latency=10ms,down.latency=90ms,loss=20%", 1, 100 * time.Millisecond},
		{"latency=75ms,reorder=5%,reorder-delay=60ms", 1, 150 * time.Millisecond}, // overtaken packets are not sampled
	} {
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
		if d := a.Stats.RTT - c.want; d < -ackDelayUnit || d > ackDelayUnit || a.Stats.Jitter > ackDelayUnit {
			t.Errorf("%s: RTT %v, want %v, without jitter (%v)", c.network, a.Stats.RTT, c.want, a.Stats.Jitter)
		}
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

// TestAckDelay checks that a packet says for how long the one that it acknowledges has waited, to the nearest
// unit, and with the largest value if it is longer.
func TestAckDelay(t *testing.T) {
	for wait, want := range map[time.Duration]uint16{
		0: 0, ackDelayUnit/2 - 1: 0, ackDelayUnit / 2: 1, ackDelayUnit: 1, 5*ackDelayUnit - 1: 5,
		5*ackDelayUnit + ackDelayUnit/2: 6,
		maxAckDelay * ackDelayUnit:      maxAckDelay, time.Hour / 100: maxAckDelay,
	} {
		out, in := &recorder{}, &scriptedConn{in: [][]byte{makeDatagram(0, "")}}
		e := NewEndpoint(splitConn{in, out})
		e.Update(tick)
		e.Update(tick + wait)
		e.Send(nil)
		var h header
		if h.decode(out.sent[0]); h.ackDelay != want || h.ackBits != 1 {
			t.Errorf("after %v: a delay of %d units with the bits %b, want %d", wait, h.ackDelay, h.ackBits, want)
		}
	}
}

// TestMissingBefore checks how many packets directly before one are missing: none before the first one, whatever number
// that has, as nobody knows that there were any.
func TestMissingBefore(t *testing.T) {
	s := &scriptedConn{}
	e := NewEndpoint(s)
	for _, c := range []struct {
		arrives Sequence
		missing int
	}{{300, 0}, {301, 0}, {305, 3}, {303, 1}, {306, 0}} {
		s.in = append(s.in, makeDatagram(c.arrives, ""))
		if e.Update(0); e.MissingBefore(c.arrives) != c.missing {
			t.Errorf("%d are missing before %d, want %d", e.MissingBefore(c.arrives), c.arrives, c.missing)
		}
	}
}
