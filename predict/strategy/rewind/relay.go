package rewind

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// A snapshot tells the inputs that led to it. The server knows more: clients send their inputs ahead of
// time, by their lead, so the next inputs of each player already wait for their ticks. It relays them,
// and a client predicts the ticks ahead of a snapshot with the inputs that will be used there, instead
// of the last one repeated.

const (
	maxRelayed    = 64 // inputs of a player in a snapshot
	maxRelayBits  = 72 // of a player's run
	relayLenBits  = 6
	relayNearBits = 7 // of an input whose heading is 0
)

// declareRelay declares the knob that both sides share.
func declareRelay(k *predict.Knobs, p *bool) {
	k.In(predict.PacketKnobs).Bool(p, "relay", true, "snapshots contain other players' inputs that wait at the server")
}

// relayedRuns are the inputs of all players from the tick of a snapshot on. On the wire they are, for
// each player:
//
//	relayed, 1 bit, and if set
//	count less 1, 6 bits
//	the inputs, as input.CodeInputs codes them
type relayedRuns struct {
	counts [sim.MaxPlayers]int
	inputs [sim.MaxPlayers][maxRelayed]sim.Input
}

// code reads or writes the runs of some players.
func (r *relayedRuns) code(c *quant.Coder, players int) {
	for p := range players {
		c.Group("relayed", p)
		c.Label("relayed")
		if !c.Bool(r.counts[p] > 0) {
			r.counts[p] = 0
			continue
		}
		c.Label("count")
		r.counts[p] = int(c.Bits(uint32(r.counts[p]-1), relayLenBits)) + 1
		run := r.inputs[p][:r.counts[p]]
		input.CodeInputs(c, run)
		for i := range run {
			if run[i].Shot.Fired {
				c.Fail(predict.ErrMalformed)
			}
		}
		if c.Err() != nil {
			return
		}
	}
	c.Group("", 0)
}

// relayLength returns how many inputs of a run fit maxRelayBits.
func relayLength(run []sim.Input) int {
	bits, before := 0, sim.Input{}
	for i, in := range run {
		cost := 1
		if i == 0 || in != before {
			cost = 1 + relayNearBits
			if in.Heading != before.Heading {
				cost += 8
			}
		}
		if bits += cost; bits > maxRelayBits {
			return i
		}
		before = in
	}
	return len(run)
}

// relayServer writes the inputs that wait.
type relayServer struct {
	enabled bool
	scratch relayedRuns
}

// write writes the waiting inputs of all players but the receiver's.
func (r *relayServer) write(c *quant.Coder, receiver, players int, peers []predict.Peer, queues []input.Queue) {
	runs := &r.scratch
	runs.counts = [sim.MaxPlayers]int{}
	for i, peer := range peers {
		if p := peer.Player; r.enabled && p >= 0 && p != receiver {
			run := queues[i].AppendWaiting(runs.inputs[p][:0], maxRelayed)
			runs.counts[p] = relayLength(run)
		}
	}
	runs.code(c, players)
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
type remoteInputsScratch struct{ received, newest relayedRuns }

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
	for p, in := range before {
		if p == player {
			continue
		}
		n := r.newest.counts[p]
		for i, relayed := range r.newest.inputs[p][:n] {
			t := tick + sim.Tick(i)
			k := r.known.Find(t)
			if k == nil {
				k = r.known.Insert(t)
				*k = knownInputs{}
			}
			k.inputs[p], k.known[p] = relayed, true
			in = relayed
		}
		if end := tick + sim.Tick(n); end >= r.end[p] {
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
