package link

import (
	"slices"
	"time"
)

// A TCP link charges what TCP puts on the wire besides the datagrams, against the
// bandwidth limit and in Counters.WireBytes:
//
//   - Every segment has TCPIPHeaderBytes of headers. Nagle's algorithm is off, so each
//     datagram is a segment.
//   - A lost segment is charged again for each retransmission, when it is sent.
//   - Data acknowledges what has arrived by then. If none is sent within delayedAck of an
//     arrival, an acknowledgement without data is. A segment that arrives before a missing
//     one, and one that fills the gap, is acknowledged at once (RFC 5681, 4.2), the first
//     with a SACK option (RFC 2018).
//
// These segments take part in the queue of the limit and are not lost. The time that a
// retransmission itself spends in the queue is left out, and so is the handshake.
const (
	// TCPIPHeaderBytes is the size of the IPv4 and TCP headers, with the timestamps option
	// that Linux and macOS use (RFC 7323): 20, 20 and 12.
	TCPIPHeaderBytes = 52

	// sackBytes is the size of a SACK option with one block, padded.
	sackBytes = 12

	// delayedAck is the smallest delay of an acknowledgement on Linux (TCP_DELACK_MIN).
	delayedAck = 40 * time.Millisecond
)

// segmentKind is the reason for a tcpEvent.
type segmentKind uint8

const (
	retransmission segmentKind = iota
	arrivedInOrder             // data from the other side that the next segment acknowledges
	arrivedGap                 // data from the other side before or into a gap
)

// tcpEvent is a reason to send a segment at a time, in one direction.
type tcpEvent struct {
	at    time.Duration
	kind  segmentKind
	bytes int // charged, with headers
}

// addEvent adds an event in order of time.
func (p *path) addEvent(e tcpEvent) {
	i := len(p.events)
	for i > 0 && p.events[i-1].at > e.at {
		i--
	}
	p.events = slices.Insert(p.events, i, e)
}

// charge counts bytes that are put on the wire, and returns when they leave a queue of
// any length.
func (p *path) charge(now time.Duration, c *Conditions, bytes int) time.Duration {
	p.counters.WireBytes += uint64(bytes)
	return p.departure(now, c, bytes)
}

// settle processes the events until now.
func (p *path) settle(now time.Duration) {
	if len(p.events) == 0 && p.ackDue == 0 {
		return
	}
	c := p.network.conditions(p.direction)
	done := 0
	for _, e := range p.events {
		if e.at > now {
			break
		}
		done++
		p.sendDelayedAck(e.at, c)
		switch e.kind {
		case retransmission:
			p.counters.Retransmitted++
			p.charge(e.at, c, e.bytes)
			p.ackDue = 0
		case arrivedInOrder:
			if p.ackDue == 0 {
				p.ackDue = e.at + delayedAck
			}
		case arrivedGap:
			p.counters.PureAcks++
			p.charge(e.at, c, e.bytes)
			p.ackDue = 0
		}
	}
	p.events = slices.Delete(p.events, 0, done)
	p.sendDelayedAck(now, c)
}

// sendDelayedAck sends the delayed acknowledgement if it is due by now.
func (p *path) sendDelayedAck(now time.Duration, c *Conditions) {
	if p.ackDue == 0 || p.ackDue > now {
		return
	}
	p.counters.PureAcks++
	p.charge(p.ackDue, c, TCPIPHeaderBytes)
	p.ackDue = 0
}

// acknowledge makes the other direction acknowledge a segment that arrives then. inOrder
// says that all earlier ones have arrived, lost that it was retransmitted.
func (p *path) acknowledge(arrival time.Duration, inOrder, lost bool) {
	e := tcpEvent{at: arrival, kind: arrivedInOrder}
	switch {
	case !inOrder:
		e.kind, e.bytes = arrivedGap, TCPIPHeaderBytes+sackBytes
	case lost:
		e.kind, e.bytes = arrivedGap, TCPIPHeaderBytes
	}
	p.reverse.addEvent(e)
}
