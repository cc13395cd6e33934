package lab

import (
	"strings"

	"ghostcube/predict"
	"ghostcube/predict/lab/probe"
	"ghostcube/predict/part/input"
	"ghostcube/predict/score"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// queueShot moves the shot of a player's input to the next tick of the client, and adds the
// moment of the view in which the player aimed, the one before this tick: that at which the body on the
// line of the shot was drawn. Without a view the shot is dropped.
func (p *Pane) queueShot(s *Client, in sim.Input) sim.Input {
	shot := in.Shot
	in.Shot = sim.Shot{}
	v, me := &s.View, s.env.Player
	if !shot.Fired || len(v.Bodies) == 0 {
		return in
	}
	seen, ahead := v.SeenSubtick(), int64(0)
	isPredicted := func(body int) bool { return body >= 0 && body < len(v.Predicted) && v.Predicted[body] }
	ray := predict.CastShot(p.ServerWorld.Scene(), &shot, v.Bodies[me].Pos, v.Bodies, me, seen, p.lab.config.Rate)
	switch {
	case isPredicted(ray.Hit.Body): // aimed at in the time of the shooter's own cube
		seen = v.OwnSubtick()
	case isPredicted(me):
		ahead = v.OwnSubtick() - seen
	}
	input.SetViewTime(&shot, seen, ahead)
	s.pendingShot = shot
	p.recordShot(me, shot, v.Bodies, seen)
	return in
}

// recordHostShots records the shots of players at the host, who see the server's world.
func (p *Pane) recordHostShots(host []sim.Input) {
	for i, in := range host {
		if in.Shot.Fired {
			p.recordShot(i, in.Shot, predict.AppendPoses(nil, p.ServerWorld.Bodies()), int64(p.ServerWorld.Tick())*predict.SubticksPerTick)
		}
	}
}

// recordShot records a shot and its hit among bodies drawn at a moment, in subticks.
func (p *Pane) recordShot(player int, shot sim.Shot, drawn []geom.Pose, at int64) {
	p.Shots.Fire(p.Counters, p.ServerWorld, p.lab.tick, player, shot, drawn, at)
}

// recordHit records the server's result of a shot and sends it to the shooter.
func (p *Pane) recordHit(v *predict.HitResult) {
	if p.lab.remote != nil {
		p.sendHitResult(probe.ShotDigest(&v.Shot), v.Player, v.Body())
		if p.lab.OnHit != nil {
			p.lab.OnHit(v)
		}
		return
	}
	if n := p.Shots.Resolve(p.Counters, p.lab.tick, v); n >= 0 {
		p.sendHitResult(uint32(n), v.Player, v.Body())
	}
	if target := v.Body(); target >= 0 && target < len(p.screens) && p.screens[target] != nil {
		probe.CountHit(p.Counters, p.ServerWorld, v.Player, target, p.screens[target])
	}
}

// ShowHit shows and counts what the server, in another process, has made of a shot of the player of a lab of NewClient. No
// hash depends on it: a capture has only what reaches the side.
func (l *Lab) ShowHit(v *predict.HitResult) {
	if p := l.Panes[0]; v.Player == p.Clients[0].env.Player {
		p.Shots.Resolve(p.Counters, l.tick, v)
		probe.DeclareShotCounters(p.Counters).OnlyShown()
	}
}

// addScreens measures what the players see of each other, from the first shot on.
func (p *Pane) addScreens() {
	if p.Shots.Total() > 0 {
		p.clearScreens()
		p.addScreensOf(p)
		p.sight.Add(p.Counters, p.ServerWorld, p.lab.tick, p.screens)
	}
}

func (p *Pane) clearScreens() {
	p.screens = p.screens[:0]
	for range p.ServerWorld.Scene().Players {
		p.screens = append(p.screens, nil)
	}
}

func (p *Pane) addScreensOf(o *Pane) {
	for i, s := range o.Clients {
		if player := s.env.Player; player >= 0 && !o.Joining(i) && len(s.View.Bodies) > 0 {
			p.screens[player] = &s.View
		}
	}
}

// ShotCounters are the counters by which a programmer of shooters compares strategies. The first is 0 without shots.
var ShotCounters = []string{"shots", "shots_rewound_match_client", "shots_refused", "peekers_advantage_ms", "shots_received_behind_cover"}

// ShotMeasures appends ShotCounters to dst in the form of measures, or nothing without a shot. Fewer refused shots, hits
// behind cover and a smaller advantage are better.
func (p *Pane) ShotMeasures(dst []score.Measure) []score.Measure {
	if p.Counters.Value(ShotCounters[0]) == 0 {
		return dst
	}
	for i, name := range ShotCounters {
		for _, c := range p.Counters.All() {
			if c.Name != name {
				continue
			}
			m := score.Measure{Name: name, Title: strings.ReplaceAll(name, "_", " "), Help: c.Help, Value: p.Counters.Value(name), OK: true}
			switch {
			case score.Unit(name) == "ms":
				m.Title, m.Better = "peeker's advantage, ms", score.NearZero
			case i > 1:
				m.Better = score.Lower
			}
			dst = append(dst, m)
			break
		}
	}
	return dst
}
