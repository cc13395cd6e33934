package codec

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
)

// Broadcast sends snapshots of a server's world to all its peers.
type Broadcast struct {
	interval       int      // steps from one snapshot to the next
	ticksSinceSent int      // steps since the last
	sentTick       sim.Tick // of the last
	senders        []Sender
	changes        ChangeTracker

	tree *treeChanges // how linked bodies are told of; nil: each by itself, and no knob asks
}

// Declare tells env what may be tuned and what is counted.
func (b *Broadcast) Declare(env *predict.Env) {
	env.Knobs.Int(&b.interval, "snapshot-every", 1, 1, 64, "ticks from one snapshot to the next: 1, 4, 32 are 60, 15, 1.9 a second at 60 Hz")
	env.Counters.Declare("snapshots", "snapshots sent")
	env.Counters.Declare("snapshot_bits", "bits in them, headers apart")
}

// Acknowledge takes in what the peers are now known to have. It is to be called in
// every tick.
func (b *Broadcast) Acknowledge(peers []predict.Peer) {
	for len(b.senders) < len(peers) {
		b.senders = append(b.senders, Sender{})
	}
	for i, peer := range peers {
		b.senders[i].Acknowledge(peer.Endpoint)
	}
}

// RecordStep takes in one step of the world.
func (b *Broadcast) RecordStep(w *sim.World) {
	if b.tree == nil || !b.tree.update(w) {
		b.changes.Update(w)
	} else {
		b.changes.bodies = b.changes.bodies[:0] // all is new when they are told of by themselves again
	}
	b.ticksSinceSent++
}

// Send sends the world as it is, with the inputs that made it so, if a
// snapshot is due.
func (b *Broadcast) Send(w *sim.World, peers []predict.Peer, held []sim.Input, m *predict.Counters) {
	b.SendWithHeader(nil, w, peers, held, m)
}

// SendWithHeader is Send for a strategy that puts something of its own before each
// peer's snapshot: head writes it, if it is not nil.
func (b *Broadcast) SendWithHeader(head func(c *quant.Coder, peer int), w *sim.World, peers []predict.Peer, held []sim.Input, m *predict.Counters) {
	if b.ticksSinceSent < b.interval {
		return
	}
	b.ticksSinceSent, b.sentTick = 0, w.Tick()
	for i, peer := range peers {
		c := b.senders[i].Begin(w, len(held))
		if head != nil {
			head(c, i)
		}
		m.Add("snapshots", 1)
		m.Add("snapshot_bits", float64(b.senders[i].Finish(peer.Endpoint, w, b.changesFor(peer.Player), held)))
	}
}

// SentTick returns the tick of the last snapshot that was sent, and 0 before any was.
func (b *Broadcast) SentTick() sim.Tick { return b.sentTick }

// CopyFrom makes b an equal of o.
func (b *Broadcast) CopyFrom(o *Broadcast) {
	b.interval, b.ticksSinceSent, b.sentTick = o.interval, o.ticksSinceSent, o.sentTick
	b.changes.CopyFrom(&o.changes)
	if b.tree != nil {
		b.tree.copyFrom(o.tree)
	}
	b.senders = make([]Sender, len(o.senders))
	for i := range o.senders {
		b.senders[i].CopyFrom(&o.senders[i])
	}
}
