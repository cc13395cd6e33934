package input

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// PlayoutReceiver receives the inputs of all players on a server that delays them, with a playout
// buffer for each peer.
type PlayoutReceiver struct {
	Settings PlayoutSettings
	OwnTicks bool            // clients number their inputs by their own ticks, not by the server's
	Buffers  []PlayoutBuffer // by peer
	counters playoutCounters
}

// Declare declares the knobs and counters.
func (r *PlayoutReceiver) Declare(env *predict.Env) {
	r.Settings.declare(env.Knobs, env.World.Rate())
	r.counters = newPlayoutCounters(env.Counters)
}

// Collect reads the arrived packets and sets inputs, by player, to those of the tick that begins:
// players at the server have the inputs in host, all others those that their buffers play out. A
// new peer's buffer starts with the previous input of its player.
func (r *PlayoutReceiver) Collect(host []sim.Input, peers []predict.Peer, inputs []sim.Input, w *predict.World) {
	for i := len(r.Buffers); i < len(peers); i++ {
		r.Buffers = append(r.Buffers, PlayoutBuffer{counters: r.counters})
		if player := peers[i].Player; player >= 0 {
			r.Buffers[i].Start(inputs[player])
		}
	}
	SetHostInputs(inputs, host)
	for i, peer := range peers {
		b := &r.Buffers[i]
		if peer.Player >= 0 {
			inputs[peer.Player] = b.Pop(&r.Settings)
		}
		for p, ok := peer.Endpoint.Receive(); ok; p, ok = peer.Endpoint.Receive() {
			switch {
			case peer.Player < 0 || len(p.Payload) == 0:
			case r.OwnTicks:
				b.readOwnTicks(&p, w.Tick(), &r.Settings)
			default:
				b.Read(p.Payload, w.Tick(), &r.Settings)
			}
		}
		if peer.Player >= 0 {
			b.Trim(&r.Settings, w.Rate())
		}
	}
}

// Forget empties the buffer of a peer that has lost everything. Until an input arrives, its player has none.
func (r *PlayoutReceiver) Forget(peer int) {
	if peer < len(r.Buffers) {
		r.Buffers[peer] = PlayoutBuffer{counters: r.counters}
	}
}

// PopShots returns the shots of a peer that have arrived since the last call. They are valid until
// the next Collect.
func (r *PlayoutReceiver) PopShots(peer int) []sim.Shot { return r.Buffers[peer].PopShots() }

// ConsumedTick returns the tick after the newest client tick whose own input was used, or 0 if there
// is none.
func (r *PlayoutReceiver) ConsumedTick(peer int) sim.Tick {
	if peer >= len(r.Buffers) {
		return 0
	}
	return r.Buffers[peer].ConsumedTick()
}

// CopyFrom makes r a copy of o, except for its counters.
func (r *PlayoutReceiver) CopyFrom(o *PlayoutReceiver) {
	r.Settings, r.OwnTicks = o.Settings, o.OwnTicks
	r.Buffers = make([]PlayoutBuffer, len(o.Buffers))
	for i := range o.Buffers {
		r.Buffers[i].counters = r.counters
		r.Buffers[i].CopyFrom(&o.Buffers[i])
	}
}
