package stage

import (
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim/geom"
)

// dragMark is half the size, in metres, of the mark at the point to which a body is dragged.
const dragMark = 0.05

// addDrag adds the line from the held point of a body that is dragged to where it is dragged: in the picture of the world in
// which it is held, and in that of both worlds at the body of that one.
func (p *pane) addDrag(v *Viewport, share float32) {
	d, ok := p.source.Drag()
	onServer := d.Client == lab.OnServer
	if !ok || v.Side == ServerSide && !onServer || v.Side == ClientSide && onServer || !onServer && d.Client != p.client {
		return
	}
	before, now := p.previous.drawn, p.current.drawn
	if onServer {
		before, now = p.previous.server, p.current.server
	}
	pose := poseAt(before, now, d.Body, share)
	held := pose.Pos.Add(pose.Rot.Rotate(d.Point))
	v.Scene.Lines = append(v.Scene.Lines, render.Line{A: v.towardsEye(held, dragMark), B: v.towardsEye(d.Target, dragMark), Color: DragColor})
	mark := geom.Pose{Pos: d.Target, Rot: geom.Identity}
	v.Scene.Cubes = append(v.Scene.Cubes, render.Cube{Pose: mark, Half: geom.Vec3{X: dragMark, Y: dragMark, Z: dragMark}, Color: DragColor})
}
