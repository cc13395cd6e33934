package statesync

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// interestArea is what interests a peer: what is near its player. Farther away the rate of
// updates falls with the square of the distance, as an object's size in the picture
// does, and beyond an end there are none.
type interestArea struct {
	radius float64 // metres; 0: everything is near
	cutoff float64 // metres; 0: there is none
}

func (a *interestArea) declare(k *predict.Knobs) {
	k.Float(&a.radius, "interest-radius", 0, 0, 500, "metres from the player; farther away a body's priority falls with the square of the distance; 0: it does not")
	k.Float(&a.cutoff, "interest-cutoff", 0, 0, 500, "metres from the player; of bodies farther away nothing is sent; 0: of all")
}

// excludes reports whether nothing is sent of a body at a distance, whose square in m2
// is away.
func (a *interestArea) excludes(away float32) bool {
	return a.cutoff > 0 && float64(away) > float64(a.cutoff*a.cutoff)
}

// accrues reports whether a body at a distance gains priority in a tick: a near one
// always does, one twice as far away as that in one of four.
func (a *interestArea) accrues(away float32, tick sim.Tick) bool {
	if a.radius == 0 {
		return true
	}
	often := max(sim.Tick(float64(away)/float64(a.radius*a.radius)), 1)
	return tick%often == 0
}

// bandEnds are the distances from the player at which bands end, in metres, and
// bandNames what they are called.
var (
	bandEnds     = [...]float32{25, 100}
	bandCounters = [...]string{"updates_near_hz", "updates_mid_hz", "updates_far_hz"}
)

// distanceBands count how often bodies are told of, by their distance from the player.
type distanceBands struct {
	bodyTicks    [len(bandCounters)]uint64 // of bodies
	updateCounts [len(bandCounters)]uint64 // updates
}

func declareBands(m *predict.Counters) {
	m.Declare(bandCounters[0], "updates a second of a body less than 25 m from the player")
	m.Declare(bandCounters[1], "updates a second of a body 25 to 100 m from the player")
	m.Declare(bandCounters[2], "updates a second of a body farther than that")
}

func bandOf(away float32) int {
	for i, end := range bandEnds {
		if away < end*end {
			return i
		}
	}
	return len(bandEnds)
}

// countBody counts a body that might be told of in a tick.
func (b *distanceBands) countBody(away float32) { b.bodyTicks[bandOf(away)]++ }

// countUpdates counts the bodies of a packet.
func (b *distanceBands) countUpdates(m *message, w *predict.World, here geom.Vec3) {
	for i := range m.updates[:m.updateCount] {
		b.updateCounts[bandOf(w.Bodies()[m.updates[i].body].Pose.Pos.Sub(here).LenSq())]++
	}
}

// setCounters says how often.
func (b *distanceBands) setCounters(m *predict.Counters, rate int) {
	for i, name := range bandCounters {
		if b.bodyTicks[i] > 0 {
			m.Set(name, float64(b.updateCounts[i])*float64(rate)/float64(b.bodyTicks[i]))
		}
	}
}
