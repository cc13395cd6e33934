package statesync

import (
	"errors"
	"math/bits"
	"slices"

	"ghostcube/net/quant"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// All bounds of a packet.
const (
	tickBits    = 16 // of the tick on the wire: it wraps after 18 minutes
	mostInputs  = 32 // of each player
	mostUpdates = 64
	mostPlayers = 4

	// mostBytes holds any packet: 64 bodies of 427 bits, their numbers of at most
	// 16 and grips of 4, inputs of at most 16 bits, and 64 bits of the rest, to whole words.
	mostBytes = (mostUpdates*(1+13*32+16+4) + mostPlayers*mostInputs*(input.MostBits+1) + 40 + 63) / 64 * 8
)

var errMessage = errors.New("statesync: not a message")

// update is one body of a packet.
type update struct {
	body   int
	grip   grip // in whose hands it is, if the form has that
	state  sim.Body
	kind   uint8 // how it is written
	player uint8 // if relative to one
	lost   bool  // read, but what it is relative to is not known
}

// message is a packet from the server. On the wire it is
//
//	tick, 16 low bits
//	inputs, 6 bits: how many of each player follow, up to 32
//	for each player: its inputs (inputs.Run); the last led to the tick
//	the form of the bodies: hands, 1 bit; velocities, 1 bit; quantised, 1 bit; and if so the
//	  position's steps, 2 bits, 0 for 4096 per metre to 3 for 512, and the bits of
//	  a component of a rotation less 9, 3 bits; relative, 1 bit; delta, 1 bit
//	if hands, from the server: the client's tick whose word of its bodies this one
//	  had, 16 low bits
//	if delta: how many ticks before this one the newest packet was that is known to
//	  have arrived, less 1, 8 bits; and for each of the 31 before that one which is
//	  not known to have, its distance from the last such, and one beyond (counts of 4)
//	if relative: the lengths of the differences, 4 of them, or 8 if delta, each by
//	  its difference from what is usual (counts of 0)
//	updates, as many bits as 64 or the bodies of the scene ask for
//	for each update, in the order of the bodies:
//	  body, as many bits as the bodies of the scene ask for; if relative, how many
//	    are left out before it (count)
//	  if hands: the player who has it and one, or 0, as many bits as the players ask
//	    for; and if not 0: whether that one owns it, 1 bit
//	  if relative: how it is written, up to 2 bits, or 6 if delta (see way); then what
//	    that says, see based and near, or what follows
//	  asleep, 1 bit
//	  position, 3 x 32 bits, or 59 quantised (fewer with fewer steps)
//	  rotation, 4 x 32 bits, or 47 quantised (fewer with fewer bits)
//	  linear, 3 x 32 or 54 bits, and angular, 3 x 32 or 51, if not asleep and
//	    velocities follow
//
// A count of k bits is a number that is likely to be small, see count.
type message struct {
	tick    sim.Tick
	count   int // inputs of each player
	players int
	inputs  [mostPlayers][mostInputs]sim.Input // oldest first
	form    form
	claimed sim.Tick // if hands, from the server: the client's tick whose word of its bodies this one had
	up      bool     // from a client
	back    int      // ticks to the newest packet known to have arrived
	heard   uint32   // which have arrived: bit n is the packet of n ticks before that one, up to offsetMost
	lengths lengths
	n       int
	updates [mostUpdates]update // the first n, by body

	grids *grids // to read with
	rate  int    // of the session, to extrapolate bases
	bases bases  // nil: none is known
	tally *tally // not nil: takes in what is sent
}

// code reads, writes or measures the message. When it reads, tick must hold one
// near the true one, to complete its low bits from; so must claimed.
func (m *message) code(c *quant.Coder, scene *sim.Scene) {
	c.Name("tick")
	low := c.Bits(uint32(m.tick)&(1<<tickBits-1), tickBits)
	if c.Reading() {
		m.tick, m.players = input.Complete(low, tickBits, m.tick), scene.Players
	}
	c.Name("inputs")
	m.count = c.Int(m.count, 0, mostInputs)
	if c.Reading() && int64(m.tick) < int64(m.count) {
		c.Fail(errMessage) // they would begin before the session
		return
	}
	if m.count > 0 {
		for p := range m.players {
			input.Run(c, m.inputs[p][:m.count])
		}
	}
	c.Part("", 0)
	m.form.code(c)
	if c.Reading() {
		if m.grids == nil {
			m.grids = gridsOf(scene)
		}
		m.form.grids = m.grids
	}
	if m.form.hands && !m.up {
		c.Name("claimed")
		low := c.Bits(uint32(m.claimed)&(1<<tickBits-1), tickBits)
		if c.Reading() {
			m.claimed = input.Complete(low, tickBits, m.claimed)
		}
	}
	if m.form.delta {
		c.Name("back")
		m.back = c.Int(m.back, 1, 1<<backBits)
		m.unheard(c)
	}
	m.lengths.code(c, &m.form)
	c.Name("updates")
	m.n = c.Int(m.n, 0, min(mostUpdates, len(scene.Boxes)))
	last := -1
	for i := range m.n {
		u := &m.updates[i]
		if c.Reading() {
			*u = update{grip: noGrip}
		}
		c.Part("updates", i)
		c.Name("body")
		last = m.number(c, u, last, scene)
		if m.form.hands {
			u.grip.code(c, m.players)
		}
		m.one(c, u, scene)
		if c.Err() != nil {
			return
		}
	}
}

// unheard reads, writes or measures which packets have not come.
func (m *message) unheard(c *quant.Coder) {
	c.Name("unheard")
	missing := ^m.heard
	m.heard = 1<<32 - 1
	for last := 0; ; {
		n := bits.TrailingZeros32(missing>>1>>last) + 1 // beyond the last one there is none
		n = count(c, min(n, offsetMost+1-last)-1, 4) + 1
		if last += n; last > offsetMost {
			if last > offsetMost+1 {
				c.Fail(errMessage)
			}
			return
		}
		m.heard &^= 1 << last
	}
}

// number reads, writes or measures the number of a body that follows another.
func (m *message) number(c *quant.Coder, u *update, last int, scene *sim.Scene) int {
	if m.form.relative {
		k := int(m.lengths[gaps])
		gap := count(c, u.body-last-1, k)
		if m.tally != nil {
			m.tally.add(gaps, gap, k, 0)
		}
		u.body = last + 1 + gap
	} else {
		u.body = c.Int(u.body, 0, len(scene.Boxes)-1)
	}
	if u.body <= last || u.body >= len(scene.Boxes) {
		c.Fail(errMessage) // out of order, or twice, or not in the scene
		u.body = 0
	}
	return u.body
}

// one reads, writes or measures an update, but for its number.
func (m *message) one(c *quant.Coder, u *update, scene *sim.Scene) {
	if m.form.relative {
		u.kind = m.way(c, u.kind)
	} else {
		u.kind = whole
	}
	switch {
	case u.based():
		m.based(c, u, scene)
	case u.kind == initial:
		if c.Reading() {
			u.state = m.form.arrives(scene.Boxes[u.body].Start)
		}
	case u.kind == near:
		m.near(c, u, scene)
	default:
		m.form.body(c, &u.state, scene)
	}
}

// find is the update of a body, or nil.
func (m *message) find(body int) *update {
	i, found := slices.BinarySearchFunc(m.updates[:m.n], body, func(u update, body int) int { return u.body - body })
	if !found {
		return nil
	}
	return &m.updates[i]
}

// known is the state of an update, or nil if it is lost.
func (u *update) known() *sim.Body {
	if u.lost {
		return nil
	}
	return &u.state
}

// numberBits is what the number of a body takes.
func numberBits(scene *sim.Scene) int { return bits.Len(uint(len(scene.Boxes) - 1)) }

// read reads a payload that may be anything. guess is a tick near the message's.
// What is refused leaves m undefined.
func (m *message) read(c *quant.Coder, payload []byte, scene *sim.Scene, guess sim.Tick) error {
	c.Read(payload)
	m.tick = guess
	m.code(c, scene)
	if c.Err() != nil {
		return c.Err()
	}
	if !c.Whole(len(payload)) {
		return errMessage // something is left over
	}
	return nil
}

// copyFrom makes m an equal of o.
func (m *message) copyFrom(o *message) {
	m.tick, m.count, m.players, m.form, m.n = o.tick, o.count, o.players, o.form, o.n
	m.back, m.heard, m.lengths = o.back, o.heard, o.lengths
	m.claimed, m.up = o.claimed, o.up
	for p := range o.players {
		copy(m.inputs[p][:], o.inputs[p][:o.count])
	}
	copy(m.updates[:], o.updates[:o.n])
}
