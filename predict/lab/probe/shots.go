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

	LearnedTick sim.Tick // session tick in which the result reached the shooter's client as a message; 0: it has not
	LearnedBody int      // the body that was hit, as that message says, or sim.NoBody
}

// Shots are the shots of a pane, in the order in which they were fired. The zero value is
// empty.
type Shots struct {
	Log[Shot]
	learned      int // results that have reached their shooters
	learnedTicks int // sum of the ticks from shot to result
}

// findPending returns the number of the oldest unresolved shot of a player that equals shot, or -1.
func (s *Shots) findPending(player int, shot *sim.Shot) int {
	for n := s.FirstIndex(); n < s.total; n++ {
		if x := s.At(n); x.Player == player && x.ResolvedTick == 0 && x.Result.Shot == *shot {
			return n
		}
	}
	return -1
}

// CopyFrom makes s an equal of o that shares no memory with it.
func (s *Shots) CopyFrom(o *Shots) {
	s.Log.CopyFrom(&o.Log)
	s.learned, s.learnedTicks = o.learned, o.learnedTicks
}

// Learn records that the result of shot n, which hit a body or none, has reached its shooter in
// session tick t. Shots that are forgotten or have no result are ignored.
func (s *Shots) Learn(n, body int, t sim.Tick) {
	if n < s.FirstIndex() || n >= s.total {
		return
	}
	if x := s.At(n); x.ResolvedTick > 0 && x.LearnedTick == 0 {
		s.learn(x, body, t)
	}
}

// LearnDigest is Learn for the oldest shot with a digest whose result has not come yet. The server runs elsewhere, so
// nothing else may be known of the shot.
func (s *Shots) LearnDigest(digest uint32, body int, t sim.Tick) {
	for n := s.FirstIndex(); n < s.total; n++ {
		if x := s.At(n); x.LearnedTick == 0 && ShotDigest(&x.Result.Shot) == digest {
			s.learn(x, body, t)
			return
		}
	}
}

// ShotDigest returns a number by which a client and a server in different processes name a shot.
func ShotDigest(s *sim.Shot) uint32 {
	h := uint32(2166136261)
	for _, v := range [...]uint16{s.Yaw, uint16(s.Pitch), s.ViewTime, s.Ahead} {
		h = (h ^ uint32(v)) * 16777619
	}
	return h
}

func (s *Shots) learn(x *Shot, body int, t sim.Tick) {
	x.LearnedTick, x.LearnedBody = max(t, 1), body
	s.learned++
	s.learnedTicks += int(x.LearnedTick - x.FiredTick)
}

// Learned returns how many results have reached their shooters, and the sum of the ticks that they took.
func (s *Shots) Learned() (results, ticks int) { return s.learned, s.learnedTicks }

// shotCounters are what the shots of a session count.
type shotCounters struct {
	fired, hitOnClient, rewoundMatchesClient, nowMatchesClient predict.Counter
}

// DeclareShotCounters declares the counters of shots as a pane has them after the first shot. A
// session without shots has none of them.
func DeclareShotCounters(m *predict.Counters) (c shotCounters) {
	c.fired = m.New("shots", "shots fired by the players")
	c.hitOnClient = m.New("shots_hit_on_client", "shots that hit in the shooter's view")
	c.rewoundMatchesClient = m.New("shots_rewound_match_client", "shots with the same hit in the rewound world as in the shooter's view")
	c.nowMatchesClient = m.New("shots_now_match_client", "shots with the same hit in the present as in the shooter's view")
	return c
}

// OnlyShown keeps the counters of results out of the hashes of their pane.
func (c shotCounters) OnlyShown() {
	c.rewoundMatchesClient.Of(predict.OnScreens)
	c.nowMatchesClient.Of(predict.OnScreens)
}

// Fire records the shot of a player in session tick t, and its hit among the bodies of w as
// the player saw them drawn, at a moment in subticks. It declares and
// increments the counters of shots.
func (s *Shots) Fire(counters *predict.Counters, w *predict.World, t sim.Tick, player int, shot sim.Shot, drawn []geom.Pose, at int64) {
	x := Shot{Player: player, FiredTick: t, Result: predict.HitResult{Shot: shot}}
	x.ClientRay = predict.CastShot(w.Scene(), &shot, drawn[player].Pos, drawn, player, at, w.Rate())
	if b := x.ClientRay.Hit.Body; b != sim.NoBody {
		x.TargetDrawn = drawn[b]
	}
	s.fire(counters, &x)
}

func (s *Shots) fire(counters *predict.Counters, x *Shot) {
	c := DeclareShotCounters(counters)
	c.fired.Inc()
	if x.ClientRay.Hit.Body != sim.NoBody {
		c.hitOnClient.Inc()
	}
	s.add(*x, MaxShots)
}

// Follow adds the shots of a client that runs apart, and what messages have told it of them, in session tick t. Its first earlier shots are
// not of this session.
func (s *Shots) Follow(counters *predict.Counters, client *Shots, earlier int, t sim.Tick) {
	for n := max(earlier+s.total, client.FirstIndex()); n < client.total; n++ {
		x := client.At(n)
		s.fire(counters, &Shot{
			Player: x.Player, FiredTick: t, ClientRay: x.ClientRay, TargetDrawn: x.TargetDrawn, Result: predict.HitResult{Shot: x.Result.Shot},
		})
	}
	for n := max(s.FirstIndex(), client.FirstIndex()-earlier); n < s.total; n++ {
		if x, theirs := s.At(n), client.At(earlier+n); x.LearnedTick == 0 && theirs.LearnedTick > 0 {
			s.learn(x, theirs.LearnedBody, t)
		}
	}
}

// Resolve records the server's result of a shot in session tick t. It returns the number of the
// shot, or -1 if it was fired before the strategy started.
func (s *Shots) Resolve(counters *predict.Counters, t sim.Tick, v *predict.HitResult) (n int) {
	if n = s.findPending(v.Player, &v.Shot); n < 0 {
		return n
	}
	x := s.At(n)
	x.ResolvedTick, x.Result = max(t, 1), *v
	c, seen := DeclareShotCounters(counters), x.ClientRay.Hit.Body
	if v.Refused == predict.NotRefused && v.Rewound.Hit.Body == seen {
		c.rewoundMatchesClient.Inc()
	}
	if v.Now.Hit.Body == seen {
		c.nowMatchesClient.Inc()
	}
	return n
}
