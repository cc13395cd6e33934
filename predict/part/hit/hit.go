// Package hit resolves shots with lag compensation. The server remembers the poses of all bodies for
// as long as views may be late. A shot carries the time that its player's view showed. The server casts the ray
// once through the world of that time and once through the present world, and reports both results;
// a knob decides which one counts. This is lag compensation as Bernier describes it (Latency
// Compensating Methods in Client/Server In-game Protocol Design and Optimization, 2001): a player who
// aims at what the screen shows hits it, even if the target has left since.
//
// The server trusts a shot as little as possible:
//
//   - The view may be late by the round trip that the server measures and by what may wait in buffers
//     at both ends, 400 ms. An older shot is refused, and so is one more than two seconds in the
//     future. A shot in the nearer future waits until the server's time is there: a predicting player
//     is ahead of the server, and its shot may arrive before its view time.
//   - The ray starts at the center of the player's own cube, in the server's pose at the view time, or
//     later by as much as the client drew that cube ahead of the others. The shot carries no position,
//     so there is none to forge. If the client mispredicted its cube, the ray starts elsewhere than
//     drawn.
//   - The direction is free.
//
// Times are in subticks, 1/16 of a tick, because drawn poses lie between ticks: half a tick at 10 m/s
// is 8 cm.
package hit

