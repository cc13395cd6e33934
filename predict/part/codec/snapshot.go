package codec

import (
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict/part/input"
	"ghostcube/predict/part/jointtree"
	"ghostcube/sim"
)

// A snapshot is the moving bodies of a world at a tick, and what its players
// held in the tick before. On the wire it is
//
//	tick, 16 low bits
//	for each player: its input (inputs.One)
//	for each body: one bit, set if the body follows, and the body
//
// A body does not follow if it has not changed since a snapshot that the
// receiver is known to have: then it has the body already. Bodies that joints tie
// together may travel as others see them: jointtree.go.

// tickBits is the width of the tick on the wire: it wraps after 18 minutes.
const tickBits = 16

// maxHeaderBits is the most that a strategy may put before a snapshot.
const maxHeaderBits = 320

// Sender writes snapshots of one world to one peer.
type Sender struct {
	ackedTick sim.Tick // newest snapshot that has arrived there
	hasAcked  bool     // one has
	sent      [256]struct {
		sequence packet.Sequence
		tick     sim.Tick
		used     bool
	}
	buffer []byte
	coder  quant.Coder
}

// MaxBodies is how many bodies a snapshot holds if all of them move.
const MaxBodies = (packet.MaxPayload*8 - tickBits - maxHeaderBits) / (1 + AwakeBits)

// payloadCapacity is enough memory for any snapshot of a world that a packet can
// carry: a multiple of eight, as the bit packer asks.
func payloadCapacity(w *sim.World, players int) int {
	bits := maxHeaderBits + tickBits + players*input.MaxInputBits + len(w.Bodies())*(2+AwakeBits)
	return min((bits+63)/64*8, packet.MaxPayload)
}

// ChangeTracker remembers in which tick each body of a world last changed. The zero
// value remembers nothing: everything has just changed.
type ChangeTracker struct {
	bodies    []sim.Body // with a tree: as their parents see them, where they have one
	changedAt []sim.Tick
	tree      *jointtree.Tree
}

// Update compares the world with what it was when it was last noted.
func (c *ChangeTracker) Update(w *sim.World) {
	if c.tree != nil {
		c.updateTree(w)
		return
	}
	now := w.Bodies()
	if len(c.bodies) != len(now) {
		c.bodies = append(c.bodies[:0], now...)
		c.changedAt = make([]sim.Tick, len(now))
		for i := range c.changedAt {
			c.changedAt[i] = w.Tick()
		}
		return
	}
	for i := range now {
		if now[i] != c.bodies[i] {
			c.bodies[i], c.changedAt[i] = now[i], w.Tick()
		}
	}
}

// CopyFrom makes c an equal of o.
func (c *ChangeTracker) CopyFrom(o *ChangeTracker) {
	c.bodies = append(c.bodies[:0], o.bodies...)
	c.changedAt = append(c.changedAt[:0], o.changedAt...)
	c.tree = o.tree
}

// Acknowledge takes in what an endpoint now knows to have arrived. It is to be called
// in every tick, also in those that send nothing: an acknowledgement is told of
// once.
func (s *Sender) Acknowledge(e *packet.Endpoint) {
	for _, a := range e.Acks() {
		r := &s.sent[a%256]
		if r.used && r.sequence == a && (!s.hasAcked || r.tick > s.ackedTick) {
			s.ackedTick, s.hasAcked = r.tick, true
		}
	}
}

// Send writes the world as it is, with the inputs that made it so, and sends
// it. It returns the bits of the payload. What does not fit a datagram is cut
// into fragments below; a world that does not fit a packet panics: one of more
// than MostBodies needs a strategy that splits it.
func (s *Sender) Send(e *packet.Endpoint, w *sim.World, changes *ChangeTracker, held []sim.Input) int {
	s.Begin(w, len(held))
	return s.Finish(e, w, changes, held)
}

// Begin begins a payload. A strategy may write up to 320 bits of its own with what
// it returns, before Finish.
func (s *Sender) Begin(w *sim.World, players int) *quant.Coder {
	if n := payloadCapacity(w, players); len(s.buffer) < n {
		s.buffer = make([]byte, n)
	}
	s.coder.BeginWrite(s.buffer)
	return &s.coder
}

// Finish writes the world into a payload that has begun, and sends it, as Send
// does.
func (s *Sender) Finish(e *packet.Endpoint, w *sim.World, changes *ChangeTracker, held []sim.Input) int {
	c := &s.coder
	c.Bits(uint32(w.Tick())&(1<<tickBits-1), tickBits)
	for _, in := range held {
		input.CodeInput(c, in)
	}
	for i, b := range w.Bodies() {
		switch {
		case !c.Bool(!s.hasAcked || changes.changedAt[i] > s.ackedTick):
		case changes.tree != nil && changes.tree.Nodes[i].Parent != jointtree.None:
			changes.codeChild(c, w, i)
		default:
			CodeBody(c, &b, w.Scene())
		}
	}
	if c.Err() != nil {
		panic("codec: a snapshot of " + w.Scene().Name + " does not fit a packet")
	}
	bits := c.BitsProcessed()
	q := e.Send(c.FinishWrite())
	s.sent[q%256].sequence, s.sent[q%256].tick, s.sent[q%256].used = q, w.Tick(), true
	return bits
}

