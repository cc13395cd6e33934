package packet

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"ghostcube/internal/golden"
	"ghostcube/net/link"
)

// guideEndpoint is an end of the guide to networks. Its methods with comments behind their lines are the guide's
// pseudo-code; the others are what one of its words stands for.
type guideEndpoint struct {
	next    uint64
	unacked map[uint64]bool
	newest  uint64
	bits    uint32
	pieces  map[uint64][][]byte
	done    map[uint64]bool

	sent      []guideDatagram
	acked     []uint64
	delivered [][]byte
}

// guideDatagram is a datagram as far as the guide knows it. Numbers have 16 bits on the wire.
type guideDatagram struct {
	number, ack uint16
	bits        uint32
	k, count    int
	piece       []byte
}

func (g *guideEndpoint) send(payload []byte) { // send(payload):
	for k := range count(payload) { // for each piece k of payload:  # one up to 1186 bytes, else 1024 bytes each
		g.transmit(k, payload) // transmit(low 16 bits of next and newest, bits, k, number of pieces, the piece)
	}
	g.unacked[g.next] = true // add next to unacked
	g.next++                 // next = next + 1
}

func (g *guideEndpoint) receive(d guideDatagram) { // on a datagram (s, ack, its bits, k, count, piece):
	s, ack := nearest(d.number, g.newest), nearest(d.ack, g.next) // s = the number nearest to newest with these low bits; ack likewise, to next
	if g.done[s] || g.has(s, d.k) {                               // if packet s or its piece k has arrived before:
		return // return  # a duplicate
	}
	for n := range uint64(32) { // for n = 0 .. 31:
		if d.bits>>n&1 == 1 && g.unacked[ack-n] { // if its bit n is set, and unacked has ack - n:
			g.acknowledge(ack - n) // acknowledged(ack - n)  # once; it leaves unacked
		}
	}
	g.store(s, &d)       // pieces[s][k] = piece
	if g.isComplete(s) { // if all pieces of s are there:
		if s > g.newest || g.bits == 0 { // if s > newest:
			g.bits, g.newest = g.bits<<(s-g.newest)|1, s // shift bits left by s - newest, set bit 0, newest = s
		} else { // else:
			g.bits |= 1 << (g.newest - s) // set bit newest - s of bits  # none if that is above 31
		}
		g.deliver(s) // deliver(the pieces of s, joined)
	}
}

func count(payload []byte) int {
	if len(payload) <= maxUnfragmented {
		return 1
	}
	return (len(payload) + FragmentBytes - 1) / FragmentBytes
}

func piece(payload []byte, k int) []byte {
	if count(payload) == 1 {
		return payload
	}
	return payload[k*FragmentBytes : min((k+1)*FragmentBytes, len(payload))]
}

func (g *guideEndpoint) transmit(k int, payload []byte) {
	g.sent = append(g.sent, guideDatagram{uint16(g.next), uint16(g.newest), g.bits, k, count(payload), piece(payload, k)})
}

// nearest returns the number with some low 16 bits that is nearest to another.
func nearest(low uint16, to uint64) uint64 { return to + uint64(int64(int16(low-uint16(to)))) }

func (g *guideEndpoint) has(s uint64, k int) bool {
	return k < len(g.pieces[s]) && g.pieces[s][k] != nil
}

func (g *guideEndpoint) acknowledge(s uint64) {
	g.acked = append(g.acked, s)
	delete(g.unacked, s)
}

func (g *guideEndpoint) store(s uint64, d *guideDatagram) {
	if g.pieces[s] == nil {
		g.pieces[s] = make([][]byte, d.count)
	}
	g.pieces[s][d.k] = append([]byte{}, d.piece...)
}

func (g *guideEndpoint) isComplete(s uint64) bool {
	return !slices.ContainsFunc(g.pieces[s], func(p []byte) bool { return p == nil })
}

func (g *guideEndpoint) deliver(s uint64) {
	g.delivered, g.done[s] = append(g.delivered, bytes.Join(g.pieces[s], nil)), true
	delete(g.pieces, s)
}

// guideWire passes on the datagrams of an endpoint, and reports them.
type guideWire struct {
	link.Wire
	sent func(b []byte)
}

func (w *guideWire) Send(now time.Duration, b []byte) error {
	w.sent(b)
	return w.Wire.Send(now, b)
}

// guideDatagramOf returns what the guide knows of a datagram.
func guideDatagramOf(t *testing.T, b []byte) guideDatagram {
	t.Helper()
	var h header
	if h.decode(b) != valid {
		t.Fatal("a datagram is not valid")
	}
	return guideDatagram{h.sequence, h.ack, h.ackBits, h.fragmentID, max(h.fragmentCount, 1), slices.Clone(b[h.size():])}
}

// TestGuide runs the guide's pseudo-code beside one of two endpoints, over a network that loses, delays, reorders and
// duplicates, while the packets' numbers wrap. It receives what the endpoint receives, and has to send the same headers and
// pieces, and to report the same acknowledgements and payloads.
func TestGuide(t *testing.T) {
	golden.PseudoCode(t, "network", "guide_test.go")
	network := link.Network{Seed: 3}
	if err := network.Parse("latency=40ms,jitter=30ms,loss=10%,duplicate=10%"); err != nil {
		t.Fatal(err)
	}
	const first = 1<<16 - 100
	g := &guideEndpoint{next: first, unacked: map[uint64]bool{}, newest: first - 1, pieces: map[uint64][][]byte{}, done: map[uint64]bool{}}
	near, far := link.Pair(&network, 0)
	var sent []guideDatagram
	a, b := NewEndpoint(&guideWire{near, func(b []byte) { sent = append(sent, guideDatagramOf(t, b)) }}), NewEndpoint(far)
	a.next, b.next = first, first
	a.OnDatagram = func(d link.Datagram, _ Result) { g.receive(guideDatagramOf(t, d.Bytes)) }
	acked, delivered, pieces := 0, 0, 0
	for i := range 600 {
		now := time.Duration(i) * time.Second / 60
		a.Update(now)
		b.Update(now)
		var acks []uint64
		for _, s := range a.Acks() {
			acks = append(acks, uint64(s))
		}
		var payloads [][]byte
		for p, ok := a.Receive(); ok; p, ok = a.Receive() {
			payloads = append(payloads, slices.Clone(p.Payload))
		}
		if !slices.Equal(g.acked, acks) || !slices.EqualFunc(g.delivered, payloads, bytes.Equal) {
			t.Fatalf("tick %d: the guide has acknowledgements of %v and %d payloads, the endpoint of %v and %d", i, g.acked, len(g.delivered), acks, len(payloads))
		}
		acked, delivered = acked+len(acks), delivered+len(payloads)
		payload := pattern(1+i*37%3500, byte(i))
		a.Send(payload)
		b.Send(payload)
		g.send(payload)
		if !slices.EqualFunc(g.sent, sent, func(x, y guideDatagram) bool {
			return x.number == y.number && (x.ack == y.ack || x.bits == 0) && x.bits == y.bits && x.k == y.k && x.count == y.count && bytes.Equal(x.piece, y.piece)
		}) {
			t.Fatalf("tick %d: the guide sends %+v, the endpoint %+v", i, g.sent[0], sent[0])
		}
		pieces += len(sent)
		g.acked, g.delivered, g.sent, sent = nil, nil, nil, nil
	}
	if acked < 400 || delivered < 400 || pieces < 900 || g.next < 1<<16+400 {
		t.Errorf("%d acknowledgements, %d payloads, %d datagrams sent", acked, delivered, pieces)
	}
}
