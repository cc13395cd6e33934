package codec

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
)

// Broadcast sends snapshots of a server's world to all its peers. Its zero value is ready after
// Declare.
type Broadcast struct {
	interval       int      // steps from one snapshot to the next
	checks         bool     // snapshots have checks
	ticksSinceSent int      // steps since the last snapshot
	sentTick       sim.Tick // tick of the last snapshot
	senders        []Sender
	changes        ChangeTracker

	tree     *treeChanges   // encoding of joint trees; nil if the strategy has none
	area     *areaBroadcast // areas of interest; nil if the strategy has none
	env      *predict.Env
	counters broadcastCounters
}

// broadcastCounters are what a Broadcast counts.
type broadcastCounters struct {
	snapshots, snapshotBits predict.Counter
}

// Declare declares the knobs and counters.
func (b *Broadcast) Declare(env *predict.Env) {
	b.env = env
	env.Knobs.In(predict.PacketKnobs).Int(&b.interval, "snapshot-every", 1, 1, 64, "send interval of snapshots, ticks: 1, 4, 32 are 60, 15, 1.9 a second at 60 Hz")
	DeclareChecks(env, &b.checks)
	b.counters.snapshots = env.Counters.New("snapshots", "snapshots sent")
	b.counters.snapshotBits = env.Counters.New("snapshot_bits", "bits in snapshots, headers excluded")
}

// Acknowledge processes the peers' acknowledgements. It must be called every tick.
func (b *Broadcast) Acknowledge(peers []predict.Peer) {
	for len(b.senders) < len(peers) {
		b.senders = append(b.senders, Sender{})
	}
	for i, peer := range peers {
		b.senders[i].Acknowledge(peer.Endpoint)
	}
}

// Forget makes the server forget what it knows of a peer, which has nothing but the world at tick t.
func (b *Broadcast) Forget(peer int, t sim.Tick) {
	if peer < len(b.senders) {
		b.senders[peer] = Sender{ackedTick: t, hasAcked: true, checks: b.checks}
	}
}

// AckedTick returns the tick of the newest snapshot that a peer has acknowledged, or of the world after Forget.
func (b *Broadcast) AckedTick(peer int) sim.Tick { return b.senders[peer].ackedTick }

// RecordStep notes which bodies a step of the world has changed. It must be called after every
// step.
func (b *Broadcast) RecordStep(w *predict.World) {
	if b.tree == nil || !b.tree.update(w) {
		b.changes.Update(w)
	} else {
		b.changes.bodies = b.changes.bodies[:0] // all bodies count as changed when the tree is switched off
	}
	b.ticksSinceSent++
}

// Send sends the world, with the inputs of its last step, if a snapshot is due.
func (b *Broadcast) Send(w *predict.World, peers []predict.Peer, inputs []sim.Input) {
	b.SendWithHeader(nil, w, peers, inputs)
}

// Due reports whether the next Send sends a snapshot.
func (b *Broadcast) Due() bool { return b.ticksSinceSent >= b.interval }

// SendWithHeader is Send for a strategy with a header of its own before each peer's snapshot:
// header writes it, if not nil.
func (b *Broadcast) SendWithHeader(header func(c *quant.Coder, peer int), w *predict.World, peers []predict.Peer, inputs []sim.Input) {
	if !b.Due() {
		return
	}
	b.ticksSinceSent, b.sentTick = 0, w.Tick()
	partial := b.area != nil && IsPartial(&b.area.area, w.Scene())
	for i, peer := range peers {
		b.senders[i].checks = b.checks
		b.senders[i].peer, b.senders[i].onBits = i, b.env.OnPacketBits
		c := b.senders[i].Begin(w, len(inputs))
		if header != nil {
			header(c, i)
		}
		b.counters.snapshots.Inc()
		changes, bits := b.changesFor(peer.Player), 0
		if partial {
			bits = b.senders[i].finishPartial(peer.Endpoint, w, changes, inputs, b.area, peer.Player)
		} else {
			bits = b.senders[i].Finish(peer.Endpoint, w, changes, inputs)
		}
		b.counters.snapshotBits.Add(float64(bits))
	}
	if partial && len(peers) > 0 {
		b.senders[0].partial.bands.SetCounters(&b.area.counters.bands, max(w.Rate()/b.interval, 1))
	}
}

// SentTick returns the tick of the last snapshot sent, and 0 before any was.
func (b *Broadcast) SentTick() sim.Tick { return b.sentTick }

// CopyFrom makes b a copy of o.
func (b *Broadcast) CopyFrom(o *Broadcast) {
	b.interval, b.checks, b.ticksSinceSent, b.sentTick = o.interval, o.checks, o.ticksSinceSent, o.sentTick
	b.changes.CopyFrom(&o.changes)
	if b.tree != nil {
		b.tree.copyFrom(o.tree)
	}
	if b.area != nil {
		b.area.area = o.area.area
	}
	b.senders = make([]Sender, len(o.senders))
	for i := range o.senders {
		b.senders[i].CopyFrom(&o.senders[i])
	}
}
