package stage

import (
	"ghostcube/render"
	"ghostcube/sim/geom"
)

const (
	minGhostDifference  = 0.03 // metres; a ghost nearer to its body is not drawn
	fullGhostDifference = 0.08 // metres; a ghost nearer to its body is weaker

	// maxGhostsWithEdges is the number of ghosts up to which each shows its edges. With more, the edges would be a tangle
	// of lines.
	maxGhostsWithEdges = 8
	ghostEdgeAlpha     = 170 // of 255
)

// ghostAlpha returns the strength, of 255, of a ghost of a body whose half extents are given, and whether it is
// drawn at all.
func ghostAlpha(body, ghost geom.Pose, half geom.Vec3) (alpha uint8, drawn bool) {
	d := poseDifference(body, ghost, half)
	share := (d - minGhostDifference) / (fullGhostDifference - minGhostDifference)
	return uint8(float32(geom.Clamp(share, 0, 1)*214) + 40), d >= minGhostDifference
}

// poseDifference returns the largest distance in metres, or slightly more, between the corners of a box at two
// poses.
func poseDifference(a, b geom.Pose, half geom.Vec3) float32 {
	turned := 2 * geom.Sin(float32(0.5*a.Rot.Mul(b.Rot.Inverse()).Angle()))
	return a.Pos.Sub(b.Pos).Len() + float32(turned*half.Len())
}

// addGhost adds a ghost of body i, unless it nearly coincides with the drawn body.
func (p *pane) addGhost(v *Viewport, ghost geom.Pose, i int, c render.Color) {
	box := &p.source.ServerWorld.Scene().Boxes[i]
	alpha, drawn := ghostAlpha(v.Scene.Cubes[i].Pose, ghost, box.Half)
	if !drawn {
		return
	}
	c.A = alpha
	v.Scene.Cubes = append(v.Scene.Cubes, render.Cube{Pose: ghost, Half: box.Half, Color: c})
	v.addSubShapes(box.SubShapes, ghost, c)
}

// addGhostEdges adds the edges inside the outlines of the ghosts from an index in the cubes of the scene, if they
// are few. The edges show how a ghost is turned.
func (v *Viewport) addGhostEdges(first int) {
	ghosts := v.Scene.Cubes[first:]
	if len(ghosts) > maxGhostsWithEdges {
		return
	}
	for i := range ghosts {
		g := &ghosts[i]
		c := g.Color
		c.A = uint8(int(c.A) * ghostEdgeAlpha / 255)
		v.addVisibleEdges(g.Pose, g.Half, v.Camera.Eye.Sub(g.Pose.Pos).Len(), true, c)
	}
}
