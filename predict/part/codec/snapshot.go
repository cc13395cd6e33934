package codec

import (
	"slices"

	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/predict/part/jointtree"
	"ghostcube/predict/part/validation"
	"ghostcube/sim"
)

// A snapshot contains the changed bodies of a world at a tick, and the players' inputs in the tick
// before. On the wire it is
//
//	tick, 16 low bits
//	for each player: its input (input.CodeInput)
//	in a scene with vehicles or couplings: its attachments (CodeAttachments)
//	for each body: one bit, set if the body is included, and the body
//	if a body is not included: a digest of all bodies, 8 bits (digest.go)
//
// A body is not included if it has not changed since a snapshot that the receiver has acknowledged.
// Jointed bodies may be relative to each other: jointtree.go.

// tickBits is the width of the tick on the wire, which wraps after 18 minutes at 60 Hz.
const tickBits = 16

// maxHeaderBits is the largest header that a strategy may put before a snapshot, in bits: input.Relayed of all players, and
// 64 bits besides.
const maxHeaderBits = 64 + sim.MaxPlayers*input.MaxRelayedBits

// Sender sends snapshots of one world to one peer. The zero value is ready.
type Sender struct {
	ackedTick sim.Tick // tick of the newest acknowledged snapshot
	hasAcked  bool     // one is acknowledged, and none refused since
	partial   partialSender
	sent      [256]struct {
		sequence packet.Sequence
		tick     sim.Tick
		used     bool
		partial  bool
	}
	checks bool // the payload has checks, if the world is small enough
	senderScratch
}

// senderScratch is memory that no later packet depends on.
type senderScratch struct {
	buffer []byte
	coder  quant.Coder
	spent  predict.PacketBits

	peer   int                                   // of the payload
	onBits func(peer int, b *predict.PacketBits) // receives spent before the payload is sent; nil: nobody does
}

// MaxBodies is how many bodies a snapshot can contain if all of them move.
const MaxBodies = (packet.MaxPayload*8 - tickBits - maxHeaderBits - sim.MaxPlayers*input.MaxInputBits - digestBits) / (1 + AwakeBits)

// With the knob checks, a whole snapshot has a check after the players' inputs and after each field of a
// body, and bodies begin at whole bytes.
const (
	checkBits       = 32
	bodyChecksBits  = 7 + 5*checkBits
	maxCheckedCount = (packet.MaxPayload*8 - tickBits - maxHeaderBits - sim.MaxPlayers*(input.MaxInputBits+checkBits) -
		digestBits - 5*checkBits) / (1 + AwakeBits + bodyChecksBits) // bodies
)

// DeclareChecks declares the knob that puts checks into snapshots, for the side that reads or writes
// them.
func DeclareChecks(env *predict.Env, on *bool) {
	env.Knobs.In(predict.PacketKnobs).Bool(on, "checks", false,
		"a 32-bit check after each field of a snapshot; packets names the field that differs")
	env.Knobs.ChangesFormat("checks")
	env.Knobs.NotSearched("for finding bugs", "checks")
}

// beginChecks starts the checks of a payload, if there are any.
func beginChecks(c *quant.Coder, on bool, bodies int) {
	c.EnableChecks(on && bodies <= maxCheckedCount)
}

// payloadCapacity returns enough bytes for any snapshot of a world that fits a packet: a multiple
// of eight, as the bit packer requires.
func payloadCapacity(w *predict.World, players int) int {
	bits := maxHeaderBits + tickBits + digestBits + groupBits + checkBits + players*(input.MaxInputBits+checkBits) + attachmentBits(w.Scene()) +
		len(w.Bodies())*(maxPartialBodyBits+1+bodyChecksBits) + 64
	return min((bits+63)/64*8, packet.MaxPayload)
}

// ChangeTracker remembers in which tick each body of a world last changed. To the zero value
// everything has just changed.
type ChangeTracker struct {
	bodies    []sim.Body // relative to their parents where they have one in the tree
	changedAt []sim.Tick
	tree      *jointtree.Tree
}

