package link

import "time"

// A swing is a slow change that comes back: a link that is busy every few
// seconds, a car between two masts. It is a triangle, not a sine, because a
// sine differs between machines: from nothing at the beginning of each period
// in a straight line to the whole of it in the middle, and back. Both swings
// are functions of the moment alone, the same for every seed and seat.

// swingScale is the height of the triangle.
const swingScale = 1 << 20

// swingPhase returns where in its triangle the moment now lies: 0 at the beginning
// of a period, whole in its middle.
func (c *Conditions) swingPhase(now time.Duration) int64 {
	// Microseconds, so that the product fits: a period is below 2^26 of them.
	every, at := int64(c.SwingEvery/time.Microsecond), int64(0)
	if every < 2 {
		return 0
	}
	if at = int64(now%c.SwingEvery) / int64(time.Microsecond); 2*at > every {
		at = every - at
	}
	return 2 * at * swingScale / every
}

// swingDelay is what the swing adds to the latency at now.
func (c *Conditions) swingDelay(now time.Duration) time.Duration {
	if c.Swing <= 0 {
		return 0
	}
	return time.Duration(int64(c.Swing)/swingScale*c.swingPhase(now) + int64(c.Swing)%swingScale*c.swingPhase(now)/swingScale)
}

// swingLoss is the chance at now that the swing takes a datagram, whatever
// else would.
func (c *Conditions) swingLoss(now time.Duration) float64 {
	if c.SwingLoss <= 0 {
		return 0
	}
	return float64(c.SwingLoss*float64(c.swingPhase(now))) / swingScale
}
