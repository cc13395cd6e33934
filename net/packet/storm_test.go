package packet

import (
	"math/rand/v2"
	"slices"
	"time"

	"ghostcube/net/link"
)

// storm is a lane that loses, repeats, delays and damages. A datagram that is
// delayed comes after up to reorder others that were sent later; time plays no
// part.
type storm struct {
	rng           *rand.Rand
	loss, double  float64 // chances
	damage        float64
	reorder       int           // at most this many datagrams overtake one
	due           [512][][]byte // a ring: what arrives when so many have been sent
	spare         [][]byte
	sent, arrived int
	last          []byte

	lost, doubled, damaged, fed int
}

func newStorm(seed uint64, loss, double, damage float64, reorder int) *storm {
	return &storm{rng: rand.New(rand.NewPCG(seed, 77)), loss: loss, double: double, damage: damage, reorder: reorder}
}

func (s *storm) Send(_ time.Duration, b []byte) error {
	s.sent++
	if s.rng.Float64() < s.loss {
		s.lost++
		return nil
	}
	s.launch(b)
	if s.rng.Float64() < s.double {
		s.doubled++
		s.launch(b)
	}
	return nil
}

func (s *storm) launch(b []byte) {
	var m []byte
	if n := len(s.spare); n > 0 {
		m, s.spare = s.spare[n-1], s.spare[:n-1]
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

func (s *storm) Receive(now time.Duration) (link.Datagram, bool) {
	if s.last != nil {
		s.spare, s.last = append(s.spare, s.last), nil
	}
	for ; s.arrived <= s.sent; s.arrived++ {
		slot := &s.due[s.arrived%len(s.due)]
		if n := len(*slot); n > 0 {
			s.last = (*slot)[n-1]
			*slot = slices.Delete(*slot, n-1, n)
			s.fed++
			return link.Datagram{Bytes: s.last, At: now}, true
		}
	}
	s.arrived = s.sent // more may be due now with the next one sent
	return link.Datagram{}, false
}

// stormy returns two endpoints with a storm each way between them.
func stormy(seed uint64, loss, double, damage float64, reorder int) (a, b *Endpoint, up, down *storm) {
	up, down = newStorm(seed*2, loss, double, damage, reorder), newStorm(seed*2+1, loss, double, damage, reorder)
	return NewEndpoint(twoWay{down, up}), NewEndpoint(twoWay{up, down}), up, down
}
