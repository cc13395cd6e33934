package link

import "time"

// Direction is a direction of a link.
type Direction uint8

// The two directions.
const (
	Up   Direction = iota // client to server
	Down                  // server to client
)

// Network has the conditions of both directions and the seed of all outcomes.
type Network struct {
	Seed     uint64
	Up, Down Conditions
	Blackout time.Duration // all datagrams sent before this time are lost
}

func (n *Network) conditions(d Direction) *Conditions {
	if d == Up {
		return &n.Up
	}
	return &n.Down
}

// Outcome is what happens to one datagram.
type Outcome struct {
	Lost           bool
	Delay          time.Duration // one way, at least 0
	Duplicated     bool          // it arrives a second time
	DuplicateDelay time.Duration // delay of the second copy

	// Damage selects the bits that are flipped, of the first and of the second copy; 0: none.
	Damage, DuplicateDamage uint64

	Foreign      uint64        // selects the checksum of a foreign datagram that arrives, too; 0: none does
	ForeignDelay time.Duration // its delay
}

// burstSlot is the step of the chain that makes loss bursts.
const burstSlot = time.Second / 60

// Purposes of random numbers, so that no two share a hash.
const (
	forLoss = iota
	forDelay
	forSpike
	forDuplicate
	forDuplicateDelay
	forReorder
	forBurst
	forSwing
	forDamage
	forDuplicateDamage
	forForeign
	forForeignDelay
)

// Outcome returns what happens to a datagram, the index-th of those sent at now. It is
// a pure function of its arguments and the network.
func (n *Network) Outcome(d Direction, seat int, now time.Duration, index int) Outcome {
	c := n.conditions(d)
	key := splitmix64(splitmix64(splitmix64(n.Seed^uint64(d)<<32^uint64(seat)<<33)^uint64(now)) ^ uint64(index))
	o := Outcome{
		Lost: n.isBlackedOut(c, now) || n.burstLoss(c, d, seat, now, key) || chance(key, forSwing, c.swingLoss(now)),
	}
	base := c.baseDelay(now, seat)
	o.Delay = c.drawDelay(base, key, forDelay)
	if chance(key, forSpike, c.SpikeChance) {
		o.Delay += c.Spike
	}
	if chance(key, forReorder, c.Reorder) {
		o.Delay += c.ReorderDelay
	}
	o.Delay += c.pauseLeft(now)
	if chance(key, forDuplicate, c.Duplicate) {
		o.Duplicated, o.DuplicateDelay = true, c.drawDelay(base, key, forDuplicateDelay)+c.pauseLeft(now)
		o.DuplicateDamage = selection(key, forDuplicateDamage, c.Corrupt)
	}
	o.Damage = selection(key, forDamage, c.Corrupt)
	if o.Foreign = selection(key, forForeign, c.Foreign); o.Foreign != 0 {
		o.ForeignDelay = c.drawDelay(base, key, forForeignDelay) + c.pauseLeft(now)
		if n.isBlackedOut(c, now) {
			o.Foreign = 0
		}
	}
	return o
}

// isBlackedOut reports whether everything sent at now is lost.
func (n *Network) isBlackedOut(c *Conditions, now time.Duration) bool {
	_, lost := c.Trace.at(now)
	return lost || now < n.Blackout || c.inOutage(now)
}

// baseDelay returns the one-way delay of a seat at now without random parts.
func (c *Conditions) baseDelay(now time.Duration, seat int) time.Duration {
	delay, _ := c.Trace.at(now)
	delay += c.Latency + c.swingDelay(now)
	for _, player := range players(seat) {
		if player < 0 {
			continue
		}
		delay += time.Duration(player) * c.LatencyPerPlayer
		if player+1 == c.FarPlayer {
			delay += c.FarLatency
		}
	}
	return delay
}

// burstLoss decides whether a datagram is lost. Without bursts losses are independent.
// With bursts there are a good and a bad state (Gilbert, 1960), and in the bad one
// everything is lost. Its mean length is Burst slots and its share of the time is Loss.
// The state is a Markov chain over time, shared by all datagrams of a slot.
func (n *Network) burstLoss(c *Conditions, d Direction, seat int, now time.Duration, key uint64) bool {
	if c.Burst <= 1 || float64(c.Burst*(1-c.Loss)) <= 1 { // independent losses have runs at least as long
		return chance(key, forLoss, c.Loss)
	}
	// leave is the chance per slot to leave the bad state, enter the chance to enter
	// it.
	leave := 1 / c.Burst
	enter := float64(leave*c.Loss) / (1 - c.Loss)
	// One random number decides each slot. Below enter the state becomes bad and at or
	// above 1-leave it becomes good in any case; in between it stays. So the
	// current state is that of the last deciding slot, and searching backwards for it
	// makes the chain a pure function of time.
	chainKey := splitmix64(n.Seed ^ uint64(d)<<32 ^ uint64(seat)<<33 ^ 0x5bd1e995)
	for s := int64(now / burstSlot); s >= 0; s-- {
		u := unitFloat(splitmix64(splitmix64(chainKey^uint64(s)) + forBurst))
		if u < enter {
			return true
		}
		if u >= 1-leave {
			return false
		}
	}
	return false // the session starts in the good state
}

// inOutage reports whether now is in an outage. Outages end each period.
func (c *Conditions) inOutage(now time.Duration) bool {
	return c.OutageEvery > 0 && now%c.OutageEvery >= c.OutageEvery-c.Outage
}

// pauseLeft returns how long a datagram sent at now waits for the end of a pause.
// Pauses end each period.
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

// draw returns the extra delay of a shape and scale for a random number, in integers,
// so that it is the same on every machine.
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
	f := int64(r << 9 >> 48) // 16 bits of interpolation
	a, b := int64(table[i]), int64(table[i+1])
	unit := a<<16 + (b-a)*f                                // in 1/4096/65536 of the scale
	return time.Duration(int64(scale) * (unit >> 8) >> 20) // scales are below 2^34 ns, units below 2^34
}

// chance returns true with probability p.
func chance(key, purpose uint64, p float64) bool {
	return p > 0 && unitFloat(splitmix64(key+purpose)) < p
}

// selection returns 0, or with probability p a random number that is not 0.
func selection(key, purpose uint64, p float64) uint64 {
	if !chance(key, purpose, p) {
		return 0
	}
	return splitmix64(^splitmix64(key+purpose)) | 1
}

// unitFloat maps a random number to [0,1).
func unitFloat(x uint64) float64 { return float64(x>>11) / (1 << 53) }

// splitmix64 is the output function of the splitmix64 generator, a bijection in which
// every input bit changes half the output bits on average.
func splitmix64(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
