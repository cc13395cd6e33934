package input

import (
	"cmp"

	"ghostcube/predict"
	"ghostcube/sim"
)

// Repetition says what a player does in a tick whose input has not arrived: the last input again for a
// short time, and then nothing. All servers use it, and all clients for what their server repeats and for
// other players whose inputs they lack. Both sides count ticks, so the same gap has the same end on both.
//
// Rocket League and Unreal scale a stick back to neutral instead. A button is on or off, and a pattern of
// ticks with and without it has no advantage over a shorter time: a cube keeps the momentum that it got, so
// after an outage its error is that of the ticks in which the button was down, in whatever order. And the
// last tick of a pattern does not tell another client how it goes on.
type Repetition struct {
	Enabled bool    // the last input is repeated; otherwise there is no input
	Time    float64 // time without an input for which it is, ms; after that there is no input
	Rate    int     // ticks per second
}

// repeatTime is the default of Time, ms: five ticks at 60 Hz.
const repeatTime = 85

// Declare declares the knobs, at a server or at a client that predicts what its server repeats. A Time
// that is set before is the default.
func (r *Repetition) Declare(env *predict.Env) {
	env.Knobs.In(predict.InputKnobs).Bool(&r.Enabled, "repeat-missing", true, "repeat a player's last input if the next is missing; off: no input")
	env.Knobs.NotSearched(predict.MovesServer, "repeat-missing")
	r.declareTime(env.Knobs, env.World.Rate())
}

// declareTime declares the time alone, for a playout buffer, which repeats by a rule of its own.
func (r *Repetition) declareTime(k *predict.Knobs, rate int) {
	r.Rate = rate
	k.In(predict.InputKnobs).Millis(&r.Time, "repeat-time", cmp.Or(r.Time, repeatTime), 0, 60000,
		"time for which a player's last input replaces missing ones, then no input, ms")
	k.NotSearched(predict.MovesServer, "repeat-time")
}

// Ticks returns the number of ticks in a row for which an input is repeated.
func (r Repetition) Ticks() int { return int(r.Time * float64(r.Rate) / 1000) }

// Input returns the input of a tick whose own is missing: the last one, or none. ticks is how many
// ticks in a row it would be repeated for. Action buttons stay as they are, because they act when they go
// down: one that is held through a gap would act again after it.
func (r Repetition) Input(last sim.Input, ticks int) sim.Input {
	if !r.Enabled || ticks > r.Ticks() {
		return sim.Input{Buttons: last.Buttons & sim.ActionButtons}
	}
	return last
}
