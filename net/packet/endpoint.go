// Package packet numbers packets, cuts those that are too long for a datagram,
// drops what is corrupt, repeated or foreign, tells each side what has arrived
// at the other, and estimates the round trip, the loss and the bandwidth.
//
// The method is that of Fiedler's articles on reliability over UDP (2008) and
// on game network protocols (2016): every packet carries its own number, the
// newest number that has arrived from the other side, and a bit for each of the
// 31 before it, so an acknowledgement is repeated in 32 packets and its loss
// costs nothing. Nothing is sent again; that is for whoever knows what is in a
// packet and whether it still matters. Where the articles differ header.go says
// which was followed. The layout, byte by byte, is in docs/wire.md.
//
// The package knows neither sockets nor the wall clock, nor what a payload
// means. The checksum keeps out damage and strangers, not forgers.
package packet

import (
	"math/bits"
	"time"

	"ghostcube/net/link"
)

// MaxDatagram is the largest datagram, in bytes. With the 28 bytes of IP and
// UDP it fits the smallest packet that every IPv6 network has to carry, 1280
// bytes, and leaves some for tunnels (Fiedler's conservative choice of 2016).
const MaxDatagram = 1200

// maxWhole is the largest payload that is not cut.
const maxWhole = MaxDatagram - headerBytes

// Packet is what has arrived.
type Packet struct {
	Sequence        Sequence      // as the other side's Send returned it
	ReceivedAt      time.Duration // when it arrived, the last fragment if it was cut
	FirstFragmentAt time.Duration // when the first of its fragments arrived; At if it was not cut
	Payload         []byte        // valid until the next Update
}

// sent is what is remembered of a packet of ours until it is acknowledged.
type sent struct {
	at    time.Duration
	bytes uint64 // of all its datagrams, with all headers
}

// Endpoint is one side of a connection.
type Endpoint struct {
	Stats Stats

	wire link.Wire
	now  time.Duration

	next  Sequence // to be sent
	sent  SequenceBuffer[sent]
	known confirmed
	timed bool // a round trip has been measured

	received received
	parts    assemblies
	rates    rates

	inbox  []Packet
	taken  int
	memory arena // of the inbox
	ready  []ready
	acks   []Sequence
	out    [MaxDatagram]byte
}

// ready is a packet that has arrived whole and waits for memory: there is room
// for one large payload at a time.
type ready struct {
	sequence Sequence
	at       time.Duration
}

// NewEndpoint returns an endpoint that speaks over wire.
func NewEndpoint(wire link.Wire) *Endpoint {
	e := &Endpoint{wire: wire, sent: NewSequenceBuffer[sent](window), memory: newArena()}
	e.received.whole = NewSequenceBuffer[struct{}](window)
	e.parts.packets = NewSequenceBuffer[assembly](partWindow)
	return e
}

// Update tells the endpoint the time, which never runs backwards, and takes in
// all that has arrived by then. What Receive and Acks gave before is no longer
// valid.
func (e *Endpoint) Update(now time.Duration) {
	e.now = now
	e.acks, e.inbox, e.taken = e.acks[:0], e.inbox[:0], 0
	e.memory.reset()
	if r := &e.rates; r.roll(now) {
		s := &e.Stats
		s.SentRate, s.ReceivedRate, s.AckedRate = r.perSecond(r.sum.sent), r.perSecond(r.sum.received), r.perSecond(r.sum.acked)
	}
	waiting := e.ready
	e.ready = e.ready[:0]
	for _, r := range waiting {
		if p := e.parts.packets.Find(r.sequence); p != nil { // not given up meanwhile
			e.finish(r.sequence, p, r.at)
		}
	}
	for {
		d, ok := e.wire.Receive(now)
		if !ok {
			break
		}
		e.open(d)
	}
	e.parts.expire(now)
	s := &e.Stats
	s.Abandoned, s.Late, s.Missing = e.parts.given, uint64(e.received.judged()), uint64(e.received.missing)
}

// open takes in one datagram, which may be anything.
func (e *Endpoint) open(d link.Datagram) {
	var h header
	if !h.get(d.Bytes) {
		e.Stats.Rejected++
		return
	}
	s, ok := e.received.place(h.sequence, d.At)
	if !ok || e.received.whole.TooOld(s) {
		e.Stats.Stale++
		return
	}
	if e.received.whole.Has(s) {
		e.Stats.Repeated++
		return
	}
	body := d.Bytes[h.size():]
	if !h.fragment {
		e.accept(s, &h, d)
		copy(e.deliver(s, d.At, d.At, len(body)), body)
		e.parts.release(s)
		return
	}
	if e.received.any && s+partWindow <= e.received.newest {
		e.Stats.Stale++
		return
	}
	p, came := e.parts.take(s, &h, body, d.At)
	switch came {
	case odd:
		e.Stats.Rejected++
	case again:
		e.Stats.Repeated++
	case late:
		e.Stats.Stale++
	case taken:
		e.accept(s, &h, d)
	case complete:
		e.accept(s, &h, d)
		e.finish(s, p, d.At)
	}
}

// finish delivers a packet all of whose fragments have come, now or, if it is
// large and another large one was delivered already, with the next Update: so
// no datagram asks for memory that an endpoint does not have.
func (e *Endpoint) finish(s Sequence, p *assembly, at time.Duration) {
	if !e.memory.room(p.size) {
		e.ready = append(e.ready, ready{s, at})
		return
	}
	p.join(e.deliver(s, p.began, at, p.size))
	e.parts.release(s)
}

