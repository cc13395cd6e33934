package input

import "ghostcube/predict"

// OptionalPlayout delays the inputs of clients that draw the past, if at all. Space Engineers has a
// playout buffer of four ticks in all its modes, also where nothing is predicted; here the default is
// none, and the server uses the newest input.
type OptionalPlayout struct {
	PlayoutReceiver
	delay int // ticks: declares the knob that the buffers share, with another default
}

// Declare declares the knobs and counters.
func (p *OptionalPlayout) Declare(env *predict.Env) {
	declareOptionalPlayout(&p.delay, env.Knobs)
	p.PlayoutReceiver.Declare(env)
	p.OwnTicks = true
}

// declareOptionalPlayout declares the knob that both sides use.
func declareOptionalPlayout(delay *int, k *predict.Knobs) {
	k.In(predict.PlayoutKnobs).Int(delay, "playout", 0, 0, 60, "playout delay of inputs at the server, ticks (the article: 4); 0: the newest input is used")
}

// Enabled reports whether inputs are delayed. Switching that off drops the waiting inputs.
func (p *OptionalPlayout) Enabled() bool {
	if p.delay == 0 {
		p.Buffers = p.Buffers[:0]
	}
	return p.delay > 0
}

// CopyFrom makes p a copy of o, except for its counters.
func (p *OptionalPlayout) CopyFrom(o *OptionalPlayout) {
	p.PlayoutReceiver.CopyFrom(&o.PlayoutReceiver)
	p.delay = o.delay
}
