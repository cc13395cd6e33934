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
	"ghostcube/predict/part/input"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// LagCompensator is the server's side for all players.
type LagCompensator struct {
	useRewound   bool
	maxAgeMillis float64 // ms

	poses        history.Ring[poseRecord]
	pending      []pendingShot
	rewoundPoses []geom.Pose // memory
	currentPoses []geom.Pose
	result       predict.HitResult

	env            *predict.Env
	targetMovedSum float64 // metres by which those that were hit had moved
	ageSum         float64 // ms, of all shots
}

// poseRecord is where all bodies were.
type poseRecord struct{ poses []geom.Pose }

// pendingShot is a shot that is to be judged.
type pendingShot struct {
	player                    int
	shot                      sim.Shot
	viewMoment, shooterMoment int64 // moments: of the picture, and of the player's own cube in it
}

const (
	maxHistoryMillis = 1000 // of history
	maxAheadSeconds  = 2    // that a shot may be from the future
	maxPending       = 128
)

// Declare tells env what may be tuned.
func (j *LagCompensator) Declare(env *predict.Env) {
	j.env = env
	env.Knobs.Bool(&j.useRewound, "lag-compensation", true, "shots are judged in the shooter's past, as it saw the others; off: in the server's present. Both judgements are made and shown")
	env.Knobs.Millis(&j.maxAgeMillis, "hit-history", 300, 0, maxHistoryMillis, "how much of the past the server keeps for that; a shot at what is older is refused")
}

// ShotSource is where a player's shots come out, each once.
type ShotSource interface {
	PopShots(peer int) []sim.Shot
}

// Tick remembers the world as it is and judges the shots whose turn it is: those of
// players at the server, of this tick, and those of peers. It comes before the step.
func (j *LagCompensator) Tick(w *predict.World, host []sim.Input, peers []predict.Peer, from ShotSource) {
	j.Record(w)
	for player, in := range host {
		if in.Shot.Fired && player < w.Scene().Players {
			j.AddShot(w, player, in.Shot)
		}
	}
	for i, peer := range peers {
		for _, s := range from.PopShots(i) {
			if peer.Player >= 0 {
				j.AddShot(w, peer.Player, s)
			}
		}
	}
	j.ResolvePending(w)
}

// Record notes where the bodies of the world are in its tick.
func (j *LagCompensator) Record(w *predict.World) {
	if n := int(j.maxAge(w.Rate())/predict.SubticksPerTick) + 3; n != j.poses.Size() {
		j.poses = history.New[poseRecord](n)
	}
	m := j.poses.Insert(w.Tick())
	m.poses = predict.AppendPoses(m.poses[:0], w.Bodies())
}

// maxAge is how far back shots are judged, in subticks.
func (j *LagCompensator) maxAge(rate int) int64 {
	return int64(float64(j.maxAgeMillis*float64(rate*predict.SubticksPerTick)) / 1000)
}

// AddShot takes in a player's shot. One that claims nothing is of now.
func (j *LagCompensator) AddShot(w *predict.World, player int, s sim.Shot) {
	now := int64(w.Tick()) * predict.SubticksPerTick
	x := pendingShot{player, s, now, now}
	if s.HasViewTime {
		x.viewMoment = input.UnwrapViewTime(s.ViewTime, now)
		x.shooterMoment = x.viewMoment + int64(s.Ahead)
	}
	if len(j.pending) < maxPending {
		j.pending = append(j.pending, x)
	}
}

// ResolvePending judges the shots that have come whose moment the server has reached, in the
// order in which they came.
func (j *LagCompensator) ResolvePending(w *predict.World) {
	now, left := int64(w.Tick())*predict.SubticksPerTick, j.pending[:0]
	for i := range j.pending {
		x := j.pending[i]
		if late := max(x.viewMoment, x.shooterMoment) - now; late > 0 && late <= int64(maxAheadSeconds*w.Rate()*predict.SubticksPerTick) {
			left = append(left, x)
			continue
		}
		j.resolve(w, &x, now)
	}
	j.pending = left
}

// resolve judges one shot, twice, and tells of it.
func (j *LagCompensator) resolve(w *predict.World, x *pendingShot, now int64) {
	v, scene, rate := &j.result, w.Scene(), w.Rate()
	*v = predict.HitResult{Player: x.player, Shot: x.shot, Tick: w.Tick(), Age: now - x.viewMoment, UseRewound: j.useRewound}
	v.Rewound.Hit.Body = sim.NoBody
	j.currentPoses = predict.AppendPoses(j.currentPoses[:0], w.Bodies())
	v.Now = predict.CastShot(scene, &x.shot, j.currentPoses[x.player].Pos, j.currentPoses, x.player, now, rate)
	switch oldest := now - j.maxAge(rate); {
	case max(x.viewMoment, x.shooterMoment) > now:
		v.Refused = predict.TooNew
	case x.viewMoment < oldest || !j.posesAt(&j.rewoundPoses, x.shooterMoment, x.player, x.player+1):
		v.Refused = predict.TooOld
	default:
		from := j.rewoundPoses[x.player].Pos
		if !j.posesAt(&j.rewoundPoses, x.viewMoment, 0, len(j.currentPoses)) {
			v.Refused = predict.TooOld // before the server began
			break
		}
		v.Rewound = predict.CastShot(scene, &x.shot, from, j.rewoundPoses, x.player, x.viewMoment, rate)
	}
	if b := v.TargetBody(); b != sim.NoBody {
		v.TargetThen, v.TargetNow = j.currentPoses[b], j.currentPoses[b]
		if v.Refused == predict.NotRefused {
			v.TargetThen = j.rewoundPoses[b]
		}
		if b == v.Rewound.Hit.Body {
			v.BehindCover = j.hasLineOfSight(w, v.Rewound.Origin, v.TargetThen.Pos, j.rewoundPoses, x, x.viewMoment, b) && !j.hasLineOfSight(w, v.Now.Origin, v.TargetNow.Pos, j.currentPoses, x, now, b)
		}
	}
	j.countResult(v)
	if j.env.OnHit != nil {
		j.env.OnHit(v)
	}
}

