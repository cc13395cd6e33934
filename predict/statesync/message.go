package statesync

import (
	"errors"
	"math/bits"

	"ghostcube/net/quant"
	"ghostcube/predict/inputs"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// All bounds of a packet.
const (
	tickBits    = 16 // of the tick on the wire: it wraps after 18 minutes
	mostInputs  = 32 // of each player
	mostUpdates = 64
	mostPlayers = 4

	// mostBytes holds any packet: 64 bodies of 427 bits, their numbers of at most
	// 16 and grips of 4, inputs of at most 16 bits, and 64 bits of the rest, to whole words.
	mostBytes = (mostUpdates*(1+13*32+16+4) + mostPlayers*mostInputs*(inputs.MostBits+1) + 40 + 63) / 64 * 8
)

var errMessage = errors.New("statesync: not a message")

// update is one body of a packet.
type update struct {
	body   int
	grip   grip // in whose hands it is, if the form has that
	state  sim.Body
	based  bool // sent by its difference from a base
	offset int  // which one: so many ticks before the newest packet known to have arrived
	lost   bool // read, but the base is not known
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
//	  have arrived, 8 bits
//	updates, as many bits as 64 or the bodies of the scene ask for
//	for each update, in the order of the bodies:
//	  body, as many bits as the bodies of the scene ask for
//	  if hands: the player who has it and one, or 0, as many bits as the players ask
//	    for; and if not 0: whether that one owns it, 1 bit
//	  if delta: based, 1 bit, and if so the difference (see based) instead of the rest
//	  asleep, 1 bit
//	  position, 3 x 32 bits, or 59 quantised (fewer with fewer steps); if relative
//	    and the packet has the first player's cube, others as near has it
//	  rotation, 4 x 32 bits, or 47 quantised (fewer with fewer bits)
//	  linear, 3 x 32 or 54 bits, and angular, 3 x 32 or 51, if not asleep and
//	    velocities follow
type message struct {
	tick    sim.Tick
	count   int // inputs of each player
	players int
	inputs  [mostPlayers][mostInputs]sim.Input // oldest first
	form    form
	heard   sim.Tick // if hands, from the server: the client's tick whose word of its bodies this one had
	up      bool     // from a client
	back    int      // ticks to the newest packet known to have arrived
	n       int
	updates [mostUpdates]update // the first n, by body

	rate  int   // of the session, to extrapolate bases
	bases bases // nil: none is known
}

// code reads, writes or measures the message. When it reads, tick must hold one
// near the true one, to complete its low bits from; so must heard.
func (m *message) code(c *quant.Coder, scene *sim.Scene) {
	c.Name("tick")
	low := c.Bits(uint32(m.tick)&(1<<tickBits-1), tickBits)
	if c.Reading() {
		m.tick, m.players = inputs.Complete(low, tickBits, m.tick), scene.Players
	}
	c.Name("inputs")
	m.count = c.Int(m.count, 0, mostInputs)
	if c.Reading() && int64(m.tick) < int64(m.count) {
		c.Fail(errMessage) // they would begin before the session
		return
	}
	if m.count > 0 {
		for p := range m.players {
			inputs.Run(c, m.inputs[p][:m.count])
		}
	}
	c.Part("", 0)
	m.form.code(c)
	if m.form.hands && !m.up {
		c.Name("heard")
		low := c.Bits(uint32(m.heard)&(1<<tickBits-1), tickBits)
		if c.Reading() {
			m.heard = inputs.Complete(low, tickBits, m.heard)
		}
	}
	if m.form.delta {
		c.Name("back")
		m.back = int(c.Bits(uint32(m.back), backBits))
	}
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
		if u.body = c.Int(u.body, 0, len(scene.Boxes)-1); u.body <= last {
			c.Fail(errMessage) // out of order, or twice
		}
		last = u.body
		if m.form.hands {
			u.grip.code(c, m.players)
		}
		m.one(c, u, scene)
		if c.Err() != nil {
			return
		}
	}
}

// one reads, writes or measures an update, but for its number.
func (m *message) one(c *quant.Coder, u *update, scene *sim.Scene) {
	if m.form.delta {
		c.Name("based")
		if u.based = c.Bool(u.based); u.based {
			m.based(c, u, scene)
			return
		}
	}
	m.form.body(c, &u.state, scene, m.anchor(u))
}

// anchor is what the position of an update may be relative to: that of the first
// player's cube, if the packet has it.
func (m *message) anchor(u *update) *geom.Vec3 {
	first := &m.updates[0]
	if m.n == 0 || first.body != 0 || u.body == 0 || first.lost {
		return nil
	}
	return &first.state.Pose.Pos
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
	m.tick, m.count, m.players, m.form, m.back, m.n = o.tick, o.count, o.players, o.form, o.back, o.n
	m.heard, m.up = o.heard, o.up
	for p := range o.players {
		copy(m.inputs[p][:], o.inputs[p][:o.count])
	}
	copy(m.updates[:], o.updates[:o.n])
}
