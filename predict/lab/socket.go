package lab

import (
	"time"

	"ghostcube/net/link"
)

// socket is the end of a link at a client's machine: what arrives while the
// program does not read waits in the machine's memory, and what that has no room
// for is lost.
type socket struct {
	end           *link.End
	queue         []queuedDatagram
	head          int      // of waits
	bufferedBytes int      // bytes that are charged for the others
	free          [][]byte // memory
}

// queuedDatagram is a datagram that waits.
type queuedDatagram struct {
	receivedAt time.Duration
	sentAt     time.Duration
	bytes      []byte
}

// socketRoom is the memory of a socket, in bytes: what Linux gives one that asks
// for none (net.core.rmem_default). For each datagram it charges what it
// is kept in as well, socketCharge or more.
const (
	socketBufferSize = 212992
	datagramOverhead = 768
)

// Send implements link.Wire.
func (s *socket) Send(now time.Duration, b []byte) error { return s.end.Send(now, b) }

// Receive implements link.Wire: first what waits.
func (s *socket) Receive(now time.Duration) (link.Datagram, bool) {
	if s.head < len(s.queue) {
		w := &s.queue[s.head]
		s.head++
		s.bufferedBytes -= len(w.bytes) + datagramOverhead
		return link.Datagram{Bytes: w.bytes, ReceivedAt: w.receivedAt, SentAt: w.sentAt}, true
	}
	for _, w := range s.queue {
		s.free = append(s.free, w.bytes)
	}
	s.queue, s.head = s.queue[:0], 0
	return s.end.Receive(now)
}

// bufferArrivals lets the machine take in what has arrived by now while the program does
// not read.
func (s *socket) bufferArrivals(now time.Duration) {
	for d, ok := s.end.Receive(now); ok; d, ok = s.end.Receive(now) {
		if s.bufferedBytes += len(d.Bytes) + datagramOverhead; s.bufferedBytes > socketBufferSize {
			s.bufferedBytes -= len(d.Bytes) + datagramOverhead
			continue
		}
		s.push(d)
	}
}

func (s *socket) push(d link.Datagram) {
	var m []byte
	if n := len(s.free); n > 0 {
		m, s.free = s.free[n-1][:0], s.free[:n-1]
	}
	s.queue = append(s.queue, queuedDatagram{d.ReceivedAt, d.SentAt, append(m, d.Bytes...)})
}

// copyFrom makes s an equal of o, all but the link.
func (s *socket) copyFrom(o *socket) {
	for _, w := range s.queue {
		s.free = append(s.free, w.bytes)
	}
	s.queue, s.head, s.bufferedBytes = s.queue[:0], 0, o.bufferedBytes
	for _, w := range o.queue[o.head:] {
		s.push(link.Datagram{Bytes: w.bytes, ReceivedAt: w.receivedAt, SentAt: w.sentAt})
	}
}
