package statesync

import (
	"math/bits"

	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// Whose word of a body counts: the knob authority.
//
// With the server's, every client waits for what it says. With the toucher's,
// Fiedler's way in "Networked Physics in Virtual Reality" (2018), a client has at
// once what its player touches, directly or through others: it moves that by
// itself, without any delay, tells the server how it moves, and the server believes
// it. The price is trust, and that two players who push the same pile see their own
// side of it first: who is later at the server loses, and what it has pushed jumps.
//
// There are two ranks. What a player touches is under its authority; what it
// touches while it pulls it owns, and so it always owns its own cube. Owning takes
// a body from one who only touches it. Nothing else takes a body from a player's
// hands but that it has come to rest for a while and is let go.
//
// The article gives every body two sequence numbers, so that any of its machines
// can tell a newer word from an older one. Here all clients hear only from the
// server, in the order of its ticks, and the server only from those whose ticks are
// in the packets. So who is first at the server is first, and no number is needed.
const (
	serversWord = iota
	touchersWord
)

var authorities = []string{"server", "toucher"}

// grip is in whose hands a body is.
type grip struct {
	holder int8 // the player, or sim.Nobody
	owns   bool // and does not only touch it
}

var noGrip = grip{holder: sim.NoPlayer}

// rank orders grips: a higher one takes a body from a lower.
func (g grip) rank() int {
	switch {
	case g.holder == sim.NoPlayer:
		return 0
	case g.owns:
		return 2
	}
	return 1
}

// gripBits is the most that a grip takes.
func gripBits(players int) int { return bits.Len(uint(players)) + 1 }

// code reads, writes or measures a grip.
func (g *grip) code(c *quant.Coder, players int) {
	c.Name("holder")
	g.holder = int8(c.Int(int(g.holder)+1, 0, players) - 1)
	if g.holder == sim.NoPlayer {
		g.owns = false
		return
	}
	c.Name("owns")
	g.owns = c.Bool(g.owns)
}

// declareHands declares the knob that both halves look at.
func declareHands(k *predict.Knobs, who *int) {
	k.Choice(who, "authority", serversWord, authorities, "whose word of a body counts: always the server's; or that of a client whose player touches it, directly or through others, at once and until it has come to rest")
}

// A client's payload is a message of inputs (package inputs), and if its player has
// bodies in hand a message like the server's behind it, without inputs and of the
// same tick: how they are after the step that the newest input led to.

// readUp reads a client's payload. more tells whether a message with bodies was
// behind the inputs.
func readUp(c *quant.Coder, payload []byte, m *message, scene *sim.Scene, head func() sim.Tick) (more bool, err error) {
	c.Read(payload)
	tick := head()
	if c.Err() != nil || c.Whole(len(payload)) {
		return false, c.Err()
	}
	m.tick, m.bases, m.up = tick, nil, true
	m.code(c, scene)
	switch {
	case c.Err() != nil:
		return false, c.Err()
	case !c.Whole(len(payload)) || m.tick != tick || !m.form.hands:
		return false, errMessage
	}
	return true, nil
}

// fields looks into a payload.
func fields(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	if len(payload) == 0 {
		return nil
	}
	var c quant.Coder
	var m message
	c.Watch(see)
	if !up {
		return m.read(&c, payload, scene, 1<<tickBits) // any tick will do
	}
	_, err := readUp(&c, payload, &m, scene, func() sim.Tick {
		in := input.Message{Newest: 1 << input.MaxTickBits}
		in.Code(&c)
		return in.Newest
	})
	return err
}
