// Package packet is a packet protocol over unreliable datagrams. It numbers packets,
// fragments those that do not fit a datagram, drops corrupt, duplicate and foreign
// ones, acknowledges what arrived, and estimates round-trip time, loss and bandwidth.
//
// The method is that of Fiedler's articles on reliability over UDP (2008) and on game
// network protocols (2016). Every packet carries its own sequence number, the newest
// number received from the other side, and a bit for each of the 31 before that. An
// acknowledgement is so repeated in 32 packets, and losing one costs nothing. Nothing
// is sent again: that is left to code that knows what a packet contains and whether it
// still matters. Where the articles differ, header.go says which one it follows. The
// layout is documented byte by byte in docs/reference/wire.md.
//
// The package knows neither sockets nor the wall clock, nor what a payload means. Its
// checksum protects against damage and foreign datagrams, not against forgery.
package packet

import (
	"hash/crc32"
	"math/bits"
	"time"

	"ghostcube/net/link"
)

// MaxDatagram is the size of the largest datagram, in bytes. With the 28 bytes of IP
// and UDP headers it fits the minimum MTU of IPv6, 1280 bytes, and leaves room for
// tunnels (Fiedler's conservative choice of 2016).
const MaxDatagram = 1200

// maxUnfragmented is the size of the largest payload that is not fragmented.
const maxUnfragmented = MaxDatagram - headerBytes

// Packet is a received packet.
type Packet struct {
	Sequence        Sequence      // as returned by the other side's Send
	ReceivedAt      time.Duration // when it arrived, or its last fragment
	FirstFragmentAt time.Duration // when its first fragment arrived; otherwise ReceivedAt
	Payload         []byte        // valid until the next Update
}

// sentPacket is a packet that has been sent and not yet acknowledged.
type sentPacket struct {
	sentAt time.Duration
	bytes  uint64 // of all its datagrams, including all headers
	muted  bool   // its payload was left out
}

// Endpoint is one side of a connection.
type Endpoint struct {
	Stats Stats

	// Rewrite changes payloads before they are sent, for forced faults. It returns the payload
	// to send, which must be valid until the next call. It may be nil, and is not copied.
	Rewrite func(payload []byte) []byte

	// OnDatagram receives each datagram that arrives, after the endpoint has processed it, and what
	// became of it. It must not keep the bytes. It may be nil, and is not copied.
	OnDatagram func(d link.Datagram, r Result)

	conn         link.Wire
	sideband     Sideband // nil: none
	sidebandFrom Sequence // first packet of the other side with data for it, or without a sideband
	hadSideband  bool     // packets before have data of an earlier sideband
	unreadable   Sequence // packets before have been sent before an earlier change
	now          time.Duration
	muted        bool

	next      Sequence // next packet to send
	sent      SequenceBuffer[sentPacket]
	ackFilter ackFilter
	hasRTT    bool // RTT has been measured

	refused      bool     // the last Update has received a refusal: see Refused
	refusalsFrom Sequence // refusals of packets before this one were reported

	received    receiveState
	jump        jump
	reassembler reassembler
	rates       rates

	inbox     []Packet
	inboxRead int
	held      heldPackets
	pending   []pendingPacket
	acks      []Sequence // without those of muted packets
	allAcks   []Sequence

	endpointScratch
}

// endpointScratch is memory that means nothing by itself.
type endpointScratch struct {
	arena  arena // of the payloads in the inbox
	buffer [MaxDatagram]byte

	sidebandBuffer []byte
}

// pendingPacket is a complete packet that waits for memory: the arena has room for one
// large payload at a time.
type pendingPacket struct {
	sequence    Sequence
	completedAt time.Duration
}

// NewEndpoint returns an endpoint that sends and receives over wire.
func NewEndpoint(wire link.Wire) *Endpoint {
	e := &Endpoint{conn: wire, sent: NewSequenceBuffer[sentPacket](historyLen)}
	e.arena = newArena()
	e.received.complete = NewSequenceBuffer[struct{}](historyLen)
	e.reassembler.packets = NewSequenceBuffer[*assembly](reassemblyWindow)
	return e
}

