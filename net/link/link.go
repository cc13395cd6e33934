// Package link is a simulated connection between two ends: latency, jitter,
// loss, duplicates, reordering, bursts, bandwidth.
//
// It knows neither sockets nor the wall clock: the caller says what time it
// is, and everything else follows from a seed. What happens to a datagram is
// its fate, a hash of the seed, the direction, the seat, the moment it is sent,
// and its place among those sent at that moment. It does not depend on the
// datagram's content or on what was sent before, so several strategies that
// share a weather meet the same losses and the same delays at the same moments,
// however many packets each of them sends. Only a bandwidth limit looks at
// sizes, and is meant to: size is part of what a strategy costs.
package link

import "time"

// Wire is one end of a connection: of a simulated link, or a socket.
type Wire interface {
	// Send puts a datagram on its way. The bytes are copied.
	Send(now time.Duration, datagram []byte) error

	// Receive returns the next datagram that has arrived by now. Its bytes are
	// valid until the next call of Receive.
	Receive(now time.Duration) (d Datagram, ok bool)
}

// Datagram is what a Wire carries.
type Datagram struct {
	Bytes      []byte
	ReceivedAt time.Duration // when it arrived, at or before the now of Receive
	SentAt     time.Duration // when it was sent, of a simulated link; no datagram carries that
}

// UDPIPHeaderBytes is what IPv4 and UDP put before every datagram, and what the
// meters charge for it.
const UDPIPHeaderBytes = 28

// End is one end of a simulated link.
type End struct{ out, in *path }

// Pair returns the two ends of a link under w for one seat. Links of different
// seats meet different fates.
func Pair(w *Network, seat int) (client, server *End) {
	up := &path{network: w, direction: Up, seat: seat}
	down := &path{network: w, direction: Down, seat: seat}
	return &End{up, down}, &End{down, up}
}

// Send puts a datagram on its way. It never fails.
func (e *End) Send(now time.Duration, b []byte) error {
	e.out.send(now, b)
	return nil
}

// Receive returns the next datagram that has arrived by now.
func (e *End) Receive(now time.Duration) (Datagram, bool) { return e.in.receive(now) }

// SetTCP makes what this end sends from now on travel as PairInOrder describes,
// or as Pair does. What is under way stays as it is; a datagram sent in order
// waits for those that were sent in order before it. A connection that was dead
// is opened anew.
func (e *End) SetTCP(on bool) {
	if l := e.out; l.tcp != on {
		l.tcp = on
		if l.lastArrival == never {
			l.lastArrival = 0
		}
	}
}

// Counters returns what has been counted of one direction of this end's link, for
// reading.
func (e *End) Counters(d Direction) *Counters {
	if e.out.direction == d {
		return &e.out.counters
	}
	return &e.in.counters
}

// CopyFrom makes the link of this end, both lanes of it, carry what the link
// of o carries, and its meters show what those of o do. Its weather stays its
// own.
func (e *End) CopyFrom(o *End) {
	e.out.copyFrom(o.out)
	e.in.copyFrom(o.in)
}
