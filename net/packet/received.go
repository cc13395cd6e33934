package packet

import "time"

// historyLen is the number of packets remembered, sent and received: 17 s at 60 a
// second.
const historyLen = 1024

// Recent loss is measured over lossWindow packets. The newest lossDelay are left out,
// because they may just be late.
const (
	lossDelay  = 64
	lossWindow = 256
)

const (
	// resyncTimeout is the silence after which any packet counts as new. No link fit
	// for a game delays a datagram for so long. Without this rule, an outage of more
	// than half the sequence space, 9 minutes at 60 packets a second, would make all
	// packets of the next 9 minutes look old.
	resyncTimeout = 100 * time.Second

	// ackLifetime is how long a packet is acknowledged. After a full wrap of the
	// sequence space its number would name another packet.
	ackLifetime = 60 * time.Second
)

// receiveState tracks the packets of the other side.
type receiveState struct {
	started        bool
	lowest, newest Sequence // lowest and highest sequence numbers seen
	complete       SequenceBuffer[struct{}]
	lastNewAt      time.Duration // when a new datagram last arrived

	ack           Sequence // newest complete packet
	ackReceivedAt time.Duration
	ackBits       uint32 // bit n: packet ack-n is complete; 0: none is

	hasRefused bool     // a packet was refused since the last one was sent
	refused    Sequence // the newest of them

	lost int // packets missing in the loss window
}

// expandSequence returns the full sequence number of a packet that arrives now from its
// low bits: the one nearest to the newest. The first packet may have any.
func (r *receiveState) expandSequence(low uint16, now time.Duration) (s Sequence, ok bool) {
	switch {
	case !r.started:
		return Sequence(low), true
	case now-r.lastNewAt > resyncTimeout:
		return r.newest + Sequence(low-r.newest.low16()), true
	}
	return r.newest.expand(low)
}

// observe records that something of packet s has arrived now, which proves that it and
// all packets before it were sent. It returns how many more packets are now known to
// have been sent.
func (r *receiveState) observe(s Sequence, now time.Duration) (more uint64) {
	r.lastNewAt = now
	if !r.started {
		r.started, r.lowest, r.newest = true, s, s
		return 1
	}
	if s < r.lowest {
		samples := r.lossSamples()
		more, r.lowest = uint64(r.lowest-s), s
		r.lost += r.lossSamples() - samples // none of them has arrived, not even s
	}
	if s > r.newest {
		more = uint64(s - r.newest)
		r.advance(s)
	}
	return more
}

// advance moves the newest packet to s and the loss window with it. It takes one step
// per packet, at most lossDelay+lossWindow.
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

// moveBack makes s, which is behind the newest packet, the newest one. The acknowledgement
// becomes that of the newest complete packet up to s.
func (r *receiveState) moveBack(s Sequence) {
	r.newest, r.lowest = s, min(r.lowest, s)
	r.complete.MoveBack(s)
	r.lost = 0
	for age := Sequence(lossDelay); age < lossDelay+lossWindow; age++ {
		r.lost += r.lossAt(age)
	}
	r.ackBits = 0
	for n := range min(s+1, historyLen) {
		if r.complete.Has(s - n) {
			r.ack, r.ackBits = s-n, 1
			break
		}
	}
	for n := range min(r.ack+1, 32) {
		if r.ackBits != 0 && r.complete.Has(r.ack-n) {
			r.ackBits |= 1 << n
		}
	}
}

// lossAt returns 1 if the packet of this age was sent, as far as is known, and has not
// arrived.
func (r *receiveState) lossAt(age Sequence) int {
	if r.newest-r.lowest < age || r.complete.Has(r.newest-age) {
		return 0
	}
	return 1
}

// lossSamples returns the number of packets in the loss window.
func (r *receiveState) lossSamples() int {
	if r.newest-r.lowest < lossDelay {
		return 0
	}
	return int(min(r.newest-r.lowest-lossDelay+1, lossWindow))
}

// ackFields returns the acknowledgement to send and the time since its newest packet
// arrived. No bits are set if there is nothing to acknowledge. After a refusal it begins
// at the refused packet, whose bit is clear; the next one acknowledges those after it.
func (r *receiveState) ackFields(now time.Duration) (ack Sequence, bits uint32, delay time.Duration) {
	delay = now - r.ackReceivedAt
	switch {
	case delay > ackLifetime:
		return 0, 0, 0
	case r.hasRefused && r.refused <= r.ack:
		return r.refused, r.ackBits >> (r.ack - r.refused), delay
	case r.ackBits == 0:
		return 0, 0, 0
	}
	return r.ack, r.ackBits, delay
}

// markComplete records that packet s, already observed, has arrived completely.
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
			r.ackBits = 0 // expired; the sequence numbers may have wrapped since
		}
		r.ackBits = r.ackBits<<(s-r.ack) | 1 // shifting by 32 or more clears all bits
		r.ack, r.ackReceivedAt = s, at
	case r.ack-s < 32:
		r.ackBits |= 1 << (r.ack - s)
	}
}

// refuse takes back the acknowledgement of packet s.
func (r *receiveState) refuse(s Sequence) {
	if s <= r.ack && r.ack-s < 32 {
		r.ackBits &^= 1 << (r.ack - s)
	}
	if !r.hasRefused || s > r.refused {
		r.hasRefused, r.refused = true, s
	}
}

// ackFilter remembers which acknowledgements of the sent packets were processed, so
// that of the 32 in each header only new ones cost time.
type ackFilter struct {
	ack     Sequence
	handled uint32 // bit n: ack-n was processed
}

// newAcks returns the acknowledgements that were not processed before, bit n for ack-n,
// and marks them as processed. If headers are far apart it may return old ones again;
// it never omits a new one.
func (a *ackFilter) newAcks(ack Sequence, set uint32) uint32 {
	if ack >= a.ack {
		ahead := ack - a.ack
		known := a.handled << ahead
		a.ack, a.handled = ack, known|set
		return set &^ known
	}
	behind := a.ack - ack
	known := a.handled >> behind
	a.handled |= set << behind
	return set &^ known
}
