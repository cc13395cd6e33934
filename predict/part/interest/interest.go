// Package interest is the area of interest of a server's client: nearby bodies are sent at the full
// rate, the rate falls with the distance from the client's player, and beyond a cutoff nothing is
// sent. Space Engineers does so (a talk at GDC), in a world of 10,000 bodies.
//
// The package decides how often a body is due and counts updates by distance. It does not know how
// bodies are sent.
package interest

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Area is the area around a client's player in which bodies are sent at the full rate. Farther away
// the rate falls with the square of the distance, as the size of a body on the screen does, and
// beyond the cutoff nothing is sent. The zero value has no limit.
type Area struct {
	radius float64 // metres; 0: no limit
	cutoff float64 // metres; 0: none
}

// Declare declares the knobs.
func (a *Area) Declare(k *predict.Knobs) {
	group := k.In(predict.PriorityKnobs)
	group.Float(&a.radius, "interest-radius", 0, 0, 500, "distance beyond which update rates fall with its square, m; 0: none")
	group.Float(&a.cutoff, "interest-cutoff", 0, 0, 500, "distance beyond which no body is sent, m; 0: none")
}

// Excludes reports whether a body is beyond the cutoff. distanceSq is its squared distance in m2.
func (a *Area) Excludes(distanceSq float32) bool {
	return a.cutoff > 0 && float64(distanceSq) > float64(a.cutoff*a.cutoff)
}

// Limited reports whether the area has a radius or a cutoff.
func (a *Area) Limited() bool { return a.radius > 0 || a.cutoff > 0 }

// Interval returns the number of ticks from one update of a body to the next: 1 within the radius, 4
// at twice the radius.
func (a *Area) Interval(distanceSq float32) sim.Tick {
	if a.radius == 0 {
		return 1
	}
	return max(sim.Tick(float64(distanceSq)/float64(a.radius*a.radius)), 1)
}

// IsDue reports whether a body is due in a tick.
func (a *Area) IsDue(distanceSq float32, tick sim.Tick) bool {
	return tick%a.Interval(distanceSq) == 0
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

// Bands count updates by the distance of bodies from the player. They are plain.
type Bands struct {
	bodyTicks    [len(bandCounters)]uint64 // bodies in the band, summed over ticks
	updateCounts [len(bandCounters)]uint64
}

// BandCounters show the updates per second of a body in each band.
type BandCounters [len(bandCounters)]predict.Counter

// Declare declares the counters.
func (c *BandCounters) Declare(m *predict.Counters) {
	for i, x := range bandCounters {
		c[i] = m.New(x[0], x[1])
	}
}

func bandOf(distanceSq float32) int {
	for i, end := range bandEnds {
		if distanceSq < end*end {
			return i
		}
	}
	return len(bandEnds)
}

// CountBody counts a body of one tick, whether sent or not.
func (b *Bands) CountBody(distanceSq float32) { b.bodyTicks[bandOf(distanceSq)]++ }

// CountUpdate counts an update of a body at a position for a player at another.
func (b *Bands) CountUpdate(body, player geom.Vec3) {
	b.updateCounts[bandOf(body.Sub(player).LenSq())]++
}

// SetCounters sets the counters, at a number of ticks per second.
func (b *Bands) SetCounters(counters *BandCounters, ticksPerSecond int) {
	for i, c := range counters {
		if b.bodyTicks[i] > 0 {
			c.Set(float64(b.updateCounts[i]) * float64(ticksPerSecond) / float64(b.bodyTicks[i]))
		}
	}
}
