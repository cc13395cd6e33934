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
// together may travel as others see them: local.go.

// tickBits is the width of the tick on the wire: it wraps after 18 minutes.
const tickBits = 16

// headBits is the most that a strategy may put before a snapshot.
const headBits = 320

// Sender writes snapshots of one world to one peer.
type Sender struct {
	known sim.Tick // newest snapshot that has arrived there
	any   bool     // one has
	sent  [256]struct {
		sequence packet.Sequence
		tick     sim.Tick
		used     bool
	}
	buffer []byte
	coder  quant.Coder
}

// MostBodies is how many bodies a snapshot holds if all of them move.
const MostBodies = (packet.MaxPayload*8 - tickBits - headBits) / (1 + MoveBits)

// payloadBytes is enough memory for any snapshot of a world that a packet can
// carry: a multiple of eight, as the bit packer asks.
func payloadBytes(w *sim.World, players int) int {
	bits := headBits + tickBits + players*input.MostBits + len(w.Bodies())*(2+MoveBits)
	return min((bits+63)/64*8, packet.MaxPayload)
}

// Changes remembers in which tick each body of a world last changed. The zero
// value remembers nothing: everything has just changed.
type Changes struct {
	bodies []sim.Body // with a tree: as their parents see them, where they have one
	ticks  []sim.Tick
	tree   *jointtree.Tree
}

// Note compares the world with what it was when it was last noted.
func (c *Changes) Note(w *sim.World) {
	if c.tree != nil {
		c.noteLocal(w)
		return
	}
	now := w.Bodies()
	if len(c.bodies) != len(now) {
		c.bodies = append(c.bodies[:0], now...)
		c.ticks = make([]sim.Tick, len(now))
		for i := range c.ticks {
			c.ticks[i] = w.Tick()
		}
		return
	}
	for i := range now {
		if now[i] != c.bodies[i] {
			c.bodies[i], c.ticks[i] = now[i], w.Tick()
		}
	}
}

// CopyFrom makes c an equal of o.
func (c *Changes) CopyFrom(o *Changes) {
	c.bodies = append(c.bodies[:0], o.bodies...)
	c.ticks = append(c.ticks[:0], o.ticks...)
	c.tree = o.tree
}

// Hear takes in what an endpoint now knows to have arrived. It is to be called
// in every tick, also in those that send nothing: an acknowledgement is told of
// once.
func (s *Sender) Hear(e *packet.Endpoint) {
	for _, a := range e.Acks() {
		r := &s.sent[a%256]
		if r.used && r.sequence == a && (!s.any || r.tick > s.known) {
			s.known, s.any = r.tick, true
		}
	}
}

// Send writes the world as it is, with the inputs that made it so, and sends
// it. It returns the bits of the payload. What does not fit a datagram is cut
// into fragments below; a world that does not fit a packet panics: one of more
// than MostBodies needs a strategy that splits it.
func (s *Sender) Send(e *packet.Endpoint, w *sim.World, changes *Changes, held []sim.Input) int {
	s.Begin(w, len(held))
	return s.Finish(e, w, changes, held)
}

// Begin begins a payload. A strategy may write up to 320 bits of its own with what
// it returns, before Finish.
func (s *Sender) Begin(w *sim.World, players int) *quant.Coder {
	if n := payloadBytes(w, players); len(s.buffer) < n {
		s.buffer = make([]byte, n)
	}
	s.coder.Write(s.buffer)
	return &s.coder
}

