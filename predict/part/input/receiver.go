package input

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// Receiver is the server's side for all players: a queue for each peer.
type Receiver struct {
	RepeatMissing bool    // a player whose input has not come does what it did last, not nothing
	Queues        []Queue // by peer
}

// Declare tells env what may be tuned and what is counted.
func (d *Receiver) Declare(env *predict.Env) {
	env.Knobs.Bool(&d.RepeatMissing, "repeat-missing", true, "a player whose input has not come does what it did last, not nothing")
	Declare(env)
}

// AddPeers makes queues for peers that have none. Their inputs are asked for from
// tick next on; before, the players did what held says.
func (d *Receiver) AddPeers(peers []predict.Peer, next sim.Tick, held []sim.Input) {
	for i := len(d.Queues); i < len(peers); i++ {
		d.Queues = append(d.Queues, Queue{})
		if seat := peers[i].Player; seat >= 0 {
			d.Queues[i].Start(next, held[seat])
		}
	}
}

// Collect takes in what has come and sets held to what each player does in the
// tick that begins: those at the server as host says, the others as their newest
// input. It is for a server whose clients draw what is past, so that their ticks
// are no reason to refuse any input.
func (d *Receiver) Collect(host []sim.Input, peers []predict.Peer, held []sim.Input, w *predict.World, m *predict.Counters) {
	d.AddPeers(peers, 0, held)
	SetHostInputs(held, host)
	d.Receive(peers, w.Tick(), m)
	d.PopNewest(peers, held, w.Rate(), m)
}

// SetHostInputs sets held to what the players at the server do, without their shots: these are
// of one tick, and what is held may be used again.
func SetHostInputs(held, host []sim.Input) {
	for i := range copy(held, host) {
		held[i].Shot = sim.Shot{}
	}
}

// Receive puts what has come into the queues, at a server's tick now.
func (d *Receiver) Receive(peers []predict.Peer, now sim.Tick, m *predict.Counters) {
	for i, peer := range peers {
		for p, ok := peer.Endpoint.Receive(); ok; p, ok = peer.Endpoint.Receive() {
			if peer.Player >= 0 && len(p.Payload) > 0 {
				d.Queues[i].Read(p.Payload, now, m)
			}
		}
	}
}

// PopNewest puts into held, by player, the newest input that has come from each,
// for a server that asks for no input by its tick; rate is in ticks per second.
func (d *Receiver) PopNewest(peers []predict.Peer, held []sim.Input, rate int, m *predict.Counters) {
	for i, peer := range peers {
		if peer.Player < 0 {
			continue
		}
		q := &d.Queues[i]
		held[peer.Player] = q.PopNewest(d.RepeatMissing, m)
		if newest, ok := q.NewestTick(); ok {
			q.CountConsumed(newest, rate, m)
		}
	}
	d.CountTotals(m)
}

// ConsumedTick tells which inputs of a peer have been used.
func (d *Receiver) ConsumedTick(peer int) sim.Tick {
	if peer >= len(d.Queues) {
		return 0
	}
	return d.Queues[peer].ConsumedTick()
}

// CountTotals counts for all players what Judge counted for each, where there are
// several.
func (d *Receiver) CountTotals(m *predict.Counters) {
	if len(d.Queues) < 2 {
		return
	}
	var due, used uint64
	for i := range d.Queues {
		due, used = due+d.Queues[i].dueCount, used+d.Queues[i].consumedCount
	}
	if due > 0 {
		m.Set("inputs_consumed_ratio", float64(used)/float64(due))
	}
}

// CopyFrom makes d an equal of o.
func (d *Receiver) CopyFrom(o *Receiver) {
	d.RepeatMissing = o.RepeatMissing
	d.Queues = make([]Queue, len(o.Queues))
	for i := range o.Queues {
		d.Queues[i].CopyFrom(&o.Queues[i])
	}
}
