package sim

import "ghostcube/sim/geom"

// shape is a collision box: its constants and what follows from its pose.
type shape struct {
	pose                geom.Pose
	axes                geom.Mat3 // rotation of the pose
	half                geom.Vec3
	filterGroup         int32
	invMass             float32 // 1/kg; 0 for static, carrier and kinematic boxes
	friction            float32
	invInertiaLocal     geom.Vec3    // 1/(kg m2), in the box's frame
	sqrtInvInertiaLocal geom.Vec3    // square root of invInertiaLocal
	anisotropic         bool         // the moments of inertia differ
	upright             bool         // it rotates about the vertical only
	sqrtInvInertiaWorld geom.SymMat3 // square root of the inverse inertia in the world frame
	aabb                             // world frame, with half of contactMargin
}

func newShape(b *Box, density float32) shape {
	s := shape{half: b.Half, friction: b.Friction, filterGroup: int32(b.FilterGroup)}
	if density == 0 {
		return s
	}
	if len(b.SubShapes) > 0 {
		mass, inertia := massProperties(b)
		s.invMass, s.invInertiaLocal, s.anisotropic = 1/mass, geom.Vec3{X: 1 / inertia.X, Y: 1 / inertia.Y, Z: 1 / inertia.Z}, !b.Hover
		if s.upright = b.Hover; s.upright {
			s.invInertiaLocal.X, s.invInertiaLocal.Y = s.invInertiaLocal.Z, s.invInertiaLocal.Z
		}
		s.sqrtInvInertiaLocal = geom.Vec3{X: geom.Sqrt(s.invInertiaLocal.X), Y: geom.Sqrt(s.invInertiaLocal.Y), Z: geom.Sqrt(s.invInertiaLocal.Z)}
		return s
	}
	volume := float32(8 * float32(b.Half.X*b.Half.Y) * b.Half.Z)
	mass := float32(volume * density)
	s.invMass = 1 / mass
	third := mass / 3
	x2, y2, z2 := float32(b.Half.X*b.Half.X), float32(b.Half.Y*b.Half.Y), float32(b.Half.Z*b.Half.Z)
	s.invInertiaLocal = geom.Vec3{
		X: 1 / float32(third*(y2+z2)),
		Y: 1 / float32(third*(x2+z2)),
		Z: 1 / float32(third*(x2+y2)),
	}
	if s.upright = b.Avatar || b.Hover; s.upright { // solver units of all axes are those of the vertical
		z := s.invInertiaLocal.Z
		s.invInertiaLocal = geom.Vec3{X: z, Y: z, Z: z}
	}
	s.sqrtInvInertiaLocal = geom.Vec3{X: geom.Sqrt(s.invInertiaLocal.X), Y: geom.Sqrt(s.invInertiaLocal.Y), Z: geom.Sqrt(s.invInertiaLocal.Z)}
	s.anisotropic = !s.upright && (b.Half.X != b.Half.Y || b.Half.Y != b.Half.Z)
	return s
}

// setPose sets the pose and what follows from it.
func (s *shape) setPose(p geom.Pose) {
	s.pose = p
	s.axes = p.Rot.Mat()
	if s.invMass != 0 {
		s.sqrtInvInertiaWorld = geom.RotatedDiagonal(&s.axes, s.sqrtInvInertiaLocal)
		if s.upright {
			s.sqrtInvInertiaWorld = geom.SymMat3{ZZ: s.sqrtInvInertiaLocal.Z}
		}
	}
	r, h := &s.axes, s.half
	const margin = contactMargin / 2
	extent := geom.Vec3{
		X: float32(geom.Abs(r.X.X)*h.X) + float32(geom.Abs(r.Y.X)*h.Y) + float32(geom.Abs(r.Z.X)*h.Z) + margin,
		Y: float32(geom.Abs(r.X.Y)*h.X) + float32(geom.Abs(r.Y.Y)*h.Y) + float32(geom.Abs(r.Z.Y)*h.Z) + margin,
		Z: float32(geom.Abs(r.X.Z)*h.X) + float32(geom.Abs(r.Y.Z)*h.Y) + float32(geom.Abs(r.Z.Z)*h.Z) + margin,
	}
	s.lower, s.upper = p.Pos.Sub(extent), p.Pos.Add(extent)
}

// newShapes creates the shapes of all boxes, and places those of bodies and static boxes.
func (w *World) newShapes() {
	s := &w.scene
	n := len(s.Boxes) + len(s.Static)
	for i := range s.Boxes {
		n += len(s.Boxes[i].SubShapes)
	}
	for i := range s.Carriers {
		n += len(s.Carriers[i].Boxes)
	}
	w.shapes = make([]shape, 0, n)
	for i := range s.Boxes {
		w.shapes = append(w.shapes, newShape(&s.Boxes[i], s.Boxes[i].Density))
	}
	w.newSubShapes()
	for i := range s.Static {
		w.shapes = append(w.shapes, newShape(&s.Static[i], 0))
	}
	w.newCarriers()
	if len(w.shapes) >= 1<<16 {
		panic("sim: New: the scene has more than 65535 boxes")
	}
	for i := range w.state.Bodies {
		w.updateShapes(i)
	}
	for i := range s.Static {
		w.shapes[w.bodyShapeCount()+i].setPose(s.Static[i].Start.Pose)
	}
	w.hasFilterGroups = len(w.subShapes) > 0
	for i := range w.shapes {
		w.hasFilterGroups = w.hasFilterGroups || w.shapes[i].filterGroup != 0
	}
}

// updateShapes updates the shapes of body i. They are a function of the state.
func (w *World) updateShapes(i int) {
	w.shapes[i].setPose(w.state.Bodies[i].Pose)
	if len(w.subShapes) > 0 {
		w.placeSubShapes(i)
	}
}

// worldPoint returns a point of the shape's frame in the world frame.
func (s *shape) worldPoint(p geom.Vec3) geom.Vec3 { return s.pose.Pos.Add(s.axes.Mul(p)) }
