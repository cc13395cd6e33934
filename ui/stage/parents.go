package stage

import (
	"ghostcube/predict"
	"ghostcube/render"
	"ghostcube/sim/geom"
)

// The colours of the boxes in which a cube looks for its parent: that of the one it has,
// and those of the others.
var (
	parentBox = orange
	vesselBox = blue
)

// boxed adds the edges of the boxes of vessels, as they are between two ticks.
func (p *pane) boxed(v *View, share float32) {
	for i := range p.now.vessels {
		b := &p.now.vessels[i]
		at := b.Pose
		if i < len(p.before.vessels) && share < 1 {
			at = geom.Blend(p.before.vessels[i].Pose, at, share)
		}
		c := vesselBox
		if b.Parent {
			c = parentBox
		}
		v.edges(at, b.Half, c)
	}
}

// edges adds the twelve edges of a box.
func (v *View) edges(at geom.Pose, half geom.Vec3, c render.Color) {
	corner := func(bits int) geom.Vec3 {
		way := geom.Vec3{X: float32(sign(bits&1) * half.X), Y: float32(sign(bits&2) * half.Y), Z: float32(sign(bits&4) * half.Z)}
		return at.Pos.Add(at.Rot.Rotate(way))
	}
	for k := range 3 {
		for ends := range 4 {
			from := ends&1<<((k+1)%3) | ends>>1<<((k+2)%3)
			v.Scene.Lines = append(v.Scene.Lines, render.Line{A: corner(from), B: corner(from | 1<<k), Color: c})
		}
	}
}

// parents reports whether any pane's strategy tells of vessels.
func (d *drawing) parents() bool {
	return d.tells(func(l *predict.Inspection) bool { return len(l.ParentBoxes) > 0 })
}
