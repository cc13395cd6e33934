package link

import "time"

// A swing is a slow periodic change: a link that is busy every few seconds, a car
// between two masts. It rises linearly from zero at the start of each period to its
// maximum in the middle, and falls again. It is a triangle rather than a sine because
// sines differ between machines. Swings depend on the time alone and are the same for
// every seed and seat.

// swingScale is the height of the triangle.
const swingScale = 1 << 20

// swingPhase returns the height of the triangle at now, in [0, swingScale].
func (c *Conditions) swingPhase(now time.Duration) int64 {
	// Microseconds, so that the product fits: a period has fewer than 2^26 of them.
	every, at := int64(c.SwingEvery/time.Microsecond), int64(0)
	if every < 2 {
		return 0
	}
	if at = int64(now%c.SwingEvery) / int64(time.Microsecond); 2*at > every {
		at = every - at
	}
	return 2 * at * swingScale / every
}

// swingDelay returns the latency that the swing adds at now.
func (c *Conditions) swingDelay(now time.Duration) time.Duration {
	if c.Swing <= 0 {
		return 0
	}
	return time.Duration(int64(c.Swing)/swingScale*c.swingPhase(now) + int64(c.Swing)%swingScale*c.swingPhase(now)/swingScale)
}

// swingLoss returns the chance that the swing loses a datagram at now.
func (c *Conditions) swingLoss(now time.Duration) float64 {
	if c.SwingLoss <= 0 {
		return 0
	}
	return float64(c.SwingLoss*float64(c.swingPhase(now))) / swingScale
}