// Update sets the time, which must not run backwards, and processes all datagrams that
// have arrived by then. It invalidates the results of Receive and Acks.
func (e *Endpoint) Update(now time.Duration) {
	e.now, e.refused = now, false
	e.acks, e.allAcks, e.inbox, e.inboxRead = e.acks[:0], e.allAcks[:0], e.inbox[:0], 0
	e.arena.reset()
	if r := &e.rates; r.advance(now) {
		s := &e.Stats
		s.SentRate, s.ReceivedRate, s.AckedRate = r.bitsPerSecond(r.sum.sent), r.bitsPerSecond(r.sum.received), r.bitsPerSecond(r.sum.acked)
	}
	pending := e.pending
	e.pending = e.pending[:0]
	for _, r := range pending {
		if a := e.reassembler.joined(r.sequence); a != nil { // not abandoned meanwhile
			e.deliverReassembled(r.sequence, a, r.completedAt)
		}
	}
	for {
		d, ok := e.conn.Receive(now)
		if !ok {
			break
		}
		if e.OnDatagram != nil {
			before := e.Stats
			e.handleDatagram(&d)
			e.OnDatagram(d, e.Stats.resultSince(&before))
			continue
		}
		e.handleDatagram(&d)
	}
	e.reassembler.expire(now)
	e.readSideband()
	e.holdInbox()
	s := &e.Stats
	s.FalseFragments = e.reassembler.falseFragments
	s.ReassemblyFailures, s.RecentExpected, s.RecentLost = e.reassembler.failures, uint64(e.received.lossSamples()), uint64(e.received.lost)
}

// handleDatagram processes a datagram, which may contain anything.
func (e *Endpoint) handleDatagram(d *link.Datagram) {
	var h header
	switch h.decode(d.Bytes) {
	case wrongChecksum:
		e.Stats.RejectedChecksum++
		return
	case outOfRange:
		e.Stats.RejectedRange++
		return
	}
	s, ok := e.received.expandSequence(h.sequence, d.ReceivedAt)
	if !ok {
		e.Stats.Stale++
		return
	}
	if e.received.complete.Has(s) {
		e.Stats.Duplicates++
		return
	}
	if e.checkJump(s, &h, d) {
		e.accept(s, &h, d)
	}
}

// accept processes a datagram of packet s, unless it is too old.
func (e *Endpoint) accept(s Sequence, h *header, d *link.Datagram) {
	if e.received.complete.TooOld(s) {
		e.Stats.Stale++
		return
	}
	body := d.Bytes[h.size():]
	if !h.isFragment {
		e.handleHeader(s, h, d)
		copy(e.deliver(s, d.ReceivedAt, d.ReceivedAt, len(body)), body)
		e.reassembler.releaseArrived(s)
		return
	}
	if e.received.started && s+reassemblyWindow <= e.received.newest {
		e.Stats.Stale++
		return
	}
	a, result := e.reassembler.add(s, h, body, d.ReceivedAt)
	switch result {
	case fragmentRefused:
		e.Stats.RejectedFragments++
	case fragmentDuplicate:
		e.Stats.Duplicates++
	case fragmentTooOld:
		e.Stats.Stale++
	case fragmentStored:
		e.handleHeader(s, h, d)
	case packetComplete:
		e.handleHeader(s, h, d)
		e.deliverReassembled(s, a, d.ReceivedAt)
	}
}

// deliverReassembled delivers a packet whose fragments have all arrived. A second large
// packet is delivered by the next Update, so that no datagram needs memory beyond the
// arena's.
func (e *Endpoint) deliverReassembled(s Sequence, a *assembly, at time.Duration) {
	if !e.arena.hasRoom(a.size) {
		e.pending = append(e.pending, pendingPacket{s, at})
		return
	}
	a.assemble(e.deliver(s, a.startedAt, at, a.size))
	e.reassembler.releaseArrived(s)
}

