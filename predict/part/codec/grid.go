package codec

import (
	"ghostcube/net/quant"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Grid is the numbers that bodies are sent in.
type Grid struct {
	Position, Linear, Angular quant.Grid
	Rotation                  quant.SmallestThree
}

// SyncGrid is that of Fiedler's state synchronisation: 4096 steps per metre,
// per m/s and per rad/s, and 15 bits for each of three components of the
// rotation.
var SyncGrid = Grid{
	Position: quant.SyncPosition, Linear: quant.SyncLinearVelocity, Angular: quant.SyncAngularVelocity,
	Rotation: quant.SyncRotation,
}

// GridOf is the grid that a scene's bounds ask for, with as many steps per metre,
// per m/s and per rad/s, and as many bits of a rotation, as said: wide and high
// enough for all that the scene may hold, in whole metres. For scenes of the bounds
// of Fiedler's demo, 4096 steps and 15 bits it is SyncGrid.
func GridOf(scene *sim.Scene, steps int, rotation quant.SmallestThree) Grid {
	around := func(most float32) quant.Range { return quant.NewRangePerUnit(-ceilBound(most), ceilBound(most), steps) }
	wide, linear, angular := around(scene.HalfWidth), around(scene.MaxLinearSpeed), around(scene.MaxAngularSpeed)
	return Grid{
		Position: quant.Grid{wide, wide, quant.NewRangePerUnit(0, ceilBound(scene.Height), steps)},
		Linear:   quant.Grid{linear, linear, linear},
		Angular:  quant.Grid{angular, angular, angular},
		Rotation: rotation,
	}
}

// maxBound is the largest bound, in metres or m/s, that 4096 steps of each leave
// exact in 32-bit floats.
const maxBound = 2047

// ceilBound returns a bound rounded up.
func ceilBound(most float32) int {
	n := int(geom.Clamp(most, 1, maxBound))
	if float32(n) < most {
		n++
	}
	return n
}

// Snap returns the body on the grid that is nearest to b.
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
