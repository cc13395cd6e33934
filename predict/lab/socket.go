package lab

import (
	"time"

	"ghostcube/net/link"
)

// socket is the client's end of a link with a receive buffer: datagrams that arrive while
// the client's program does not read are buffered, and dropped when the buffer is full.
type socket struct {
	end           *link.End
	queue         []queuedDatagram
	head          int      // index of the oldest datagram in queue
	bufferedBytes int      // charged for the datagrams from head on
	free          [][]byte // memory for datagrams
}

// queuedDatagram is a datagram in the receive buffer, and its bytes in memory that is used again.
type queuedDatagram struct {
	datagram link.Datagram // without its bytes
	bytes    []byte
}

// received returns the datagram as it was received.
func (w *queuedDatagram) received() link.Datagram {
	d := w.datagram
	d.Bytes = w.bytes
	return d
}

// socketBufferSize is the default receive buffer of a socket on Linux
// (net.core.rmem_default), in bytes. Linux charges datagramOverhead for every datagram
// besides its payload.
const (
	socketBufferSize = 212992
	datagramOverhead = 768
)

// Send implements link.Wire.
func (s *socket) Send(now time.Duration, b []byte) error { return s.end.Send(now, b) }

// Receive implements link.Wire. It returns buffered datagrams first.
func (s *socket) Receive(now time.Duration) (link.Datagram, bool) {
	if s.head < len(s.queue) {
		w := &s.queue[s.head]
		s.head++
		s.bufferedBytes -= len(w.bytes) + datagramOverhead
		return w.received(), true
	}
	for _, w := range s.queue {
		s.free = append(s.free, w.bytes)
	}
	s.queue, s.head = s.queue[:0], 0
	return s.end.Receive(now)
}

// bufferArrivals receives into the buffer, for a program that does not read.
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
	m = append(m, d.Bytes...)
	d.Bytes = nil
	s.queue = append(s.queue, queuedDatagram{d, m})
}

// copyFrom makes s an equal of o, except for the link.
func (s *socket) copyFrom(o *socket) {
	for _, w := range s.queue {
		s.free = append(s.free, w.bytes)
	}
	s.queue, s.head, s.bufferedBytes = s.queue[:0], 0, o.bufferedBytes
	for _, w := range o.queue[o.head:] {
		s.push(w.received())
	}
}
