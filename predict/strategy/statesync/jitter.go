package statesync

const (
	maxLateTicks        = maxBufferTicks // ticks; what comes later than that is not waited for
	jitterWindowSeconds = 10             // seconds of arrivals that the buffer remembers
	onTimePercent       = 99             // in 100: so many packets are to come in time
)

// jitterHistogram is by how many ticks packets come later than the earliest ones, over
// the last seconds. An adaptive buffer is as long as 99 in 100 need, and a tick:
// unlike lockstep this strategy can do without one packet in a hundred, and need
// not be as slow as the slowest.
type jitterHistogram struct {
	current     [maxEarlyTicks + 2*maxEarlyTicks]uint16 // this second's packets, by how early they were
	total       int
	seconds     [jitterWindowSeconds][maxLateTicks + 1]uint16 // of seconds before, by how much later than the earliest of the second
	secondCount int
}

// add takes in a packet that came so many ticks before its turn.
func (s *jitterHistogram) add(early int) {
	s.current[early+2*maxEarlyTicks]++
	s.total++
}

// discardSecond forgets this second.
func (s *jitterHistogram) discardSecond() { clear(s.current[:]); s.total = 0 }

// closeSecond ends a second. A second without packets says nothing.
func (s *jitterHistogram) closeSecond() {
	if s.total == 0 {
		return
	}
	p := &s.seconds[s.secondCount%jitterWindowSeconds]
	clear(p[:])
	earliest := -1
	for i := len(s.current) - 1; i >= 0; i-- {
		if n := s.current[i]; n > 0 {
			if earliest < 0 {
				earliest = i
			}
			p[min(earliest-i, maxLateTicks)] += n
		}
	}
	s.secondCount++
	s.discardSecond()
}

// targetTicks returns the buffer, in ticks, that the packets of the last seconds ask
// for. It is 0 before there were any.
func (s *jitterHistogram) targetTicks() int {
	var all [maxLateTicks + 1]int
	total := 0
	for i := range min(s.secondCount, jitterWindowSeconds) {
		for late, n := range s.seconds[i] {
			all[late] += int(n)
			total += int(n)
		}
	}
	if total == 0 {
		return 0
	}
	left := total * onTimePercent / 100
	for late, n := range all {
		if left -= n; left <= 0 {
			return min(late+1, maxBufferTicks)
		}
	}
	return maxBufferTicks
}

// adaptBuffer makes the buffer what is wanted: longer at the end of a second in which
// that was too short, shorter by a tick a second once ten seconds are known.
func (c *client) adaptBuffer() {
	if !c.adaptive {
		c.bufferTicks = c.jitterBuffer
		return
	}
	c.jitter.closeSecond()
	switch want := c.jitter.targetTicks(); {
	case want > c.bufferTicks:
		c.bufferTicks = want
	case want > 0 && want < c.bufferTicks && c.jitter.secondCount >= jitterWindowSeconds:
		c.bufferTicks--
	}
}
