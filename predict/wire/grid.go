package wire

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
	Position: quant.SyncPosition, Linear: quant.SyncLinear, Angular: quant.SyncAngular,
	Rotation: quant.SyncRotation,
}

// Snap returns the body on the grid that is nearest to b.
func (g *Grid) Snap(b sim.Body) sim.Body {
	q := &b.Pose.Rot
	r := g.Rotation.Quantise([4]float32{q.X, q.Y, q.Z, q.W})
	return sim.Body{
		Pose: geom.Pose{
			Pos: snap(&g.Position, b.Pose.Pos),
			Rot: geom.Quat{X: r[0], Y: r[1], Z: r[2], W: r[3]},
		},
		Linear: snap(&g.Linear, b.Linear), Angular: snap(&g.Angular, b.Angular),
		Asleep: b.Asleep,
	}
}

func snap(g *quant.Grid, v geom.Vec3) geom.Vec3 {
	n := g.Quantise([3]float32{v.X, v.Y, v.Z})
	return geom.Vec3{X: n[0], Y: n[1], Z: n[2]}
}
