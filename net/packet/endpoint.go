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

// maxUnfragmented is the largest payload that is not cut.
const maxUnfragmented = MaxDatagram - headerBytes

// Packet is what has arrived.
type Packet struct {
	Sequence        Sequence      // as the other side's Send returned it
	ReceivedAt      time.Duration // when it arrived, the last fragment if it was cut
	FirstFragmentAt time.Duration // when the first of its fragments arrived; At if it was not cut
	Payload         []byte        // valid until the next Update
}

// sentPacket is what is remembered of a packet of ours until it is acknowledged.
type sentPacket struct {
	sentAt time.Duration
	bytes  uint64 // of all its datagrams, with all headers
}

// Endpoint is one side of a connection.
type Endpoint struct {
	Stats Stats

	conn link.Wire
	now  time.Duration

	next      Sequence // to be sent
	sent      SequenceBuffer[sentPacket]
	ackFilter ackFilter
	hasRTT    bool // a round trip has been measured

	received    receiveState
	reassembler reassembler
	rates       rates

	inbox     []Packet
	inboxRead int
	arena     arena // of the inbox
	pending   []pendingPacket
	acks      []Sequence
	buffer    [MaxDatagram]byte
}

// pendingPacket is a packet that has arrived whole and waits for memory: there is room
// for one large payload at a time.
type pendingPacket struct {
	sequence    Sequence
	completedAt time.Duration
}

// NewEndpoint returns an endpoint that speaks over wire.
func NewEndpoint(wire link.Wire) *Endpoint {
	e := &Endpoint{conn: wire, sent: NewSequenceBuffer[sentPacket](historyLen), arena: newArena()}
	e.received.complete = NewSequenceBuffer[struct{}](historyLen)
	e.reassembler.packets = NewSequenceBuffer[partialPacket](reassemblyWindow)
	return e
}

// Update tells the endpoint the time, which never runs backwards, and takes in
// all that has arrived by then. What Receive and Acks gave before is no longer
// valid.
func (e *Endpoint) Update(now time.Duration) {
	e.now = now
	e.acks, e.inbox, e.inboxRead = e.acks[:0], e.inbox[:0], 0
	e.arena.reset()
	if r := &e.rates; r.advance(now) {
		s := &e.Stats
		s.SentRate, s.ReceivedRate, s.AckedRate = r.bitsPerSecond(r.sum.sent), r.bitsPerSecond(r.sum.received), r.bitsPerSecond(r.sum.acked)
	}
	waiting := e.pending
	e.pending = e.pending[:0]
	for _, r := range waiting {
		if p := e.reassembler.packets.Find(r.sequence); p != nil { // not given up meanwhile
			e.deliverReassembled(r.sequence, p, r.completedAt)
		}
	}
	for {
		d, ok := e.conn.Receive(now)
		if !ok {
			break
		}
		e.handleDatagram(d)
	}
	e.reassembler.expire(now)
	s := &e.Stats
	s.ReassemblyFailures, s.RecentExpected, s.RecentLost = e.reassembler.failures, uint64(e.received.lossSamples()), uint64(e.received.lost)
}

// handleDatagram takes in one datagram, which may be anything.
func (e *Endpoint) handleDatagram(d link.Datagram) {
	var h header
	if !h.decode(d.Bytes) {
		e.Stats.Rejected++
		return
	}
	s, ok := e.received.expandSequence(h.sequence, d.ReceivedAt)
	if !ok || e.received.complete.TooOld(s) {
		e.Stats.Stale++
		return
	}
	if e.received.complete.Has(s) {
		e.Stats.Duplicates++
		return
	}
	body := d.Bytes[h.size():]
	if !h.isFragment {
		e.handleHeader(s, &h, d)
		copy(e.deliver(s, d.ReceivedAt, d.ReceivedAt, len(body)), body)
		e.reassembler.release(s)
		return
	}
	if e.received.started && s+reassemblyWindow <= e.received.newest {
		e.Stats.Stale++
		return
	}
	p, came := e.reassembler.add(s, &h, body, d.ReceivedAt)
	switch came {
	case fragmentRefused:
		e.Stats.Rejected++
	case fragmentDuplicate:
		e.Stats.Duplicates++
	case fragmentTooOld:
		e.Stats.Stale++
	case fragmentStored:
		e.handleHeader(s, &h, d)
	case packetComplete:
		e.handleHeader(s, &h, d)
		e.deliverReassembled(s, p, d.ReceivedAt)
	}
}

// deliverReassembled delivers a packet all of whose fragments have come, now or, if it is
// large and another large one was delivered already, with the next Update: so
// no datagram asks for memory that an endpoint does not have.
func (e *Endpoint) deliverReassembled(s Sequence, p *partialPacket, at time.Duration) {
	if !e.arena.hasRoom(p.size) {
		e.pending = append(e.pending, pendingPacket{s, at})
		return
	}
	p.assemble(e.deliver(s, p.startedAt, at, p.size))
	e.reassembler.release(s)
}

