package window

import (
	"fmt"
	"math"
	"time"
)

// pace selects the renderer by the time that frames take.
type pace struct {
	requested, renderer Renderer // renderer is the one in use

	last       time.Time // start of the last frame
	slow, fast time.Duration
	trial      time.Duration               // left of the time in which a finer renderer is on trial
	retry      [SoftwareHalf]time.Duration // by renderer: how long frames have to be fast before it is tried again
	load       load
}

// load is what the time of a frame depends on, apart from the machine.
type load struct {
	w, h, panes int
	scene       string
}

// Bounds of the pace.
const (
	slowFrame  = 40 * time.Millisecond // a frame that takes longer is too slow
	fastFrame  = 22 * time.Millisecond // one that takes less may leave room for a finer renderer
	slowLimit  = time.Second           // of slow frames, after which the renderer is too fine
	trialLimit = slowLimit / 4         // the same during a trial
	trialTime  = 3 * time.Second
	firstRetry = 10 * time.Second
	lastRetry  = 10 * time.Minute

	// longestFrame is the time that one frame counts at most. A window that was hidden makes one long frame,
	// which is not enough to step down; a slow machine makes several.
	longestFrame = 600 * time.Millisecond
)

// request selects a renderer, or for Auto the one to start with.
func (p *pace) request(r Renderer) {
	*p = pace{requested: r, renderer: r}
	if r == Auto {
		p.renderer = GPUSupersampled
	}
}

// frame begins a frame, the last of which took draw to draw on the CPU, and steps to a faster or finer renderer when
// it is time. A finer renderer is tried after a while of fast frames. Where it turns out to be too slow it is left
// soon, and the next trial comes four times as late, so that the picture does not flicker; a change of the load forgets
// that.
func (p *pace) frame(now time.Time, draw time.Duration, l load) {
	elapsed, first := now.Sub(p.last), p.last.IsZero()
	p.last = now
	if p.requested != Auto {
		return
	}
	if p.load != l {
		p.load, p.retry, p.fast = l, [SoftwareHalf]time.Duration{}, 0
	}
	if first {
		return
	}
	elapsed = min(elapsed, longestFrame)
	p.trial = max(0, p.trial-elapsed)
	limit := slowLimit
	if p.trial > 0 {
		limit = trialLimit
	}
	switch {
	case elapsed > slowFrame:
		p.slow, p.fast = p.slow+elapsed, 0
	case elapsed > fastFrame || p.renderer == SoftwareHalf && 4*draw > fastFrame:
		p.slow, p.fast = max(0, p.slow-elapsed), 0
	default:
		p.slow, p.fast = max(0, p.slow-elapsed), p.fast+elapsed
	}
	switch {
	case p.slow > limit && p.renderer < SoftwareHalf:
		p.retry[p.renderer] = min(max(4*p.retry[p.renderer], firstRetry), lastRetry)
		p.renderer++
		p.slow, p.fast, p.trial = 0, 0, 0
	case p.renderer > GPUSupersampled && p.fast > max(p.retry[p.renderer-1], firstRetry):
		p.renderer--
		p.slow, p.fast, p.trial = 0, 0, trialTime
	}
}

// coarse reports whether the picture has fewer pixels than the window because the machine is too slow.
func (p *pace) coarse() bool { return p.requested == Auto && p.renderer == SoftwareHalf }

// realTime measures the speed of the session on the clock of the wall.
type realTime struct {
	since  time.Time // beginning of the present measurement
	ticks  int       // since then
	speed  float64   // that the session should have
	share  float64   // speed in the last measurement
	slowed int       // measurements in a row that were too slow, at most measurementsToTell
}

// measurementsToTell is the number of slow measurements in a row after which the machine counts as too slow. One comes
// about by itself, as when the window was hidden.
const measurementsToTell = 2

// count counts n ticks of a session that should run at a speed; 0: it is paused.
func (r *realTime) count(now time.Time, n, rate int, speed float64) {
	if speed != r.speed || speed == 0 || r.since.IsZero() {
		*r = realTime{since: now, speed: speed}
		return
	}
	r.ticks += n
	elapsed := now.Sub(r.since)
	if elapsed < time.Second {
		return
	}
	r.share = float64(r.ticks) / (elapsed.Seconds() * float64(rate))
	r.since, r.ticks = now, 0
	limit := 0.9
	if r.slowed == measurementsToTell {
		limit = 0.96 // so that the note does not come and go
	}
	if r.slowed++; r.share > limit*speed {
		r.slowed = 0
	}
	r.slowed = min(r.slowed, measurementsToTell)
}

// note says how slow the session is, or nothing while the machine keeps up.
func (r *realTime) note() string {
	if r.slowed < measurementsToTell {
		return ""
	}
	return fmt.Sprintf("%.0f %% of real time", math.Max(100*r.share, 1))
}
