package link

import "time"

// A bandwidth limit is a token bucket before a queue, as in Linux's tc-tbf(8).
// Tokens are bytes. They come at the rate Bandwidth and are kept up to Bucket;
// at the beginning, and after a rest, the bucket is full. A datagram leaves
// when there are tokens for it, those before it first. One that is larger than
// the bucket leaves when the rate has made up the difference, so without a
// bucket each leaves when its last bit has been sent at the rate. One that would
// wait longer than Queue for those before it is dropped when it comes: the tail
// of the queue.
//
// The tokens are not counted. It is enough to remember when all that has been
// let through would have left at the bare rate (the theoretical arrival time of
// the generic cell rate algorithm, ITU-T I.371): if that lies x ahead, then the
// bucket lacks x times the rate. All of it is integers.

// admit returns when the datagram of n bytes that is sent now leaves, or
// false where the queue is full.
func (l *path) admit(now time.Duration, c *Conditions, n int) (time.Duration, bool) {
	if c.Bandwidth <= 0 {
		return now, true
	}
	if l.theoreticalArrival-c.transmissionTime(c.Bucket)-now > c.Queue {
		return 0, false
	}
	return l.departure(now, c, n), true
}

// departure returns when the datagram of n bytes that is sent now leaves if no
// queue is too long for it.
func (l *path) departure(now time.Duration, c *Conditions, n int) time.Duration {
	if c.Bandwidth <= 0 {
		return now
	}
	l.theoreticalArrival = max(now, l.theoreticalArrival) + c.transmissionTime(n+UDPIPHeaderBytes)
	return max(now, l.theoreticalArrival-c.transmissionTime(c.Bucket))
}

// transmissionTime is how long the limit takes for n bytes.
func (c *Conditions) transmissionTime(n int) time.Duration {
	return time.Duration(int64(n) * 8 * int64(time.Second) / int64(c.Bandwidth))
}
