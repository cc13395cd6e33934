package statesync

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// interestArea is the area around a peer's player in which bodies are sent at the full rate.
// Farther away the rate falls with the square of the distance, as the size of a body on the screen
// does, and beyond the cutoff nothing is sent.
type interestArea struct {
	radius float64 // metres; 0: no limit
	cutoff float64 // metres; 0: none
}

func (a *interestArea) declare(k *predict.Knobs) {
	k.Float(&a.radius, "interest-radius", 0, 0, 500, "distance from the player beyond which priorities fall with the distance squared, m; 0: no fall")
	k.Float(&a.cutoff, "interest-cutoff", 0, 0, 500, "distance from the player beyond which no body is sent, m; 0: no limit")
}

// excludes reports whether a body is beyond the cutoff. distanceSq is its squared distance in m2.
func (a *interestArea) excludes(distanceSq float32) bool {
	return a.cutoff > 0 && float64(distanceSq) > float64(a.cutoff*a.cutoff)
}

// accrues reports whether a body gains priority in a tick: within the radius in every tick, at
// twice the radius in one of four.
func (a *interestArea) accrues(distanceSq float32, tick sim.Tick) bool {
	if a.radius == 0 {
		return true
	}
	every := max(sim.Tick(float64(distanceSq)/float64(a.radius*a.radius)), 1)
	return tick%every == 0
}

// bandEnds are the distances from the player at which the bands end, in metres. The last band has
// no end.
var (
	bandEnds     = [...]float32{25, 100}
	bandCounters = [...][2]string{
		{"updates_near_hz", "updates per second of a body less than 25 m from the player"},
		{"updates_mid_hz", "updates per second of a body 25 to 100 m from the player"},
		{"updates_far_hz", "updates per second of a body more than 100 m from the player"},
	}
)

// distanceBands count updates by the distance of bodies from the player.
type distanceBands struct {
	bodyTicks    [len(bandCounters)]uint64 // bodies in the band, summed over ticks
	updateCounts [len(bandCounters)]uint64
}

func bandOf(distanceSq float32) int {
	for i, end := range bandEnds {
		if distanceSq < end*end {
			return i
		}
	}
	return len(bandEnds)
}

// countBody counts a body of one tick, whether sent or not.
func (b *distanceBands) countBody(distanceSq float32) { b.bodyTicks[bandOf(distanceSq)]++ }

// countUpdates counts the updates of a packet for a player at a position.
func (b *distanceBands) countUpdates(m *message, w *predict.World, player geom.Vec3) {
	for i := range m.updates[:m.updateCount] {
		b.updateCounts[bandOf(w.Bodies()[m.updates[i].body].Pose.Pos.Sub(player).LenSq())]++
	}
}

// setCounters sets the counters of the bands, at a number of ticks per second.
func (b *distanceBands) setCounters(counters *[len(bandCounters)]predict.Counter, ticksPerSecond int) {
	for i, c := range counters {
		if b.bodyTicks[i] > 0 {
			c.Set(float64(b.updateCounts[i]) * float64(ticksPerSecond) / float64(b.bodyTicks[i]))
		}
	}
}
