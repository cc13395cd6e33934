package stage

import (
	"ghostcube/render"
	"ghostcube/sim/geom"
)

// Limits below which a simulated pose coincides with the drawn one.
const (
	minOutlineDistance = 0.01 // metres
	minOutlineAngle    = 0.02 // radians, at the same place
)

// addOutline adds the edges of body i at its simulated pose, unless that coincides with the drawn one. The drawn
// body does not hide them, but bodies in front of it do.
func (p *pane) addOutline(v *Viewport, simulated geom.Pose, i int) {
	if samePose(v.Scene.Cubes[i].Pose, simulated) {
		return
	}
	half := p.source.ServerWorld.Scene().Boxes[i].Half
	v.addVisibleEdges(simulated, half, half.Len(), false, SimulatedColor)
}

// addVisibleEdges adds the edges of the faces of a box that face the eye; with inner, only those between two such
// faces. It moves the lines towards the eye by a distance in metres. That keeps their place on the screen, and only
// what is nearer than that hides them.
func (v *Viewport) addVisibleEdges(at geom.Pose, half geom.Vec3, moved float32, inner bool, c render.Color) {
	axes := at.Rot.Mat()
	toEye := axes.MulT(v.Camera.Eye.Sub(at.Pos))
	var visible [3][2]bool // by axis and end of it: the face there faces the eye
	for k := range 3 {
		visible[k] = [2]bool{-toEye.At(k) > half.At(k), toEye.At(k) > half.At(k)}
	}
	corner := func(bits int) geom.Vec3 { return v.towardsEye(Corner(at, half, bits), moved) }
	for k := range 3 {
		a, b := (k+1)%3, (k+2)%3
		for ends := range 4 {
			i, j := ends&1, ends>>1
			if first, second := visible[a][i], visible[b][j]; first && second || !inner && (first || second) {
				from := i<<a | j<<b
				v.Scene.Lines = append(v.Scene.Lines, render.Line{A: corner(from), B: corner(from | 1<<k), Color: c})
			}
		}
	}
}

// samePose reports whether two poses look the same.
func samePose(a, b geom.Pose) bool {
	return a.Pos.Sub(b.Pos).Len() < minOutlineDistance && a.Rot.Mul(b.Rot.Inverse()).Angle() < minOutlineAngle
}

// Corner returns a corner of a box at a pose. Bits 0, 1 and 2 of its number say on which side it is along x, y and z.
func Corner(at geom.Pose, half geom.Vec3, bits int) geom.Vec3 {
	if bits&1 == 0 {
		half.X = -half.X
	}
	if bits&2 == 0 {
		half.Y = -half.Y
	}
	if bits&4 == 0 {
		half.Z = -half.Z
	}
	return at.Pos.Add(at.Rot.Rotate(half))
}
