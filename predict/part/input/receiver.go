package input

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// Receiver receives the inputs of all players, with a queue for each peer.
type Receiver struct {
	RepeatMissing Repetition
	Queues        []Queue // by peer
	order         orderSettings
	bufferTicks   predict.Counter // if PopNext has a buffer
	counters      queueCounters
}

// Declare declares the knobs and counters.
func (r *Receiver) Declare(env *predict.Env) {
	r.RepeatMissing.Declare(env)
	r.counters = newQueueCounters(env.Counters)
}

// AddPeers adds queues for new peers. Their inputs are asked for from tick next on; until one arrives,
// a player's input is the one in inputs.
func (r *Receiver) AddPeers(peers []predict.Peer, next sim.Tick, inputs []sim.Input) {
	for i := len(r.Queues); i < len(peers); i++ {
		r.Queues = append(r.Queues, Queue{counters: r.counters})
		if player := peers[i].Player; player >= 0 {
			r.Queues[i].Start(next, inputs[player])
		}
	}
}

// Forget empties the queue of a peer that has lost everything. Its inputs are asked for from tick next on; until
// one arrives, its player has none.
func (r *Receiver) Forget(peer int, next sim.Tick) {
	if peer < len(r.Queues) {
		r.Queues[peer] = Queue{counters: r.counters}
		r.Queues[peer].Start(next, sim.Input{})
	}
}

// Collect reads the arrived packets and sets inputs, by player, to those of the tick that begins:
// players at the server have the inputs in host, all others their next one. It is for a server
// whose clients draw the past and number their inputs by their own ticks, so that inputs are used
// whatever their ticks.
func (r *Receiver) Collect(host []sim.Input, peers []predict.Peer, inputs []sim.Input, w *predict.World) {
	r.AddPeers(peers, 0, inputs)
	SetHostInputs(inputs, host)
	for i, peer := range peers {
		for p, ok := peer.Endpoint.Receive(); ok; p, ok = peer.Endpoint.Receive() {
			if peer.Player >= 0 && len(p.Payload) > 0 {
				r.Queues[i].ReadOwnTicks(&p, w.Tick())
			}
		}
	}
	r.PopNext(peers, inputs, w.Rate())
}

// SetHostInputs sets the inputs of the players at the server, without their shots: a shot belongs to
// one tick, and inputs may be repeated.
func SetHostInputs(inputs, host []sim.Input) {
	for i := range copy(inputs, host) {
		inputs[i].Shot = sim.Shot{}
	}
}

// Receive reads the arrived packets at the server's tick now.
func (r *Receiver) Receive(peers []predict.Peer, now sim.Tick) {
	for i, peer := range peers {
		for p, ok := peer.Endpoint.Receive(); ok; p, ok = peer.Endpoint.Receive() {
			if peer.Player >= 0 && len(p.Payload) > 0 {
				r.Queues[i].Read(p.Payload, now)
			}
		}
	}
}

// ConsumedTick returns the tick after a peer's newest input that was used, or 0 if none was.
func (r *Receiver) ConsumedTick(peer int) sim.Tick {
	if peer >= len(r.Queues) {
		return 0
	}
	return r.Queues[peer].ConsumedTick()
}

// CountTotals sets the counters that are shares of all players' inputs, if there are several players.
func (r *Receiver) CountTotals() {
	if len(r.Queues) < 2 {
		return
	}
	var due, consumed uint64
	for i := range r.Queues {
		due, consumed = due+r.Queues[i].dueCount, consumed+r.Queues[i].consumedCount
	}
	if due > 0 {
		r.counters.consumedRatio.Set(float64(consumed) / float64(due))
	}
}

// CopyFrom makes r a copy of o, except for its counters.
func (r *Receiver) CopyFrom(o *Receiver) {
	r.RepeatMissing, r.order = o.RepeatMissing, o.order
	r.Queues = make([]Queue, len(o.Queues))
	for i := range o.Queues {
		r.Queues[i].counters = r.counters
		r.Queues[i].CopyFrom(&o.Queues[i])
	}
}
