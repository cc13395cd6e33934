package packet

import "time"

// historyLen is how many packets back are remembered, sent and received: 17 s at 60
// a second.
const historyLen = 1024

// The loss of late is counted over lateSpan packets, the newest lateAge left
// out, for those may only be late.
const (
	lossDelay  = 64
	lossWindow = 256
)

const (
	// resyncTimeout is how long nothing arrives until whatever arrives is taken for
	// new. No link that a game is played on holds a datagram for so long. Without
	// this rule an outage of more than half a round of the numbers, 9 minutes at
	// 60 a second, would make all packets of the next half round look old.
	resyncTimeout = 100 * time.Second

	// ackLifetime is how long an acknowledgement is told of. One that was told of
	// for a whole round would name another packet.
	ackLifetime = 60 * time.Second
)

// receiveState is what one side knows of the other's packets.
type receiveState struct {
	started        bool
	lowest, newest Sequence // of which anything has arrived: the lowest and the highest
	complete       SequenceBuffer[struct{}]
	lastNewAt      time.Duration // when anything new last arrived

	ack           Sequence // the newest that arrived whole
	ackReceivedAt time.Duration
	ackBits       uint32 // bit n: ack-n arrived whole; 0: nothing has

	lost int // of the last lateSpan that are lateAge old
}

// expandSequence returns the whole sequence of a packet that arrived now and whose low
// bits are known: the one next to the newest. The first packet may have any; it
// decides.
func (r *receiveState) expandSequence(low uint16, now time.Duration) (s Sequence, ok bool) {
	switch {
	case !r.started:
		return Sequence(low), true
	case now-r.lastNewAt > resyncTimeout:
		return r.newest + Sequence(low-r.newest.low16()), true
	}
	return r.newest.expand(low)
}

// observe takes in that something of packet s has arrived now, so that it and all
// before it are known to have been sent. It returns how many packets more are
// known of than before.
func (r *receiveState) observe(s Sequence, now time.Duration) (more uint64) {
	r.lastNewAt = now
	if !r.started {
		r.started, r.lowest, r.newest = true, s, s
		return 1
	}
	if s < r.lowest {
		judged := r.lossSamples()
		more, r.lowest = uint64(r.lowest-s), s
		r.lost += r.lossSamples() - judged // none of them has arrived, s not yet
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
func (r *receiveState) advance(s Sequence) {
	if s-r.newest >= lossDelay+lossWindow {
		r.newest = s
		r.lost = r.lossSamples() // none of them can have arrived
		return
	}
	for r.newest != s {
		r.newest++
		r.lost += r.lossAt(lossDelay) - r.lossAt(lossDelay+lossWindow)
	}
}

// lossAt returns 1 if the packet age before the newest was sent, as far as is
// known, and has not arrived.
func (r *receiveState) lossAt(age Sequence) int {
	if r.newest-r.lowest < age || r.complete.Has(r.newest-age) {
		return 0
	}
	return 1
}

// lossSamples returns of how many packets the missing ones were counted.
func (r *receiveState) lossSamples() int {
	if r.newest-r.lowest < lossDelay {
		return 0
	}
	return int(min(r.newest-r.lowest-lossDelay+1, lossWindow))
}

// ackFields returns what to tell the other side of its packets, and how long ago the
// newest of them arrived; no bits if there is nothing to tell.
func (r *receiveState) ackFields(now time.Duration) (ack Sequence, bits uint32, hold time.Duration) {
	hold = now - r.ackReceivedAt
	if r.ackBits == 0 || hold > ackLifetime {
		return 0, 0, 0
	}
	return r.ack, r.ackBits, hold
}

// markComplete takes in that packet s, of which note has heard, has arrived whole.
func (r *receiveState) markComplete(s Sequence, at time.Duration) {
	r.complete.Insert(s)
	if age := r.newest - s; age >= lossDelay && age < lossDelay+lossWindow {
		r.lost--
	}
	switch {
	case r.ackBits == 0:
		r.ack, r.ackReceivedAt, r.ackBits = s, at, 1
	case s > r.ack:
		if at-r.ackReceivedAt > ackLifetime {
			r.ackBits = 0 // they have been told of; a round may have been lost since
		}
		r.ackBits = r.ackBits<<(s-r.ack) | 1 // a shift by 32 or more leaves nothing
		r.ack, r.ackReceivedAt = s, at
	case r.ack-s < 32:
		r.ackBits |= 1 << (r.ack - s)
	}
}

// ackFilter is what one side knows of its own packets at the other: which
// acknowledgements it has dealt with already, so that of the 32 in each header
// only the new ones cost anything.
type ackFilter struct {
	ack     Sequence
	handled uint32 // bit n: ack-n has been dealt with
}

// newAcks returns those of the acknowledgements that were not dealt with, bit n
// for ack-n, and counts them as dealt with. Some that were may be among them,
// if they lie far apart; none that was not is left out.
func (c *ackFilter) newAcks(ack Sequence, set uint32) uint32 {
	if ack >= c.ack {
		ahead := ack - c.ack
		known := c.handled << ahead
		c.ack, c.handled = ack, known|set
		return set &^ known
	}
	behind := c.ack - ack
	known := c.handled >> behind
	c.handled |= set << behind
	return set &^ known
}