// handleHeader processes the sequence number and the acknowledgements of a new
// datagram.
func (e *Endpoint) handleHeader(s Sequence, h *header, d *link.Datagram) {
	n := uint64(len(d.Bytes) + link.UDPIPHeaderBytes)
	e.Stats.DatagramsReceived++
	e.Stats.BytesReceived += n
	e.rates.current.received += n
	e.Stats.Expected += e.received.observe(s, d.ReceivedAt)
	if e.reassembler.packetCount > 0 && e.received.newest >= reassemblyWindow {
		e.reassembler.abandonBelow(e.received.newest - reassemblyWindow + 1)
	}
	if s == e.received.newest {
		e.handleRefusal(h)
	}
	e.handleAcks(h, d.ReceivedAt)
}

// handleRefusal processes a header whose newest received packet is not acknowledged: it was refused.
func (e *Endpoint) handleRefusal(h *header) {
	if h.ackBits&1 != 0 || h.ackBits == 0 && h.ack == 0 || e.next == 0 {
		return // or nothing has arrived yet
	}
	if ack, ok := (e.next - 1).expand(h.ack); ok && ack < e.next && ack >= e.refusalsFrom {
		e.refused, e.refusalsFrom = true, e.next
	}
}

// deliver adds a complete packet to the inbox and returns the memory for its payload.
func (e *Endpoint) deliver(s Sequence, first, at time.Duration, size int) []byte {
	e.received.markComplete(s, at)
	e.Stats.PacketsReceived++
	payload := e.arena.alloc(size)
	e.inbox = append(e.inbox, Packet{Sequence: s, FirstFragmentAt: first, ReceivedAt: at, Payload: payload})
	return payload
}

// handleAcks processes the acknowledgements of a header.
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
			continue // never sent, forgotten, or already acknowledged
		}
		e.Stats.Acked++
		e.rates.current.acked += r.bytes
		if e.allAcks = append(e.allAcks, ack-n); !r.muted {
			e.acks = append(e.acks, ack-n)
		}
		if n == 0 && h.ackDelay != maxAckDelay {
			outdated := e.Stats.rttAge(at) > rttLifetime
			e.Stats.addRTT(at-r.sentAt-time.Duration(h.ackDelay)*ackDelayUnit, !e.hasRTT || outdated)
			e.Stats.RTTSampledAt, e.hasRTT = at, true
		}
		e.sent.Remove(ack - n)
	}
}

// Receive returns the next packet that arrived with the last Update, in order of
// arrival, or a packet that was held. Each Update delivers at most one packet of more than 64 KiB.
func (e *Endpoint) Receive() (p Packet, ok bool) {
	if !e.held.on && len(e.held.packets) > 0 {
		return e.held.pop(), true
	}
	if e.inboxRead == len(e.inbox) {
		return Packet{}, false
	}
	p = e.inbox[e.inboxRead]
	e.inboxRead++
	return p, true
}

// Refuse takes back the acknowledgement of a received packet whose payload cannot be used. To the
// sender it is lost, so it sends again what the packet contained and refers to none of it. The next
// Send also tells the other side's Refused. Call it before that.
func (e *Endpoint) Refuse(s Sequence) { e.received.refuse(s) }

// Refused reports whether the last Update has learned that the other side could not use a packet that
// it had received: what this side believes the other to have may be wrong, for example because an
// acknowledgement was forged. It must then refer to nothing any more until that is acknowledged anew.
// Refusals of packets that were sent before the last report are not reported again.
func (e *Endpoint) Refused() bool { return e.refused }

// Acks returns the sent packets that the last Update found acknowledged, each once. The
// slice is valid until the next Update.
func (e *Endpoint) Acks() []Sequence { return e.acks }

