package input

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
)

// A snapshot tells the inputs that led to it. The server knows more: clients send their inputs ahead of
// time, by their lead, so the next inputs of each player already wait for their ticks. It relays them,
// and a client predicts the ticks ahead of a snapshot with the inputs that will be used there, instead
// of the last one repeated.

const (
	maxRelayed    = 64  // inputs of a player in a snapshot
	maxRelayBits  = 72  // of a player's run
	maxPastBits   = 160 // of one with earlier ticks
	relayLenBits  = 6
	relayNearBits = 7 // of an input whose heading is 0

	// MaxRelayedBits is the largest size of what Relayed.Code writes for a player.
	MaxRelayedBits = 1 + relayLenBits + maxPastBits

	// MaxPast is the longest past that Prepend can add, in ticks.
	MaxPast = maxRelayed
)

// DeclareRelay declares the knob that both sides share.
func DeclareRelay(k *predict.Knobs, p *bool) {
	k.In(predict.PacketKnobs).Bool(p, "relay", true, "snapshots contain other players' inputs that wait at the server")
}

// Relayed are the inputs of all players from the tick of a snapshot on, as far as they wait at the server. On the
// wire they are, for each player:
//
//	relayed, 1 bit, and if set
//	count less 1, 6 bits
//	the inputs, as CodeInputs codes them
//
// A receiver that steps through lost snapshots gets the inputs of earlier ticks, too: if there is a run of its own
// player, that ends before the tick of the snapshot, and all runs begin as many ticks earlier.
type Relayed struct {
	counts [sim.MaxPlayers]int
	inputs [sim.MaxPlayers][maxRelayed]sim.Input

	scratch []sim.Input // of withPast
}

// Of returns the inputs of a player, oldest first.
func (r *Relayed) Of(player int) []sim.Input { return r.inputs[player][:r.counts[player]] }

// Collect collects the waiting inputs of all players but the receiver's. appendWaiting appends at most limit of
// those of a peer to dst.
func (r *Relayed) Collect(receiver int, peers []predict.Peer, appendWaiting func(dst []sim.Input, peer, limit int) []sim.Input) {
	r.counts = [sim.MaxPlayers]int{}
	for i, peer := range peers {
		if p := peer.Player; p >= 0 && p != receiver {
			r.counts[p] = relayLength(appendWaiting(r.inputs[p][:0], i, maxRelayed), maxRelayBits)
		}
	}
}

// Prepend adds inputs of the ticks before the snapshot to the runs of some players, after Collect: those of as many of
// the last ticks as fit beside what waits. past has them, oldest first. It drops shots.
func (r *Relayed) Prepend(receiver, players int, past [][sim.MaxPlayers]sim.Input) {
	past = past[max(len(past)-MaxPast, 0):]
	for p := 0; p < players && len(past) > 0; {
		if run := r.withPast(p, past); relayLength(run, maxPastBits) < len(run) {
			p, past = 0, past[1:]
		} else {
			p++
		}
	}
	for p := range players {
		r.counts[p] = copy(r.inputs[p][:], r.withPast(p, past))
	}
	r.counts[ownSlot(receiver)] = len(past)
}

// withPast returns the inputs of a player in past ticks, and the run that follows, in memory that the next call reuses.
func (r *Relayed) withPast(player int, past [][sim.MaxPlayers]sim.Input) []sim.Input {
	run := r.scratch[:0]
	for _, of := range past {
		of[player].Shot = sim.Shot{}
		run = append(run, of[player])
	}
	r.scratch = append(run, r.Of(player)...)
	return r.scratch
}

// Past returns how many ticks before the snapshot the runs begin.
func (r *Relayed) Past(receiver int) int { return r.counts[ownSlot(receiver)] }

// ownSlot returns the player whose run says how many ticks before the snapshot all runs begin: no player's inputs are
// relayed to the player, nor any to a spectator.
func ownSlot(receiver int) int { return max(receiver, 0) }

// Code reads or writes the inputs of some players.
func (r *Relayed) Code(c *quant.Coder, players int) {
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
		CodeInputs(c, run)
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

// relayLength returns how many inputs of a run fit a number of bits.
func relayLength(run []sim.Input, limit int) int {
	bits, before := 0, sim.Input{}
	for i, in := range run {
		cost := 1
		if i == 0 || in != before {
			cost = 1 + relayNearBits
			if in.Heading != before.Heading {
				cost += headingBits
			}
			if in.Buttons&sim.ActionButtons != 0 {
				cost += maxActionBits
			}
		}
		if bits += cost; bits > limit || i == maxRelayed {
			return i
		}
		before = in
	}
	return len(run)
}
