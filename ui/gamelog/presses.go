package gamelog

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// As in a bench, key presses are measured after a time without any key, from half a second after the first frame, and two
// seconds apart.
const (
	pressesFrom   = 500_000   // microseconds
	pressesApart  = 2_000_000 // microseconds
	pressWait     = 5_000_000 // microseconds in which a press has to show
	moveThreshold = 1e-5      // metres from which the player's body counts as moved
)

// presses measures the time from a key to the screen.
type presses struct {
	began int64 // microseconds, from when on a press is measured
	held  sim.Buttons
	known bool // frames say which inputs they contain

	pending   bool // a press is not on the screen
	time      int64
	input     int64
	from      geom.Vec3 // of the player's body in the last frame before the press
	last      geom.Vec3 // of the last frame
	resting   bool      // the last frame shows no motion
	fromStill bool      // the body rested at the press

	sum   int64 // microseconds
	count int
}

// press handles a line i. viewed says that a frame has been scored.
func (p *presses) press(l *Line, viewed bool) {
	down := p.held == 0 && l.Keys != 0
	p.held = l.Keys
	if !down || !viewed || l.Time < p.began || p.pending {
		return
	}
	p.began = l.Time + pressesApart
	p.pending, p.time, p.input, p.from, p.fromStill = true, l.Time, l.Input, p.last, p.resting
}

// view handles a frame. A press shows in the first frame that contains its input or, where frames do not say that, in the first
// one in which a body that was at rest moves.
func (p *presses) view(l *Line, at geom.Vec3) {
	p.known = p.known || l.HasInput
	if p.pending {
		shows := l.HasInput && l.Input >= p.input
		if !p.known {
			shows = p.fromStill && at.Sub(p.from).Len() > moveThreshold
		}
		if shows {
			p.sum += l.Time - p.time
			p.count++
		}
		p.pending = !shows && l.Time-p.time < pressWait && (p.known || p.fromStill)
	}
	p.resting = at.Sub(p.last).Len() <= moveThreshold
	p.last = at
}

// mean returns the mean time from a key to the screen, microseconds.
func (p *presses) mean() float64 { return float64(p.sum) / float64(max(p.count, 1)) }