// Finish writes the world into a payload that has begun, and sends it, as Send
// does.
func (s *Sender) Finish(e *packet.Endpoint, w *sim.World, changes *Changes, held []sim.Input) int {
	c := &s.coder
	c.Bits(uint32(w.Tick())&(1<<tickBits-1), tickBits)
	for _, in := range held {
		input.One(c, in)
	}
	for i, b := range w.Bodies() {
		switch {
		case !c.Bool(!s.any || changes.ticks[i] > s.known):
		case changes.tree != nil && changes.tree.Nodes[i].Parent != jointtree.None:
			changes.write(c, w, i)
		default:
			Body(c, &b, w.Scene())
		}
	}
	if c.Err() != nil {
		panic("codec: a snapshot of " + w.Scene().Name + " does not fit a packet")
	}
	bits := c.Processed()
	q := e.Send(c.Data())
	s.sent[q%256].sequence, s.sent[q%256].tick, s.sent[q%256].used = q, w.Tick(), true
	return bits
}

// CopyFrom makes s an equal of o.
func (s *Sender) CopyFrom(o *Sender) { s.known, s.any, s.sent = o.known, o.any, o.sent }

// Receiver reads snapshots. The zero value has read none.
type Receiver struct {
	Tick   sim.Tick
	Held   []sim.Input // what each player did in the tick before
	Bodies []sim.Body
	Any    bool // one has been read; before, the other fields mean nothing

	coder quant.Coder
	spare []sim.Body
	held  []sim.Input
	came  []bool   // by body: it was in the last payload read
	read  sim.Tick // of that payload

	// Of a tree: see Over.
	tree                *jointtree.Tree
	locals, spareLocals []sim.Body // by body: as its parent sees it, where it has one
	relative            []bool     // by body: it came so
	known               []bool     // by body: where it was in an older snapshot
	form                bool       // only the form is looked at
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
	r.coder.Read(payload)
	return &r.coder
}

// Finish reads the snapshot of a payload whose reading has begun, as Read does.
func (r *Receiver) Finish(payload []byte, scene *sim.Scene, guess sim.Tick) (fresh bool, err error) {
	c := &r.coder
	c.Name("tick")
	tick := input.Complete(c.Bits(0, tickBits), tickBits, guess)
	r.held = r.held[:0]
	for i := range scene.Players {
		c.Part("held", i)
		r.held = append(r.held, input.One(c, sim.Input{}))
	}
	r.spare, r.came, r.relative, r.read = r.spare[:0], r.came[:0], r.relative[:0], tick
	for i := range scene.Boxes {
		r.spare, r.came, r.relative = append(r.spare, sim.Body{}), append(r.came, true), append(r.relative, false)
		b := &r.spare[i]
		c.Part("bodies", i)
		c.Name("follows")
		if c.Bool(false) {
			if r.tree != nil && r.tree.Nodes[i].Parent != jointtree.None {
				r.relative[i] = r.local(c, b, scene)
			} else {
				Body(c, b, scene)
			}
		} else if r.came[i] = false; r.Any {
			*b = r.Bodies[i]
		} else {
			c.Fail(errBody)
		}
		if c.Err() != nil {
			return false, c.Err()
		}
	}
	if !c.Whole(len(payload)) {
		return false, errBody // something is left over
	}
	old := r.Any && tick <= r.Tick
	if r.tree != nil && !r.form {
		if err := r.place(scene, old); err != nil {
			return false, err
		}
	}
	if old {
		return false, nil
	}
	r.Tick, r.Any = tick, true
	r.Bodies, r.spare = r.spare, r.Bodies
	r.locals, r.spareLocals = r.spareLocals, r.locals
	r.Held, r.held = r.held, r.Held
	return true, nil
}

// Old returns, after Read or Finish has reported false and no error, what that
// snapshot says: its tick, and the bodies that came with it. What the others were
// then it does not say. It is for reading, until the next Read.
func (r *Receiver) Old() (tick sim.Tick, bodies []sim.Body, came []bool) {
	return r.read, r.spare, r.came
}

// CopyFrom makes r an equal of o.
func (r *Receiver) CopyFrom(o *Receiver) {
	r.Tick, r.Any = o.Tick, o.Any
	r.Held = append(r.Held[:0], o.Held...)
	r.Bodies = append(r.Bodies[:0], o.Bodies...)
	r.tree, r.locals = o.tree, append(r.locals[:0], o.locals...)
}
