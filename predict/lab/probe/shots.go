package probe

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

// Shots are the shots of a pane, in the order in which they were fired. The zero value is
// empty.
type Shots struct{ Log[Shot] }

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

// CopyFrom makes s an equal of o that shares no memory with it.
func (s *Shots) CopyFrom(o *Shots) { s.Log.CopyFrom(&o.Log) }

// Fire notes the shot of a player in the session's tick t, and what it meets in the
// player's picture of world w, of a moment in 1/sim.SubticksPerTick ticks. Counters count it.
func (s *Shots) Fire(counters *predict.Counters, w *sim.World, t sim.Tick, player int, shot sim.Shot, drawn []geom.Pose, at int64) {
	x := Shot{Player: player, FiredTick: t, Result: predict.HitResult{Shot: shot}}
	x.ClientRay = predict.CastShot(w.Scene(), &shot, drawn[player].Pos, drawn, player, at, w.Rate())
	counters.Declare("shots", "shots that the players have fired")
	counters.Declare("shots_hit_on_client", "of those, the ones that hit a body in the shooter's own picture")
	counters.Declare("shots_rewound_match_client", "shots that the server has judged in the shooter's past to have hit just what the shooter saw hit: a body, or none")
	counters.Declare("shots_now_match_client", "the same of the server's present")
	counters.Add("shots", 1)
	if b := x.ClientRay.Hit.Body; b != sim.NoBody {
		x.TargetDrawn = drawn[b]
		counters.Add("shots_hit_on_client", 1)
	}
	s.add(x, MaxShots)
}

// Resolve takes in what the server makes of a shot in the session's tick t.
func (s *Shots) Resolve(counters *predict.Counters, t sim.Tick, v *predict.HitResult) {
	x := s.findPending(v.Player, &v.Shot)
	if x == nil {
		return // fired before this half began
	}
	x.JudgedTick, x.Result = max(t, 1), *v
	saw := x.ClientRay.Hit.Body
	if v.Refused == predict.NotRefused && v.Rewound.Hit.Body == saw {
		counters.Add("shots_rewound_match_client", 1)
	}
	if v.Now.Hit.Body == saw {
		counters.Add("shots_now_match_client", 1)
	}
}
