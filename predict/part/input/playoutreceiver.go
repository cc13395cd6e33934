package input

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// PlayoutReceiver is the server's side for all players where inputs are delayed: a playout buffer
// for each peer.
type PlayoutReceiver struct {
	Settings PlayoutSettings
	Buffers  []PlayoutBuffer // by peer
}

// Declare tells env what may be tuned and what is counted.
func (r *PlayoutReceiver) Declare(env *predict.Env) { DeclarePlayout(&r.Settings, env) }

// Collect receives what has arrived, and sets inputs to those of the tick that begins: of players
// at the server host's, of the others those that their buffers play out. Of a new peer inputs
// holds what its player did before.
func (r *PlayoutReceiver) Collect(host []sim.Input, peers []predict.Peer, inputs []sim.Input, w *sim.World, m *predict.Counters) {
	for i := len(r.Buffers); i < len(peers); i++ {
		r.Buffers = append(r.Buffers, PlayoutBuffer{})
		if player := peers[i].Player; player >= 0 {
			r.Buffers[i].Start(inputs[player])
		}
	}
	SetHostInputs(inputs, host)
	for i, peer := range peers {
		b := &r.Buffers[i]
		if peer.Player >= 0 {
			inputs[peer.Player] = b.Pop(&r.Settings, m)
		}
		for p, ok := peer.Endpoint.Receive(); ok; p, ok = peer.Endpoint.Receive() {
			if peer.Player >= 0 && len(p.Payload) > 0 {
				b.Read(p.Payload, w.Tick(), &r.Settings, m)
			}
		}
		if peer.Player >= 0 {
			b.Trim(&r.Settings, m)
		}
	}
}

// PopShots returns the shots of a peer that have arrived since the last call, for reading until
// the next ones arrive.
func (r *PlayoutReceiver) PopShots(peer int) []sim.Shot { return r.Buffers[peer].PopShots() }

// ConsumedTick returns the client's tick after the newest whose own input was used, and 0 before
// any was.
func (r *PlayoutReceiver) ConsumedTick(peer int) sim.Tick {
	if peer >= len(r.Buffers) {
		return 0
	}
	return r.Buffers[peer].ConsumedTick()
}

// CopyFrom makes r an equal of o.
func (r *PlayoutReceiver) CopyFrom(o *PlayoutReceiver) {
	r.Settings = o.Settings
	r.Buffers = make([]PlayoutBuffer, len(o.Buffers))
	for i := range o.Buffers {
		r.Buffers[i].CopyFrom(&o.Buffers[i])
	}
}
