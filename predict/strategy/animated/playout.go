package animated

import (
	"ghostcube/predict"
	"ghostcube/predict/part/input"
)

// playout delays the inputs on the server, if at all. The article has a playout buffer of four ticks
// in all its modes, also where nothing is predicted; here the default is none.
type playout struct {
	input.PlayoutReceiver
	delay int // ticks: declares the knob that the buffers share, with another default
}

func (p *playout) declare(env *predict.Env) {
	env.Knobs.Int(&p.delay, "playout", 0, 0, 60, "playout delay of inputs at the server, ticks (the article has 4); 0: it uses the newest input")
	p.Declare(env)
	p.OwnTicks = true
}

// enabled reports whether inputs are delayed. Switching that off drops the waiting inputs.
func (p *playout) enabled() bool {
	if p.delay == 0 {
		p.Buffers = p.Buffers[:0]
	}
	return p.delay > 0
}

func (p *playout) copyFrom(o *playout) {
	p.PlayoutReceiver.CopyFrom(&o.PlayoutReceiver)
	p.delay = o.delay
}
