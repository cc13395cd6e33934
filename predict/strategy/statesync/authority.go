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
	serverAuthority = iota
	clientAuthority
)

var authorityModes = []string{"server", "client"}

// authority is in whose hands a body is.
type authority struct {
	player int8 // the player, or sim.Nobody
	owns   bool // and does not only touch it
}

var noAuthority = authority{player: sim.NoPlayer}

// rank orders grips: a higher one takes a body from a lower.
func (g authority) rank() int {
	switch {
	case g.player == sim.NoPlayer:
		return 0
	case g.owns:
		return 2
	}
	return 1
}

// authorityBits is the most that a grip takes.
func authorityBits(players int) int { return bits.Len(uint(players)) + 1 }

// code reads, writes or measures a grip.
func (g *authority) code(c *quant.Coder, players int) {
	c.Label("authority_player")
	g.player = int8(c.Int(int(g.player)+1, 0, players) - 1)
	if g.player == sim.NoPlayer {
		g.owns = false
		return
	}
	c.Label("owns")
	g.owns = c.Bool(g.owns)
}

// declareAuthority declares the knob that both halves look at.
func declareAuthority(k *predict.Knobs, who *int) {
	k.Choice(who, "authority", serverAuthority, authorityModes, "whose word of a body counts: always the server's; or that of a client whose player touches it, directly or through others, at once and until it has come to rest")
}

// A client's payload is a message of inputs (package inputs), and if its player has
// bodies in hand a message like the server's behind it, without inputs and of the
// same tick: how they are after the step that the newest input led to.

// readUplink reads a client's payload. more tells whether a message with bodies was
// behind the inputs.
func readUplink(c *quant.Coder, payload []byte, m *message, scene *sim.Scene, head func() sim.Tick) (more bool, err error) {
	c.BeginRead(payload)
	tick := head()
	if c.Err() != nil || c.AtEnd(len(payload)) {
		return false, c.Err()
	}
	m.tick, m.baselines, m.fromClient = tick, nil, true
	m.code(c, scene)
	switch {
	case c.Err() != nil:
		return false, c.Err()
	case !c.AtEnd(len(payload)) || m.tick != tick || !m.format.authority:
		return false, predict.ErrMalformed
	}
	return true, nil
}

// payloadFields looks into a payload.
func payloadFields(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	if len(payload) == 0 {
		return nil
	}
	var c quant.Coder
	var m message
	c.OnField(see)
	if !up {
		return m.read(&c, payload, scene, 1<<tickBits) // any tick will do
	}
	_, err := readUplink(&c, payload, &m, scene, func() sim.Tick {
		in := input.Message{NewestTick: 1 << input.MaxTickBits}
		in.Code(&c)
		return in.NewestTick
	})
	return err
}
