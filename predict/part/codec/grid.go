package codec

import (
	"ghostcube/net/quant"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Grid quantises bodies for sending.
type Grid struct {
	Position, Linear, Angular quant.Grid
	Rotation                  quant.SmallestThree
}

// SyncGrid is the grid of Fiedler's state synchronisation: 4096 steps per metre, per m/s and per
// rad/s, and 15 bits for each of three components of the rotation.
var SyncGrid = Grid{
	Position: quant.SyncPosition, Linear: quant.SyncLinearVelocity, Angular: quant.SyncAngularVelocity,
	Rotation: quant.SyncRotation,
}

// GridOf returns a grid that covers a scene's bounds, rounded up to whole metres, with the given
// steps per metre, per m/s and per rad/s and the given rotation. For a scene with the bounds of
// Fiedler's demo, 4096 steps and 15 bits it is SyncGrid.
func GridOf(scene *sim.Scene, steps int, rotation quant.SmallestThree) Grid {
	around := func(limit float32) quant.Range {
		return quant.NewRangePerUnit(-ceilBound(limit), ceilBound(limit), steps)
	}
	position, linear, angular := around(scene.HalfWidth), around(scene.MaxLinearSpeed), around(scene.MaxAngularSpeed)
	return Grid{
		Position: quant.Grid{position, position, quant.NewRangePerUnit(0, ceilBound(scene.Height), steps)},
		Linear:   quant.Grid{linear, linear, linear},
		Angular:  quant.Grid{angular, angular, angular},
		Rotation: rotation,
	}
}

// maxBound is the largest bound, in metres or m/s, at which 4096 steps per unit are exact in 32-bit
// floats.
const maxBound = 2047

// ceilBound returns a bound rounded up to a whole number.
func ceilBound(limit float32) int {
	n := int(geom.Clamp(limit, 1, maxBound))
	if float32(n) < limit {
		n++
	}
	return n
}

// Snap returns b rounded to the grid.
func (g *Grid) Snap(b sim.Body) sim.Body {
	q := &b.Pose.Rot
	r := g.Rotation.Quantise([4]float32{q.X, q.Y, q.Z, q.W})
	return sim.Body{
		Pose: geom.Pose{
			Pos: snapVec(&g.Position, b.Pose.Pos),
			Rot: geom.Quat{X: r[0], Y: r[1], Z: r[2], W: r[3]},
		},
		Linear: snapVec(&g.Linear, b.Linear), Angular: snapVec(&g.Angular, b.Angular),
		Asleep: b.Asleep,
	}
}

func snapVec(g *quant.Grid, v geom.Vec3) geom.Vec3 {
	n := g.Quantise([3]float32{v.X, v.Y, v.Z})
	return geom.Vec3{X: n[0], Y: n[1], Z: n[2]}
}