// hasLineOfSight reports whether nothing is between a shooter and the middle of a body.
func (j *LagCompensator) hasLineOfSight(w *predict.World, from, middle geom.Vec3, poses []geom.Pose, x *pendingShot, at int64, body int) bool {
	way := middle.Sub(from)
	first := w.Scene().CastRay(from, way.Unit(), way.Len(), poses, x.player, predict.SubtickMoment(at), w.Rate())
	return first.Body == body || first.Distance >= way.Len()
}

// posesAt puts where the bodies from first to last less one were at a moment into their
// places in dst. It reports whether that is remembered.
func (j *LagCompensator) posesAt(dst *[]geom.Pose, moment int64, first, last int) bool {
	if moment < 0 {
		return false
	}
	t, part := sim.Tick(moment/predict.SubticksPerTick), moment%predict.SubticksPerTick
	a := j.poses.Find(t)
	b := a
	if part != 0 {
		b = j.poses.Find(t + 1)
	}
	if a == nil || b == nil {
		return false
	}
	for len(*dst) < len(a.poses) {
		*dst = append(*dst, geom.Pose{})
	}
	share := float32(part) / predict.SubticksPerTick
	for i := first; i < last; i++ {
		if p := &a.poses[i]; part == 0 || *p == b.poses[i] {
			(*dst)[i] = *p
		} else {
			(*dst)[i] = smoothing.LerpPose(*p, b.poses[i], share)
		}
	}
	return true
}

// countResult counts a verdict. The counts are declared by the first: a session without
// shots has none of them, and the hash that it had before there were shots.
func (j *LagCompensator) countResult(v *predict.HitResult) {
	m := j.env.Counters
	m.Declare("shots_resolved", "shots that the server has judged")
	m.Declare("shots_refused", "of those, the ones that were older than the history, or from the future")
	m.Declare("shots_hit_rewound", "of those, the ones that hit a body in the shooter's past")
	m.Declare("shots_hit_now", "of those, the ones that hit a body in the server's present")
	m.Declare("shots_mismatched", "shots that meet something else in the present than in the past")
	m.Declare("shots_age_mean_ms", "how old what the shooter saw was when the shot was judged or refused, mean")
	m.Declare("shots_rewind_max_ms", "how far back the oldest shot was judged")
	m.Declare("shots_target_moved_mean_m", "metres by which what was hit in the past had moved when it was judged, mean")
	m.Declare("shots_target_moved_max_m", "the same, largest")
	m.Declare("shots_around_corner", "of those, the ones that were out of the shooter's sight by then")
	m.Add("shots_resolved", 1)
	age := float64(v.Age*1000) / float64(j.env.World.Rate()*predict.SubticksPerTick)
	j.ageSum += age
	m.Set("shots_age_mean_ms", j.ageSum/m.Value("shots_resolved"))
	if v.Now.Hit.Body != sim.NoBody {
		m.Add("shots_hit_now", 1)
	}
	if v.Refused != predict.NotRefused {
		m.Add("shots_refused", 1)
		return
	}
	if v.Rewound.Hit.Body != v.Now.Hit.Body {
		m.Add("shots_mismatched", 1)
	}
	m.Set("shots_rewind_max_ms", max(m.Value("shots_rewind_max_ms"), age))
	if v.Rewound.Hit.Body == sim.NoBody {
		return
	}
	m.Add("shots_hit_rewound", 1)
	if v.BehindCover {
		m.Add("shots_around_corner", 1)
	}
	moved := float64(v.TargetNow.Pos.Sub(v.TargetThen.Pos).Len())
	j.targetMovedSum += moved
	m.Set("shots_target_moved_mean_m", j.targetMovedSum/m.Value("shots_hit_rewound"))
	m.Set("shots_target_moved_max_m", max(m.Value("shots_target_moved_max_m"), moved))
}

// CopyFrom makes j an equal of o, all but its env.
func (j *LagCompensator) CopyFrom(o *LagCompensator) {
	j.useRewound, j.maxAgeMillis, j.targetMovedSum, j.ageSum = o.useRewound, o.maxAgeMillis, o.targetMovedSum, o.ageSum
	j.poses.CopyFrom(&o.poses, func(dst, src *poseRecord) { dst.poses = append(dst.poses[:0], src.poses...) })
	j.pending = append(j.pending[:0], o.pending...)
}
