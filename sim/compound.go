package sim

import (
	"fmt"

	"ghostcube/sim/geom"
)

// SubShape is a further box of a body, fixed to the body's own box. The origin of the body stays the
// centre of its own box, and the body rotates about it. So the sub-shapes must be arranged and weighted
// to balance there, with principal axes of inertia along the body's axes, as symmetric arrangements
// are.
type SubShape struct {
	Half    geom.Vec3
	Pose    geom.Pose // in the body's frame
	Density float32   // kg/m3; 0: massless
}

// subShape is a SubShape as a step uses it. Its box is a shape; the shapes of all sub-shapes follow those of
// the bodies.
type subShape struct {
	body int32
	pose geom.Pose
}

// newSubShapes creates the shapes of all sub-shapes, in the order of their bodies.
func (w *World) newSubShapes() {
	w.firstSubShape = make([]int32, len(w.state.Bodies)+1)
	for i := range w.scene.Boxes {
		b := &w.scene.Boxes[i]
		w.firstSubShape[i] = int32(len(w.subShapes))
		for _, p := range b.SubShapes {
			w.subShapes = append(w.subShapes, subShape{int32(i), geom.Pose{Pos: p.Pose.Pos, Rot: p.Pose.Rot.Unit()}})
			w.shapes = append(w.shapes, shape{half: p.Half, friction: b.Friction, filterGroup: int32(b.FilterGroup)})
		}
	}
	w.firstSubShape[len(w.state.Bodies)] = int32(len(w.subShapes))
}

// bodyOf returns the body that a shape belongs to. For static and carrier boxes it returns the
// shape's own index, which is no body's.
func (w *World) bodyOf(shape int32) int32 {
	if i := int(shape) - len(w.state.Bodies); i >= 0 && i < len(w.subShapes) {
		return w.subShapes[i].body
	}
	return shape
}

// bodyShapeCount returns the number of shapes that belong to bodies. They come first.
func (w *World) bodyShapeCount() int { return len(w.state.Bodies) + len(w.subShapes) }

// placeSubShapes moves the sub-shapes of body i to its pose.
func (w *World) placeSubShapes(i int) {
	at, first := w.state.Bodies[i].Pose, len(w.state.Bodies)
	for k := w.firstSubShape[i]; k < w.firstSubShape[i+1]; k++ {
		p := &w.subShapes[k].pose
		w.shapes[first+int(k)].setPose(geom.Pose{Pos: at.Pos.Add(at.Rot.Rotate(p.Pos)), Rot: at.Rot.Mul(p.Rot).Unit()})
	}
}

// bodyAndOffset returns the body that a shape belongs to, and the offset from the body's centre to
// the shape's, in the world frame. For static and carrier boxes it returns the shape's own index.
func (w *World) bodyAndOffset(shape int32) (body int32, offset geom.Vec3) {
	if body = w.bodyOf(shape); body != shape {
		offset = w.shapes[shape].pose.Pos.Sub(w.shapes[body].pose.Pos)
	}
	return body, offset
}

// massProperties returns the mass of a body in kg and its moments of inertia about its own axes in
// kg m2. It panics if the centre of mass is not the body's origin or if its axes are not principal
// axes.
func massProperties(b *Box) (mass float32, inertia geom.Vec3) {
	var massMoment geom.Vec3 // kg m
	var xy, xz, yz float32
	add := func(half geom.Vec3, density float32, at geom.Pose) {
		m := float32(float32(8*float32(half.X*half.Y)) * float32(half.Z*density))
		third := m / 3
		x2, y2, z2 := float32(half.X*half.X), float32(half.Y*half.Y), float32(half.Z*half.Z)
		r := at.Rot.Unit().Mat()
		t := geom.RotatedDiagonal(&r, geom.Vec3{X: float32(third * (y2 + z2)), Y: float32(third * (x2 + z2)), Z: float32(third * (x2 + y2))})
		p := at.Pos
		mass += m
		massMoment = massMoment.AddScaled(m, p)
		inertia = inertia.Add(geom.Vec3{
			X: t.XX + float32(m*(float32(p.Y*p.Y)+float32(p.Z*p.Z))),
			Y: t.YY + float32(m*(float32(p.X*p.X)+float32(p.Z*p.Z))),
			Z: t.ZZ + float32(m*(float32(p.X*p.X)+float32(p.Y*p.Y))),
		})
		xy += t.XY - float32(m*float32(p.X*p.Y))
		xz += t.XZ - float32(m*float32(p.X*p.Z))
		yz += t.YZ - float32(m*float32(p.Y*p.Z))
	}
	add(b.Half, b.Density, geom.Pose{Rot: geom.Identity})
	for i := range b.SubShapes {
		p := &b.SubShapes[i]
		add(p.Half, p.Density, p.Pose)
	}
	if d := massMoment.Len() / mass; d > 1e-3 {
		panic(fmt.Sprintf("sim: New: the centre of mass of a compound body is at %v, %v m from its origin; want at most 0.001 m", massMoment.Scale(1/mass), d))
	}
	tolerance := float32(min(inertia.X, inertia.Y, inertia.Z) * 1e-2)
	if geom.Abs(xy) > tolerance || geom.Abs(xz) > tolerance || geom.Abs(yz) > tolerance {
		panic(fmt.Sprintf("sim: New: a compound body has products of inertia of %v, %v and %v kg m2; want 0", xy, xz, yz))
	}
	return mass, inertia
}
