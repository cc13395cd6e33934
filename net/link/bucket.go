package link

import "time"

// A bandwidth limit is a token bucket in front of a queue, as in Linux's tc-tbf(8).
// Tokens are bytes. They arrive at the rate Bandwidth and accumulate up to Bucket; the
// bucket is full at the start and after a pause. Datagrams leave in order, each when
// there are enough tokens for it. A datagram larger than the bucket leaves when the
// rate has made up the difference, so without a bucket each leaves when its last bit
// has been sent at the rate. A datagram that would wait longer than Queue for those
// before it is dropped on arrival (tail drop).
//
// Tokens are not counted. It suffices to store when everything admitted would have left
// at the bare rate (the theoretical arrival time of the generic cell rate algorithm,
// ITU-T I.371): if that is x in the future, the bucket lacks x times the rate. All of
// it is in integers.

// admit returns when n bytes, headers included, that are sent now leave, or false if the
// queue is full.
func (p *path) admit(now time.Duration, c *Conditions, n int) (time.Duration, bool) {
	if c.Bandwidth <= 0 {
		return now, true
	}
	if p.theoreticalArrival-c.transmissionTime(c.Bucket)-now > c.Queue {
		return 0, false
	}
	return p.departure(now, c, n), true
}

// departure returns when n bytes, headers included, that are sent now leave a queue of
// any length.
func (p *path) departure(now time.Duration, c *Conditions, n int) time.Duration {
	if c.Bandwidth <= 0 {
		return now
	}
	p.theoreticalArrival = max(now, p.theoreticalArrival) + c.transmissionTime(n)
	return max(now, p.theoreticalArrival-c.transmissionTime(c.Bucket))
}

// transmissionTime returns the time to send n bytes at the rate.
func (c *Conditions) transmissionTime(n int) time.Duration {
	return time.Duration(int64(n) * 8 * int64(time.Second) / int64(c.Bandwidth))
}
