package correction

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// Body is the correction of one predicted body. The zero value is ready for use.
type Body struct {
	Pending     smoothing.Shift // the part that has not been applied yet
	ErrorOffset smoothing.ErrorOffset
}

// Corrected returns the state of a body with the pending correction applied.
func (b *Body) Corrected(state *sim.Body) sim.Body {
	next := *state
	b.Pending.ApplyTo(&next)
	return next
}

// Uncorrected returns the state of which Corrected returns state.
func (b *Body) Uncorrected(state *sim.Body) sim.Body {
	before := *state
	b.Pending.RemoveFrom(&before)
	return before
}

// Step applies one tick's share of the pending correction to body i of a world.
func (b *Body) Step(w *predict.World, i int, s *Settings) {
	if b.Pending.IsZero() {
		return
	}
	state := w.Bodies()[i]
	share := s.gradual.Step(&b.Pending, w.Rate())
	share.ApplyTo(&state)
	state.Asleep = false
	w.SetBody(i, state)
}

// Teleport sets the state of body i of a world and drops the pending correction. The error offset
// absorbs the jump, up to the distance from which corrections snap.
func (b *Body) Teleport(w *predict.World, i int, to sim.Body, smooth *smoothing.Settings) {
	drawn := b.Drawn(w, i)
	b.Pending = smoothing.Shift{}
	w.SetBody(i, to)
	smooth.Absorb(&b.ErrorOffset, drawn, to.Pose)
}

// Replace sets body i of a world to a replayed state, in which nothing is pending. What is pending stays so, and
// the error offset absorbs the change, however large.
func (b *Body) Replace(w *predict.World, i int, replayed *sim.Body, smooth *smoothing.Settings) {
	to := b.Uncorrected(replayed)
	if to == w.Bodies()[i] {
		return
	}
	drawn := b.Drawn(w, i)
	if w.SetBody(i, to); smooth.Mode != smoothing.None {
		b.ErrorOffset.Absorb(drawn, to.Pose)
	}
}

// Drawn returns the pose at which body i of a world is drawn.
func (b *Body) Drawn(w *predict.World, i int) geom.Pose {
	return b.ErrorOffset.Apply(w.Bodies()[i].Pose)
}

// Result is the result of comparing the server's state with a remembered one.
type Result uint8

// The results.
const (
	Agrees  Result = iota // no difference exceeds its tolerance
	Differs               // some difference does
	Jumped                // the server's velocity has changed suddenly, and gradual correction has not followed
)

// Player is the correction of the player's body. The zero value is ready for use.
type Player struct {
	Body
	watch velocityWatch
}

// Compare compares the server's state of the player's body with the state remembered of the same
// tick. If the result is Differs, shift is the correction.
func (p *Player) Compare(s *Settings, server, remembered *sim.Body) (shift smoothing.Shift, r Result) {
	if p.watch.jumped(&s.sudden, server, remembered, &p.Pending) {
		return shift, Jumped
	}
	shift, exceeds := s.Compare(server, remembered)
	if exceeds {
		return shift, Differs
	}
	return shift, Agrees
}
