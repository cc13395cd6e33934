package packet

// Limits of the packets that wait, see Hold.
const (
	maxHeldPackets = 1024
	maxHeldBytes   = 8 << 20
)

// heldPackets are packets that wait until their receiver can read them.
type heldPackets struct {
	on      bool     // arriving packets are held
	discard bool     // instead of that, they are dropped
	packets []Packet // oldest first, in memory of their own
	bytes   int      // of their payloads
	first   Sequence // payloads of earlier packets are dropped: they belong to a life before
}

// Hold holds the payloads that arrive from now on, or drops them, until Release. None of them is acknowledged:
// to the sender they are lost, so that later ones do not refer to them. If too many wait, the oldest are
// dropped. Payloads that are held already are dropped.
func (e *Endpoint) Hold(discard bool) {
	e.held = heldPackets{on: true, discard: discard, first: e.held.first}
}

// Release ends Hold. Receive returns the held packets from number first on, and then those that arrive.
func (e *Endpoint) Release(first Sequence) {
	e.held.on = false
	first = max(first, e.held.first) // packets in an older format may have arrived meanwhile
	e.IgnoreBefore(first)
	kept := e.held.packets[:0]
	for _, p := range e.held.packets {
		if p.Sequence >= first {
			kept = append(kept, p)
		} else {
			e.held.bytes -= len(p.Payload)
		}
	}
	e.held.packets = kept
}

// IgnoreBefore drops the payloads of packets before number first that have not been received yet.
func (e *Endpoint) IgnoreBefore(first Sequence) {
	e.held.first = first
	e.holdInbox()
}

// IgnoreInFlight drops the payloads of packets of the other side before its packet next, a number that its Next
// returns, that have not been received yet.
func (e *Endpoint) IgnoreInFlight(next uint16) { e.IgnoreBefore(e.expandNext(next)) }

// expandNext returns the number of a packet that the other side will send next by its low bits.
func (e *Endpoint) expandNext(next uint16) Sequence {
	if !e.received.started {
		return Sequence(next)
	}
	s, _ := e.received.newest.expand(next)
	return s
}

// Next returns the number of the next packet to be sent, as 16 bits for Expand of the other side.
func (e *Endpoint) Next() uint16 { return e.next.low16() }

// Expand returns the number of a packet of the other side by its low bits, which that side has stated. ok is
// false if no such packet has arrived, nor a later one.
func (e *Endpoint) Expand(low uint16) (s Sequence, ok bool) {
	if !e.received.started {
		return 0, false
	}
	s, ok = e.received.newest.expand(low)
	return s, ok && s <= e.received.newest
}

// holdInbox drops the payloads of an earlier life, and holds the others if they have to wait: those before
// them do, or are not read yet.
func (e *Endpoint) holdInbox() {
	h := &e.held
	if h.first == 0 && !h.on && len(h.packets) == 0 {
		return // every packet stays
	}
	kept := e.inbox[:e.inboxRead]
	for _, p := range e.inbox[e.inboxRead:] {
		switch {
		case p.Sequence < h.first || h.on && h.discard:
			e.Refuse(p.Sequence)
		case h.on || len(h.packets) > 0:
			e.Refuse(p.Sequence)
			p.Payload = append([]byte(nil), p.Payload...)
			h.packets, h.bytes = append(h.packets, p), h.bytes+len(p.Payload)
		default:
			kept = append(kept, p)
		}
	}
	e.inbox = kept
	for len(h.packets) > maxHeldPackets || h.bytes > maxHeldBytes {
		h.pop()
	}
}

// pop removes the oldest packet.
func (h *heldPackets) pop() Packet {
	p := h.packets[0]
	h.packets, h.bytes = h.packets[1:], h.bytes-len(p.Payload)
	return p
}

func (h *heldPackets) copyFrom(o *heldPackets) {
	packets := h.packets[:0]
	for _, p := range o.packets {
		p.Payload = append([]byte(nil), p.Payload...)
		packets = append(packets, p)
	}
	*h = *o
	h.packets = packets
}
