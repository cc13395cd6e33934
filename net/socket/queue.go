package socket

import (
	"time"

	"ghostcube/net/link"
)

// queue is a bounded queue of datagrams. It keeps the memory of its slots, and allocates nothing once each has held the
// largest datagram.
type queue struct {
	slots       []queued
	first, used int
	taken       []byte // memory of the datagram that was taken last
}

type queued struct {
	bytes      []byte
	receivedAt time.Duration
}

// put copies a datagram into the queue. It is false if the queue is full.
func (q *queue) put(now time.Duration, datagram []byte) bool {
	if q.used == len(q.slots) {
		return false
	}
	s := &q.slots[(q.first+q.used)%len(q.slots)]
	s.bytes, s.receivedAt = append(s.bytes[:0], datagram...), now
	q.used++
	return true
}

// take returns the oldest datagram, if it had been received by now. Its bytes are valid until the next call.
func (q *queue) take(now time.Duration) (link.Datagram, bool) {
	if q.used == 0 || q.slots[q.first].receivedAt > now {
		return link.Datagram{}, false
	}
	s := &q.slots[q.first]
	q.taken, s.bytes = s.bytes, q.taken
	q.first = (q.first + 1) % len(q.slots)
	q.used--
	return link.Datagram{Bytes: q.taken, ReceivedAt: s.receivedAt}, true
}
