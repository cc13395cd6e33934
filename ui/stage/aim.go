package stage

import (
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// AimAt returns the shot of the first player at what is seen at a point of a picture
// that has been composed. ok is false where there is no view.
func (f *Frame) AimAt(x, y float32, l *lab.Lab) (shot sim.Shot, ok bool) {
	for i := range f.Viewports {
		v := &f.Viewports[i]
		at := Rect{v.X, v.Y, v.W, v.H}
		if !at.contains(x, y) || v.Pane >= len(l.Panes) {
			continue
		}
		p := l.Panes[v.Pane]
		seat := &p.Clients[0].View
		poses, moment := seat.Bodies, seat.SeenMoment()
		if v.Side == ServerSide || len(poses) == 0 {
			poses, moment = predict.AppendPoses(nil, p.ServerWorld.Bodies()), int64(p.ServerWorld.Tick())*sim.MomentsPerTick
		}
		lens := v.Camera.Projection(float32(v.W), float32(v.H))
		along := lens.Ray(x-float32(v.X), y-float32(v.Y)).Unit()
		me := 0
		hit := p.ServerWorld.Scene().CastRay(lens.Eye, along, predict.ShotRange, poses, me, moment, p.ServerWorld.Rate())
		to := lens.Eye.AddScaled(hit.Distance, along).Sub(poses[me].Pos)
		return sim.Aim(to), to != geom.Vec3{}
	}
	return shot, false
}

// contains reports whether a point lies in a place.
func (p Rect) contains(x, y float32) bool {
	return x >= float32(p.X) && y >= float32(p.Y) && x < float32(p.X+p.W) && y < float32(p.Y+p.H)
}
