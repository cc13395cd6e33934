package score

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// lift is how high the player's body is: its lowest corner above the ground. One that
// climbs what it should push is higher than the true one.
type lift struct {
	drawn, truth raised
}

// raised is that of one motion.
type raised struct {
	sum  float64 // metres
	most float32 // metres
}

func (r *raised) add(height float32) {
	r.sum += float64(height)
	r.most = max(r.most, height)
}

// take looks at a tick.
func (l *lift) take(truth, drawn *geom.Pose, box *sim.Box) {
	l.truth.add(clearance(truth, box))
	l.drawn.add(clearance(drawn, box))
}

// clearance returns how far the lowest corner of a body is above the ground, and 0 if it
// is in it.
func clearance(at *geom.Pose, box *sim.Box) float32 {
	least := lowest(at, &box.Half)
	for i := range box.Parts {
		p, half := partAt(at, box, i+1)
		least = min(least, lowest(&p, half))
	}
	return max(least, 0)
}

// lowest is how far the lowest corner of a box is above the ground, below 0 in it.
func lowest(at *geom.Pose, half *geom.Vec3) float32 {
	m := at.Rot.Mat()
	return at.Pos.Z - float32(geom.Abs(m.X.Z)*half.X) - float32(geom.Abs(m.Y.Z)*half.Y) - float32(geom.Abs(m.Z.Z)*half.Z)
}

// Lifted returns how high the lowest corner of the player's drawn body was above the
// ground, the mean and the most, in metres.
func (c *Score) Lifted() (mean, most float64) { return c.lifted(&c.lift.drawn) }

// LiftedTruth returns the same of the true body.
func (c *Score) LiftedTruth() (mean, most float64) { return c.lifted(&c.lift.truth) }

func (c *Score) lifted(r *raised) (mean, most float64) {
	return r.sum / float64(max(c.Ticks, 1)), float64(r.most)
}
