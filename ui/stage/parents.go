package stage

import (
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
		c := CandidateColor
		if b.IsParent {
			c = ParentColor
		}
		v.addBoxEdges(at, b.Half, c)
	}
}

// addBoxEdges adds the twelve edges of a box.
func (v *Viewport) addBoxEdges(at geom.Pose, half geom.Vec3, c render.Color) {
	for k := range 3 {
		for ends := range 4 {
			from := ends&1<<((k+1)%3) | ends>>1<<((k+2)%3)
			v.Scene.Lines = append(v.Scene.Lines, render.Line{A: Corner(at, half, from), B: Corner(at, half, from|1<<k), Color: c})
		}
	}
}
