package animated

import (
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// playoutBuffers is the playout buffers of a server that holds inputs back. The article has one
// of four ticks before everything, also where nothing is predicted.
type playoutBuffers struct {
	settings input.PlayoutSettings // Length 0: there is none
	buffers  []input.PlayoutBuffer // by peer, as long as there is
	length   int                   // what the knob of that name says
}

func (l *playoutBuffers) declare(env *predict.Env) {
	env.Knobs.Int(&l.length, "playout", 0, 0, 60, "ticks for which the server holds the inputs back (its playout delay buffer, of which the article has 4); 0: none, it uses the newest")
	input.DeclarePlayout(&l.settings, env)
}

// enabled reports whether inputs are held back. When they are no longer, what waits is
// forgotten.
func (l *playoutBuffers) enabled() bool {
	if l.settings.DelayTicks == 0 {
		l.buffers = l.buffers[:0]
	}
	return l.settings.DelayTicks > 0
}

// collect sets held to what each player does in the tick that begins.
func (l *playoutBuffers) collect(host []sim.Input, peers []predict.Peer, held []sim.Input, w *sim.World, m *predict.Counters) {
	for i := len(l.buffers); i < len(peers); i++ {
		l.buffers = append(l.buffers, input.PlayoutBuffer{})
		if seat := peers[i].Player; seat >= 0 {
			l.buffers[i].Start(held[seat])
		}
	}
	copy(held, host)
	for i, peer := range peers {
		q := &l.buffers[i]
		if peer.Player >= 0 {
			held[peer.Player] = q.Pop(&l.settings, m)
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

// PopShots returns what a peer's player has fired, as far as it came in this tick.
func (l *playoutBuffers) PopShots(peer int) []sim.Shot { return l.buffers[peer].PopShots() }

func (l *playoutBuffers) copyFrom(o *playoutBuffers) {
	l.settings, l.length = o.settings, o.length
	l.buffers = make([]input.PlayoutBuffer, len(o.buffers))
	for i := range o.buffers {
		l.buffers[i].CopyFrom(&o.buffers[i])
	}
}