// Send sends a payload of at most MaxPayload bytes and returns the sequence number by
// which Acks will identify it. A payload that does not fit a datagram is sent in
// several, each with all headers, and arrives only if all of them do.
func (e *Endpoint) Send(payload []byte) Sequence {
	if e.Rewrite != nil {
		payload = e.Rewrite(payload)
	}
	if e.sideband != nil {
		payload = e.withSideband(payload)
	}
	if len(payload) > MaxPayload {
		panic("packet: Send with more than MaxPayload bytes")
	}
	s := e.next
	e.next++
	ack, set, delay := e.received.ackFields(e.now)
	e.received.hasRefused = false
	h := header{sequence: s.low16(), ack: ack.low16(), ackBits: set}
	h.ackDelay = uint16(min((max(delay, 0)+ackDelayUnit/2)/ackDelayUnit, maxAckDelay)) // a clock may be set back
	var bytes uint64
	if len(payload) <= maxUnfragmented {
		bytes = e.sendDatagram(&h, payload)
	} else {
		h.isFragment, h.fragmentCount = true, (len(payload)+FragmentBytes-1)/FragmentBytes
		h.payloadChecksum = crc32.Update(checksumSeed, castagnoli, payload)
		for h.fragmentID = range h.fragmentCount {
			rest := payload[h.fragmentID*FragmentBytes:]
			bytes += e.sendDatagram(&h, rest[:min(len(rest), FragmentBytes)])
		}
	}
	*e.sent.Insert(s) = sentPacket{sentAt: e.now, bytes: bytes, muted: e.muted}
	if e.sideband != nil {
		e.sideband.Sent(s)
	}
	e.Stats.PacketsSent++
	e.Stats.BytesSent += bytes
	e.rates.current.sent += bytes
	return s
}

// AckedBits returns the newest packet that the other side has acknowledged and a bit for it and
// each of the 31 before it: bit n says that packet newest-n is acknowledged. bits is 0 if none is.
func (e *Endpoint) AckedBits() (newest Sequence, bits uint32) {
	return e.ackFilter.ack, e.ackFilter.handled
}

// UnackedCount returns how many of the last 1024 packets sent are not acknowledged.
func (e *Endpoint) UnackedCount() (n int) {
	for i := range e.sent.slots {
		if e.sent.slots[i].tag > 0 {
			n++
		}
	}
	return n
}

// SentAt returns when a packet was sent, unless it has been acknowledged or is too old.
func (e *Endpoint) SentAt(s Sequence) (at time.Duration, ok bool) {
	if r := e.sent.Find(s); r != nil {
		return r.sentAt, true
	}
	return 0, false
}

// MaxMissing is the largest number that MissingBefore returns.
const MaxMissing = 256

// MissingBefore returns how many packets directly before s have not arrived.
func (e *Endpoint) MissingBefore(s Sequence) (n int) {
	for n < MaxMissing && s > e.received.lowest && !e.received.complete.Has(s-1) {
		n, s = n+1, s-1
	}
	return n
}

// sendDatagram sends a datagram and returns its size including all headers.
func (e *Endpoint) sendDatagram(h *header, body []byte) uint64 {
	b := append(e.buffer[:h.size()], body...)
	h.encode(b)
	e.Stats.DatagramsSent++
	_ = e.conn.Send(e.now, b) // a datagram that cannot be sent is lost
	return uint64(len(b) + link.UDPIPHeaderBytes)
}

// CopyFrom sets e to a copy of o that shares no memory. The wire and the sideband stay its own.
func (e *Endpoint) CopyFrom(o *Endpoint) {
	e.Stats, e.now, e.muted = o.Stats, o.now, o.muted
	e.next, e.ackFilter, e.hasRTT, e.jump = o.next, o.ackFilter, o.hasRTT, o.jump
	e.refused, e.refusalsFrom = o.refused, o.refusalsFrom
	e.sidebandFrom, e.hadSideband, e.unreadable = o.sidebandFrom, o.hadSideband, o.unreadable
	e.sent.CopyFrom(&o.sent)
	complete := e.received.complete
	complete.CopyFrom(&o.received.complete)
	e.received = o.received
	e.received.complete = complete
	e.reassembler.copyFrom(&o.reassembler)
	e.rates = o.rates
	e.pending = append(e.pending[:0], o.pending...)
	e.acks = append(e.acks[:0], o.acks...)
	e.allAcks = append(e.allAcks[:0], o.allAcks...)
	e.held.copyFrom(&o.held)
	e.arena.reset()
	e.inbox, e.inboxRead = e.inbox[:0], o.inboxRead
	for _, p := range o.inbox {
		from := p.Payload
		p.Payload = e.arena.alloc(len(from))
		copy(p.Payload, from)
		e.inbox = append(e.inbox, p)
	}
}
