package statesync

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// area is what interests a peer: what is near its player. Farther away the rate of
// updates falls with the square of the distance, as an object's size in the picture
// does, and beyond an end there are none.
type area struct {
	near float64 // metres; 0: everything is near
	end  float64 // metres; 0: there is none
}

func (a *area) declare(k *predict.Knobs) {
	k.Float(&a.near, "interest", 0, 0, 500, "metres from the player; farther away a body's priority falls with the square of the distance; 0: it does not")
	k.Float(&a.end, "interest-end", 0, 0, 500, "metres from the player; of bodies farther away nothing is sent; 0: of all")
}

// beyond reports whether nothing is sent of a body at a distance, whose square in m2
// is away.
func (a *area) beyond(away float32) bool {
	return a.end > 0 && float64(away) > float64(a.end*a.end)
}

// turn reports whether a body at a distance gains priority in a tick: a near one
// always does, one twice as far away as that in one of four.
func (a *area) turn(away float32, tick sim.Tick) bool {
	if a.near == 0 {
		return true
	}
	often := max(sim.Tick(float64(away)/float64(a.near*a.near)), 1)
	return tick%often == 0
}

// bandEnds are the distances from the player at which bands end, in metres, and
// bandNames what they are called.
var (
	bandEnds  = [...]float32{25, 100}
	bandNames = [...]string{"updates_near_hz", "updates_mid_hz", "updates_far_hz"}
)

// bands count how often bodies are told of, by their distance from the player.
type bands struct {
	ticks [len(bandNames)]uint64 // of bodies
	sent  [len(bandNames)]uint64 // updates
}

func declareBands(m *predict.Counters) {
	m.Declare(bandNames[0], "updates a second of a body less than 25 m from the player")
	m.Declare(bandNames[1], "updates a second of a body 25 to 100 m from the player")
	m.Declare(bandNames[2], "updates a second of a body farther than that")
}

func band(away float32) int {
	for i, end := range bandEnds {
		if away < end*end {
			return i
		}
	}
	return len(bandEnds)
}

// see counts a body that might be told of in a tick.
func (b *bands) see(away float32) { b.ticks[band(away)]++ }

// tell counts the bodies of a packet.
func (b *bands) tell(m *message, w *sim.World, here geom.Vec3) {
	for i := range m.updates[:m.n] {
		b.sent[band(w.Bodies()[m.updates[i].body].Pose.Pos.Sub(here).Len2())]++
	}
}

// meter says how often.
func (b *bands) meter(m *predict.Counters, rate int) {
	for i, name := range bandNames {
		if b.ticks[i] > 0 {
			m.Set(name, float64(b.sent[i])*float64(rate)/float64(b.ticks[i]))
		}
	}
}
