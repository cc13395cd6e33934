package hud

import (
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/ui/stage"
)

// AimAt returns the first player's shot at whatever a composed frame shows at x, y. ok is false where it shows no
// scene.
func (f *Frame) AimAt(x, y float32, l *lab.Lab) (shot sim.Shot, ok bool) {
	for i := range f.Viewports {
		v := &f.Viewports[i]
		if !v.Contains(x, y) || v.Pane >= len(l.Panes) {
			continue
		}
		p := l.Panes[v.Pane]
		client := &p.Clients[0].View
		poses, moment := client.Bodies, predict.SubtickMoment(client.SeenSubtick())
		if v.Side == stage.ServerSide || len(poses) == 0 {
			poses, moment = predict.AppendPoses(nil, p.ServerWorld.Bodies()), p.ServerWorld.Tick().Moment()
		}
		projection := v.Projection()
		direction := projection.Ray(x-float32(v.X), y-float32(v.Y)).Unit()
		const shooter = 0
		hit := p.ServerWorld.Scene().CastRay(projection.Eye, direction, predict.ShotRange, poses, shooter, moment, p.ServerWorld.Rate())
		toTarget := projection.Eye.AddScaled(hit.Distance, direction).Sub(poses[shooter].Pos)
		return sim.Aim(toTarget), toTarget != geom.Vec3{}
	}
	return shot, false
}