// accept takes in what any new datagram says of itself and of our own packets.
func (e *Endpoint) accept(s Sequence, h *header, d link.Datagram) {
	n := uint64(len(d.Bytes) + link.HeaderBytes)
	e.Stats.DatagramsReceived++
	e.Stats.BytesReceived += n
	e.rates.open.received += n
	e.Stats.Expected += e.received.note(s, d.At)
	if e.parts.count > 0 && e.received.newest >= partWindow {
		e.parts.forget(e.received.newest - partWindow + 1)
	}
	e.confirm(h, d.At)
}

// deliver puts a packet that has arrived whole into the inbox and returns the
// memory for its payload.
func (e *Endpoint) deliver(s Sequence, first, at time.Duration, size int) []byte {
	e.received.deliver(s, at)
	e.Stats.PacketsReceived++
	payload := e.memory.get(size)
	e.inbox = append(e.inbox, Packet{Sequence: s, FirstFragmentAt: first, ReceivedAt: at, Payload: payload})
	return payload
}

// confirm takes in what the other side says has arrived there.
func (e *Endpoint) confirm(h *header, at time.Duration) {
	if h.ackBits == 0 {
		return
	}
	var ack Sequence
	ok := e.next > 0
	if ok {
		ack, ok = (e.next - 1).near(h.ack)
	}
	if !ok || ack >= e.next {
		e.Stats.Unsent++
		return
	}
	for set := e.known.fresh(ack, h.ackBits); set != 0; set &= set - 1 {
		n := Sequence(bits.TrailingZeros32(set))
		r := e.sent.Find(ack - n)
		if r == nil {
			continue // never sent, forgotten, or acknowledged before
		}
		e.Stats.Acked++
		e.rates.open.acked += r.bytes
		e.acks = append(e.acks, ack-n)
		if n == 0 && h.hold != holdLonger {
			e.Stats.trip(at-r.at-time.Duration(h.hold)*holdUnit, !e.timed)
			e.timed = true
		}
		e.sent.Remove(ack - n)
	}
}

// Receive returns the next packet that arrived with the last Update, in order
// of arrival. Of those of more than 64 KiB one is delivered with each Update.
func (e *Endpoint) Receive() (p Packet, ok bool) {
	if e.taken == len(e.inbox) {
		return Packet{}, false
	}
	p = e.inbox[e.taken]
	e.taken++
	return p, true
}

// Acks returns the packets of ours that the last Update showed to have
// arrived whole, each once. It is valid until the next Update.
func (e *Endpoint) Acks() []Sequence { return e.acks }

// Send sends a payload of at most MaxPayload bytes and returns the number by
// which Acks will name it. What does not fit one datagram goes in several, each
// with all headers; the packet arrives only if every one of them does.
func (e *Endpoint) Send(payload []byte) Sequence {
	if len(payload) > MaxPayload {
		panic("packet: Send of more than MaxPayload bytes")
	}
	s := e.next
	e.next++
	ack, set, hold := e.received.acks(e.now)
	h := header{sequence: s.low(), ack: ack.low(), ackBits: set}
	h.hold = uint16(min((hold+holdUnit/2)/holdUnit, holdLonger))
	var bytes uint64
	if len(payload) <= maxWhole {
		bytes = e.emit(&h, payload)
	} else {
		h.fragment, h.count = true, (len(payload)+FragmentBytes-1)/FragmentBytes
		for h.id = range h.count {
			part := payload[h.id*FragmentBytes:]
			bytes += e.emit(&h, part[:min(len(part), FragmentBytes)])
		}
	}
	*e.sent.Insert(s) = sent{at: e.now, bytes: bytes}
	e.Stats.PacketsSent++
	e.Stats.BytesSent += bytes
	e.rates.open.sent += bytes
	return s
}

// SentAt returns when a packet of ours was sent, unless it has been acknowledged
// or is too old to be remembered.
func (e *Endpoint) SentAt(s Sequence) (at time.Duration, ok bool) {
	if r := e.sent.Find(s); r != nil {
		return r.at, true
	}
	return 0, false
}

// emit sends one datagram and returns the bytes to charge for it.
func (e *Endpoint) emit(h *header, body []byte) uint64 {
	b := append(e.out[:h.size()], body...)
	h.put(b)
	e.Stats.DatagramsSent++
	_ = e.wire.Send(e.now, b) // a datagram that cannot be sent is a lost one
	return uint64(len(b) + link.HeaderBytes)
}

// CopyFrom makes e an equal of o in all but the wire. They share no memory.
func (e *Endpoint) CopyFrom(o *Endpoint) {
	e.Stats, e.now = o.Stats, o.now
	e.next, e.known, e.timed = o.next, o.known, o.timed
	e.sent.CopyFrom(&o.sent)
	whole := e.received.whole
	whole.CopyFrom(&o.received.whole)
	e.received = o.received
	e.received.whole = whole
	e.parts.copyFrom(&o.parts)
	e.rates = o.rates
	e.ready = append(e.ready[:0], o.ready...)
	e.acks = append(e.acks[:0], o.acks...)
	e.memory.reset()
	e.inbox, e.taken = e.inbox[:0], o.taken
	for _, p := range o.inbox {
		from := p.Payload
		p.Payload = e.memory.get(len(from))
		copy(p.Payload, from)
		e.inbox = append(e.inbox, p)
	}
}
