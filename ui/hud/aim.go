package hud

import (
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/ui/stage"
)

// pick casts a ray from the eye of a picture through the pixel at x, y at what it shows of the bodies, without skip.
func pick(v *stage.Viewport, x, y float32, l *lab.Lab, skip int) (hit sim.Hit, at geom.Vec3, poses []geom.Pose) {
	p := l.Panes[v.Pane]
	client := &p.Clients[v.Client].View
	poses, moment := client.Bodies, predict.SubtickMoment(client.SeenSubtick())
	if v.Side == stage.ServerSide || len(poses) == 0 {
		poses, moment = predict.AppendPoses(nil, p.ServerWorld.Bodies()), p.ServerWorld.Tick().Moment()
	}
	projection := v.Projection()
	direction := projection.Ray(x-float32(v.X), y-float32(v.Y)).Unit()
	hit = p.ServerWorld.Scene().CastRay(projection.Eye, direction, predict.ShotRange, poses, skip, moment, p.ServerWorld.Rate())
	return hit, projection.Eye.AddScaled(hit.Distance, direction), poses
}

// pictureAt returns the picture of a composed frame at x, y, or nil.
func (f *Frame) pictureAt(x, y float32, l *lab.Lab) *stage.Viewport {
	for i := range f.Viewports {
		if v := &f.Viewports[i]; v.Contains(x, y) && v.Pane < len(l.Panes) {
			return v
		}
	}
	return nil
}

// AimAt returns the first player's shot at whatever a composed frame shows at x, y. ok is false where it shows no
// scene.
func (f *Frame) AimAt(x, y float32, l *lab.Lab) (shot sim.Shot, ok bool) {
	v := f.pictureAt(x, y, l)
	if v == nil {
		return shot, false
	}
	const shooter = 0
	_, at, poses := pick(v, x, y, l, shooter)
	toTarget := at.Sub(poses[shooter].Pos)
	return sim.Aim(toTarget), toTarget != geom.Vec3{}
}

// Grip is what a pointer holds in a picture.
type Grip struct {
	Drag lab.Drag // with the point that is held, and where the pointer wants it

	pane  int
	side  stage.Side
	depth float32 // metres from the eye along the camera's direction
}

// gripReach are the places, in pixels from a pointer, at which it grips a body: small ones are hard to meet.
var gripReach = [...][2]float32{{0, 0}, {-4, 0}, {4, 0}, {0, -4}, {0, 4}, {-8, 0}, {8, 0}, {0, -8}, {0, 8}}

// GripAt returns a grip of the body that a composed frame shows at x, y, or within a few pixels. In the client's picture beside the server's it is
// held in the client's own world, in any other one in the server's. ok is false where there is no body.
func (f *Frame) GripAt(x, y float32, l *lab.Lab) (g Grip, ok bool) {
	v := f.pictureAt(x, y, l)
	if v == nil {
		return g, false
	}
	for _, off := range gripReach {
		if hit, at, poses := pick(v, x+off[0], y+off[1], l, sim.NoBody); hit.Body != sim.NoBody {
			return gripOf(v, hit.Body, at, poses[hit.Body]), true
		}
	}
	return g, false
}

// gripOf returns the grip of a body at a point of its surface.
func gripOf(v *stage.Viewport, body int, at geom.Vec3, pose geom.Pose) Grip {
	projection := v.Projection()
	g := Grip{pane: v.Pane, side: v.Side, depth: projection.Depth(at)}
	g.Drag = lab.Drag{Client: lab.OnServer, Body: body, Point: pose.Rot.Inverse().Rotate(at.Sub(pose.Pos)), Target: at}
	if v.Side == stage.ClientSide {
		g.Drag.Client = v.Client
	}
	return g
}

// MoveTo moves the target of a grip to the pixel at x, y: in the plane through the held point that faces the camera, as far
// as that is above the ground, and along the ground below. Without its picture in the frame the target stays.
func (g *Grip) MoveTo(f *Frame, x, y float32) {
	for i := range f.Viewports {
		v := &f.Viewports[i]
		if v.Pane != g.pane || v.Side != g.side {
			continue
		}
		projection := v.Projection()
		ray := projection.Ray(x-float32(v.X), y-float32(v.Y))
		depth := g.depth
		if ray.Z < 0 {
			depth = min(depth, -projection.Eye.Z/ray.Z)
		}
		g.Drag.Target = projection.Eye.AddScaled(depth, ray)
	}
}
