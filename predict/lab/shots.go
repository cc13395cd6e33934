package lab

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// MaxShots is how many shots a pane remembers: the newest.
const MaxShots = 256

// Shot is a shot that a player fired, and what became of it.
type Shot struct {
	Player      int
	FiredTick   sim.Tick    // of the session, in which it was fired
	ClientRay   predict.Ray // what it met in the picture that the player had
	TargetDrawn geom.Pose   // where the body that it met was drawn, if it met one

	JudgedTick sim.Tick // of the session, in which the server judged it; 0: it has not yet
	Result     predict.HitResult
}

// Shots are those of a pane, in the order in which they were fired. The zero value
// holds none.
type Shots struct {
	ring  []Shot
	total int
}

// Total returns how many were fired, whether they are remembered or not.
func (s *Shots) Total() int { return s.total }

// FirstIndex returns the number of the oldest that is remembered. The very first of a
// pane has number 0, so they go from First to Total-1.
func (s *Shots) FirstIndex() int { return s.total - len(s.ring) }

// At returns shot n, for reading; n is in [First, Total).
func (s *Shots) At(n int) *Shot {
	if n < s.FirstIndex() || n >= s.total {
		panic("lab: a shot that is not remembered")
	}
	return &s.ring[n%MaxShots]
}

func (s *Shots) add(x Shot) {
	if len(s.ring) < MaxShots {
		s.ring = append(s.ring, x)
	} else {
		s.ring[s.total%MaxShots] = x
	}
	s.total++
}

// findPending returns the oldest shot of a player that is this one and has not been judged,
// or nil.
func (s *Shots) findPending(player int, shot *sim.Shot) *Shot {
	for n := s.FirstIndex(); n < s.total; n++ {
		if x := s.At(n); x.Player == player && x.JudgedTick == 0 && x.Result.Shot == *shot {
			return x
		}
	}
	return nil
}

// copyFrom makes s an equal of o that shares no memory with it.
func (s *Shots) copyFrom(o *Shots) { s.ring, s.total = append(s.ring[:0], o.ring...), o.total }

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

// recordShot notes a shot and what it meets in the player's picture.
func (p *Pane) recordShot(player int, shot sim.Shot, drawn []geom.Pose, at int64) {
	x := Shot{Player: player, FiredTick: p.lab.tick, Result: predict.HitResult{Shot: shot}}
	x.ClientRay = predict.CastShot(p.ServerWorld.Scene(), &shot, drawn[player].Pos, drawn, player, at, p.ServerWorld.Rate())
	m := p.Counters
	m.Declare("shots", "shots that the players have fired")
	m.Declare("shots_hit_on_client", "of those, the ones that hit a body in the shooter's own picture")
	m.Declare("shots_rewound_match_client", "shots that the server has judged in the shooter's past to have hit just what the shooter saw hit: a body, or none")
	m.Declare("shots_now_match_client", "the same of the server's present")
	m.Add("shots", 1)
	if b := x.ClientRay.Hit.Body; b != sim.NoBody {
		x.TargetDrawn = drawn[b]
		m.Add("shots_hit_on_client", 1)
	}
	p.Shots.add(x)
}

// recordHit takes in what the server makes of a shot.
func (p *Pane) recordHit(v *predict.HitResult) {
	x := p.Shots.findPending(v.Player, &v.Shot)
	if x == nil {
		return // fired before this half began
	}
	x.JudgedTick, x.Result = max(p.lab.tick, 1), *v
	saw := x.ClientRay.Hit.Body
	if v.Refused == predict.NotRefused && v.Rewound.Hit.Body == saw {
		p.Counters.Add("shots_rewound_match_client", 1)
	}
	if v.Now.Hit.Body == saw {
		p.Counters.Add("shots_now_match_client", 1)
	}
}
