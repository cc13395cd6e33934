package statesync

import (
	"math/bits"

	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// The modes of authority, by the knob of that name.
//
// With server authority the server alone decides, and every client waits for its states. Client
// authority follows Fiedler's "Networked Physics in Virtual Reality" (2018): a client takes
// authority over what its player touches, directly or through other bodies. It simulates these
// bodies without delay and sends their states to the server, which accepts them. The price is
// trust. And two players who push the same pile each see their own side of it first: the one whose
// claim reaches the server later loses, and the bodies that it pushed jump.
//
// Authority has two ranks. A player touches bodies, and owns the ones that it touches while it
// pulls, and always its own cube. Owning takes a body from a player who only touches it. Otherwise
// a player loses a body only when it has been at rest for a while.
//
// The article gives every body two sequence numbers, so that each machine can tell a newer state
// from an older one. Here the clients receive states only from the server, in the order of its
// ticks, and the server orders a client's states by the ticks in its packets. The first claim to
// reach the server wins, and no such number is needed.
const (
	serverAuthority = iota
	clientAuthority
)

var authorityModes = []string{"server", "client"}

// authority is a player's authority over a body.
type authority struct {
	player int8 // or sim.NoPlayer
	owns   bool // the player owns the body and does not only touch it
}

var noAuthority = authority{player: sim.NoPlayer}

// rank orders authorities: a higher one takes a body from a lower one.
func (a authority) rank() int {
	switch {
	case a.player == sim.NoPlayer:
		return 0
	case a.owns:
		return 2
	}
	return 1
}

// authorityBits returns the largest size of an authority on the wire, in bits.
func authorityBits(players int) int { return bits.Len(uint(players)) + 1 }

// bits returns the size of an authority in an update of a message, in bits.
func (a *authority) bits(m *message) int {
	switch {
	case !m.format.authority:
		return 0
	case a.player == sim.NoPlayer:
		return authorityBits(m.players) - 1
	}
	return authorityBits(m.players)
}

// code reads, writes or measures an authority.
func (a *authority) code(c *quant.Coder, players int) {
	c.Label("authority_player")
	a.player = int8(c.Int(int(a.player)+1, 0, players) - 1)
	if a.player == sim.NoPlayer {
		a.owns = false
		return
	}
	c.Label("owns")
	a.owns = c.Bool(a.owns)
}

// declareAuthority declares the knob that both sides use.
func declareAuthority(k *predict.Knobs, mode *int) {
	k.In(predict.PacketKnobs).Choice(mode, "authority", serverAuthority, authorityModes,
		"states are decided by the server, or by a client for what its player touches, until at rest")
	k.NotSearched("whom the server trusts", "authority")
}

// claimsMove is an announcement of the server: after some ticks it sets back which of the client's ticks it applies.
// Forward it goes by applying the states of two client ticks in each of its own. It is plain.
type claimsMove struct {
	back int // client ticks, in [-maxMoveForward,maxMoveBack]; below 0: forward; 0: there is no move
	in   int // ticks from the packet's to the last one before the move, in [0,maxMoveIn]
}

// Limits of a claimsMove.
const (
	maxMoveForward = 32
	maxMoveBack    = maxAdaptiveTicks
	maxMoveIn      = 1<<7 - 1
)

// code reads, writes or measures a move.
func (m *claimsMove) code(c *quant.Coder) {
	c.Label("moves")
	if !c.Bool(m.back != 0) {
		*m = claimsMove{}
		return
	}
	c.Label("move_back")
	if m.back = c.Int(m.back, -maxMoveForward, maxMoveBack); m.back == 0 {
		c.Fail(predict.ErrMalformed)
		return
	}
	c.Label("move_in")
	m.in = c.Int(m.in, 0, maxMoveIn)
}

// applied returns the moment of the server at which a client's state counts that would count in the packet's tick plus
// ahead if there were no move. While the server moves forward, every other state counts in the middle of a tick.
func (m *claimsMove) applied(packet sim.Tick, ahead int64) sim.Moment {
	t := sim.Tick(max(int64(packet)+ahead, 0)).Moment()
	after := sim.Moment(max(ahead-int64(m.in), 0)) * sim.MomentsPerTick
	switch move := sim.Moment(m.back) * sim.MomentsPerTick; {
	case after == 0:
		return t
	case move < 0:
		return t - min(after/2, -move)
	default:
		return t + move
	}
}

// A client's payload is a message of inputs (package input). If its player has authority over
// bodies, a message in the server's format follows, without inputs and of the same tick: the states
// of these bodies after the step with the newest input.

// readUplink reads a client's payload into m. inputs reads the message of inputs and returns the
// tick of the newest one; m.tick is the same, completed from more bits. hasStates reports whether a
// message with states followed it.
func readUplink(c *quant.Coder, payload []byte, m *message, scene *sim.Scene, inputs func() sim.Tick) (hasStates bool, err error) {
	c.BeginRead(payload)
	tick := inputs()
	if c.Err() != nil || c.AtEnd(len(payload)) {
		return false, c.Err()
	}
	m.tick, m.baselines, m.fromClient = tick, nil, true
	m.code(c, scene)
	switch {
	case c.Err() != nil:
		return false, c.Err()
	case !c.AtEnd(len(payload)) || (m.tick^tick)&(1<<input.MinTickBits-1) != 0 || !m.format.authority:
		return false, predict.ErrMalformed
	}
	return true, nil
}

// payloadFields reports the fields of a payload to see.
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
