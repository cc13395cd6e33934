package packet

import (
	"time"

	"ghostcube/net/link"
)

// Anyone can forge a datagram with a correct checksum and any sequence number. If one
// were enough to move the newest number ahead, all honest packets would look old until
// they caught up, and none would be acknowledged. So a datagram far from the newest one
// is not believed by itself.
//
//   - Up to maxJump ahead it is. Such a forgery takes at most the number of one honest
//     packet, because the 32 ack bits still cover all packets in between.
//   - Farther ahead it is kept aside until a second one confirms it. So nothing is lost
//     after an outage, and the first packet after it is late by one packet. A packet that
//     continues the known sequence refutes it.
//   - If the newest number is false all the same, the honest packets are behind it.
//     resyncRun of them that follow each other, without any that continues the false
//     sequence, move the newest number back.
//
// Two forgeries in a row so cost up to 16 honest packets, and one in between two honest
// ones at most one. Preventing either takes keys.
const (
	// maxJump is how far ahead of the newest packet one is believed by itself.
	maxJump = 32

	// resyncRun is the number of packets that move the newest number back.
	resyncRun = 16
)

// jump is a run of packets far from the newest one, all ahead of it or all behind.
type jump struct {
	ahead      bool
	count      int      // packets in the run; 0: there is none
	last       Sequence // newest packet of the run
	fragmentID int      // of the datagram kept aside, 0 if it is unfragmented
	arrivedAt  time.Duration
	size       int // of that datagram
	datagram   [MaxDatagram]byte
}

// checkJump decides whether a datagram of packet s, which has not arrived yet, is
// believed. It may process the datagram that this one confirms, and may move the newest
// number back.
func (e *Endpoint) checkJump(s Sequence, h *header, d *link.Datagram) (believed bool) {
	r, j := &e.received, &e.jump
	switch {
	case !r.started:
		return true
	case s > r.newest+maxJump:
		return e.checkAhead(s, h, d)
	case s+maxJump >= r.newest:
		if s > r.newest {
			e.forgetJump()
		}
		return true
	}
	switch step := int64(s - j.last); {
	case j.count == 0 || j.ahead || step > maxJump || step < -maxJump:
		e.forgetJump()
		j.count, j.ahead, j.last = 1, false, s
	case step > 0:
		j.count, j.last = j.count+1, s
	}
	if j.count == resyncRun {
		e.forgetJump()
		e.moveBack(s)
	}
	return true // if it is recent
}

// checkAhead decides whether a datagram far ahead of the newest packet is believed.
func (e *Endpoint) checkAhead(s Sequence, h *header, d *link.Datagram) (believed bool) {
	j := &e.jump
	step := int64(s - j.last)
	if j.count > 0 && j.ahead && step <= maxJump && (step > 0 || step == 0 && h.fragmentID != j.fragmentID) {
		first := link.Datagram{Bytes: j.datagram[:j.size], ReceivedAt: j.arrivedAt}
		j.count = 0
		var kept header
		kept.decode(first.Bytes)
		e.accept(j.last, &kept, &first)
		return true
	}
	e.forgetJump()
	j.count, j.ahead, j.last, j.fragmentID, j.arrivedAt = 1, true, s, h.fragmentID, d.ReceivedAt
	j.size = copy(j.datagram[:], d.Bytes)
	return false
}

// forgetJump ends the run. A datagram kept aside is dropped.
func (e *Endpoint) forgetJump() {
	if e.jump.count > 0 && e.jump.ahead {
		e.Stats.Unconfirmed++
	}
	e.jump.count = 0
}

// moveBack makes s, which is behind the newest packet, the newest one. It keeps what it
// knows of the packets before it.
func (e *Endpoint) moveBack(s Sequence) {
	r := &e.received
	e.Stats.Expected -= uint64(r.newest - max(s, r.lowest)) // only a false number came before lowest
	e.reassembler.abandonBelow(e.reassembler.packets.next)
	e.reassembler.packets.MoveBack(s)
	r.moveBack(s)
}
