// Package fallback decides when a predicted body is drawn interpolated, as all other bodies are,
// because its prediction would only jerk: after many corrections, or when it keeps penetrating
// kinematic bodies (Space Engineers, a talk at GDC). The prediction continues out of sight, and is
// drawn again after some time without either. Inputs are sent as before.
//
// It knows when corrections and collisions happen, and not how the body is predicted.
package fallback

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// reason is why a body is drawn interpolated.
type reason uint8

const (
	noFallback      reason = iota // the body is drawn predicted
	manyCorrections               // the body was corrected too often
	dirtyCollisions               // the body penetrated kinematic bodies too often
)

var notes = [...]string{noFallback: "", manyCorrections: "prediction is off: corrected too often", dirtyCollisions: "prediction is off: dirty collisions"}

// Policy decides for one body.
type Policy struct {
	settings settings
	state    state
	counters counters
	env      *predict.Env
}

// counters are what a Policy counts.
type counters struct {
	fallbacks, fallbackTicks, fallbackCorrections, dirtyTicks predict.Counter
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
	now               int64    // calls of Update
	corrections       eventLog // those of minCorrection or more
	collisions        eventLog // ticks of dirty collisions
	switchedAt        int64    // of the last switch, in calls of Update
	comparedTick      int64    // client tick of the newest comparison
	lastBadTick       int64    // client tick of the last counted correction, or of the last switch
	switchCount       int      // switches from predicted to interpolated
	backoff           int64    // factor on the recovery time, from 1 to maxBackoff
	interpolatedShare float32  // of the drawn pose, in [0,1]
}

// maxBackoff is the largest factor on the recovery time.
const maxBackoff = 8

// Declare declares the knobs and counters.
func (p *Policy) Declare(env *predict.Env) {
	k, m, s := env.Knobs, env.Counters, &p.settings
	group := k.In(predict.FallbackKnobs)
	group.Int(&s.maxCorrections, "fallback-corrections", 0, 0, maxEvents,
		"corrections within fallback-window until the cube is drawn interpolated; 0: never")
	group.Float(&s.minCorrection, "fallback-correction-min", 0.02, 0, 10, "shortest correction that counts for fallback-corrections, m")
	group.Millis(&s.window, "fallback-window", 1000, 50, 10000, "time over which corrections or dirty collisions count, ms")
	group.Millis(&s.recoverTime, "fallback-recover", 1000, 0, 30000,
		"time without such events until prediction is drawn again, ms; up to 8 times that if it fails soon")
	group.Millis(&s.blendTime, "fallback-blend", 500, 0, 5000, "time of the blend from predicted to interpolated, and back, ms")
	group.Int(&s.maxDirtyTicks, "fallback-dirty-ticks", 0, 0, maxEvents,
		"dirty collisions within fallback-window until the cube is drawn interpolated, ticks; 0: never")
	group.Float(&s.dirtyDepth, "dirty-depth", 0.01, 0, 1, "penetration of a kinematic body that counts as a dirty collision, m")
	group.Millis(&s.dirtyRecoverTime, "dirty-recover", 1000, 0, 30000, "as fallback-recover, after dirty collisions, ms")
	k.NeedsAny("fallback-window", "fallback-corrections", "fallback-dirty-ticks")
	k.NeedsAny("fallback-blend", "fallback-corrections", "fallback-dirty-ticks")
	k.Needs("fallback-correction-min", "fallback-corrections")
	k.Needs("fallback-recover", "fallback-corrections")
	k.Needs("dirty-depth", "fallback-dirty-ticks")
	k.Needs("dirty-recover", "fallback-dirty-ticks")
	p.counters.fallbacks = m.New("fallbacks", "switches of the cube from predicted to interpolated")
	p.counters.fallbackTicks = m.New("fallback_ticks", "ticks in which the cube was drawn interpolated")
	p.counters.fallbackCorrections = m.New("fallback_corrections", "corrections while the cube was drawn interpolated")
	p.counters.dirtyTicks = m.New("dirty_ticks", "ticks in which the cube penetrated a kinematic body by dirty-depth")
	p.env, p.state.backoff = env, 1
}

// Enabled reports whether the policy may switch at all.
func (p *Policy) Enabled() bool { return p.settings.maxCorrections > 0 || p.settings.maxDirtyTicks > 0 }

// Active reports whether the body is drawn interpolated, or blends to that.
func (p *Policy) Active() bool { return p.state.reason != noFallback }

// Note says why the body is drawn interpolated; it is empty while Active is false.
func (p *Policy) Note() string { return notes[p.state.reason] }

// AddComparison records the comparison of a state that describes client tick t.
func (p *Policy) AddComparison(t sim.Tick) { p.state.comparedTick = int64(t) }

// AddCorrection records a correction by the state that was compared last.
func (p *Policy) AddCorrection(metres float32) {
	s := &p.state
	if s.reason != noFallback {
		p.counters.fallbackCorrections.Inc()
	}
	if metres >= float32(p.settings.minCorrection) {
		s.lastBadTick = s.comparedTick
		s.corrections.add(s.now)
	}
}

// AddStep records a step of the body in a world.
func (p *Policy) AddStep(w *predict.World, body int) {
	if p.settings.maxDirtyTicks > 0 && w.KinematicPenetration(body) > float32(p.settings.dirtyDepth) {
		p.counters.dirtyTicks.Inc()
		p.state.collisions.add(p.state.now)
	}
}

// Update ends a tick: it decides, and continues the blend.
func (p *Policy) Update() {
	s := &p.state
	s.now++
	since := s.now - p.ticks(p.settings.window)
	switch {
	case s.reason != noFallback:
		p.counters.fallbackTicks.Inc()
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

// begin switches to interpolation. If the last switch back was soon before, the next recovery takes
// twice as long.
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
	p.counters.fallbacks.Inc()
}

// recovered reports whether the prediction has agreed with the server for long enough: without a
// dirty collision, and with states compared over as many ticks without a counted correction.
// Silence is not agreement.
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

// ticks converts milliseconds to ticks.
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

// CopyFrom makes p a copy of o, except for its env.
func (p *Policy) CopyFrom(o *Policy) { p.settings, p.state = o.settings, o.state }

// maxEvents is the capacity of an eventLog.
const maxEvents = 120

// eventLog is the times of the newest events of one kind. The zero value is empty.
type eventLog struct {
	at    [maxEvents]int64
	count int
}

func (e *eventLog) add(at int64) {
	e.at[e.count%maxEvents] = at
	e.count++
}

// atLeast reports whether n or more events happened after a time. It is false if n is 0.
func (e *eventLog) atLeast(n int, after int64) bool {
	return n > 0 && e.count >= n && e.at[(e.count-n)%maxEvents] > after
}

// last returns the time of the newest event, or a time long ago if there is none.
func (e *eventLog) last() int64 {
	if e.count == 0 {
		return -1 << 32
	}
	return e.at[(e.count-1)%maxEvents]
}
