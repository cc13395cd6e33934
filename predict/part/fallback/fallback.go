// Package fallback decides when a predicted body is drawn interpolated instead, as all other
// bodies are, because its prediction would only jerk: after many corrections, or when it runs into
// kinematic bodies again and again (Space Engineers, a talk at GDC). The prediction goes on unseen,
// and is drawn again when it has had neither for a while. Inputs are sent all the same.
//
// It knows when corrections and collisions happen and nothing of how a body is predicted.
package fallback

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// reason says why a body is not drawn predicted.
type reason uint8

const (
	noFallback      reason = iota // it is drawn predicted
	manyCorrections               // it was corrected too often
	dirtyCollisions               // it penetrated kinematic bodies too often
)

var notes = [...]string{noFallback: "", manyCorrections: "prediction is off: corrected too often", dirtyCollisions: "prediction is off: dirty collisions"}

// Policy is the decision for one body.
type Policy struct {
	settings settings
	state    state
	env      *predict.Env
}

type settings struct {
	maxCorrections   int     // within the window; 0: never
	minCorrection    float64 // metres
	maxDirtyTicks    int     // within the window; 0: never
	dirtyDepth       float64 // metres
	window           float64 // ms
	recoverTime      float64 // ms
	dirtyRecoverTime float64 // ms
	blendTime        float64 // ms
}

type state struct {
	reason            reason
	now               int64    // ticks of the policy
	corrections       eventLog // that count
	collisions        eventLog // ticks of dirty collisions
	switchedAt        int64    // when the drawing was last switched
	comparedTick      int64    // the client's tick that the newest compared state describes
	lastBadTick       int64    // the same, of the last correction that counts, or at the last switch
	switchCount       int      // switches from predicted to interpolated
	backoff           int64    // factor on the wait until the body is drawn predicted again
	interpolatedShare float32  // of the drawn pose, in [0,1]
}

// maxBackoff is the largest factor on the wait.
const maxBackoff = 8

// Declare tells env what may be tuned and what is counted.
func (p *Policy) Declare(env *predict.Env) {
	k, m, s := env.Knobs, env.Counters, &p.settings
	k.Int(&s.maxCorrections, "fallback-corrections", 0, 0, maxEvents, "corrections within fallback-window after which the player's cube is drawn interpolated; 0 never")
	k.Float(&s.minCorrection, "fallback-correction-min", 0.02, 0, 10, "m; smaller corrections do not count for fallback-corrections")
	k.Millis(&s.window, "fallback-window", 1000, 50, 10000, "ms in which corrections, or ticks of dirty collisions, are counted")
	k.Millis(&s.recoverTime, "fallback-recover", 1000, 0, 30000, "ms without corrections or dirty collisions before prediction is drawn again; up to 8 times as long")
	k.Millis(&s.blendTime, "fallback-blend", 500, 0, 5000, "ms in which a drawn pose blends from predicted to interpolated, and back")
	k.Int(&s.maxDirtyTicks, "fallback-dirty-ticks", 0, 0, maxEvents, "ticks of dirty collisions within fallback-window after which it is drawn interpolated; 0 never")
	k.Float(&s.dirtyDepth, "dirty-depth", 0.01, 0, 1, "m of penetration into a kinematic body that make a dirty collision")
	k.Millis(&s.dirtyRecoverTime, "dirty-recover", 1000, 0, 30000, "fallback-recover after a switch by dirty collisions, ms")
	m.Declare("fallbacks", "switches of the player's cube from predicted to interpolated")
	m.Declare("fallback_ticks", "ticks in which it was interpolated")
	m.Declare("fallback_corrections", "corrections in those ticks, which nobody saw")
	m.Declare("dirty_ticks", "ticks in which the player's cube penetrated a kinematic body by more than dirty-depth")
	p.env, p.state.backoff = env, 1
}

// Enabled reports whether the policy may switch at all.
func (p *Policy) Enabled() bool { return p.settings.maxCorrections > 0 || p.settings.maxDirtyTicks > 0 }

// Active reports whether the body is drawn interpolated, or on the way to it.
func (p *Policy) Active() bool { return p.state.reason != noFallback }

// Note says in a few words why the body is drawn interpolated; it is empty if it is not.
func (p *Policy) Note() string { return notes[p.state.reason] }

// AddComparison takes in that a state has been compared that describes one of the client's ticks.
func (p *Policy) AddComparison(t sim.Tick) { p.state.comparedTick = int64(t) }

