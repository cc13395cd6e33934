// Package packet numbers datagrams, drops what is corrupt, repeated or
// foreign, tells each side what has arrived at the other, and estimates the
// round trip.
//
// The method is that of Fiedler's articles on reliability over UDP: every
// packet carries its own number, the newest number that has arrived from the
// other side, and a bit for each of the 31 before it, so an acknowledgement is
// repeated in 32 packets and its loss costs nothing.
package packet

import (
	"time"

	"ghostcube/net/link"
)

// MaxDatagram is the largest datagram, in bytes. With the 28 bytes of IP and
// UDP it fits an Ethernet frame and what the common tunnels leave of one.
const MaxDatagram = 1400

// MaxPayload is the largest payload of one packet, in bytes.
const MaxPayload = MaxDatagram - headerBytes

// window is how many packets back are remembered, sent and received.
const window = 1024

// Packet is what has arrived.
type Packet struct {
	Sequence Sequence
	At       time.Duration // when it arrived
	Payload  []byte        // valid until the next Update
}

// Stats are running totals and estimates of one Endpoint.
type Stats struct {
	PacketsSent, PacketsReceived uint64
	BytesSent, BytesReceived     uint64 // with all headers, those of IP and UDP included
	Expected                     uint64 // packets that the other side is known to have sent
	Acked                        uint64 // of ours, known to have arrived
	Rejected                     uint64 // not of this protocol, or corrupt
	Repeated                     uint64 // had arrived before
	Stale                        uint64 // too old to tell

	RTT     time.Duration // smoothed round trip; 0 before the first
	RTTLast time.Duration // of the last acknowledgement
	RTTSway time.Duration // smoothed distance of single round trips from RTT
}

// Lost returns the share of the other side's packets that have not arrived, in
// [0,1]. Those on their way count as neither.
func (s *Stats) Lost() float64 {
	if s.Expected == 0 {
		return 0
	}
	return 1 - float64(s.PacketsReceived)/float64(s.Expected)
}

// sent is what is remembered of a packet of ours.
type sent struct {
	at    time.Duration
	open  bool // sent, and not known to have arrived
	label Sequence
}

// Endpoint is one side of a connection.
type Endpoint struct {
	Stats Stats

	wire link.Wire
	now  time.Duration
	next Sequence
	sent [window]sent

	newest   Sequence // of those that arrived
	newestAt time.Duration
	any      bool
	arrived  [window / 64]uint64 // bit: the packet of this sequence mod window arrived

	inbox  []Packet
	taken  int
	bytes  []byte // memory of the inbox
	starts []int  // of each payload in bytes
	acks   []Sequence
	out    [MaxDatagram]byte
}

// NewEndpoint returns an endpoint that speaks over wire.
func NewEndpoint(wire link.Wire) *Endpoint { return &Endpoint{wire: wire} }

// Update tells the endpoint the time and takes in all that has arrived by
// then. What Receive and Acks gave before is no longer valid.
func (e *Endpoint) Update(now time.Duration) {
	e.now = now
	e.acks, e.inbox, e.taken = e.acks[:0], e.inbox[:0], 0
	e.bytes, e.starts = e.bytes[:0], e.starts[:0]
	for {
		d, ok := e.wire.Receive(now)
		if !ok {
			break
		}
		e.open(d)
	}
	// The memory has stopped moving: point the packets into it.
	for i := range e.inbox {
		end := len(e.bytes)
		if i+1 < len(e.inbox) {
			end = e.starts[i+1]
		}
		e.inbox[i].Payload = e.bytes[e.starts[i]:end:end]
	}
}

// open takes in one datagram, which may be anything.
func (e *Endpoint) open(d link.Datagram) {
	var h header
	if !h.get(d.Bytes) {
		e.Stats.Rejected++
		return
	}
	if !e.accept(h.sequence, d.At) {
		return
	}
	e.Stats.PacketsReceived++
	e.Stats.BytesReceived += uint64(len(d.Bytes) + link.HeaderBytes)
	e.confirm(&h, d.At)
	e.starts = append(e.starts, len(e.bytes))
	e.bytes = append(e.bytes, d.Bytes[headerBytes:]...)
	e.inbox = append(e.inbox, Packet{Sequence: h.sequence, At: d.At})
}

