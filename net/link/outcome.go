package link

import "time"

// Direction tells the two lanes of a link apart.
type Direction uint8

// The two lanes.
const (
	Up   Direction = iota // client to server
	Down                  // server to client
)

// Network is the conditions of a session and the seed of all its fates.
type Network struct {
	Seed     uint64
	Up, Down Conditions
	Blackout time.Duration // every datagram sent before this moment is lost: a forced fault
}

func (w *Network) conditions(d Direction) *Conditions {
	if d == Up {
		return &w.Up
	}
	return &w.Down
}

// Outcome is what happens to one datagram.
type Outcome struct {
	Lost           bool
	Delay          time.Duration // one way, never negative
	Duplicated     bool          // it arrives a second time,
	DuplicateDelay time.Duration // after this delay
}

// burstSlot is the length of time for which a loss burst, once begun or ended, is
// decided anew.
const burstSlot = time.Second / 60

// The purposes of random numbers, so that no two share a hash.
const (
	forLoss = iota
	forDelay
	forSpike
	forDuplicate
	forDuplicateDelay
	forReorder
	forBurst
	forSwing
)

// Outcome returns what happens to the datagram number place of those sent at
// moment now. It is a pure function of its arguments and the weather.
func (w *Network) Outcome(d Direction, seat int, now time.Duration, place int) Outcome {
	c := w.conditions(d)
	key := splitmix64(splitmix64(splitmix64(w.Seed^uint64(d)<<32^uint64(seat)<<33)^uint64(now)) ^ uint64(place))
	f := Outcome{
		Lost: w.isBlackedOut(c, now) || w.burstLoss(c, d, seat, now, key) || chance(key, forSwing, c.swingLoss(now)),
	}
	base := c.baseDelay(now, seat)
	f.Delay = c.drawDelay(base, key, forDelay)
	if chance(key, forSpike, c.SpikeChance) {
		f.Delay += c.Spike
	}
	if chance(key, forReorder, c.Reorder) {
		f.Delay += c.ReorderDelay
	}
	f.Delay += c.pauseLeft(now)
	if chance(key, forDuplicate, c.Duplicate) {
		f.Duplicated, f.DuplicateDelay = true, c.drawDelay(base, key, forDuplicateDelay)+c.pauseLeft(now)
	}
	return f
}

// isBlackedOut reports whether everything that is sent at now is lost, whatever its
// luck.
func (w *Network) isBlackedOut(c *Conditions, now time.Duration) bool {
	_, lost := c.Trace.at(now)
	return lost || now < w.Blackout || c.inOutage(now)
}

// baseDelay is a seat's one-way delay at now before chance has its say.
func (c *Conditions) baseDelay(now time.Duration, seat int) time.Duration {
	delay, _ := c.Trace.at(now)
	return c.Latency + time.Duration(seat)*c.SeatSpread + c.swingDelay(now) + delay
}

// burstLoss decides loss. Without bursts every datagram is judged alone. With
// them there is a good and a bad state (Gilbert, 1960): in the bad one all is
// lost; its mean length is Burst slots, and its share of the time is Loss. The
// state is a chain over time, and all datagrams of a slot share it.
func (w *Network) burstLoss(c *Conditions, d Direction, seat int, now time.Duration, key uint64) bool {
	if c.Burst <= 1 || float64(c.Burst*(1-c.Loss)) <= 1 { // runs no longer than chance alone makes them
		return chance(key, forLoss, c.Loss)
	}
	// leave is the chance to leave the bad state in a slot, enter that to
	// enter it from the good one.
	leave := 1 / c.Burst
	enter := float64(leave*c.Loss) / (1 - c.Loss)
	// One random number decides each slot: below enter it becomes bad from
	// either state, at or above 1-leave it becomes good from either, between
	// the two it stays as it was. So the state now is what the last deciding
	// slot made it, and looking back for that one makes the chain a pure
	// function of the moment.
	here := splitmix64(w.Seed ^ uint64(d)<<32 ^ uint64(seat)<<33 ^ 0x5bd1e995)
	for s := int64(now / burstSlot); s >= 0; s-- {
		u := unitFloat(splitmix64(splitmix64(here^uint64(s)) + forBurst))
		if u < enter {
			return true
		}
		if u >= 1-leave {
			return false
		}
	}
	return false // before the session all was well
}

// inOutage reports whether now lies in one of the regular outages, which end
// each period.
func (c *Conditions) inOutage(now time.Duration) bool {
	return c.OutageEvery > 0 && now%c.OutageEvery >= c.OutageEvery-c.Outage
}

// pauseLeft is how long a datagram sent at now waits for the end of a regular
// pause; pauses end each period and lose nothing.
func (c *Conditions) pauseLeft(now time.Duration) time.Duration {
	if c.PauseEvery <= 0 {
		return 0
	}
	if at := now % c.PauseEvery; at >= c.PauseEvery-c.Pause {
		return c.PauseEvery - at
	}
	return 0
}

// drawDelay draws a delay for a purpose.
func (c *Conditions) drawDelay(base time.Duration, key, purpose uint64) time.Duration {
	d := base
	if c.Jitter > 0 {
		d += c.Shape.draw(c.Jitter, splitmix64(key+purpose))
	}
	return max(d, 0)
}

// draw returns the extra delay of a shape and scale for a random word. It is
// all integers, so it is the same everywhere.
func (s Shape) draw(scale time.Duration, r uint64) time.Duration {
	var table *[513]int32
	switch s {
	case Uniform: // in [-scale, scale]
		return time.Duration((r>>40)*uint64(2*scale)>>24) - scale
	case UniformPositive: // in [0, scale]
		return time.Duration((r >> 40) * uint64(scale) >> 24)
	case Normal:
		table = &normalQuantile
	case Gamma:
		table = &gammaQuantile
	default:
		table = &longTailQuantile
	}
	i := r >> 55             // 9 bits: 0..511
	f := int64(r << 9 >> 48) // 16 bits of the way to the next entry
	a, b := int64(table[i]), int64(table[i+1])
	unit := a<<16 + (b-a)*f                                // in 1/4096/65536 of the scale
	return time.Duration(int64(scale) * (unit >> 8) >> 20) // scales are below 2^34 ns, units below 2^34
}

// chance draws a yes with probability p.
func chance(key, purpose uint64, p float64) bool {
	return p > 0 && unitFloat(splitmix64(key+purpose)) < p
}

// unitFloat maps a random word to [0,1).
func unitFloat(x uint64) float64 { return float64(x>>11) / (1 << 53) }

// splitmix64 is the splitmix64 generator's output function: a bijection of 64-bit
// words in which every bit of the argument moves half the bits of the result.
func splitmix64(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