// AddCorrection takes in a correction of the state that was compared last, in metres.
func (p *Policy) AddCorrection(metres float32) {
	s := &p.state
	if s.reason != noFallback {
		p.env.Counters.Add("fallback_corrections", 1)
	}
	if metres >= float32(p.settings.minCorrection) {
		s.lastBadTick = s.comparedTick
		s.corrections.add(s.now)
	}
}

// AddStep takes in a step of the body in a world.
func (p *Policy) AddStep(w *sim.World, body int) {
	if p.settings.maxDirtyTicks > 0 && w.KinematicPenetration(body) > float32(p.settings.dirtyDepth) {
		p.env.Counters.Add("dirty_ticks", 1)
		p.state.collisions.add(p.state.now)
	}
}

// Update ends a tick: it decides, and moves the blend.
func (p *Policy) Update() {
	s := &p.state
	s.now++
	since := s.now - p.ticks(p.settings.window)
	switch {
	case s.reason != noFallback:
		p.env.Counters.Add("fallback_ticks", 1)
		if p.recovered() {
			s.reason, s.switchedAt = noFallback, s.now
		}
	case s.corrections.atLeast(p.settings.maxCorrections, since):
		p.begin(manyCorrections)
	case s.collisions.atLeast(p.settings.maxDirtyTicks, since):
		p.begin(dirtyCollisions)
	}
	step := 1 / float32(max(p.BlendTicks(), 1))
	if s.reason == noFallback {
		step = -step
	}
	s.interpolatedShare = geom.Clamp(s.interpolatedShare+step, 0, 1)
}

// begin switches to interpolation. The sooner that is after the last switch, the longer is the
// next wait.
func (p *Policy) begin(why reason) {
	s := &p.state
	usual := p.ticks(max(p.settings.recoverTime, p.settings.dirtyRecoverTime))
	if s.switchCount > 0 && s.now-s.switchedAt < 2*usual*s.backoff {
		s.backoff = min(2*s.backoff, maxBackoff)
	} else {
		s.backoff = 1
	}
	s.reason, s.switchedAt, s.lastBadTick = why, s.now, s.comparedTick
	s.switchCount++
	p.env.Counters.Add("fallbacks", 1)
}

// recovered reports whether the unseen prediction has agreed with the server for long enough:
// there was no dirty collision, and states of as many ticks have been compared without a
// correction that counts. Silence is not agreement.
func (p *Policy) recovered() bool {
	if !p.Enabled() {
		return true
	}
	s := &p.state
	wait := p.settings.recoverTime
	if s.reason == dirtyCollisions {
		wait = p.settings.dirtyRecoverTime
	}
	ticks := p.ticks(wait) * s.backoff
	return s.now-max(s.corrections.last(), s.collisions.last(), s.switchedAt) >= ticks && s.comparedTick-s.lastBadTick >= ticks
}

// BlendTicks returns how many ticks a blend takes.
func (p *Policy) BlendTicks() int64 { return p.ticks(p.settings.blendTime) }

// ticks converts milliseconds.
func (p *Policy) ticks(millis float64) int64 {
	return int64(float64(millis*float64(p.env.World.Rate()))) / 1000
}

// Blend returns the drawn pose of the body, between its predicted and its interpolated one.
func (p *Policy) Blend(predicted, interpolated geom.Pose) geom.Pose {
	switch p.state.interpolatedShare {
	case 0:
		return predicted
	case 1:
		return interpolated
	}
	return smoothing.LerpPose(predicted, interpolated, smoothing.Smoothstep(p.state.interpolatedShare))
}

// CopyFrom makes p an equal of o, all but its env.
func (p *Policy) CopyFrom(o *Policy) { p.settings, p.state = o.settings, o.state }

// maxEvents is how many events a log remembers.
const maxEvents = 120

// eventLog remembers when the newest events of a kind happened. The zero value has none.
type eventLog struct {
	at    [maxEvents]int64
	count int
}

func (e *eventLog) add(at int64) {
	e.at[e.count%maxEvents] = at
	e.count++
}

// atLeast reports whether n events happened after a moment. Of none, with n 0, it is false.
func (e *eventLog) atLeast(n int, after int64) bool {
	return n > 0 && e.count >= n && e.at[(e.count-n)%maxEvents] > after
}

// last returns the moment of the newest event, or one long ago.
func (e *eventLog) last() int64 {
	if e.count == 0 {
		return -1 << 32
	}
	return e.at[(e.count-1)%maxEvents]
}
