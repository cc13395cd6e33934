package animated

import (
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// playoutBuffers delay the inputs on the server, one buffer for each peer. The article has such a
// buffer of four ticks in all its modes, also where nothing is predicted.
type playoutBuffers struct {
	settings input.PlayoutSettings // DelayTicks 0: inputs are not delayed
	buffers  []input.PlayoutBuffer // by peer; empty if inputs are not delayed
	length   int                   // ticks, of the knob
}

func (l *playoutBuffers) declare(env *predict.Env) {
	env.Knobs.Int(&l.length, "playout", 0, 0, 60, "playout delay of inputs at the server, ticks (the article has 4); 0: it uses the newest input")
	input.DeclarePlayout(&l.settings, env)
}

// enabled reports whether inputs are delayed. Switching that off drops the waiting inputs.
func (l *playoutBuffers) enabled() bool {
	if l.settings.DelayTicks == 0 {
		l.buffers = l.buffers[:0]
	}
	return l.settings.DelayTicks > 0
}

// collect sets inputs to each player's input in the tick that begins.
func (l *playoutBuffers) collect(host []sim.Input, peers []predict.Peer, inputs []sim.Input, w *predict.World, m *predict.Counters) {
	for i := len(l.buffers); i < len(peers); i++ {
		l.buffers = append(l.buffers, input.PlayoutBuffer{})
		if seat := peers[i].Player; seat >= 0 {
			l.buffers[i].Start(inputs[seat])
		}
	}
	copy(inputs, host)
	for i, peer := range peers {
		q := &l.buffers[i]
		if peer.Player >= 0 {
			inputs[peer.Player] = q.Pop(&l.settings, m)
		}
		for p, ok := peer.Endpoint.Receive(); ok; p, ok = peer.Endpoint.Receive() {
			if peer.Player >= 0 && len(p.Payload) > 0 {
				q.Read(p.Payload, w.Tick(), &l.settings, m)
			}
		}
		if peer.Player >= 0 {
			q.Trim(&l.settings, m)
		}
	}
}

// PopShots returns the shots of a peer's player that arrived in this tick.
func (l *playoutBuffers) PopShots(peer int) []sim.Shot { return l.buffers[peer].PopShots() }

func (l *playoutBuffers) copyFrom(o *playoutBuffers) {
	l.settings, l.length = o.settings, o.length
	l.buffers = make([]input.PlayoutBuffer, len(o.buffers))
	for i := range o.buffers {
		l.buffers[i].CopyFrom(&o.buffers[i])
	}
}
