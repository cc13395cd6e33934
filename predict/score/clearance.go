package score

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// clearances is how high the player's body is: its lowest corner above the ground. One that
// climbs what it should push is higher than the true one.
type clearances struct {
	drawn, server heights
}

// heights is that of one motion.
type heights struct {
	sum float64 // metres
	max float32 // metres
}

func (r *heights) add(height float32) {
	r.sum += float64(height)
	r.max = max(r.max, height)
}

// add looks at a tick.
func (l *clearances) add(truth, drawn *geom.Pose, box *sim.Box) {
	l.server.add(clearance(truth, box))
	l.drawn.add(clearance(drawn, box))
}

// clearance returns how far the lowest corner of a body is above the ground, and 0 if it
// is in it.
func clearance(at *geom.Pose, box *sim.Box) float32 {
	least := boxClearance(at, &box.Half)
	for i := range box.Parts {
		p, half := partAt(at, box, i+1)
		least = min(least, boxClearance(&p, half))
	}
	return max(least, 0)
}

// boxClearance is how far the lowest corner of a box is above the ground, below 0 in it.
func boxClearance(at *geom.Pose, half *geom.Vec3) float32 {
	m := at.Rot.Mat()
	return at.Pos.Z - float32(geom.Abs(m.X.Z)*half.X) - float32(geom.Abs(m.Y.Z)*half.Y) - float32(geom.Abs(m.Z.Z)*half.Z)
}

// GroundClearance returns how high the lowest corner of the player's drawn body was above the
// ground, the mean and the most, in metres.
func (c *Score) GroundClearance() (mean, most float64) { return c.groundClearance(&c.clearance.drawn) }

// ServerGroundClearance returns the same of the true body.
func (c *Score) ServerGroundClearance() (mean, most float64) {
	return c.groundClearance(&c.clearance.server)
}

func (c *Score) groundClearance(r *heights) (mean, most float64) {
	return r.sum / float64(max(c.Ticks, 1)), float64(r.max)
}
