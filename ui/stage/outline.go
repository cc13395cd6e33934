package stage

import (
	"ghostcube/render"
	"ghostcube/sim/geom"
)

// simulatedColor is the colour of the outlines of simulated poses.
var simulatedColor = render.Color{R: 214, G: 0, B: 150, A: 255}

// addOutline adds the edges of body i at its simulated pose, unless that coincides with the drawn one. Only edges
// of faces that face the eye are added. The lines are moved towards the eye by the radius of the body, which does
// not change where they are projected: the drawn body does not hide them, but bodies in front of it do.
func (p *pane) addOutline(v *Viewport, simulated geom.Pose, i int) {
	if samePose(v.Scene.Cubes[i].Pose, simulated) {
		return
	}
	half := p.source.ServerWorld.Scene().Boxes[i].Half
	radius := half.Len()
	eye, axes := v.Camera.Eye, simulated.Rot.Mat()
	toEye := axes.MulT(eye.Sub(simulated.Pos))
	var visible [3][2]bool // by axis and end of it: the face there faces the eye
	for k := range 3 {
		visible[k] = [2]bool{-toEye.At(k) > half.At(k), toEye.At(k) > half.At(k)}
	}
	corner := func(bits int) geom.Vec3 {
		at := geom.Vec3{X: float32(bitSign(bits&1) * half.X), Y: float32(bitSign(bits&2) * half.Y), Z: float32(bitSign(bits&4) * half.Z)}
		return v.towardsEye(simulated.Pos.Add(simulated.Rot.Rotate(at)), radius)
	}
	for k := range 3 {
		a, b := (k+1)%3, (k+2)%3
		for ends := range 4 {
			i, j := ends&1, ends>>1
			if visible[a][i] || visible[b][j] {
				from := i<<a | j<<b
				v.Scene.Lines = append(v.Scene.Lines, render.Line{A: corner(from), B: corner(from | 1<<k), Color: simulatedColor})
			}
		}
	}
}

// samePose reports whether two poses look the same.
func samePose(a, b geom.Pose) bool {
	return a.Pos.Sub(b.Pos).Len() < minGhostDistance && a.Rot.Mul(b.Rot.Inverse()).Angle() < minGhostAngle
}
