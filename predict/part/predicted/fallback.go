package predicted

import (
	"ghostcube/predict"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// fallbackReason says why the own body is not shown predicted.
type fallbackReason uint8

const (
	noFallback      fallbackReason = iota // it is
	manyCorrections                       // it was corrected too often
	dirtyCollisions                       // it was pushed by what is held too often
)

var fallbackNotes = [...]string{manyCorrections: "prediction is off: corrected too often", dirtyCollisions: "prediction is off: dirty collisions"}

// fallback is when the own body is shown late, as all others are, because its
// prediction would only jerk: after many corrections, or when it runs against what is
// held again and again. The prediction goes on unseen meanwhile, and is shown again
// when it has had nothing of the kind for a while. What goes to the server is the same.
type fallback struct {
	maxCorrections   int     // corrections within the window; 0: never
	minCorrection    float64 // metres
	maxDirtyTicks    int     // ticks within the window; 0: never
	dirtyDepth       float64 // metres
	window           float64 // ms
	recoverTime      float64 // ms
	dirtyRecoverTime float64 // ms
	blendTime        float64 // ms

	reason            fallbackReason
	now               int64    // own ticks
	corrections       eventLog // corrections that count
	collisions        eventLog // ticks of dirty collisions
	switchedAt        int64    // when it was last switched
	comparedTick      int64    // our tick that the newest state compared is of
	lastBadTick       int64    // that of the last one that was off, or when it was switched
	switchCount       int      // that it was switched off
	backoff           int64    // times the usual wait, until prediction is shown again
	interpolatedShare float32  // share of the way of the picture from predicted to late, in [0,1]
	rate              int
	counters          *predict.Counters
}

// maxBackoff is how many times the usual wait there is at most.
const maxBackoff = 8

func (p *fallback) declare(env *predict.Env) {
	k, m := env.Knobs, env.Counters
	k.Int(&p.maxCorrections, "fallback-corrections", 0, 0, maxEvents, "corrections within fallback-window after which the own cube is shown late, as the others are, and its prediction goes on unseen; 0 never")
	k.Float(&p.minCorrection, "fallback-correction-min", 0.02, 0, 10, "metres that a correction must add to count for that")
	k.Millis(&p.window, "fallback-window", 1000, 50, 10000, "the time in which corrections, or ticks of dirty collisions, are counted")
	k.Millis(&p.recoverTime, "fallback-recover", 1000, 0, 30000, "the own cube is shown predicted again when what is predicted unseen has had no correction that counts, and no tick of a dirty collision, for so long; twice as long if it had only just come back, up to eight times")
	k.Millis(&p.blendTime, "fallback-blend", 500, 0, 5000, "the time in which the picture of the own cube glides from predicted to late, and back")
	k.Int(&p.maxDirtyTicks, "fallback-dirty-ticks", 0, 0, maxEvents, "ticks within fallback-window in which the own body is in one that is held, after which it is shown late; 0 never")
	k.Float(&p.dirtyDepth, "dirty-depth", 0.01, 0, 1, "metres that it is in it by to count for that")
	k.Millis(&p.dirtyRecoverTime, "dirty-recover", 1000, 0, 30000, "after a switch by dirty: the same as fallback-recover")
	m.Declare("fallbacks", "times that the own body's prediction was switched off")
	m.Declare("fallback_ticks", "ticks in which it was off")
	m.Declare("fallback_corrections", "corrections in those ticks, which nobody saw")
	m.Declare("dirty_ticks", "ticks in which the own body was in one that is held, by more than dirty-depth")
	p.counters, p.rate, p.backoff = m, env.World.Rate(), 1
}

// enabled reports whether any of it can switch.
func (p *fallback) enabled() bool { return p.maxCorrections > 0 || p.maxDirtyTicks > 0 }

// addCorrection takes in a correction of so many metres.
func (p *fallback) addCorrection(metres float32) {
	if p.reason != noFallback {
		p.counters.Add("fallback_corrections", 1)
	}
	if metres >= float32(p.minCorrection) {
		p.lastBadTick = p.comparedTick
		p.corrections.add(p.now)
	}
}

// addCollision takes in how deep the own body was in what is held when a tick began.
func (p *fallback) addCollision(depth float32) {
	if depth > float32(p.dirtyDepth) {
		p.counters.Add("dirty_ticks", 1)
		p.collisions.add(p.now)
	}
}

// update judges what has come since the last one, and moves the picture.
func (p *fallback) update() {
	p.now++
	window := p.millisToTicks(p.window)
	switch {
	case p.reason != noFallback:
		p.counters.Add("fallback_ticks", 1)
		if p.recovered() {
			p.reason, p.switchedAt = noFallback, p.now
		}
	case p.corrections.atLeast(p.maxCorrections, p.now-window):
		p.begin(manyCorrections)
	case p.collisions.atLeast(p.maxDirtyTicks, p.now-window):
		p.begin(dirtyCollisions)
	}
	step := 1 / float32(max(p.millisToTicks(p.blendTime), 1))
	if p.reason == noFallback {
		step = -step
	}
	p.interpolatedShare = geom.Clamp(p.interpolatedShare+step, 0, 1)
}

// begin switches the prediction off. If it had not been on for long the next wait
// is longer.
func (p *fallback) begin(reason fallbackReason) {
	usual := p.millisToTicks(max(p.recoverTime, p.dirtyRecoverTime))
	if p.switchCount > 0 && p.now-p.switchedAt < 2*usual*p.backoff {
		p.backoff = min(2*p.backoff, maxBackoff)
	} else {
		p.backoff = 1
	}
	p.reason, p.switchedAt, p.lastBadTick = reason, p.now, p.comparedTick
	p.switchCount++
	p.counters.Add("fallbacks", 1)
}

// recovered reports whether what is predicted unseen has agreed for long enough: whatever it
// was that switched it off, there was no dirty collision, and states have come of as many
// ticks without a correction that counts. That nothing comes is no agreement.
func (p *fallback) recovered() bool {
	if !p.enabled() {
		return true
	}
	wait := p.recoverTime
	if p.reason == dirtyCollisions {
		wait = p.dirtyRecoverTime
	}
	long := p.millisToTicks(wait) * p.backoff
	return p.now-max(p.corrections.lastTick(), p.collisions.lastTick(), p.switchedAt) >= long && p.comparedTick-p.lastBadTick >= long
}

func (p *fallback) millisToTicks(millis float64) int64 {
	return int64(float64(millis*float64(p.rate))) / 1000
}

// blend is the picture of the own body, between the predicted one and the late one: it
// leaves and arrives slowly.
func (p *fallback) blend(ahead, late geom.Pose) geom.Pose {
	switch p.interpolatedShare {
	case 0:
		return ahead
	case 1:
		return late
	}
	return smoothing.LerpPose(ahead, late, smoothing.Smoothstep(p.interpolatedShare))
}

// markFallback says which bodies are shown ahead, which are treated otherwise than usual, and
// why the own one is.
func (c *client) markFallback(v *predict.View) {
	ahead := c.fallback.reason == noFallback
	for i := range c.env.World.Bodies() {
		v.Predicted = append(v.Predicted, c.interpolated.IsExcluded(i) && ahead || c.remote.bodies[i].simulated)
		if c.fallback.enabled() || c.remote.mode == remoteDynamic {
			v.Fallback = append(v.Fallback, c.interpolated.IsExcluded(i) && !ahead || c.remote.bodies[i].simulated)
		}
	}
	if !ahead {
		v.Note = fallbackNotes[c.fallback.reason]
	} else if c.remote.simulatedCount > 0 && v.Note == "" {
		v.Note = "what is touched is stepped here"
	}
}

func (p *fallback) copyFrom(o *fallback) {
	meter := p.counters
	*p = *o
	p.counters = meter
}

// maxEvents is how many events are remembered.
const maxEvents = 120

// eventLog are the moments of the last ones of something. The zero value has none.
type eventLog struct {
	at    [maxEvents]int64
	count int
}

func (e *eventLog) add(at int64) {
	e.at[e.count%maxEvents] = at
	e.count++
}

// atLeast reports whether n of them came after a moment; of 0 it is never so.
func (e *eventLog) atLeast(n int, after int64) bool {
	return n > 0 && e.count >= n && e.at[(e.count-n)%maxEvents] > after
}

// lastTick is the moment of the last one, or long ago.
func (e *eventLog) lastTick() int64 {
	if e.count == 0 {
		return -1 << 32
	}
	return e.at[(e.count-1)%maxEvents]
}
