package packet

import "time"

// window is how many packets back are remembered, sent and received: 17 s at 60
// a second.
const window = 1024

// The loss of late is counted over lateSpan packets, the newest lateAge left
// out, for those may only be late.
const (
	lateAge  = 64
	lateSpan = 256
)

const (
	// silence is how long nothing arrives until whatever arrives is taken for
	// new. No link that a game is played on holds a datagram for so long. Without
	// this rule an outage of more than half a round of the numbers, 9 minutes at
	// 60 a second, would make all packets of the next half round look old.
	silence = 100 * time.Second

	// ackLife is how long an acknowledgement is told of. One that was told of
	// for a whole round would name another packet.
	ackLife = 60 * time.Second
)

// received is what one side knows of the other's packets.
type received struct {
	any           bool
	first, newest Sequence // of which anything has arrived: the lowest and the highest
	whole         SequenceBuffer[struct{}]
	heard         time.Duration // when anything new last arrived

	ack  Sequence // the newest that arrived whole
	at   time.Duration
	bits uint32 // bit n: ack-n arrived whole; 0: nothing has

	missing int // of the last lateSpan that are lateAge old
}

// place returns the whole sequence of a packet that arrived now and whose low
// bits are known: the one next to the newest. The first packet may have any; it
// decides.
func (r *received) place(low uint16, now time.Duration) (s Sequence, ok bool) {
	switch {
	case !r.any:
		return Sequence(low), true
	case now-r.heard > silence:
		return r.newest + Sequence(low-r.newest.low()), true
	}
	return r.newest.near(low)
}

// note takes in that something of packet s has arrived now, so that it and all
// before it are known to have been sent. It returns how many packets more are
// known of than before.
func (r *received) note(s Sequence, now time.Duration) (more uint64) {
	r.heard = now
	if !r.any {
		r.any, r.first, r.newest = true, s, s
		return 1
	}
	if s < r.first {
		judged := r.judged()
		more, r.first = uint64(r.first-s), s
		r.missing += r.judged() - judged // none of them has arrived, s not yet
	}
	if s > r.newest {
		more = uint64(s - r.newest)
		r.advance(s)
	}
	return more
}

// advance moves the newest packet to s and with it the span in which the loss
// of late is counted. It takes as long as there are packets between, and no
// longer than for lateAge+lateSpan.
func (r *received) advance(s Sequence) {
	if s-r.newest >= lateAge+lateSpan {
		r.newest = s
		r.missing = r.judged() // none of them can have arrived
		return
	}
	for r.newest != s {
		r.newest++
		r.missing += r.lacks(lateAge) - r.lacks(lateAge+lateSpan)
	}
}

// lacks returns 1 if the packet age before the newest was sent, as far as is
// known, and has not arrived.
func (r *received) lacks(age Sequence) int {
	if r.newest-r.first < age || r.whole.Has(r.newest-age) {
		return 0
	}
	return 1
}

// judged returns of how many packets the missing ones were counted.
func (r *received) judged() int {
	if r.newest-r.first < lateAge {
		return 0
	}
	return int(min(r.newest-r.first-lateAge+1, lateSpan))
}

// acks returns what to tell the other side of its packets, and how long ago the
// newest of them arrived; no bits if there is nothing to tell.
func (r *received) acks(now time.Duration) (ack Sequence, bits uint32, hold time.Duration) {
	hold = now - r.at
	if r.bits == 0 || hold > ackLife {
		return 0, 0, 0
	}
	return r.ack, r.bits, hold
}

// deliver takes in that packet s, of which note has heard, has arrived whole.
func (r *received) deliver(s Sequence, at time.Duration) {
	r.whole.Insert(s)
	if age := r.newest - s; age >= lateAge && age < lateAge+lateSpan {
		r.missing--
	}
	switch {
	case r.bits == 0:
		r.ack, r.at, r.bits = s, at, 1
	case s > r.ack:
		if at-r.at > ackLife {
			r.bits = 0 // they have been told of; a round may have been lost since
		}
		r.bits = r.bits<<(s-r.ack) | 1 // a shift by 32 or more leaves nothing
		r.ack, r.at = s, at
	case r.ack-s < 32:
		r.bits |= 1 << (r.ack - s)
	}
}

// confirmed is what one side knows of its own packets at the other: which
// acknowledgements it has dealt with already, so that of the 32 in each header
// only the new ones cost anything.
type confirmed struct {
	ack  Sequence
	bits uint32 // bit n: ack-n has been dealt with
}

// fresh returns those of the acknowledgements that were not dealt with, bit n
// for ack-n, and counts them as dealt with. Some that were may be among them,
// if they lie far apart; none that was not is left out.
func (c *confirmed) fresh(ack Sequence, set uint32) uint32 {
	if ack >= c.ack {
		ahead := ack - c.ack
		known := c.bits << ahead
		c.ack, c.bits = ack, known|set
		return set &^ known
	}
	behind := c.ack - ack
	known := c.bits >> behind
	c.bits |= set << behind
	return set &^ known
}
