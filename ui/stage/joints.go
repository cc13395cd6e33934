package stage

import (
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// minOpenJoint is the separation in metres from which a joint counts as open, and is painted.
const minOpenJoint = 0.005

// openJointMargin is the space in metres between a gap and its mark on each side, so that small gaps are visible from
// afar.
const openJointMargin = 0.12

// addOpenJoints marks each drawn joint that is open: a line between its two anchors, and the edges of a box
// around them. Like an outline, the line is moved towards the eye, so that the two bodies do not hide it.
func (p *pane) addOpenJoints(v *Viewport) {
	scene := p.source.ServerWorld.Scene()
	for i := range scene.Joints {
		j := &scene.Joints[i]
		if p.source.ServerWorld.JointOpen(i) {
			continue
		}
		a, radius := j.Anchor, scene.Boxes[j.B].Half.Len()
		if j.A != sim.WorldBody {
			a = anchorOf(v.Scene.Cubes[j.A].Pose, &scene.Boxes[j.A].Start.Pose, j.Anchor)
			radius = max(radius, scene.Boxes[j.A].Half.Len())
		}
		b := anchorOf(v.Scene.Cubes[j.B].Pose, &scene.Boxes[j.B].Start.Pose, j.Anchor)
		if a.Sub(b).LenSq() < minOpenJoint*minOpenJoint {
			continue
		}
		half := float32(0.5*a.Sub(b).Len()) + openJointMargin
		v.addBoxEdges(geom.Pose{Pos: a.Add(b).Scale(0.5), Rot: geom.Identity}, geom.Vec3{X: half, Y: half, Z: half}, OpenJointColor)
		v.Scene.Lines = append(v.Scene.Lines, render.Line{A: v.towardsEye(a, radius), B: v.towardsEye(b, radius), Color: OpenJointColor})
	}
}

// anchorOf returns where a joint's anchor, given in the world's frame at a body's start, is on the drawn body.
func anchorOf(drawn geom.Pose, start *geom.Pose, anchor geom.Vec3) geom.Vec3 {
	return drawn.Pos.Add(drawn.Rot.Rotate(start.Rot.Unit().Inverse().Rotate(anchor.Sub(start.Pos))))
}

// towardsEye returns a point moved towards the eye by a distance in metres, which does not change where it is
// projected.
func (v *Viewport) towardsEye(at geom.Vec3, by float32) geom.Vec3 {
	fromEye := at.Sub(v.Camera.Eye)
	distance := fromEye.Len()
	return v.Camera.Eye.AddScaled(max(distance-by, min(distance, 2*render.NearPlane))/distance, fromEye)
}

// addRoots adds the edges of a box around the root of each joint tree, as far as the strategy has trees.
func (p *pane) addRoots(v *Viewport) {
	scene := p.source.ServerWorld.Scene()
	for i, depth := range p.inspection.JointDepth {
		if depth == 0 {
			const margin = 0.06 // metres between the body and the edges
			half := scene.Boxes[i].Half.Add(geom.Vec3{X: margin, Y: margin, Z: margin})
			v.addBoxEdges(v.Scene.Cubes[i].Pose, half, RootColor)
		}
	}
}
