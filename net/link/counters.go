package link

import (
	"math"
	"math/bits"
	"time"
)

// Counters counts what a lane does, to be held against what its conditions ask
// for. It counts at both ends of the lane, when a datagram is sent and when it
// is received, and changes no fate.
type Counters struct {
	Sent       uint64 // datagrams
	Lost       uint64 // by their fates; on an in-order link they are sent again
	Dropped    uint64 // by a full queue, or by a dead connection
	Duplicated uint64 // sent on their way a second time

	Arrived           uint64 // datagrams, second copies apart
	DuplicatesArrived uint64 // second copies that arrived
	Reordered         uint64 // datagrams that arrived after one sent later (RFC 4737), second copies apart
	ReorderMax        uint64 // by how many places in the order of sending the last of them was behind, at most

	BytesSent    uint64 // without headers
	BytesArrived uint64 // likewise, second copies apart

	firstSent, lastArrival time.Duration // when the first was sent, and the last arrived

	// Of the datagrams that arrived, second copies apart:
	Delay   Distribution // from sending to arrival
	Queue   Distribution // of that: until the bandwidth limit had let it out
	Transit Distribution // the rest

	newestArrived uint64 // number of the latest sent that has arrived
}

// Goodput returns the bits per second that arrived, headers and second copies
// apart, from the first sending to the last arrival.
func (m *Counters) Goodput() float64 {
	if m.lastArrival <= m.firstSent {
		return 0
	}
	return float64(m.BytesArrived*8) / (m.lastArrival - m.firstSent).Seconds()
}

// send counts a datagram that is sent, and returns its number, from 1.
func (m *Counters) send(now time.Duration, n int) uint64 {
	if m.Sent == 0 {
		m.firstSent = now
	}
	m.Sent++
	m.BytesSent += uint64(n)
	return m.Sent
}

// receive counts what arrives.
func (m *Counters) receive(f *scheduledDatagram) {
	m.lastArrival = max(m.lastArrival, f.arrival)
	if f.duplicate {
		m.DuplicatesArrived++
		return
	}
	m.Arrived++
	m.BytesArrived += uint64(len(f.bytes))
	if f.number < m.newestArrived {
		m.Reordered++
		m.ReorderMax = max(m.ReorderMax, m.newestArrived-f.number)
	}
	m.newestArrived = max(m.newestArrived, f.number)
	m.Delay.add(f.arrival - f.sentAt)
	m.Queue.add(f.departedAt - f.sentAt)
	m.Transit.add(f.arrival - f.departedAt)
}

// Distribution is a distribution of durations: exact in count, mean, deviation and
// extremes, and within a sixty-fourth in quantiles.
type Distribution struct {
	Count    uint64
	Min, Max time.Duration

	mean, m2 float64 // nanoseconds; sum of the squared distances from the mean (Welford, 1962)
	bins     [binCount]uint32
}

// The bins are as wide as a microsecond up to 64 of them, and from there on a
// 32nd of the power of two below, up to 2^32 microseconds, an hour.
const binCount = (32-5)*32 + 32

func binIndex(d time.Duration) int {
	us := uint64(max(d, 0) / time.Microsecond)
	if us < 64 {
		return int(us)
	}
	e := bits.Len64(us) - 6
	return min(e*32+int(us>>e), binCount-1)
}

// binMiddle returns the middle of a bin.
func binMiddle(bin int) time.Duration {
	if bin < 64 {
		return time.Duration(bin) * time.Microsecond // most delays are whole microseconds
	}
	e := bin/32 - 1
	return time.Duration(2*(bin-e*32)+1) << e * time.Microsecond / 2
}

func (s *Distribution) add(d time.Duration) {
	if s.Count == 0 {
		s.Min, s.Max = d, d
	}
	s.Count++
	s.Min, s.Max = min(s.Min, d), max(s.Max, d)
	off := float64(d) - s.mean
	s.mean += off / float64(s.Count)
	s.m2 += float64(off * (float64(d) - s.mean))
	s.bins[binIndex(d)]++
}

// Mean returns the mean, 0 of nothing.
func (s *Distribution) Mean() time.Duration { return time.Duration(s.mean) }

// Deviation returns the standard deviation, 0 of nothing.
func (s *Distribution) Deviation() time.Duration {
	if s.Count == 0 {
		return 0
	}
	return time.Duration(math.Sqrt(s.m2 / float64(s.Count)))
}

// Quantile returns the duration below which a share of all lie, to a
// sixty-fourth of it. The share is in [0,1].
func (s *Distribution) Quantile(share float64) time.Duration {
	var below uint64
	for i, n := range s.bins {
		if below += uint64(n); n > 0 && float64(below) >= float64(share*float64(s.Count)) {
			return min(max(binMiddle(i), s.Min), s.Max)
		}
	}
	return s.Max
}
