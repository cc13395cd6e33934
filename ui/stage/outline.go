package stage

import (
	"ghostcube/render"
	"ghostcube/sim/geom"
)

// SimulatedColor is the colour of the outlines of bodies as they are simulated.
var SimulatedColor = render.Color{R: 214, G: 0, B: 150, A: 255}

// addOutline adds the edges of body i as it is simulated, those of the faces that
// turn to the eye, unless it is drawn there. The lines are drawn half a body
// nearer to the eye than they are, which leaves them where they are in the
// picture: the body that is drawn does not hide them, and what is far before it
// does.
func (p *pane) addOutline(v *Viewport, raw geom.Pose, i int) {
	if samePose(v.Scene.Cubes[i].Pose, raw) {
		return
	}
	half := p.source.ServerWorld.Scene().Boxes[i].Half
	reach := half.Len()
	eye, axes := v.Camera.Eye, raw.Rot.Mat()
	to := axes.MulT(eye.Sub(raw.Pos))
	var seen [3][2]bool // by axis and end of it: the face turns to the eye
	for k := range 3 {
		seen[k] = [2]bool{-to.At(k) > half.At(k), to.At(k) > half.At(k)}
	}
	corner := func(bits int) geom.Vec3 {
		at := geom.Vec3{X: float32(bitSign(bits&1) * half.X), Y: float32(bitSign(bits&2) * half.Y), Z: float32(bitSign(bits&4) * half.Z)}
		q := raw.Pos.Add(raw.Rot.Rotate(at))
		away := q.Sub(eye)
		far := away.Len()
		return eye.AddScaled(max(far-reach, min(far, 2*render.NearPlane))/far, away)
	}
	for k := range 3 {
		a, b := (k+1)%3, (k+2)%3
		for ends := range 4 {
			i, j := ends&1, ends>>1
			if seen[a][i] || seen[b][j] {
				from := i<<a | j<<b
				v.Scene.Lines = append(v.Scene.Lines, render.Line{A: corner(from), B: corner(from | 1<<k), Color: SimulatedColor})
			}
		}
	}
}

// samePose reports whether nobody could tell one pose from another.
func samePose(a, b geom.Pose) bool {
	return a.Pos.Sub(b.Pos).Len() < minGhostDistance && a.Rot.Mul(b.Rot.Inverse()).Angle() < minGhostAngle
}
