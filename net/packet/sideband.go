package packet

import (
	"encoding/binary"
	"time"
)

// Sideband adds data of its own to the payloads of an Endpoint, such as messages that must
// arrive (package message), without the knowledge of the code that sends them. Both ends
// of a connection have one or neither has: the data and its length, 16 bits, follow the
// payload of every packet.
type Sideband interface {
	// Append appends at most room bytes to dst.
	Append(dst []byte, now, rtt time.Duration, room int) []byte

	// Sent takes the sequence number of the packet with the data of the last Append.
	Sent(s Sequence)

	// Read takes the data of a packet that has arrived, which may be anything.
	Read(data []byte)

	// Acknowledge takes the packets newly acknowledged, among them those sent while muted.
	Acknowledge(acks []Sequence)
}

// sidebandLengthBytes is the size of the length of the sideband's data.
const sidebandLengthBytes = 2

// maxSidebandBytes is the room for the sideband beside a payload that is fragmented anyway.
const maxSidebandBytes = 256

// SetSideband adds a sideband, or removes it if s is nil, from packet next of the other side on, a number that its
// Next returns. Of packets before it the data of an earlier sideband is dropped, and only the payload counts. Packets
// before an earlier change are dropped. The sideband itself is not copied by CopyFrom.
func (e *Endpoint) SetSideband(s Sideband, next uint16) {
	e.unreadable = e.sidebandFrom
	e.IgnoreBefore(max(e.unreadable, e.held.first))
	e.hadSideband, e.sideband, e.sidebandFrom = e.sideband != nil, s, e.expandNext(next)
}

// SetMuted mutes the endpoint or ends that. The payloads of a muted endpoint are sent empty,
// apart from the sideband's data, and Acks does not return those packets: to the code that
// sends them, they are lost.
func (e *Endpoint) SetMuted(muted bool) { e.muted = muted }

// SendSideband sends a packet with nothing but the sideband's data. Acks does not return it, and
// the other side's Receive does not either.
func (e *Endpoint) SendSideband() {
	muted := e.muted
	e.muted = true
	e.Send(nil)
	e.muted = muted
}

// withSideband returns a payload with the sideband's data, in memory that the next call reuses.
func (e *Endpoint) withSideband(payload []byte) []byte {
	if e.muted {
		payload = nil
	}
	room := maxUnfragmented - len(payload) - sidebandLengthBytes
	if room < 0 {
		room = min(maxSidebandBytes, MaxPayload-len(payload)-sidebandLengthBytes)
	}
	if room < 0 {
		panic("packet: Send with no room for the sideband")
	}
	b := append(e.sidebandBuffer[:0], payload...)
	b = e.sideband.Append(b, e.now, e.Stats.RTT, room)
	e.sidebandBuffer = appendSidebandLength(b, len(b)-len(payload))
	return e.sidebandBuffer
}

// AppendSideband appends a sideband's data to a payload, as SplitSideband splits them.
func AppendSideband(payload, data []byte) []byte {
	return appendSidebandLength(append(payload, data...), len(data))
}

// appendSidebandLength appends the length of the data that b ends with.
func appendSidebandLength(b []byte, n int) []byte {
	return binary.LittleEndian.AppendUint16(b, uint16(n&0xffff))
}

// SplitSideband splits a payload with a sideband's data into both. ok is false if it has no
// such data.
func SplitSideband(b []byte) (payload, data []byte, ok bool) {
	n := len(b) - sidebandLengthBytes
	if n < 0 {
		return nil, nil, false
	}
	size := int(binary.LittleEndian.Uint16(b[n:]))
	if size > n {
		return nil, nil, false
	}
	return b[: n-size : n-size], b[n-size : n], true
}

// readSideband passes the data of the sideband in the packets that have arrived, and the acknowledgements, to
// the sideband. Packets without a length of it are dropped, and those with nothing else.
func (e *Endpoint) readSideband() {
	if e.sideband == nil && !e.hadSideband {
		return // every packet stays
	}
	kept := e.inbox[:0]
	for _, p := range e.inbox {
		old := p.Sequence < e.sidebandFrom
		if p.Sequence < e.unreadable || old && !e.hadSideband || !old && e.sideband == nil {
			kept = append(kept, p)
			continue
		}
		payload, data, ok := SplitSideband(p.Payload)
		if !ok {
			e.Stats.RejectedRange++
			continue
		}
		if !old {
			e.sideband.Read(data)
		}
		if p.Payload = payload; len(payload) > 0 || len(data) == 0 {
			kept = append(kept, p)
		}
	}
	e.inbox = kept
	if e.sideband != nil {
		e.sideband.Acknowledge(e.allAcks)
	}
}