// CopyFrom makes s an equal of o.
func (s *Sender) CopyFrom(o *Sender) {
	s.ackedTick, s.hasAcked, s.sent = o.ackedTick, o.hasAcked, o.sent
}

// Receiver reads snapshots. The zero value has read none.
type Receiver struct {
	Tick        sim.Tick
	LastInputs  []sim.Input // what each player did in the tick before
	Bodies      []sim.Body
	HasSnapshot bool // one has been read; before, the other fields mean nothing

	coder      quant.Coder
	nextBodies []sim.Body
	nextInputs []sim.Input
	included   []bool   // by body: it was in the last payload read
	readTick   sim.Tick // of that payload

	// Of a tree: see Over.
	tree               *jointtree.Tree
	locals, nextLocals []sim.Body // by body: as its parent sees it, where it has one
	isRelative         []bool     // by body: it came so
	poseKnown          []bool     // by body: where it was in an older snapshot
	layoutOnly         bool       // only the form is looked at
}

// Read reads a payload that may be anything. It reports false, and nothing
// changes, for what is no snapshot of this scene, for one that is not newer
// than the last, and for one that leaves out bodies that never came. guess is a
// tick near the snapshot's, to complete its low bits from.
func (r *Receiver) Read(payload []byte, scene *sim.Scene, guess sim.Tick) (fresh bool, err error) {
	r.Begin(payload)
	return r.Finish(payload, scene, guess)
}

// Begin begins to read a payload. What a strategy has put before the snapshot is
// read with what it returns, before Finish.
func (r *Receiver) Begin(payload []byte) *quant.Coder {
	r.coder.BeginRead(payload)
	return &r.coder
}

// Finish reads the snapshot of a payload whose reading has begun, as Read does.
func (r *Receiver) Finish(payload []byte, scene *sim.Scene, guess sim.Tick) (fresh bool, err error) {
	c := &r.coder
	c.Label("tick")
	tick := input.UnwrapTick(c.Bits(0, tickBits), tickBits, guess)
	r.nextInputs = r.nextInputs[:0]
	for i := range scene.Players {
		c.Group("held", i)
		r.nextInputs = append(r.nextInputs, input.CodeInput(c, sim.Input{}))
	}
	r.nextBodies, r.included, r.isRelative, r.readTick = r.nextBodies[:0], r.included[:0], r.isRelative[:0], tick
	for i := range scene.Boxes {
		r.nextBodies, r.included, r.isRelative = append(r.nextBodies, sim.Body{}), append(r.included, true), append(r.isRelative, false)
		b := &r.nextBodies[i]
		c.Group("bodies", i)
		c.Label("follows")
		if c.Bool(false) {
			if r.tree != nil && r.tree.Nodes[i].Parent != jointtree.None {
				r.isRelative[i] = r.decodeChild(c, b, scene)
			} else {
				CodeBody(c, b, scene)
			}
		} else if r.included[i] = false; r.HasSnapshot {
			*b = r.Bodies[i]
		} else {
			c.Fail(errInvalidBody)
		}
		if c.Err() != nil {
			return false, c.Err()
		}
	}
	if !c.AtEnd(len(payload)) {
		return false, errInvalidBody // something is left over
	}
	old := r.HasSnapshot && tick <= r.Tick
	if r.tree != nil && !r.layoutOnly {
		if err := r.resolveTree(scene, old); err != nil {
			return false, err
		}
	}
	if old {
		return false, nil
	}
	r.Tick, r.HasSnapshot = tick, true
	r.Bodies, r.nextBodies = r.nextBodies, r.Bodies
	r.locals, r.nextLocals = r.nextLocals, r.locals
	r.LastInputs, r.nextInputs = r.nextInputs, r.LastInputs
	return true, nil
}

// OldSnapshot returns, after Read or Finish has reported false and no error, what that
// snapshot says: its tick, and the bodies that came with it. What the others were
// then it does not say. It is for reading, until the next Read.
func (r *Receiver) OldSnapshot() (tick sim.Tick, bodies []sim.Body, came []bool) {
	return r.readTick, r.nextBodies, r.included
}

// CopyFrom makes r an equal of o.
func (r *Receiver) CopyFrom(o *Receiver) {
	r.Tick, r.HasSnapshot = o.Tick, o.HasSnapshot
	r.LastInputs = append(r.LastInputs[:0], o.LastInputs...)
	r.Bodies = append(r.Bodies[:0], o.Bodies...)
	r.tree, r.locals = o.tree, append(r.locals[:0], o.locals...)
}
