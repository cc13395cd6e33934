package stage

import (
	"ghostcube/predict"
	"ghostcube/render"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// addParentBoxes adds the edges of the parent boxes, interpolated between two ticks.
func (p *pane) addParentBoxes(v *Viewport, share float32) {
	for i := range p.current.parentBoxes {
		b := &p.current.parentBoxes[i]
		at := b.Pose
		if i < len(p.previous.parentBoxes) && share < 1 {
			at = smoothing.LerpPose(p.previous.parentBoxes[i].Pose, at, share)
		}
		c := candidateColor
		if b.IsParent {
			c = parentColor
		}
		v.addBoxEdges(at, b.Half, c)
	}
}

// addBoxEdges adds the twelve edges of a box.
func (v *Viewport) addBoxEdges(at geom.Pose, half geom.Vec3, c render.Color) {
	corner := func(bits int) geom.Vec3 {
		offset := geom.Vec3{X: float32(bitSign(bits&1) * half.X), Y: float32(bitSign(bits&2) * half.Y), Z: float32(bitSign(bits&4) * half.Z)}
		return at.Pos.Add(at.Rot.Rotate(offset))
	}
	for k := range 3 {
		for ends := range 4 {
			from := ends&1<<((k+1)%3) | ends>>1<<((k+2)%3)
			v.Scene.Lines = append(v.Scene.Lines, render.Line{A: corner(from), B: corner(from | 1<<k), Color: c})
		}
	}
}

// anyParentBoxes reports whether the strategy of any pane has parent boxes.
func (d *overlay) anyParentBoxes() bool {
	return d.anyInspection(func(l *predict.Inspection) bool { return len(l.ParentBoxes) > 0 })
}
