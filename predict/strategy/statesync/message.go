package statesync

import (
	"math/bits"
	"slices"

	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Limits of a packet.
const (
	tickBits   = 16 // of the tick on the wire: it wraps after 18 minutes
	maxInputs  = 32 // per player
	maxUpdates = 64

	// maxBytes is enough for any packet, in whole words: 64 bodies of at most 427 bits, with indices
	// of at most 16 bits and authorities of at most 4; inputs of at most 37 bits; 128 bits of attachments;
	// and 64 bits of everything else.
	maxBytes = (maxUpdates*(1+13*32+16+4) + sim.MaxPlayers*maxInputs*(input.MaxInputBits+1) + 128 + 40 + 63) / 64 * 8
)

// update is the state of one body in a packet.
type update struct {
	body            int
	authority       authority // if the format has it
	state           sim.Body
	encoding        uint8
	player          uint8     // player whose cube the state is relative to, by the encoding
	acceleration    geom.Vec3 // if the format has it and the body moves, m/s2
	baseTick        sim.Tick  // of the packet that contains the baseline, if the update names it
	missingBaseline bool      // the state could not be decoded: the reader lacks what it is relative to
}

// message is a packet from the server. On the wire it is
//
//	tick, low 16 bits
//	number of inputs of each player, 6 bits, up to 32; or 33 if the receiver is to extrapolate, and then the algorithm less 1, 2 bits
//	for each player: its inputs (input.CodeInputs); the last one led to the tick
//	from the server, in a scene with vehicles or couplings: its attachments (codec.CodeAttachments)
//	format: authority, 1 bit; velocities, 1 bit; quantised, 1 bit; if quantised:
//	  position steps, 2 bits, from 0 for 4096 per metre to 3 for 512; bits of a rotation's
//	  component less 9, 3 bits; relative, 1 bit; delta, 1 bit; if delta: delta base, 2 bits
//	if authority, from the server: consumed tick, low 16 bits: the newest client tick whose
//	  states the server has applied; whether that is about to move, 1 bit; and if so: ticks that the
//	  move sets it back by, plus 32, 6 bits; ticks from this packet's to the last before the move, 7 bits
//	if delta, unless the delta base is a sequence: ticks from the newest acknowledged packet to this
//	  one, less 1, 8 bits; and, if baselines follow from the acks: for each packet of the 31 ticks
//	  before it that is not acknowledged, its distance from the last such one, then a distance
//	  beyond the end (Golomb, parameter 4)
//	if relative: 4 Golomb parameters, or 8 if delta, as differences from the default ones (Golomb,
//	  parameter 0)
//	number of updates, as many bits as 64 or the bodies of the scene need
//	for each update, in the order of the bodies:
//	  body index, as many bits as the bodies of the scene need; if relative, the number of bodies
//	    left out before it (Golomb)
//	  if authority: player plus 1, or 0 for none, as many bits as the players need; and if not 0:
//	    owns, 1 bit
//	  if relative: encoding, up to 2 bits, or 6 if delta (codeEncoding), and then the state as
//	    codeDelta or codePlayerRelative writes it, or absolute:
//	  asleep, 1 bit
//	  position, 3 x 32 bits, or 59 quantised (fewer with fewer steps)
//	  rotation, 4 x 32 bits, or 47 quantised (fewer with fewer bits)
//	  linear, 3 x 32 or 54 bits, and angular, 3 x 32 or 51, if not asleep and the format has
//	    velocities
//
// Golomb codes are described at codeGolomb.
type message struct {
	tick         sim.Tick
	inputCount   int // inputs of each player
	players      int
	inputs       [sim.MaxPlayers][maxInputs]sim.Input // oldest first
	attachments  sim.Attachments                      // from the server, at the tick
	format       format
	consumedTick sim.Tick // if authority, from the server: newest client tick whose states it has applied
	move         claimsMove
	fromClient   bool
	ackAge       int    // ticks from the newest acknowledged packet to this one
	ackBits      uint32 // bit n: the packet n ticks before the newest acknowledged one is acknowledged
	params       golombParams
	updateCount  int
	updates      [maxUpdates]update // the first updateCount, by body

	codingScratch
}

// codingScratch is what code needs besides the message itself. The caller sets it before.
type codingScratch struct {
	grids     *grids              // to read with
	rate      int                 // ticks per second, to extrapolate baselines
	baselines baselineSource      // nil: no baselines are known
	tuner     *paramTuner         // counts the differences that are sent; may be nil
	spent     *predict.PacketBits // is charged with what the bodies take; may be nil

	relativeMode int // rule by which the writer chooses states relative to a player's cube
}

// code reads, writes or measures the message. Before reading, tick and consumedTick must be near the
// true ones, because only their low bits are on the wire.
func (m *message) code(c *quant.Coder, scene *sim.Scene) {
	c.Label("tick")
	low := c.Bits(uint32(m.tick)&(1<<tickBits-1), tickBits)
	if c.Reading() {
		m.tick, m.players = input.UnwrapTick(low, tickBits, m.tick), scene.Players
	}
	m.codeInputCount(c)
	if c.Reading() && int64(m.tick) < int64(m.inputCount) {
		c.Fail(predict.ErrMalformed) // the inputs begin before the session
		return
	}
	if m.inputCount > 0 {
		for p := range m.players {
			input.CodeInputs(c, m.inputs[p][:m.inputCount])
		}
	}
	if !m.fromClient {
		codec.CodeAttachments(c, &m.attachments, scene)
	}
	c.Group("", 0)
	m.format.code(c)
	if c.Reading() {
		if m.grids == nil {
			m.grids = gridsFor(scene)
		}
		m.format.grids = m.grids
		if m.format.reckoning != notReckoned && (m.format.relative || m.fromClient) {
			c.Fail(predict.ErrMalformed)
		}
	}
	if m.format.authority && !m.fromClient {
		c.Label("consumed_tick")
		low := c.Bits(uint32(m.consumedTick)&(1<<tickBits-1), tickBits)
		if c.Reading() {
			m.consumedTick = input.UnwrapTick(low, tickBits, m.consumedTick)
		}
		m.move.code(c)
	}
	if m.format.delta && m.format.deltaBase != sequenceBase {
		c.Label("ack_age")
		m.ackAge = c.Int(m.ackAge, 1, 1<<ackAgeBits)
	}
	if m.format.delta && m.format.deltaBase == ackedBase {
		m.codeAckBits(c)
	}
	m.params.code(c, &m.format)
	c.Label("updates")
	m.updateCount = c.Int(m.updateCount, 0, min(maxUpdates, len(scene.Boxes)))
	last := -1
	if m.spent != nil {
		m.spent.ChargeOther(c.BitsProcessed())
	}
	for i := range m.updateCount {
		u := &m.updates[i]
		if c.Reading() {
			*u = update{authority: noAuthority}
		}
		c.Group("updates", i)
		c.Label("body")
		last = m.codeIndex(c, u, last, scene)
		if m.format.authority {
			u.authority.code(c, m.players)
		}
		m.codeUpdate(c, u, scene)
		if c.Err() != nil {
			return
		}
		if m.spent != nil {
			m.spent.ChargeBody(u.body, c.BitsProcessed())
		}
	}
}

// report tells what the bodies of a message take that was written as a payload with spent, before it is sent to a peer.
func (m *message) report(to func(peer int, b *predict.PacketBits), peer int, payload []byte) {
	if m.spent.ChargeOther(8 * len(payload)); to != nil {
		to(peer, m.spent)
	}
	m.spent = nil
}

// codeInputCount reads, writes or measures the number of inputs, or the algorithm of dead reckoning instead.
func (m *message) codeInputCount(c *quant.Coder) {
	c.Label("inputs")
	if m.format.reckoning != notReckoned {
		m.inputCount = reckonedInputCount
	}
	m.inputCount = c.Int(m.inputCount, 0, reckonedInputCount)
	reckoned := m.inputCount == reckonedInputCount
	if reckoned {
		m.inputCount = 0
		c.Label("algorithm")
		m.format.reckoning = c.Int(max(m.format.reckoning, reckonStatic), reckonStatic, reckonAcceleration)
	} else {
		m.format.reckoning = notReckoned
	}
}

// codeAckBits reads, writes or measures ackBits, as the distances between missing packets.
func (m *message) codeAckBits(c *quant.Coder) {
	c.Label("missing_acks")
	missing := ^m.ackBits
	m.ackBits = 1<<32 - 1
	for last := 0; ; {
		n := bits.TrailingZeros32(missing>>1>>last) + 1 // beyond the end if none follows
		n = codeGolomb(c, min(n, maxAckOffset+1-last)-1, 4) + 1
		if last += n; last > maxAckOffset {
			if last > maxAckOffset+1 {
				c.Fail(predict.ErrMalformed)
			}
			return
		}
		m.ackBits &^= 1 << last
	}
}

// codeIndex reads, writes or measures the body index of an update. last is the index before it.
func (m *message) codeIndex(c *quant.Coder, u *update, last int, scene *sim.Scene) int {
	if m.format.relative {
		k := int(m.params[indexGap])
		gap := codeGolomb(c, u.body-last-1, k)
		if m.tuner != nil {
			m.tuner.add(indexGap, gap, k, 0)
		}
		u.body = last + 1 + gap
	} else {
		u.body = c.Int(u.body, 0, len(scene.Boxes)-1)
	}
	if u.body <= last || u.body >= len(scene.Boxes) {
		c.Fail(predict.ErrMalformed) // out of order, repeated, or not in the scene
		u.body = 0
	}
	return u.body
}

// codeUpdate reads, writes or measures an update without its body index and authority.
func (m *message) codeUpdate(c *quant.Coder, u *update, scene *sim.Scene) {
	if m.format.relative {
		u.encoding = m.codeEncoding(c, u.encoding)
	} else {
		u.encoding = absolute
	}
	switch {
	case u.isDelta():
		m.codeDelta(c, u, scene)
	case u.encoding == initialState:
		if c.Reading() {
			u.state = m.format.roundTrip(scene.Boxes[u.body].Start)
		}
	case u.encoding == playerRelative:
		m.codePlayerRelative(c, u, scene)
	default:
		m.format.codeBody(c, &u.state, scene)
		if m.format.hasAccelerations() && !u.state.Asleep {
			u.acceleration = codeAcceleration(c, u.acceleration)
		}
	}
}

// find returns the update of a body, or nil.
func (m *message) find(body int) *update {
	i, found := slices.BinarySearchFunc(m.updates[:m.updateCount], body, func(u update, body int) int { return u.body - body })
	if !found {
		return nil
	}
	return &m.updates[i]
}

// knownState returns the state of an update, or nil if it could not be decoded.
func (u *update) knownState() *sim.Body {
	if u.missingBaseline {
		return nil
	}
	return &u.state
}

// plainIndexBits returns the size of a body index that is not a gap, in bits.
func plainIndexBits(scene *sim.Scene) int { return bits.Len(uint(len(scene.Boxes) - 1)) }

// read reads an untrusted payload. near is a tick near the message's. After an error m is undefined.
func (m *message) read(c *quant.Coder, payload []byte, scene *sim.Scene, near sim.Tick) error {
	c.BeginRead(payload)
	m.tick = near
	m.code(c, scene)
	if c.Err() != nil {
		return c.Err()
	}
	if !c.AtEnd(len(payload)) {
		return predict.ErrMalformed // trailing bytes
	}
	return nil
}

// copyFrom makes m a copy of o, without the inputs and updates beyond their counts.
func (m *message) copyFrom(o *message) {
	m.tick, m.inputCount, m.players, m.format, m.updateCount = o.tick, o.inputCount, o.players, o.format, o.updateCount
	m.ackAge, m.ackBits, m.params = o.ackAge, o.ackBits, o.params
	m.consumedTick, m.move, m.fromClient, m.attachments = o.consumedTick, o.move, o.fromClient, o.attachments
	for p := range o.players {
		copy(m.inputs[p][:], o.inputs[p][:o.inputCount])
	}
	copy(m.updates[:], o.updates[:o.updateCount])
}