// Update compares the world with its state at the last Update.
func (c *ChangeTracker) Update(w *predict.World) {
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

// CopyFrom makes c a copy of o.
func (c *ChangeTracker) CopyFrom(o *ChangeTracker) {
	c.bodies = append(c.bodies[:0], o.bodies...)
	c.changedAt = append(c.changedAt[:0], o.changedAt...)
	c.tree = o.tree
}

// Acknowledge processes an endpoint's new acknowledgements and refusals. It must be called every tick,
// even if nothing is sent, because the endpoint reports each of them once.
func (s *Sender) Acknowledge(e *packet.Endpoint) {
	for _, a := range e.Acks() {
		r := &s.sent[a%256]
		if r.used && r.sequence == a && r.partial {
			s.partial.acknowledge(a, r.tick)
		} else if r.used && r.sequence == a && !s.partial.active && (!s.hasAcked || r.tick > s.ackedTick) {
			s.ackedTick, s.hasAcked = r.tick, true
		}
	}
	if e.Refused() {
		s.hasAcked = false
		s.partial.forget()
	}
}

// Send encodes the world with the inputs of its last step, sends it, and returns the size of the
// payload in bits. A payload larger than a datagram is fragmented by the endpoint. A world that
// does not fit a packet panics: a world of more than MaxBodies needs a strategy that splits it.
func (s *Sender) Send(e *packet.Endpoint, w *predict.World, changes *ChangeTracker, inputs []sim.Input) int {
	s.Begin(w, len(inputs))
	return s.Finish(e, w, changes, inputs)
}

// Begin starts a payload. A strategy may write a header of up to maxHeaderBits with the result
// before Finish.
func (s *Sender) Begin(w *predict.World, players int) *quant.Coder {
	if n := payloadCapacity(w, players); len(s.buffer) < n {
		s.buffer = make([]byte, n)
	}
	s.coder.BeginWrite(s.buffer)
	return &s.coder
}

// Finish writes the world to the payload and sends it, as Send does.
func (s *Sender) Finish(e *packet.Endpoint, w *predict.World, changes *ChangeTracker, inputs []sim.Input) int {
	c := &s.coder
	s.partial.active = false
	beginChecks(c, s.checks, len(w.Bodies()))
	c.Group("", 0)
	c.Bits(uint32(w.Tick())&(1<<tickBits-1), tickBits)
	c.Check("tick")
	for i, in := range inputs {
		c.Group("last_inputs", i)
		input.CodeInput(c, in)
		c.Check("input")
	}
	attachments := w.Attachments()
	CodeAttachments(c, &attachments, w.Scene())
	complete := true
	s.spent.Begin(len(w.Bodies()))
	s.spent.ChargeOther(c.BitsProcessed())
	for i := range w.Bodies() {
		c.Group("bodies", i)
		c.AlignChecked()
		if c.Bool(!s.hasAcked || changes.changedAt[i] > s.ackedTick) {
			changes.codeBody(c, w, i)
		} else {
			complete = false
		}
		s.spent.ChargeBody(i, c.BitsProcessed())
	}
	if !complete {
		c.Bits(changes.digest(w.Tick()), digestBits)
	}
	if c.Err() != nil {
		panic("codec: a snapshot of " + w.Scene().Name + " does not fit a packet")
	}
	bits := c.BitsProcessed()
	q := s.send(e)
	s.record(q, w.Tick())
	return bits
}

// send sends the payload.
func (s *Sender) send(e *packet.Endpoint) packet.Sequence {
	payload := s.coder.FinishWrite()
	if s.spent.ChargeOther(8 * len(payload)); s.onBits != nil {
		s.onBits(s.peer, &s.spent)
	}
	return e.Send(payload)
}

// record remembers a sent snapshot.
func (s *Sender) record(q packet.Sequence, tick sim.Tick) {
	r := &s.sent[q%256]
	r.sequence, r.tick, r.used, r.partial = q, tick, true, s.partial.active
}

// codeBody writes body i.
func (c *ChangeTracker) codeBody(to *quant.Coder, w *predict.World, i int) {
	if c.tree != nil && c.tree.Nodes[i].Parent != jointtree.None {
		c.codeChild(to, w, i)
		return
	}
	b := w.Bodies()[i]
	CodeBody(to, &b, w.Scene())
}

// CopyFrom makes s a copy of o.
func (s *Sender) CopyFrom(o *Sender) {
	s.ackedTick, s.hasAcked, s.sent, s.checks = o.ackedTick, o.hasAcked, o.sent, o.checks
	s.partial.copyFrom(&o.partial)
}

// Receiver decodes snapshots. The zero value has received none.
type Receiver struct {
	Tick        sim.Tick
	LastInputs  []sim.Input // by player: input of the tick before
	Bodies      []sim.Body
	Attachments sim.Attachments
	HasSnapshot bool // a snapshot has been received; the other fields are undefined before
	Checks      bool // snapshots have checks: a knob (DeclareChecks)
	Follows     bool // the server's clock follows the client's: a snapshot may be any number of ticks ahead, up to the client's own

	ticks      validation.Ticks // of the snapshots
	partial    bool             // see SetPartial
	receivedAt []sim.Tick       // by body, of partial snapshots
	exact      []bool           // by body: its state equals the sender's, as far as the receiver can know

	// With a joint tree: see SetEncoding.
	tree       *jointtree.Tree // for Attachments
	encoding   TreeEncoding
	player     int
	locals     []sim.Body // by body: relative to its parent where it has one
	layoutOnly bool       // only the fields are decoded

	receiverScratch
}

// receiverScratch is what one Read knows of its payload. No later Read depends on it.
type receiverScratch struct {
	coder      quant.Coder
	nextBodies []sim.Body
	nextInputs []sim.Input
	included   []bool          // by body: included in the payload
	list       []int           // of the included bodies
	readTick   sim.Tick        // tick of the payload
	readTree   *jointtree.Tree // that the payload was encoded with
	nextLocals []sim.Body      // by body: relative to its parent where it has one
	isRelative []bool          // by body: it arrived relative
	poseKnown  []bool          // by body: its pose in an older snapshot is known

	nextExact    []bool
	hasDigest    bool
	readDigest   uint32
	digestGroup  int    // of a partial snapshot
	digestBodies []bool // of a partial snapshot, by body of the group: it is in the digest
	mismatched   bool   // the digest of the partial snapshot does not fit
}

// Read decodes an untrusted payload. It reports whether the snapshot is newer than the last one,
// and stores it only then. A payload that is malformed, that leaves out bodies whose states are not
// known, or whose tick or states the scene does not allow, is an error and changes nothing.
// expected is a tick near the snapshot's, from which its high bits are completed; it advances with
// the client's own ticks.
func (r *Receiver) Read(payload []byte, scene *sim.Scene, expected sim.Tick) (fresh bool, err error) {
	r.Begin(payload)
	return r.Finish(payload, scene, expected)
}

// Begin starts to decode a payload. A strategy reads its own header with the result before Finish.
func (r *Receiver) Begin(payload []byte) *quant.Coder {
	r.coder.BeginRead(payload)
	return &r.coder
}

// Finish decodes the snapshot of a payload, as Read does.
func (r *Receiver) Finish(payload []byte, scene *sim.Scene, expected sim.Tick) (fresh bool, err error) {
	c := &r.coder
	beginChecks(c, r.Checks && !r.partial, len(scene.Boxes))
	c.Group("", 0)
	c.Label("tick")
	tick := input.UnwrapTick(c.Bits(0, tickBits), tickBits, expected)
	c.Check("tick")
	r.nextInputs = r.nextInputs[:0]
	for i := range scene.Players {
		c.Group("last_inputs", i)
		r.nextInputs = append(r.nextInputs, input.CodeInput(c, sim.Input{}))
		c.Check("input")
	}
	attachments := r.Attachments
	CodeAttachments(c, &attachments, scene)
	if c.Err() != nil {
		return false, c.Err()
	}
	if r.readTree = r.tree; attachments != r.Attachments {
		r.readTree = r.encoding.Tree(scene, &attachments, r.player)
	}
	r.readTick, r.hasDigest, r.mismatched = tick, false, false
	if r.partial {
		r.decodePartial(c, scene)
	} else {
		r.decodeWhole(c, scene)
	}
	if c.Err() != nil {
		return false, c.Err()
	}
	if !c.AtEnd(len(payload)) {
		return false, predict.ErrMalformed // trailing bytes
	}
	if !r.layoutOnly {
		believe := r.ticks.Believe
		if r.Follows {
			believe = r.ticks.BelieveOwn
		}
		if !believe(tick, expected) {
			return false, predict.ErrMalformed
		}
	}
	old := r.HasSnapshot && tick <= r.Tick
	if r.readTree != nil && !r.layoutOnly {
		if err := r.resolveTree(scene, old); err != nil {
			return false, err
		}
	}
	if old {
		r.keepOld(tick)
		return false, nil
	}
	if !r.layoutOnly && !r.checkDigest() {
		if !r.partial {
			return false, errDigest
		}
		r.mismatched = true
	}
	r.Tick, r.HasSnapshot, r.Attachments, r.tree = tick, true, attachments, r.readTree
	for _, i := range r.list {
		r.receivedAt[i] = tick
	}
	r.Bodies, r.nextBodies = r.nextBodies, r.Bodies
	r.locals, r.nextLocals = r.nextLocals, r.locals
	r.exact, r.nextExact = r.nextExact, r.exact
	r.LastInputs, r.nextInputs = r.nextInputs, r.LastInputs
	return true, nil
}

// decodeWhole reads the bodies of a whole snapshot.
func (r *Receiver) decodeWhole(c *quant.Coder, scene *sim.Scene) {
	r.nextBodies, r.included, r.isRelative, r.list = r.nextBodies[:0], r.included[:0], r.isRelative[:0], r.list[:0]
	for i := range scene.Boxes {
		r.nextBodies, r.included, r.isRelative = append(r.nextBodies, sim.Body{}), append(r.included, true), append(r.isRelative, false)
		c.Group("bodies", i)
		c.AlignChecked()
		c.Label("included")
		if c.Bool(false) {
			r.decodeBody(c, i, scene)
		} else if r.included[i] = false; r.HasSnapshot {
			r.nextBodies[i] = r.Bodies[i]
		} else {
			c.Fail(predict.ErrMalformed)
		}
		if c.Err() != nil {
			return
		}
	}
	if slices.Contains(r.included, false) {
		c.Group("digest", 0)
		c.Label("digest")
		r.readDigest, r.hasDigest = c.Bits(0, digestBits), true
	}
}

// decodeBody reads body i.
func (r *Receiver) decodeBody(c *quant.Coder, i int, scene *sim.Scene) {
	if b := &r.nextBodies[i]; r.readTree != nil && r.readTree.Nodes[i].Parent != jointtree.None {
		r.isRelative[i] = r.decodeChild(c, b, scene)
	} else {
		CodeBody(c, b, scene)
	}
}

// OldSnapshot returns, after Read or Finish has returned false and no error, the old snapshot's
// tick and the bodies included in it; the state of the others at that tick is unknown. The slices
// are read-only and valid until the next Read.
func (r *Receiver) OldSnapshot() (tick sim.Tick, bodies []sim.Body, included []bool) {
	return r.readTick, r.nextBodies, r.included
}

// CopyFrom makes r a copy of o.
func (r *Receiver) CopyFrom(o *Receiver) {
	r.Tick, r.HasSnapshot, r.Checks, r.Follows, r.ticks, r.partial = o.Tick, o.HasSnapshot, o.Checks, o.Follows, o.ticks, o.partial
	r.receivedAt, r.exact = append(r.receivedAt[:0], o.receivedAt...), append(r.exact[:0], o.exact...)
	r.Attachments, r.encoding, r.player = o.Attachments, o.encoding, o.player
	r.LastInputs = append(r.LastInputs[:0], o.LastInputs...)
	r.Bodies = append(r.Bodies[:0], o.Bodies...)
	r.tree, r.locals, r.layoutOnly = o.tree, append(r.locals[:0], o.locals...), o.layoutOnly
}
