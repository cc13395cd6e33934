package link

import "time"

// Sending is what a link does with a datagram. All of it is decided when the datagram is sent.
type Sending struct {
	Number           uint64        // in order of sending in its direction, from 1
	SentAt           time.Duration // when it was sent
	Arrival          time.Duration // of the first copy; of one that does not arrive, when it would have
	DuplicateArrival time.Duration // of the second copy, if Duplicated
	UsualDelay       time.Duration // latency of the network at SentAt and twice its jitter

	Lost             bool // by its outcome; never on a TCP link
	Dropped          bool // by a full queue, or by a dead connection
	Resent           bool // lost on a TCP link, which sent it again
	Duplicated       bool
	Damaged          bool // the first copy
	DuplicateDamaged bool
	Foreign          bool // a datagram of another program arrives, too
}

// Observe calls report with every datagram that this end sends from now on, and what the link does
// with it. report must not keep the bytes. It changes no outcome, and is not copied by CopyFrom; nil
// ends it.
func (e *End) Observe(report func(s Sending, datagram []byte)) { e.out.report = report }