// accept reports whether a packet of this number has not arrived before, and
// notes that it has.
func (e *Endpoint) accept(s Sequence, at time.Duration) bool {
	if !e.any {
		e.any, e.newest, e.newestAt = true, s, at
		e.Stats.Expected = 1
		e.mark(s, true)
		return true
	}
	if s.Newer(e.newest) {
		step := int(s - e.newest)
		if step >= window {
			e.arrived = [window / 64]uint64{}
		} else {
			for q := e.newest + 1; q != s; q++ {
				e.mark(q, false)
			}
		}
		e.newest, e.newestAt = s, at
		e.Stats.Expected += uint64(step)
		e.mark(s, true)
		return true
	}
	if e.newest-s >= window {
		e.Stats.Stale++
		return false
	}
	if e.has(s) {
		e.Stats.Repeated++
		return false
	}
	e.mark(s, true)
	return true
}

func (e *Endpoint) has(s Sequence) bool {
	i := s % window
	return e.arrived[i/64]>>(i%64)&1 != 0
}

func (e *Endpoint) mark(s Sequence, arrived bool) {
	i := s % window
	e.arrived[i/64] &^= 1 << (i % 64)
	if arrived {
		e.arrived[i/64] |= 1 << (i % 64)
	}
}

// confirm takes in what the other side says has arrived there.
func (e *Endpoint) confirm(h *header, at time.Duration) {
	for n := range Sequence(32) {
		if h.ackBits>>n&1 == 0 {
			continue
		}
		s := h.ack - n
		r := &e.sent[s%window]
		if !r.open || r.label != s {
			continue // never sent, forgotten, or acknowledged before
		}
		r.open = false
		e.Stats.Acked++
		e.acks = append(e.acks, s)
		if n == 0 && h.hold != holdLonger {
			e.estimate(at - r.at - time.Duration(h.hold)*holdUnit)
		}
	}
}

// estimate takes in one round trip. The smoothing is that of TCP (RFC 6298):
// an eighth for the mean and a quarter for the distance from it.
func (e *Endpoint) estimate(trip time.Duration) {
	trip = max(trip, 0)
	s := &e.Stats
	s.RTTLast = trip
	if s.RTT == 0 {
		s.RTT, s.RTTSway = trip, trip/2
		return
	}
	away := trip - s.RTT
	s.RTT += away / 8
	if away < 0 {
		away = -away
	}
	s.RTTSway += (away - s.RTTSway) / 4
}

// Receive returns the next packet that arrived with the last Update, in order
// of arrival.
func (e *Endpoint) Receive() (p Packet, ok bool) {
	if e.taken == len(e.inbox) {
		return Packet{}, false
	}
	p = e.inbox[e.taken]
	e.taken++
	return p, true
}

// Acks returns the packets of ours that the last Update showed to have
// arrived, each once. It is valid until the next Update.
func (e *Endpoint) Acks() []Sequence { return e.acks }

// Send sends a payload of at most MaxPayload bytes and returns the number by
// which Acks will name it.
func (e *Endpoint) Send(payload []byte) Sequence {
	if len(payload) > MaxPayload {
		panic("packet: Send of more than MaxPayload bytes")
	}
	h := header{sequence: e.next, ack: e.newest}
	if e.any {
		for n := range Sequence(32) {
			if e.has(e.newest - n) {
				h.ackBits |= 1 << n
			}
		}
		h.hold = uint16(min((e.now-e.newestAt+holdUnit/2)/holdUnit, holdLonger))
	}
	e.next++
	b := append(e.out[:headerBytes], payload...)
	h.put(b)
	e.sent[h.sequence%window] = sent{at: e.now, open: true, label: h.sequence}
	e.Stats.PacketsSent++
	e.Stats.BytesSent += uint64(len(b) + link.HeaderBytes)
	_ = e.wire.Send(e.now, b) // a datagram that cannot be sent is a lost one
	return h.sequence
}

// CopyFrom makes e an equal of o in all but the wire.
func (e *Endpoint) CopyFrom(o *Endpoint) {
	wire, inbox, bytes, starts, acks := e.wire, e.inbox, e.bytes, e.starts, e.acks
	*e = *o
	e.wire = wire
	e.inbox, e.starts, e.acks = append(inbox[:0], o.inbox...), append(starts[:0], o.starts...), append(acks[:0], o.acks...)
	e.bytes = append(bytes[:0], o.bytes...)
	for i := range e.inbox {
		n := len(e.inbox[i].Payload)
		e.inbox[i].Payload = e.bytes[e.starts[i] : e.starts[i]+n : e.starts[i]+n]
	}
}
