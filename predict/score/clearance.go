package score

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// clearances measures the height of the player's cube above the ground, at its lowest corner. A
// client that takes for a wall what the server's player pushes has its cube climb it.
type clearances struct {
	drawn, server heights
}

// heights accumulates the heights of one motion.
type heights struct {
	sum float64 // metres, over ticks
	max float32 // metres
}

func (r *heights) add(height float32) {
	r.sum += float64(height)
	r.max = max(r.max, height)
}

// add adds a tick.
func (l *clearances) add(server, drawn *geom.Pose, box *sim.Box) {
	l.server.add(clearance(server, box))
	l.drawn.add(clearance(drawn, box))
}

// clearance returns the height of a body's lowest corner above the ground in metres, at least 0.
func clearance(at *geom.Pose, box *sim.Box) float32 {
	lowest := boxClearance(at, &box.Half)
	for i := range box.Parts {
		p, half := partAt(at, box, i+1)
		lowest = min(lowest, boxClearance(&p, half))
	}
	return max(lowest, 0)
}

// boxClearance returns the height of a box's lowest corner above the ground in metres, negative
// below it.
func boxClearance(at *geom.Pose, half *geom.Vec3) float32 {
	m := at.Rot.Mat()
	return at.Pos.Z - float32(geom.Abs(m.X.Z)*half.X) - float32(geom.Abs(m.Y.Z)*half.Y) - float32(geom.Abs(m.Z.Z)*half.Z)
}

// GroundClearance returns the height of the lowest corner of the player's drawn cube above the
// ground, mean and maximum, in metres.
func (c *Score) GroundClearance() (mean, largest float64) {
	return c.groundClearance(&c.clearance.drawn)
}

// ServerGroundClearance returns the same of the server's cube.
func (c *Score) ServerGroundClearance() (mean, largest float64) {
	return c.groundClearance(&c.clearance.server)
}

func (c *Score) groundClearance(r *heights) (mean, largest float64) {
	return r.sum / float64(max(c.Ticks, 1)), float64(r.max)
}
