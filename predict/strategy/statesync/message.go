package statesync

import (
	"math/bits"
	"slices"

	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// All bounds of a packet.
const (
	tickBits   = 16 // of the tick on the wire: it wraps after 18 minutes
	maxInputs  = 32 // of each player
	maxUpdates = 64
	maxPlayers = 4

	// maxBytes holds any packet: 64 bodies of 427 bits, their numbers of at most
	// 16 and grips of 4, inputs of at most 16 bits, and 64 bits of the rest, to whole words.
	maxBytes = (maxUpdates*(1+13*32+16+4) + maxPlayers*maxInputs*(input.MaxInputBits+1) + 40 + 63) / 64 * 8
)

// update is one body of a packet.
type update struct {
	body            int
	authority       authority // in whose hands it is, if the form has that
	state           sim.Body
	encoding        uint8 // how it is written
	player          uint8 // if relative to one
	missingBaseline bool  // read, but what it is relative to is not known
}

// message is a packet from the server. On the wire it is
//
//	tick, 16 low bits
//	inputs, 6 bits: how many of each player follow, up to 32
//	for each player: its inputs (inputs.Run); the last led to the tick
//	the form of the bodies: authority, 1 bit; velocities, 1 bit; quantised, 1 bit; and if so the
//	  position's steps, 2 bits, 0 for 4096 per metre to 3 for 512, and the bits of
//	  a component of a rotation less 9, 3 bits; relative, 1 bit; delta, 1 bit
//	if authority, from the server: consumed tick, the client's tick whose word of its
//	  bodies this one had, 16 low bits
//	if delta: how many ticks before this one the newest packet was that is known to
//	  have arrived, less 1, 8 bits; and for each of the 31 before that one which is
//	  not known to have, its distance from the last such, and one beyond (counts of 4)
//	if relative: the Golomb parameters of the differences, 4 of them, or 8 if delta, each by
//	  its difference from what is usual (counts of 0)
//	updates, as many bits as 64 or the bodies of the scene ask for
//	for each update, in the order of the bodies:
//	  body, as many bits as the bodies of the scene ask for; if relative, how many
//	    are left out before it (count)
//	  if authority: the player who has it and one, or 0, as many bits as the players ask
//	    for; and if not 0: whether that one owns it, 1 bit
//	  if relative: the encoding, up to 2 bits, or 6 if delta (see codeEncoding); then what
//	    that says, see based and near, or what follows
//	  asleep, 1 bit
//	  position, 3 x 32 bits, or 59 quantised (fewer with fewer steps)
//	  rotation, 4 x 32 bits, or 47 quantised (fewer with fewer bits)
//	  linear, 3 x 32 or 54 bits, and angular, 3 x 32 or 51, if not asleep and
//	    velocities follow
//
// A count of k bits is a number that is likely to be small, see count.
type message struct {
	tick         sim.Tick
	inputCount   int // inputs of each player
	players      int
	inputs       [maxPlayers][maxInputs]sim.Input // oldest first
	format       format
	consumedTick sim.Tick // if authority, from the server: the client's tick whose word of its bodies this one had
	fromClient   bool     // from a client
	ackAge       int      // ticks to the newest packet known to have arrived
	ackBits      uint32   // which have arrived: bit n is the packet of n ticks before that one, up to offsetMost
	params       golombParams
	updateCount  int
	updates      [maxUpdates]update // the first n, by body

	grids     *grids         // to read with
	rate      int            // of the session, to extrapolate bases
	baselines baselineSource // nil: none is known
	tuner     *paramTuner    // not nil: takes in what is sent
}

// code reads, writes or measures the message. When it reads, tick must hold one
// near the true one, to complete its low bits from; so must consumedTick.
func (m *message) code(c *quant.Coder, scene *sim.Scene) {
	c.Label("tick")
	low := c.Bits(uint32(m.tick)&(1<<tickBits-1), tickBits)
	if c.Reading() {
		m.tick, m.players = input.UnwrapTick(low, tickBits, m.tick), scene.Players
	}
	c.Label("inputs")
	m.inputCount = c.Int(m.inputCount, 0, maxInputs)
	if c.Reading() && int64(m.tick) < int64(m.inputCount) {
		c.Fail(predict.ErrMalformed) // they would begin before the session
		return
	}
	if m.inputCount > 0 {
		for p := range m.players {
			input.CodeInputs(c, m.inputs[p][:m.inputCount])
		}
	}
	c.Group("", 0)
	m.format.code(c)
	if c.Reading() {
		if m.grids == nil {
			m.grids = gridsFor(scene)
		}
		m.format.grids = m.grids
	}
	if m.format.authority && !m.fromClient {
		c.Label("consumed_tick")
		low := c.Bits(uint32(m.consumedTick)&(1<<tickBits-1), tickBits)
		if c.Reading() {
			m.consumedTick = input.UnwrapTick(low, tickBits, m.consumedTick)
		}
	}
	if m.format.delta {
		c.Label("ack_age")
		m.ackAge = c.Int(m.ackAge, 1, 1<<ackAgeBits)
		m.codeAckBits(c)
	}
	m.params.code(c, &m.format)
	c.Label("updates")
	m.updateCount = c.Int(m.updateCount, 0, min(maxUpdates, len(scene.Boxes)))
	last := -1
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
	}
}

// codeAckBits reads, writes or measures which packets have not come.
func (m *message) codeAckBits(c *quant.Coder) {
	c.Label("missing_acks")
	missing := ^m.ackBits
	m.ackBits = 1<<32 - 1
	for last := 0; ; {
		n := bits.TrailingZeros32(missing>>1>>last) + 1 // beyond the last one there is none
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

// codeIndex reads, writes or measures the number of a body that follows another.
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
		c.Fail(predict.ErrMalformed) // out of order, or twice, or not in the scene
		u.body = 0
	}
	return u.body
}

// codeUpdate reads, writes or measures an update, but for its number.
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
	}
}

// find is the update of a body, or nil.
func (m *message) find(body int) *update {
	i, found := slices.BinarySearchFunc(m.updates[:m.updateCount], body, func(u update, body int) int { return u.body - body })
	if !found {
		return nil
	}
	return &m.updates[i]
}

// knownState is the state of an update, or nil if it is lost.
func (u *update) knownState() *sim.Body {
	if u.missingBaseline {
		return nil
	}
	return &u.state
}

// plainIndexBits is what the number of a body takes.
func plainIndexBits(scene *sim.Scene) int { return bits.Len(uint(len(scene.Boxes) - 1)) }

// read reads a payload that may be anything. guess is a tick near the message's.
// What is refused leaves m undefined.
func (m *message) read(c *quant.Coder, payload []byte, scene *sim.Scene, guess sim.Tick) error {
	c.BeginRead(payload)
	m.tick = guess
	m.code(c, scene)
	if c.Err() != nil {
		return c.Err()
	}
	if !c.AtEnd(len(payload)) {
		return predict.ErrMalformed // something is left over
	}
	return nil
}

// copyFrom makes m an equal of o.
func (m *message) copyFrom(o *message) {
	m.tick, m.inputCount, m.players, m.format, m.updateCount = o.tick, o.inputCount, o.players, o.format, o.updateCount
	m.ackAge, m.ackBits, m.params = o.ackAge, o.ackBits, o.params
	m.consumedTick, m.fromClient = o.consumedTick, o.fromClient
	for p := range o.players {
		copy(m.inputs[p][:], o.inputs[p][:o.inputCount])
	}
	copy(m.updates[:], o.updates[:o.updateCount])
}
