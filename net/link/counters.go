package link

import (
	"math"
	"math/bits"
	"time"
)

// Counters count what a path does, for comparison with Conditions.Expect. They count at
// both ends of the path, when a datagram is sent and when it is received, and change no
// outcome.
type Counters struct {
	Sent       uint64 // datagrams
	Lost       uint64 // lost by their outcome; on a TCP link they are sent again
	Dropped    uint64 // by a full queue, or by a dead connection
	Duplicated uint64 // sent a second time by the link
	Corrupted  uint64 // copies damaged by the link
	Foreign    uint64 // added by the link

	Arrived           uint64 // datagrams, without duplicates
	DuplicatesArrived uint64 // duplicates that arrived
	Reordered         uint64 // arrived after a datagram sent later (RFC 4737), without duplicates
	ReorderMax        uint64 // largest reordering extent, in datagrams

	BytesSent    uint64 // without headers
	BytesArrived uint64 // likewise, without duplicates
	WireBytes    uint64 // sent, with all headers and all that TCP adds

	Retransmitted uint64 // segments that TCP sent again
	PureAcks      uint64 // segments with which TCP acknowledged the other direction, without data

	firstSent, lastArrival time.Duration

	// Of the datagrams that arrived, without duplicates:
	Delay   Distribution // from sending to arrival
	Queue   Distribution // part of Delay spent in the queue of the bandwidth limit
	Transit Distribution // rest of Delay

	newestArrived uint64 // highest number that has arrived
}

// Goodput returns the bits per second that arrived, without headers and duplicates,
// from the first sending to the last arrival.
func (c *Counters) Goodput() float64 {
	if c.lastArrival <= c.firstSent {
		return 0
	}
	return float64(c.BytesArrived*8) / (c.lastArrival - c.firstSent).Seconds()
}

// send counts a datagram that is sent and returns its number, from 1.
func (c *Counters) send(now time.Duration, n int) uint64 {
	if c.Sent == 0 {
		c.firstSent = now
	}
	c.Sent++
	c.BytesSent += uint64(n)
	return c.Sent
}

// receive counts a datagram that arrives.
func (c *Counters) receive(d *scheduledDatagram) {
	if d.foreign != 0 {
		return
	}
	c.lastArrival = max(c.lastArrival, d.arrival)
	if d.duplicate {
		c.DuplicatesArrived++
		return
	}
	c.Arrived++
	c.BytesArrived += uint64(len(d.bytes))
	if d.number < c.newestArrived {
		c.Reordered++
		c.ReorderMax = max(c.ReorderMax, c.newestArrived-d.number)
	}
	c.newestArrived = max(c.newestArrived, d.number)
	c.Delay.add(d.arrival - d.sentAt)
	c.Queue.add(d.departedAt - d.sentAt)
	c.Transit.add(d.arrival - d.departedAt)
}

// Distribution summarises durations. Count, mean, deviation and extremes are exact,
// quantiles are within 1/32.
type Distribution struct {
	Count    uint64
	Min, Max time.Duration

	mean, m2 float64 // nanoseconds; sum of squared distances from the mean (Welford, 1962)
	bins     [binCount]uint32
}

// Bins are one microsecond wide up to 64, and from there on 1/32 of the power of two
// below, up to 2^32 microseconds, more than an hour.
const (
	octaveBins = 32 // from a power of two to the next
	binCount   = (32-5)*octaveBins + octaveBins
)

// binIndex returns the bin of a delay: its highest six bits, after the bins of shorter delays.
func binIndex(d time.Duration) int {
	us := uint64(max(d, 0) / time.Microsecond)
	dropped := max(bits.Len64(us)-6, 0)
	return min(dropped*octaveBins+int(us>>dropped), binCount-1)
}

// binBounds returns where a bin begins and ends. One of a whole microsecond has no width: most delays are whole microseconds.
func binBounds(bin int) (from, to time.Duration) {
	if bin < 2*octaveBins {
		return time.Duration(bin) * time.Microsecond, time.Duration(bin) * time.Microsecond
	}
	dropped := bin/octaveBins - 1
	from = time.Duration(bin-dropped*octaveBins) << dropped * time.Microsecond
	return from, from + time.Microsecond<<dropped
}

func (d *Distribution) add(delay time.Duration) {
	if d.Count == 0 {
		d.Min, d.Max = delay, delay
	}
	d.Count++
	d.Min, d.Max = min(d.Min, delay), max(d.Max, delay)
	delta := float64(delay) - d.mean
	d.mean += delta / float64(d.Count)
	d.m2 += float64(delta * (float64(delay) - d.mean))
	d.bins[binIndex(delay)]++
}

// Mean returns the mean, 0 if there is none.
func (d *Distribution) Mean() time.Duration { return time.Duration(d.mean) }

// Deviation returns the standard deviation, 0 if there is none.
func (d *Distribution) Deviation() time.Duration {
	if d.Count == 0 {
		return 0
	}
	return time.Duration(math.Sqrt(d.m2 / float64(d.Count)))
}

// Quantile returns the duration below which a share of all lie. The durations of a bin count as evenly spread, so that it is off by
// at most 1/32. The share is in [0,1].
func (d *Distribution) Quantile(share float64) time.Duration {
	var below uint64
	rank := float64(share * float64(d.Count))
	for i, n := range d.bins {
		if below += uint64(n); n == 0 || float64(below) < rank {
			continue
		}
		from, to := binBounds(i)
		from, to = max(from, d.Min), min(to, d.Max)
		within := 1 - (float64(below)-rank)/float64(n)
		return min(max(from+time.Duration(float64(to-from)*max(within, 0)), d.Min), d.Max)
	}
	return d.Max
}
