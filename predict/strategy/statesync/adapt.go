package statesync

const (
	spreadMost  = mostBuffer // ticks; what comes later than that is not waited for
	spreadSpans = 10         // seconds of arrivals that the buffer remembers
	spreadShare = 99         // in 100: so many packets are to come in time
)

// spread is by how many ticks packets come later than the earliest ones, over
// the last seconds. An adaptive buffer is as long as 99 in 100 need, and a tick:
// unlike lockstep this strategy can do without one packet in a hundred, and need
// not be as slow as the slowest.
type spread struct {
	now   [farTicks + 2*farTicks]uint16 // this second's packets, by how early they were
	total int
	past  [spreadSpans][spreadMost + 1]uint16 // of seconds before, by how much later than the earliest of the second
	seen  int
}

// take takes in a packet that came so many ticks before its turn.
func (s *spread) take(early int) {
	s.now[early+2*farTicks]++
	s.total++
}

// drop forgets this second.
func (s *spread) drop() { clear(s.now[:]); s.total = 0 }

// close ends a second. A second without packets says nothing.
func (s *spread) close() {
	if s.total == 0 {
		return
	}
	p := &s.past[s.seen%spreadSpans]
	clear(p[:])
	earliest := -1
	for i := len(s.now) - 1; i >= 0; i-- {
		if n := s.now[i]; n > 0 {
			if earliest < 0 {
				earliest = i
			}
			p[min(earliest-i, spreadMost)] += n
		}
	}
	s.seen++
	s.drop()
}

// want returns the buffer, in ticks, that the packets of the last seconds ask
// for. It is 0 before there were any.
func (s *spread) want() int {
	var all [spreadMost + 1]int
	total := 0
	for i := range min(s.seen, spreadSpans) {
		for late, n := range s.past[i] {
			all[late] += int(n)
			total += int(n)
		}
	}
	if total == 0 {
		return 0
	}
	left := total * spreadShare / 100
	for late, n := range all {
		if left -= n; left <= 0 {
			return min(late+1, mostBuffer)
		}
	}
	return mostBuffer
}

// adapt makes the buffer what is wanted: longer at the end of a second in which
// that was too short, shorter by a tick a second once ten seconds are known.
func (c *client) adapt() {
	if !c.adaptive {
		c.size = c.buffer
		return
	}
	c.spread.close()
	switch want := c.spread.want(); {
	case want > c.size:
		c.size = want
	case want > 0 && want < c.size && c.spread.seen >= spreadSpans:
		c.size--
	}
}
