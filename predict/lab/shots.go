package lab

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// queueShot takes the shot out of a player's input and keeps it for the next tick of its
// client, with what the player saw: the picture before this tick. Who has had no
// picture yet does not shoot.
func (p *Pane) queueShot(s *Client, in sim.Input) sim.Input {
	shot := in.Shot
	in.Shot = sim.Shot{}
	v, me := &s.View, s.env.Player
	if !shot.Fired || len(v.Bodies) == 0 {
		return in
	}
	seen := v.SeenMoment()
	shot.HasViewTime, shot.ViewTime = true, uint16(seen&(1<<sim.ViewTimeBits-1))
	if ahead := int64(v.TickOf(me))*sim.SubticksPerTick - seen; me < len(v.Predicted) && v.Predicted[me] && ahead > 0 {
		shot.Ahead = uint16(min(ahead, sim.MaxAhead))
	}
	s.pendingShot = shot
	p.recordShot(me, shot, v.Bodies, seen)
	return in
}

// recordHostShots notes the shots of players who sit at the server: they see the truth.
func (p *Pane) recordHostShots(host []sim.Input) {
	for i, in := range host {
		if in.Shot.Fired {
			p.recordShot(i, in.Shot, predict.AppendPoses(nil, p.ServerWorld.Bodies()), int64(p.ServerWorld.Tick())*sim.SubticksPerTick)
		}
	}
}

func (p *Pane) recordShot(player int, shot sim.Shot, drawn []geom.Pose, at int64) {
	p.Shots.Fire(p.Counters, p.ServerWorld, p.lab.tick, player, shot, drawn, at)
}

func (p *Pane) recordHit(v *predict.HitResult) { p.Shots.Resolve(p.Counters, p.lab.tick, v) }
