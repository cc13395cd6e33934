package rewind

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// relayServer writes the inputs that wait, and those of the last ticks to clients that join.
type relayServer struct {
	enabled bool
	past    history.Ring[[sim.MaxPlayers]sim.Input] // inputs that the last ticks were stepped with
	joined  []sim.Tick                              // by peer: tick of the world that it joins with; 0 when it has more
	relayServerScratch
}

type relayServerScratch struct {
	relayed input.Relayed
	inputs  [][sim.MaxPlayers]sim.Input
}

// join notes that a peer joins with the world of a tick.
func (r *relayServer) join(peer int, t sim.Tick) {
	for len(r.joined) <= peer {
		r.joined = append(r.joined, 0)
	}
	r.joined[peer] = t
}

// record remembers the inputs of a tick.
func (r *relayServer) record(t sim.Tick, inputs []sim.Input) { copy(r.past.Insert(t)[:], inputs) }

// write writes the waiting inputs of all players but the receiver's, before a snapshot of a tick.
func (r *relayServer) write(c *quant.Coder, now sim.Tick, to, players int, peers []predict.Peer, queues []input.Queue) {
	receiver := peers[to].Player
	if !r.enabled {
		peers = nil
	}
	r.relayed.Collect(receiver, peers, func(dst []sim.Input, peer, limit int) []sim.Input {
		return queues[peer].AppendWaiting(dst, limit)
	})
	if r.enabled && to < len(r.joined) && r.joined[to] > 0 {
		r.inputs = r.inputs[:0]
		for t := max(r.joined[to], now-min(now, input.MaxPast)); t < now; t++ {
			if in := r.past.Find(t); in != nil {
				r.inputs = append(r.inputs, *in)
			} else {
				r.inputs = r.inputs[:0]
			}
		}
		r.relayed.Prepend(receiver, players, r.inputs)
	}
	r.relayed.Code(c, players)
}

func (r *relayServer) copyFrom(o *relayServer) {
	r.enabled, r.joined = o.enabled, append(r.joined[:0], o.joined...)
	r.past.CopyFrom(&o.past, history.CopyValue[[sim.MaxPlayers]sim.Input])
}

// remoteInputs are the inputs of the other players that a client knows.
type remoteInputs struct {
	known history.Ring[knownInputs] // by tick
	last  []sim.Input               // by player: newest known input; the client's own until it has joined
	remoteInputsState
	remoteInputsScratch
}

type remoteInputsState struct {
	end       [sim.MaxPlayers]sim.Tick // by player: tick after the newest known input
	stateTick sim.Tick                 // of the newest snapshot
	overdue   sim.Tick                 // the client's own tick from which on the next snapshot is missing
}

// remoteInputsScratch is what the newest packet relays.
type remoteInputsScratch struct{ received, newest input.Relayed }

// knownInputs are the known inputs of a tick.
type knownInputs struct {
	inputs [sim.MaxPlayers]sim.Input
	known  [sim.MaxPlayers]bool
}

// update takes in what a snapshot of a tick knows: the inputs of the tick before, and the relayed runs. It
// has arrived at the client's own tick now, and the next one should arrive as long after it as this one has
// after the last.
func (r *remoteInputs) update(tick, now sim.Tick, before []sim.Input, player int) {
	r.overdue, r.stateTick = now+tick-min(r.stateTick, tick), tick
	r.learn(tick, before, player)
}

// learn takes in the relayed runs of a snapshot of a tick, and the inputs of the tick before.
func (r *remoteInputs) learn(tick sim.Tick, before []sim.Input, player int) {
	past := sim.Tick(r.newest.Past(player))
	if past > tick {
		return
	}
	for p, in := range before {
		run := r.newest.Of(p)
		for i, relayed := range run {
			t := tick - past + sim.Tick(i)
			k := r.known.Find(t)
			if k == nil {
				k = r.known.Insert(t)
				*k = knownInputs{}
			}
			k.inputs[p], k.known[p] = relayed, true
			in = relayed
		}
		if end := tick - past + sim.Tick(len(run)); p != player && end >= r.end[p] {
			r.end[p], r.last[p] = end, in
		}
	}
}

// at returns the input of a player in a tick: the known one, or the newest known one. That is repeated
// across the ticks that a client is always ahead of the newest snapshot, and then, while no snapshot
// arrives, for as long as the server repeats a missing input.
func (r *remoteInputs) at(t sim.Tick, player int, repeat input.Repetition) sim.Input {
	if k := r.known.Find(t); k != nil && k.known[player] {
		return k.inputs[player]
	}
	if r.stateTick > 0 && t > r.overdue {
		return repeat.Input(r.last[player], int(t-r.overdue))
	}
	return r.last[player]
}

func (r *remoteInputs) copyFrom(o *remoteInputs) {
	r.known.CopyFrom(&o.known, history.CopyValue[knownInputs])
	r.last = append(r.last[:0], o.last...)
	r.remoteInputsState = o.remoteInputsState
}
