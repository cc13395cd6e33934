// Package link simulates a network between two ends: latency, jitter, loss,
// duplication, reordering, bursts, bandwidth.
//
// It uses neither sockets nor the wall clock: the caller passes the time, and
// everything else follows from a seed. The outcome of a datagram is a hash of the seed,
// the direction, the seat, the time of sending, and its index among the datagrams sent
// at that time. It does not depend on the contents, nor on what was sent before.
// Strategies that share a Network therefore meet the same losses and delays at the same
// times, however many packets each of them sends. Only the bandwidth limit looks at
// sizes, on purpose: size is part of the cost of a strategy.
package link

import "time"

// Wire is one end of a connection: of a simulated link, or a socket.
type Wire interface {
	// Send sends a datagram. It copies the bytes.
	Send(now time.Duration, datagram []byte) error

	// Receive returns the next datagram that has arrived by now. Its bytes are valid
	// until the next call of Receive.
	Receive(now time.Duration) (d Datagram, ok bool)
}

// Datagram is a datagram received from a Wire.
type Datagram struct {
	Bytes      []byte
	ReceivedAt time.Duration // at or before the now of Receive

	// Not transmitted, and known on a simulated link only:
	SentAt      time.Duration
	Number      uint64 // in order of sending, from 1; 0: a datagram of another program
	IsDuplicate bool   // the second copy of the datagram
	Reordered   bool   // a datagram sent later has arrived before (RFC 4737); never of a duplicate
}

// UDPIPHeaderBytes is the size of the IPv4 and UDP headers, which bandwidth and
// counters include for every datagram. TCPIPHeaderBytes takes its place on a TCP link.
const UDPIPHeaderBytes = 28

// End is one end of a simulated link.
type End struct{ out, in *path }

// Pair returns the two ends of a link over n for one seat. Seats have different
// outcomes.
func Pair(n *Network, seat int) (client, server *End) {
	up := &path{network: n, direction: Up, seat: seat}
	down := &path{network: n, direction: Down, seat: seat, reverse: up}
	up.reverse = down
	return &End{up, down}, &End{down, up}
}

// maxPeers is the largest number of peers that PeerPair connects.
const maxPeers = 8

// PeerPair returns the two ends of a link over n between two peers, by their numbers from 0 to 7. Both directions
// meet the conditions Up, each with outcomes of its own; what is added to the latency of either player's seat is
// added here, too. Of each end's Counters, Up are those of what it sends.
func PeerPair(n *Network, a, b int) (atA, atB *End) {
	there := &path{network: n, direction: Up, seat: peerSeat(a, b)}
	back := &path{network: n, direction: Up, seat: peerSeat(b, a), reverse: there}
	there.reverse = back
	return &End{there, back}, &End{back, there}
}

// peerSeat returns the seat of the path from one peer to another, which no player's seat equals.
func peerSeat(from, to int) int { return (1+from)*2*maxPeers + to }

// players returns the players whose latency a path of a seat has: one and -1, or two peers.
func players(seat int) [2]int {
	if seat < 2*maxPeers {
		return [2]int{seat, -1}
	}
	return [2]int{seat/(2*maxPeers) - 1, seat % (2 * maxPeers)}
}

// Send sends a datagram. It never fails.
func (e *End) Send(now time.Duration, b []byte) error {
	e.out.send(now, b)
	return nil
}

// Receive returns the next datagram that has arrived by now.
func (e *End) Receive(now time.Duration) (Datagram, bool) { return e.in.receive(now) }

// SetTCP selects for this end's sending direction between the behaviour of PairTCP and
// that of Pair. Datagrams in flight are not affected; one sent over TCP waits for those
// sent over TCP before it. Switching TCP on opens a dead connection again.
func (e *End) SetTCP(on bool) {
	if l := e.out; l.tcp != on {
		l.tcp = on
		if l.lastArrival == never {
			l.lastArrival = 0
		}
	}
}

// ReceivesTCP reports whether the other end sends as PairTCP does.
func (e *End) ReceivesTCP() bool { return e.in.tcp }

// Counters returns the counters of one direction of this end's link, for reading.
func (e *End) Counters(d Direction) *Counters {
	if e.out.direction == d {
		return &e.out.counters
	}
	return &e.in.counters
}

// CopyFrom copies the datagrams in flight and the counters of both directions from the
// link of o. The network stays its own.
func (e *End) CopyFrom(o *End) {
	e.out.copyFrom(o.out)
	e.in.copyFrom(o.in)
}
