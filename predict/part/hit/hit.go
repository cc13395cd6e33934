// Package hit judges what players shoot at. The server remembers where all bodies
// were for the last 300 ms. A shot says what moment the player's picture showed; the
// server casts the ray once through the world of that moment and once through that of
// now, tells of both, and a knob says which counts. That is lag compensation as
// Bernier describes it (Latency Compensating Methods in Client/Server In-game Protocol
// Design and Optimization, 2001): whoever aims at what the screen shows hits it, and
// whoever is shot may have left already.
//
// What the player says is believed as far as it can be checked:
//
//   - The moment must lie in what is remembered. A shot that is older is refused, and
//     so is one from a future that is more than two seconds away; one that is nearer
//     waits until the server is there. A player who predicts is ahead of the server,
//     and its shot arrives before the moment it speaks of.
//   - The ray begins in the middle of the player's own cube, where the server had it: at
//     the moment of the picture, or as much later as the player's own cube was drawn
//     than all others. No place travels, so none has to be believed. Where a client has
//     predicted its cube wrong, its ray begins elsewhere than it had drawn.
//   - The direction is the player's business.
//
// The moment comes in sixteenths of a tick, for what is drawn lies between ticks: half
// a tick at 10 m/s is 8 cm.
package hit

import (
	"ghostcube/predict"
	"ghostcube/predict/part/history"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Judge is the server's side for all players.
type Judge struct {
	rewinds bool
	history float64 // ms

	past    history.Ring[moment]
	size    int
	waiting []waits
	then    []geom.Pose // memory
	now     []geom.Pose
	verdict predict.HitResult

	env  *predict.Env
	sum  float64 // metres by which those that were hit had moved
	ages float64 // ms, of all shots
}

// moment is where all bodies were.
type moment struct{ poses []geom.Pose }

// waits is a shot that is to be judged.
type waits struct {
	player    int
	shot      sim.Shot
	seen, own int64 // moments: of the picture, and of the player's own cube in it
}

const (
	mostMillis  = 1000 // of history
	aheadSecs   = 2    // that a shot may be from the future
	mostWaiting = 128
)

// Declare tells env what may be tuned.
func (j *Judge) Declare(env *predict.Env) {
	j.env = env
	env.Knobs.Bool(&j.rewinds, "lag-compensation", true, "shots are judged in the shooter's past, as it saw the others; off: in the server's present. Both judgements are made and shown")
	env.Knobs.Millis(&j.history, "history", 300, 0, mostMillis, "how much of the past the server keeps for that; a shot at what is older is refused")
}

// Source is where a player's shots come out, each once.
type Source interface {
	Shots(peer int) []sim.Shot
}

// Tick remembers the world as it is and judges the shots whose turn it is: those of
// players at the server, of this tick, and those of peers. It comes before the step.
func (j *Judge) Tick(w *sim.World, host []sim.Input, peers []predict.Peer, from Source) {
	j.Remember(w)
	for player, in := range host {
		if in.Shot.Fired && player < w.Scene().Players {
			j.Hear(w, player, in.Shot)
		}
	}
	for i, peer := range peers {
		for _, s := range from.Shots(i) {
			if peer.Seat >= 0 {
				j.Hear(w, peer.Seat, s)
			}
		}
	}
	j.Play(w)
}

// Remember notes where the bodies of the world are in its tick.
func (j *Judge) Remember(w *sim.World) {
	if n := int(j.reach(w.Rate())/sim.SeenParts) + 3; n != j.size {
		j.past, j.size = history.New[moment](n), n
	}
	m := j.past.Put(w.Tick())
	m.poses = predict.Poses(m.poses[:0], w.Bodies())
}

// reach is how far back shots are judged, in 1/sim.SeenParts ticks.
func (j *Judge) reach(rate int) int64 {
	return int64(float64(j.history*float64(rate*sim.SeenParts)) / 1000)
}

// Hear takes in a player's shot. One that claims nothing is of now.
func (j *Judge) Hear(w *sim.World, player int, s sim.Shot) {
	now := int64(w.Tick()) * sim.SeenParts
	x := waits{player, s, now, now}
	if s.Claimed {
		x.seen = complete(s.Seen, now)
		x.own = x.seen + int64(s.Ahead)
	}
	if len(j.waiting) < mostWaiting {
		j.waiting = append(j.waiting, x)
	}
}

// complete returns the moment nearest to now whose low bits are these, none before
// the session.
func complete(low uint16, now int64) int64 {
	const size = 1 << sim.SeenBits
	t := now&^(size-1) | int64(low)&(size-1)
	switch away := t - now; {
	case away > size/2 && t >= size:
		t -= size
	case away < -size/2:
		t += size
	}
	return t
}

// Play judges the shots that have come whose moment the server has reached, in the
// order in which they came.
func (j *Judge) Play(w *sim.World) {
	now, left := int64(w.Tick())*sim.SeenParts, j.waiting[:0]
	for i := range j.waiting {
		x := j.waiting[i]
		if late := max(x.seen, x.own) - now; late > 0 && late <= int64(aheadSecs*w.Rate()*sim.SeenParts) {
			left = append(left, x)
			continue
		}
		j.judge(w, &x, now)
	}
	j.waiting = left
}

// judge judges one shot, twice, and tells of it.
func (j *Judge) judge(w *sim.World, x *waits, now int64) {
	v, scene, rate := &j.verdict, w.Scene(), w.Rate()
	*v = predict.HitResult{Player: x.player, Shot: x.shot, Tick: w.Tick(), Age: now - x.seen, UseRewound: j.rewinds}
	v.Rewound.Hit.Body = sim.NoBody
	j.now = predict.Poses(j.now[:0], w.Bodies())
	v.Now = predict.Shoot(scene, &x.shot, j.now[x.player].Pos, j.now, x.player, now, rate)
	switch oldest := now - j.reach(rate); {
	case max(x.seen, x.own) > now:
		v.Refused = predict.TooNew
	case x.seen < oldest || !j.at(&j.then, x.own, x.player, x.player+1):
		v.Refused = predict.TooOld
	default:
		from := j.then[x.player].Pos
		if !j.at(&j.then, x.seen, 0, len(j.now)) {
			v.Refused = predict.TooOld // before the server began
			break
		}
		v.Rewound = predict.Shoot(scene, &x.shot, from, j.then, x.player, x.seen, rate)
	}
	if b := v.Target(); b != sim.NoBody {
		v.TargetThen, v.TargetNow = j.now[b], j.now[b]
		if v.Refused == predict.NotRefused {
			v.TargetThen = j.then[b]
		}
		if b == v.Rewound.Hit.Body {
			v.Covered = j.sees(w, v.Rewound.From, v.TargetThen.Pos, j.then, x, x.seen, b) && !j.sees(w, v.Now.From, v.TargetNow.Pos, j.now, x, now, b)
		}
	}
	j.count(v)
	if j.env.OnHit != nil {
		j.env.OnHit(v)
	}
}

// sees reports whether nothing is between a shooter and the middle of a body.
func (j *Judge) sees(w *sim.World, from, middle geom.Vec3, poses []geom.Pose, x *waits, at int64, body int) bool {
	way := middle.Sub(from)
	first := w.Scene().Ray(from, way.Unit(), way.Len(), poses, x.player, at, w.Rate())
	return first.Body == body || first.Length >= way.Len()
}

// at puts where the bodies from first to last less one were at a moment into their
// places in dst. It reports whether that is remembered.
func (j *Judge) at(dst *[]geom.Pose, moment int64, first, last int) bool {
	if moment < 0 {
		return false
	}
	t, part := sim.Tick(moment/sim.SeenParts), moment%sim.SeenParts
	a := j.past.At(t)
	b := a
	if part != 0 {
		b = j.past.At(t + 1)
	}
	if a == nil || b == nil {
		return false
	}
	for len(*dst) < len(a.poses) {
		*dst = append(*dst, geom.Pose{})
	}
	share := float32(part) / sim.SeenParts
	for i := first; i < last; i++ {
		if p := &a.poses[i]; part == 0 || *p == b.poses[i] {
			(*dst)[i] = *p
		} else {
			(*dst)[i] = geom.Blend(*p, b.poses[i], share)
		}
	}
	return true
}

// count counts a verdict. The counts are declared by the first: a session without
// shots has none of them, and the hash that it had before there were shots.
func (j *Judge) count(v *predict.HitResult) {
	m := j.env.Counters
	m.Declare("shots_judged", "shots that the server has judged")
	m.Declare("shots_refused", "of those, the ones that were older than the history, or from the future")
	m.Declare("shots_hit_rewound", "of those, the ones that hit a body in the shooter's past")
	m.Declare("shots_hit_now", "of those, the ones that hit a body in the server's present")
	m.Declare("shots_disagree", "shots that meet something else in the present than in the past")
	m.Declare("shots_age_mean_ms", "how old what the shooter saw was when the shot was judged or refused, mean")
	m.Declare("shots_back_max_ms", "how far back the oldest shot was judged")
	m.Declare("shots_moved_mean_m", "metres by which what was hit in the past had moved when it was judged, mean")
	m.Declare("shots_moved_max_m", "the same, largest")
	m.Declare("shots_around_corner", "of those, the ones that were out of the shooter's sight by then")
	m.Add("shots_judged", 1)
	age := float64(v.Age*1000) / float64(j.env.World.Rate()*sim.SeenParts)
	j.ages += age
	m.Set("shots_age_mean_ms", j.ages/m.Value("shots_judged"))
	if v.Now.Hit.Body != sim.NoBody {
		m.Add("shots_hit_now", 1)
	}
	if v.Refused != predict.NotRefused {
		m.Add("shots_refused", 1)
		return
	}
	if v.Rewound.Hit.Body != v.Now.Hit.Body {
		m.Add("shots_disagree", 1)
	}
	m.Set("shots_back_max_ms", max(m.Value("shots_back_max_ms"), age))
	if v.Rewound.Hit.Body == sim.NoBody {
		return
	}
	m.Add("shots_hit_rewound", 1)
	if v.Covered {
		m.Add("shots_around_corner", 1)
	}
	moved := float64(v.TargetNow.Pos.Sub(v.TargetThen.Pos).Len())
	j.sum += moved
	m.Set("shots_moved_mean_m", j.sum/m.Value("shots_hit_rewound"))
	m.Set("shots_moved_max_m", max(m.Value("shots_moved_max_m"), moved))
}

// CopyFrom makes j an equal of o, all but its env.
func (j *Judge) CopyFrom(o *Judge) {
	j.rewinds, j.history, j.sum, j.ages = o.rewinds, o.history, o.sum, o.ages
	if j.size != o.size {
		j.past, j.size = history.New[moment](o.size), o.size
	}
	j.past.CopyFrom(&o.past, func(dst, src *moment) { dst.poses = append(dst.poses[:0], src.poses...) })
	j.waiting = append(j.waiting[:0], o.waiting...)
}
