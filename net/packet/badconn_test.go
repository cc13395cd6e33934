package packet

import (
	"math/rand/v2"
	"slices"
	"time"

	"ghostcube/net/link"
)

// badConn is a direction that loses, duplicates, delays and damages datagrams. A
// delayed datagram arrives after up to reorder later ones; time plays no part.
type badConn struct {
	rng             *rand.Rand
	loss, duplicate float64 // probabilities
	damage          float64
	reorder         int           // largest number of datagrams that overtake one
	due             [512][][]byte // ring, by the number of datagrams sent before arrival
	freeBuffers     [][]byte
	sent, arrived   int
	last            []byte

	lost, duplicated, damaged, delivered int
}

func newBadConn(seed uint64, loss, duplicate, damage float64, reorder int) *badConn {
	return &badConn{rng: rand.New(rand.NewPCG(seed, 77)), loss: loss, duplicate: duplicate, damage: damage, reorder: reorder}
}

func (s *badConn) Send(_ time.Duration, b []byte) error {
	s.sent++
	if s.rng.Float64() < s.loss {
		s.lost++
		return nil
	}
	s.schedule(b)
	if s.rng.Float64() < s.duplicate {
		s.duplicated++
		s.schedule(b)
	}
	return nil
}

func (s *badConn) schedule(b []byte) {
	var m []byte
	if n := len(s.freeBuffers); n > 0 {
		m, s.freeBuffers = s.freeBuffers[n-1], s.freeBuffers[:n-1]
	}
	m = append(m[:0], b...)
	if s.rng.Float64() < s.damage {
		s.damaged++
		for range 1 + s.rng.IntN(8) {
			i := s.rng.IntN(len(m) * 8)
			m[i/8] ^= 1 << (i % 8)
		}
	}
	at := s.sent
	if s.reorder > 0 {
		at += s.rng.IntN(s.reorder + 1)
	}
	s.due[at%len(s.due)] = append(s.due[at%len(s.due)], m)
}

func (s *badConn) Receive(now time.Duration) (link.Datagram, bool) {
	if s.last != nil {
		s.freeBuffers, s.last = append(s.freeBuffers, s.last), nil
	}
	for ; s.arrived <= s.sent; s.arrived++ {
		slot := &s.due[s.arrived%len(s.due)]
		if n := len(*slot); n > 0 {
			s.last = (*slot)[n-1]
			*slot = slices.Delete(*slot, n-1, n)
			s.delivered++
			return link.Datagram{Bytes: s.last, ReceivedAt: now}, true
		}
	}
	s.arrived = s.sent // the next datagram sent may make more due
	return link.Datagram{}, false
}

// newBadPair returns two endpoints connected by a badConn each way.
func newBadPair(seed uint64, loss, duplicate, damage float64, reorder int) (a, b *Endpoint, up, down *badConn) {
	up, down = newBadConn(seed*2, loss, duplicate, damage, reorder), newBadConn(seed*2+1, loss, duplicate, damage, reorder)
	return NewEndpoint(splitConn{down, up}), NewEndpoint(splitConn{up, down}), up, down
}
