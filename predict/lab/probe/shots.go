package probe

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// MaxShots is the number of shots that a pane remembers: the newest ones.
const MaxShots = 256

// Shot is a shot of a player, as its client saw it and as the server resolved it.
type Shot struct {
	Player      int
	FiredTick   sim.Tick    // session tick in which it was fired
	ClientRay   predict.Ray // its hit in the shooter's view
	TargetDrawn geom.Pose   // where the shooter saw the body that it hit, if it hit one

	ResolvedTick sim.Tick // session tick in which the server resolved it; 0: it has not yet
	Result       predict.HitResult
}

// Shots are the shots of a pane, in the order in which they were fired. The zero value is
// empty.
type Shots struct{ Log[Shot] }

// findPending returns the oldest unresolved shot of a player that equals shot, or nil.
func (s *Shots) findPending(player int, shot *sim.Shot) *Shot {
	for n := s.FirstIndex(); n < s.total; n++ {
		if x := s.At(n); x.Player == player && x.ResolvedTick == 0 && x.Result.Shot == *shot {
			return x
		}
	}
	return nil
}

// CopyFrom makes s an equal of o that shares no memory with it.
func (s *Shots) CopyFrom(o *Shots) { s.Log.CopyFrom(&o.Log) }

// shotCounters are what the shots of a session count.
type shotCounters struct {
	fired, hitOnClient, rewoundMatchesClient, nowMatchesClient predict.Counter
}

// DeclareShotCounters declares the counters of shots as a pane has them after the first shot. A
// session without shots has none of them.
func DeclareShotCounters(m *predict.Counters) { newShotCounters(m) }

// newShotCounters declares the counters. It is called for each shot.
func newShotCounters(m *predict.Counters) (c shotCounters) {
	c.fired = m.New("shots", "shots fired by the players")
	c.hitOnClient = m.New("shots_hit_on_client", "shots that hit a body in the shooter's own view")
	c.rewoundMatchesClient = m.New("shots_rewound_match_client", "shots that hit in the rewound world what they hit in the shooter's view, or missed in both")
	c.nowMatchesClient = m.New("shots_now_match_client", "shots that hit in the server's present what they hit in the shooter's view, or missed in both")
	return c
}

// Fire records the shot of a player in session tick t, and its hit among the bodies of w as
// the player saw them drawn, at a moment in subticks. It declares and
// increments the counters of shots.
func (s *Shots) Fire(counters *predict.Counters, w *predict.World, t sim.Tick, player int, shot sim.Shot, drawn []geom.Pose, at int64) {
	x := Shot{Player: player, FiredTick: t, Result: predict.HitResult{Shot: shot}}
	x.ClientRay = predict.CastShot(w.Scene(), &shot, drawn[player].Pos, drawn, player, at, w.Rate())
	c := newShotCounters(counters)
	c.fired.Inc()
	if b := x.ClientRay.Hit.Body; b != sim.NoBody {
		x.TargetDrawn = drawn[b]
		c.hitOnClient.Inc()
	}
	s.add(x, MaxShots)
}

// Resolve records the server's result of a shot in session tick t.
func (s *Shots) Resolve(counters *predict.Counters, t sim.Tick, v *predict.HitResult) {
	x := s.findPending(v.Player, &v.Shot)
	if x == nil {
		return // fired before the strategy started
	}
	x.ResolvedTick, x.Result = max(t, 1), *v
	c, seen := newShotCounters(counters), x.ClientRay.Hit.Body
	if v.Refused == predict.NotRefused && v.Rewound.Hit.Body == seen {
		c.rewoundMatchesClient.Inc()
	}
	if v.Now.Hit.Body == seen {
		c.nowMatchesClient.Inc()
	}
}