// handleHeader takes in what any new datagram says of itself and of our own packets.
func (e *Endpoint) handleHeader(s Sequence, h *header, d link.Datagram) {
	n := uint64(len(d.Bytes) + link.UDPIPHeaderBytes)
	e.Stats.DatagramsReceived++
	e.Stats.BytesReceived += n
	e.rates.current.received += n
	e.Stats.Expected += e.received.observe(s, d.ReceivedAt)
	if e.reassembler.packetCount > 0 && e.received.newest >= reassemblyWindow {
		e.reassembler.abandonBelow(e.received.newest - reassemblyWindow + 1)
	}
	e.handleAcks(h, d.ReceivedAt)
}

// deliver puts a packet that has arrived whole into the inbox and returns the
// memory for its payload.
func (e *Endpoint) deliver(s Sequence, first, at time.Duration, size int) []byte {
	e.received.markComplete(s, at)
	e.Stats.PacketsReceived++
	payload := e.arena.alloc(size)
	e.inbox = append(e.inbox, Packet{Sequence: s, FirstFragmentAt: first, ReceivedAt: at, Payload: payload})
	return payload
}

// handleAcks takes in what the other side says has arrived there.
func (e *Endpoint) handleAcks(h *header, at time.Duration) {
	if h.ackBits == 0 {
		return
	}
	var ack Sequence
	ok := e.next > 0
	if ok {
		ack, ok = (e.next - 1).expand(h.ack)
	}
	if !ok || ack >= e.next {
		e.Stats.InvalidAcks++
		return
	}
	for set := e.ackFilter.newAcks(ack, h.ackBits); set != 0; set &= set - 1 {
		n := Sequence(bits.TrailingZeros32(set))
		r := e.sent.Find(ack - n)
		if r == nil {
			continue // never sent, forgotten, or acknowledged before
		}
		e.Stats.Acked++
		e.rates.current.acked += r.bytes
		e.acks = append(e.acks, ack-n)
		if n == 0 && h.ackDelay != maxAckDelay {
			e.Stats.addRTT(at-r.sentAt-time.Duration(h.ackDelay)*ackDelayUnit, !e.hasRTT)
			e.hasRTT = true
		}
		e.sent.Remove(ack - n)
	}
}

// Receive returns the next packet that arrived with the last Update, in order
// of arrival. Of those of more than 64 KiB one is delivered with each Update.
func (e *Endpoint) Receive() (p Packet, ok bool) {
	if e.inboxRead == len(e.inbox) {
		return Packet{}, false
	}
	p = e.inbox[e.inboxRead]
	e.inboxRead++
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
	ack, set, hold := e.received.ackFields(e.now)
	h := header{sequence: s.low16(), ack: ack.low16(), ackBits: set}
	h.ackDelay = uint16(min((hold+ackDelayUnit/2)/ackDelayUnit, maxAckDelay))
	var bytes uint64
	if len(payload) <= maxUnfragmented {
		bytes = e.sendDatagram(&h, payload)
	} else {
		h.isFragment, h.fragmentCount = true, (len(payload)+FragmentBytes-1)/FragmentBytes
		for h.fragmentID = range h.fragmentCount {
			part := payload[h.fragmentID*FragmentBytes:]
			bytes += e.sendDatagram(&h, part[:min(len(part), FragmentBytes)])
		}
	}
	*e.sent.Insert(s) = sentPacket{sentAt: e.now, bytes: bytes}
	e.Stats.PacketsSent++
	e.Stats.BytesSent += bytes
	e.rates.current.sent += bytes
	return s
}

// SentAt returns when a packet of ours was sent, unless it has been acknowledged
// or is too old to be remembered.
func (e *Endpoint) SentAt(s Sequence) (at time.Duration, ok bool) {
	if r := e.sent.Find(s); r != nil {
		return r.sentAt, true
	}
	return 0, false
}

// sendDatagram sends one datagram and returns the bytes to charge for it.
func (e *Endpoint) sendDatagram(h *header, body []byte) uint64 {
	b := append(e.buffer[:h.size()], body...)
	h.encode(b)
	e.Stats.DatagramsSent++
	_ = e.conn.Send(e.now, b) // a datagram that cannot be sent is a lost one
	return uint64(len(b) + link.UDPIPHeaderBytes)
}

// CopyFrom makes e an equal of o in all but the wire. They share no memory.
func (e *Endpoint) CopyFrom(o *Endpoint) {
	e.Stats, e.now = o.Stats, o.now
	e.next, e.ackFilter, e.hasRTT = o.next, o.ackFilter, o.hasRTT
	e.sent.CopyFrom(&o.sent)
	whole := e.received.complete
	whole.CopyFrom(&o.received.complete)
	e.received = o.received
	e.received.complete = whole
	e.reassembler.copyFrom(&o.reassembler)
	e.rates = o.rates
	e.pending = append(e.pending[:0], o.pending...)
	e.acks = append(e.acks[:0], o.acks...)
	e.arena.reset()
	e.inbox, e.inboxRead = e.inbox[:0], o.inboxRead
	for _, p := range o.inbox {
		from := p.Payload
		p.Payload = e.arena.alloc(len(from))
		copy(p.Payload, from)
		e.inbox = append(e.inbox, p)
	}
}
