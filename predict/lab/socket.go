package lab

import (
	"time"

	"ghostcube/net/link"
)

// socket is the end of a link at a client's machine: what arrives while the
// program does not read waits in the machine's memory, and what that has no room
// for is lost.
type socket struct {
	end   *link.End
	waits []letter
	taken int      // of waits
	used  int      // bytes that are charged for the others
	spare [][]byte // memory
}

// letter is a datagram that waits.
type letter struct {
	at    time.Duration
	sent  time.Duration
	bytes []byte
}

// socketRoom is the memory of a socket, in bytes: what Linux gives one that asks
// for none (net.core.rmem_default). For each datagram it charges what it
// is kept in as well, socketCharge or more.
const (
	socketRoom   = 212992
	socketCharge = 768
)

// Send implements link.Wire.
func (s *socket) Send(now time.Duration, b []byte) error { return s.end.Send(now, b) }

// Receive implements link.Wire: first what waits.
func (s *socket) Receive(now time.Duration) (link.Datagram, bool) {
	if s.taken < len(s.waits) {
		w := &s.waits[s.taken]
		s.taken++
		s.used -= len(w.bytes) + socketCharge
		return link.Datagram{Bytes: w.bytes, At: w.at, Sent: w.sent}, true
	}
	for _, w := range s.waits {
		s.spare = append(s.spare, w.bytes)
	}
	s.waits, s.taken = s.waits[:0], 0
	return s.end.Receive(now)
}

// fill lets the machine take in what has arrived by now while the program does
// not read.
func (s *socket) fill(now time.Duration) {
	for d, ok := s.end.Receive(now); ok; d, ok = s.end.Receive(now) {
		if s.used += len(d.Bytes) + socketCharge; s.used > socketRoom {
			s.used -= len(d.Bytes) + socketCharge
			continue
		}
		s.keep(d)
	}
}

func (s *socket) keep(d link.Datagram) {
	var m []byte
	if n := len(s.spare); n > 0 {
		m, s.spare = s.spare[n-1][:0], s.spare[:n-1]
	}
	s.waits = append(s.waits, letter{d.At, d.Sent, append(m, d.Bytes...)})
}

// copyFrom makes s an equal of o, all but the link.
func (s *socket) copyFrom(o *socket) {
	for _, w := range s.waits {
		s.spare = append(s.spare, w.bytes)
	}
	s.waits, s.taken, s.used = s.waits[:0], 0, o.used
	for _, w := range o.waits[o.taken:] {
		s.keep(link.Datagram{Bytes: w.bytes, At: w.at, Sent: w.sent})
	}
}
