package rollback

import (
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// waitingTicks is the number of ticks whose inputs the server holds for each player, past and future. It is a
// power of two, so that a tick's place is its low bits.
const waitingTicks = 1024

// collector holds the inputs of one player at the server until their ticks. It is plain.
//
// An input that arrives after its tick is moved to the next tick. It takes the place of that tick's own input
// if that is missing; otherwise its shot and its action are added to that. A tick without any input repeats
// the player's last one for a while (input.Repetition). All players learn what the tick was stepped with, the
// sender too, who stepped it with something else and has to roll back.
type collector struct {
	slots   [waitingTicks]waitingInput // by the low bits of the tick
	last    sim.Input                  // that a tick was stepped with
	missing int                        // ticks in a row that repeated it
	first   sim.Tick                   // oldest tick whose input has arrived
	started bool                       // there is one

	late     sim.Input // newest late input that has not been used
	lateTick sim.Tick  // its tick
	hasLate  bool
}

// waitingInput is an input that has arrived.
type waitingInput struct {
	tick    sim.Tick
	input   sim.Input
	arrived bool
}

// add takes the input of a tick. now is the tick that the server steps next.
func (c *collector) add(t sim.Tick, in sim.Input, now sim.Tick) (late bool) {
	s := &c.slots[t%waitingTicks]
	if s.arrived && s.tick >= t {
		return false // a repetition, or an input older than the ring
	}
	*s = waitingInput{t, in, true}
	if !c.started || t < c.first {
		c.started, c.first = true, t
	}
	if t >= now {
		return false
	}
	if c.hasLate {
		if c.lateTick > t {
			in, t = keepRare(c.late, in), c.lateTick
		} else {
			in = keepRare(in, c.late)
		}
	}
	c.late, c.lateTick, c.hasLate = in, t, true
	return true
}

// keepRare returns an input with the shot and the actions of another one, which happen once and must not be
// lost.
func keepRare(in, other sim.Input) sim.Input {
	in.Buttons |= other.Buttons & sim.ActionButtons
	if !in.Shot.Fired {
		in.Shot = other.Shot
	}
	return in
}

// take returns the input that a tick is stepped with. asSent reports whether it is the one that the client has
// sent for this tick.
func (c *collector) take(t sim.Tick, repeat input.Repetition) (in sim.Input, asSent bool) {
	in, asSent = c.at(t)
	switch {
	case asSent && c.hasLate:
		merged := keepRare(in, c.late)
		in, asSent = merged, merged == in
	case asSent:
	case c.hasLate:
		in = c.late
	default:
		if c.started && t >= c.first { // otherwise the client is joining
			c.missing++
		}
		return repeat.Input(c.last, c.missing), false
	}
	c.hasLate, c.missing, c.last = false, 0, withoutShot(in)
	return in, asSent
}

// at returns the input of a tick, if it has arrived.
func (c *collector) at(t sim.Tick) (in sim.Input, ok bool) {
	s := &c.slots[t%waitingTicks]
	return s.input, s.arrived && s.tick == t
}

// withoutShot returns an input without its shot, which is not part of what a world is stepped with and is
// neither repeated nor predicted.
func withoutShot(in sim.Input) sim.Input {
	in.Shot = sim.Shot{}
	return in
}
