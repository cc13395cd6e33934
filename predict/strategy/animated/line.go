package animated

import (
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// line is the playout buffers of a server that holds inputs back. The article has one
// of four ticks before everything, also where nothing is predicted.
type line struct {
	set    input.PlayoutSettings // Length 0: there is none
	queues []input.Playout       // by peer, as long as there is
	length int                   // what the knob of that name says
}

func (l *line) declare(env *predict.Env) {
	env.Knobs.Int(&l.length, "playout", 0, 0, 60, "ticks for which the server holds the inputs back (its playout delay buffer, of which the article has 4); 0: none, it uses the newest")
	input.DeclarePlayout(&l.set, env)
}

// on reports whether inputs are held back. When they are no longer, what waits is
// forgotten.
func (l *line) on() bool {
	if l.set.Length == 0 {
		l.queues = l.queues[:0]
	}
	return l.set.Length > 0
}

// play sets held to what each player does in the tick that begins.
func (l *line) play(host []sim.Input, peers []predict.Peer, held []sim.Input, w *sim.World, m *predict.Counters) {
	for i := len(l.queues); i < len(peers); i++ {
		l.queues = append(l.queues, input.Playout{})
		if seat := peers[i].Seat; seat >= 0 {
			l.queues[i].Start(held[seat])
		}
	}
	copy(held, host)
	for i, peer := range peers {
		q := &l.queues[i]
		if peer.Seat >= 0 {
			held[peer.Seat] = q.Take(&l.set, m)
		}
		for p, ok := peer.Endpoint.Receive(); ok; p, ok = peer.Endpoint.Receive() {
			if peer.Seat >= 0 && len(p.Payload) > 0 {
				q.Read(p.Payload, w.Tick(), &l.set, m)
			}
		}
		if peer.Seat >= 0 {
			q.Settle(&l.set, m)
		}
	}
}

// Shots returns what a peer's player has fired, as far as it came in this tick.
func (l *line) Shots(peer int) []sim.Shot { return l.queues[peer].Shots() }

func (l *line) copyFrom(o *line) {
	l.set, l.length = o.set, o.length
	l.queues = make([]input.Playout, len(o.queues))
	for i := range o.queues {
		l.queues[i].CopyFrom(&o.queues[i])
	}
}