import (
	"time"

	"ghostcube/predict"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// LagCompensator resolves the shots of all players at the server.
type LagCompensator struct {
	settings
	state
	scratch

	poses   history.Ring[poseRecord]
	pending []pendingShot
	env     *predict.Env
}

// settings are the knobs.
type settings struct {
	useRewound   bool
	maxAgeMillis float64 // ms; 0: follow the round trip
}

// state is plain: it is copied by assignment.
type state struct {
	targetMovedSum float64 // distance that hit targets had moved since the view time, m, summed
	ageSum         float64 // ages of all shots, ms, summed

	// Of the players' connections, by player. 0: it is not known yet, or the player sits at the server.
	roundTrips [sim.MaxPlayers]time.Duration
}

// scratch is memory that no later shot depends on.
type scratch struct {
	rewoundPoses []geom.Pose
	currentPoses []geom.Pose
	result       predict.HitResult
}

// poseRecord holds the poses of all bodies in one tick.
type poseRecord struct{ poses []geom.Pose }

// pendingShot is a shot that is not resolved yet.
type pendingShot struct {
	player        int
	shot          sim.Shot
	viewMoment    int64 // view time, in subticks
	shooterMoment int64 // time at which the player's own cube was drawn, in subticks
}

const (
	maxHistory      = time.Second            // longest history
	bufferTime      = 400 * time.Millisecond // what may wait in buffers at both ends: at ten snapshots a second 350 ms
	historyStep     = 100 * time.Millisecond // by which a history that follows the round trip grows
	maxAheadSeconds = 2                      // largest time that a shot may be in the future
	maxPending      = 128                    // shots
)

// Declare declares the knobs. Counters are declared by the first shot.
func (l *LagCompensator) Declare(env *predict.Env) {
	l.env = env
	group := env.Knobs.In(predict.ShotKnobs)
	group.Bool(&l.useRewound, "lag-compensation", true, "judge shots in the shooter's past; off: in the server's present")
	group.Millis(&l.maxAgeMillis, "hit-history", 0, 0, float64(maxHistory/time.Millisecond),
		"oldest view of an accepted shot, ms; 0: the round trip and 400 ms, at most a second")
}

// ShotSource returns each shot of a peer once.
type ShotSource interface {
	PopShots(peer int) []sim.Shot
}

// Tick records the world and resolves the shots that are due: those of players at the server in this
// tick, and those of peers. It is called before the step.
func (l *LagCompensator) Tick(w *predict.World, host []sim.Input, peers []predict.Peer, from ShotSource) {
	l.MeasureRoundTrips(peers)
	l.Record(w)
	for player, in := range host {
		if in.Shot.Fired && player < w.Scene().Players {
			l.AddShot(w, player, in.Shot)
		}
	}
	for i, peer := range peers {
		for _, s := range from.PopShots(i) {
			if peer.Player >= 0 {
				l.AddShot(w, peer.Player, s)
			}
		}
	}
	l.ResolvePending(w)
}

// MeasureRoundTrips takes the round trips of the players' connections from the peers.
func (l *LagCompensator) MeasureRoundTrips(peers []predict.Peer) {
	for i := range peers {
		if p := &peers[i]; p.Player >= 0 {
			l.roundTrips[p.Player] = p.Endpoint.Stats.RTT
		}
	}
}

// Record remembers the poses of the present tick.
func (l *LagCompensator) Record(w *predict.World) {
	if n := l.historyTicks(w.Rate()); n != l.poses.Size() {
		l.resize(n, w.Tick())
	}
	m := l.poses.Insert(w.Tick())
	m.poses = predict.AppendPoses(m.poses[:0], w.Bodies())
}

// historyTicks returns the number of ticks to remember. A history that follows the round trips grows in steps and
// does not shrink, because they vary.
func (l *LagCompensator) historyTicks(rate int) int {
	if l.maxAgeMillis > 0 {
		return int(l.maxAge(0, rate)/predict.SubticksPerTick) + 3
	}
	longest := time.Duration(0)
	for _, r := range l.roundTrips {
		longest = max(longest, r)
	}
	longest = (min(longest+bufferTime, maxHistory) + historyStep - 1) / historyStep * historyStep
	return max(int(subticks(longest, rate)/predict.SubticksPerTick)+3, l.poses.Size())
}

// resize changes the number of ticks that are remembered to n, and keeps the newest.
func (l *LagCompensator) resize(n int, now sim.Tick) {
	old := l.poses
	l.poses = history.New[poseRecord](n)
	for t := now - min(now, sim.Tick(min(n, old.Size()))); t < now; t++ {
		if m, ok := old.Remove(t); ok {
			*l.poses.Insert(t) = m
		}
	}
}

// subticks returns a duration in subticks.
func subticks(d time.Duration, rate int) int64 {
	return int64(d) * int64(rate*predict.SubticksPerTick) / int64(time.Second)
}

// maxAge returns the age of the oldest shots of a player that can be resolved, in subticks.
func (l *LagCompensator) maxAge(player, rate int) int64 {
	if l.maxAgeMillis == 0 {
		return subticks(min(l.roundTrips[player]+bufferTime, maxHistory), rate)
	}
	return int64(float64(l.maxAgeMillis*float64(rate*predict.SubticksPerTick)) / 1000)
}

// AddShot queues a player's shot. Without a view time it is resolved in the present.
func (l *LagCompensator) AddShot(w *predict.World, player int, s sim.Shot) {
	now := int64(w.Tick()) * predict.SubticksPerTick
	p := pendingShot{player: player, shot: s, viewMoment: now, shooterMoment: now}
	if s.HasViewTime {
		p.viewMoment = input.UnwrapViewTime(s.ViewTime, now)
		p.shooterMoment = p.viewMoment + int64(s.Ahead)
	}
	if len(l.pending) < maxPending {
		l.pending = append(l.pending, p)
	}
}

// ResolvePending resolves the shots whose time the server has reached, in order of arrival.
func (l *LagCompensator) ResolvePending(w *predict.World) {
	now, remaining := int64(w.Tick())*predict.SubticksPerTick, l.pending[:0]
	for i := range l.pending {
		p := l.pending[i]
		if ahead := max(p.viewMoment, p.shooterMoment) - now; ahead > 0 && ahead <= int64(maxAheadSeconds*w.Rate()*predict.SubticksPerTick) {
			remaining = append(remaining, p)
			continue
		}
		l.resolve(w, &p, now)
	}
	l.pending = remaining
}

// resolve resolves one shot in the past and in the present, and reports the result.
func (l *LagCompensator) resolve(w *predict.World, p *pendingShot, now int64) {
	v, scene, rate := &l.result, w.Scene(), w.Rate()
	*v = predict.HitResult{Player: p.player, Shot: p.shot, Tick: w.Tick(), UseRewound: l.useRewound}
	v.Age, v.MaxAge = now-p.viewMoment, l.maxAge(p.player, rate)
	v.Rewound.Hit.Body = sim.NoBody
	l.currentPoses = predict.AppendPoses(l.currentPoses[:0], w.Bodies())
	v.Now = predict.CastShot(scene, &p.shot, l.currentPoses[p.player].Pos, l.currentPoses, p.player, now, rate)
	switch oldest := now - v.MaxAge; {
	case max(p.viewMoment, p.shooterMoment) > now:
		v.Refused = predict.TooNew
	case p.viewMoment < oldest || !l.posesAt(&l.rewoundPoses, p.shooterMoment, p.player, p.player+1):
		v.Refused = predict.TooOld
	default:
		from := l.rewoundPoses[p.player].Pos
		if !l.posesAt(&l.rewoundPoses, p.viewMoment, 0, len(l.currentPoses)) {
			v.Refused = predict.TooOld // before the session
			break
		}
		v.Rewound = predict.CastShot(scene, &p.shot, from, l.rewoundPoses, p.player, p.viewMoment, rate)
	}
	if b := v.TargetBody(); b != sim.NoBody {
		v.TargetThen, v.TargetNow = l.currentPoses[b], l.currentPoses[b]
		if v.Refused == predict.NotRefused {
			v.TargetThen = l.rewoundPoses[b]
		}
		if b == v.Rewound.Hit.Body {
			v.BehindCover = l.hasLineOfSight(w, v.Rewound.Origin, v.TargetThen.Pos, l.rewoundPoses, p, p.viewMoment, b) &&
				!l.hasLineOfSight(w, v.Now.Origin, v.TargetNow.Pos, l.currentPoses, p, now, b)
		}
	}
	l.countResult(v)
	if l.env.OnHit != nil {
		l.env.OnHit(v)
	}
}

// hasLineOfSight reports whether nothing is between a position and the center of a body.
func (l *LagCompensator) hasLineOfSight(w *predict.World, from, center geom.Vec3, poses []geom.Pose, p *pendingShot, at int64, body int) bool {
	path := center.Sub(from)
	first := w.Scene().CastRay(from, path.Unit(), path.Len(), poses, p.player, predict.SubtickMoment(at), w.Rate())
	return first.Body == body || first.Distance >= path.Len()
}

// posesAt sets the poses of the bodies in [first,last) at a moment in dst. It reports whether that
// moment is remembered.
func (l *LagCompensator) posesAt(dst *[]geom.Pose, moment int64, first, last int) bool {
	if moment < 0 {
		return false
	}
	t, part := sim.Tick(moment/predict.SubticksPerTick), moment%predict.SubticksPerTick
	a := l.poses.Find(t)
	b := a
	if part != 0 {
		b = l.poses.Find(t + 1)
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

// counters are what the resolved shots count.
type counters struct {
	resolved, refused, hitRewound, hitNow, mismatched, ageMean, rewindMax, targetMovedMean, targetMovedMax, aroundCorner predict.Counter
}

// DeclareCounters declares the counters of resolved shots as a pane has them after the first shot. A
// session without shots has none of them.
func DeclareCounters(m *predict.Counters) { newCounters(m) }

// newCounters declares the counters. It is called for each shot.
func newCounters(m *predict.Counters) (c counters) {
	c.resolved = m.New("shots_resolved", "shots judged")
	c.refused = m.New("shots_refused", "shots refused as too old or in the future")
	c.hitRewound = m.New("shots_hit_rewound", "shots that hit in the rewound world")
	c.hitNow = m.New("shots_hit_now", "shots that hit in the server's present")
	c.mismatched = m.New("shots_mismatched", "shots with another hit in the present than in the past")
	c.ageMean = m.New("shots_age_mean_ms", "mean age of the shooter's view, ms")
	c.rewindMax = m.New("shots_rewind_max_ms", "age of the oldest view of a judged shot, ms")
	c.targetMovedMean = m.New("shots_target_moved_mean_m", "mean distance that targets had moved since, m")
	c.targetMovedMax = m.New("shots_target_moved_max_m", "largest distance that a target had moved since, m")
	c.aroundCorner = m.New("shots_around_corner", "hits in the past on a target behind cover in the present")
	return c
}

// countResult counts a hit result.
func (l *LagCompensator) countResult(v *predict.HitResult) {
	c := newCounters(l.env.Counters)
	c.resolved.Inc()
	age := float64(v.Age*1000) / float64(l.env.World.Rate()*predict.SubticksPerTick)
	l.ageSum += age
	c.ageMean.Set(l.ageSum / c.resolved.Value())
	if v.Now.Hit.Body != sim.NoBody {
		c.hitNow.Inc()
	}
	if v.Refused != predict.NotRefused {
		c.refused.Inc()
		return
	}
	if v.Rewound.Hit.Body != v.Now.Hit.Body {
		c.mismatched.Inc()
	}
	c.rewindMax.Max(age)
	if v.Rewound.Hit.Body == sim.NoBody {
		return
	}
	c.hitRewound.Inc()
	if v.BehindCover {
		c.aroundCorner.Inc()
	}
	moved := float64(v.TargetNow.Pos.Sub(v.TargetThen.Pos).Len())
	l.targetMovedSum += moved
	c.targetMovedMean.Set(l.targetMovedSum / c.hitRewound.Value())
	c.targetMovedMax.Max(moved)
}

// CopyFrom makes l a copy of o, except for its env.
func (l *LagCompensator) CopyFrom(o *LagCompensator) {
	l.settings, l.state = o.settings, o.state
	l.poses.CopyFrom(&o.poses, func(dst, src *poseRecord) { dst.poses = append(dst.poses[:0], src.poses...) })
	l.pending = append(l.pending[:0], o.pending...)
}
