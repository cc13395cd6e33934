package lockstep

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/desync"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

const (
	// maxInputs is the largest number of a player's inputs in a message: more than four seconds at
	// 60 Hz.
	maxInputs = 256

	tickBits     = input.TickBits
	countBits    = 9
	maxAdvantage = 255 // inputs

	// maxBytes is enough for any message without hashes of bodies.
	maxBytes = sim.MaxPlayers*((3*tickBits+2*countBits+maxInputs*(input.MaxShotInputBits+1)+7)/8) + 4*(desync.MaxChecksums+8)
)

// message is the payload in both directions. On the wire it is, for each player of the scene, one
// bit, and
//
//	if set, the player's inputs:  tick after the newest one, low 16 bits
//	                              number of inputs, or the form if that is not deltaRun, 9 bits
//	                              inputs (input.CodeInputs);
//	                              plainRun: number of inputs, 9 bits, and each on its own;
//	                              eventList: number of events, 3 bits, and the events
//	if clear, an acknowledgement: first tick whose input is missing, low 16 bits
//
// and then
//
//	one bit, and if set the newest checksum: tick, low 16 bits; hash, 32 bits
//	from the server: advantage, 8 bits: how many more due inputs of this client's player are
//	  buffered than of the slowest
//	one bit, and if set a query (from a client) or a reply (from the server)
type message struct {
	fromClient bool
	players    []playerSection

	hasChecksum  bool
	checksumTick sim.Tick
	checksum     uint32

	advantage int // from the server, in [0,maxAdvantage]

	hasQuery bool
	query    desync.Query

	hasReply bool
	reply    desync.Reply
}

// playerSection is the part of a message for one player.
type playerSection struct {
	hasInputs bool     // inputs; otherwise an acknowledgement
	next      sim.Tick // tick after the newest input, or first tick whose input is missing
	form      int      // of the inputs
	inputs    []sim.Input
	events    []event // with eventList, instead of inputs
}

// The forms of a run of inputs on the wire. Numbers up to maxInputs are the length of a deltaRun.
const (
	deltaRun  = 0 // one bit for an input that equals the one before
	plainRun  = maxInputs + 1
	eventList = maxInputs + 2
)

// code reads, writes or measures the message. Before reading, fromClient and the number of players
// must be the sender's, and near must be a tick near all ticks in the message. What it reads may be
// anything: c fails if it is malformed. bodies is the number of bodies in the scene.
func (m *message) code(c *quant.Coder, near sim.Tick, bodies int) {
	for i := range m.players {
		c.Group("players", i)
		m.players[i].code(c, near)
	}
	c.Group("checksum", 0)
	c.Label("has_checksum")
	if m.hasChecksum = c.Bool(m.hasChecksum); m.hasChecksum {
		m.checksumTick = input.CodeTick(c, m.checksumTick, near)
		c.Label("hash")
		m.checksum = c.Bits(m.checksum, 32)
	}
	if m.fromClient {
		c.Label("has_query")
		if m.hasQuery = c.Bool(m.hasQuery); m.hasQuery {
			m.query.Code(c, near)
		}
		return
	}
	c.Label("advantage")
	m.advantage = c.Int(m.advantage, 0, maxAdvantage)
	c.Label("has_reply")
	if m.hasReply = c.Bool(m.hasReply); m.hasReply {
		m.reply.Code(c, near, bodies)
	}
}

func (p *playerSection) code(c *quant.Coder, near sim.Tick) {
	c.Label("has_inputs")
	p.hasInputs = c.Bool(p.hasInputs)
	p.next = input.CodeTick(c, p.next, near)
	if !p.hasInputs {
		return
	}
	c.Label("count")
	n := c.Int(max(len(p.inputs), p.form), 0, eventList)
	if p.form = deltaRun; n > maxInputs {
		p.form = n
	}
	switch p.form {
	case plainRun:
		c.Label("count")
		n = c.Int(len(p.inputs), 0, maxInputs)
	case eventList:
		p.inputs = p.inputs[:0]
		p.codeEvents(c)
		return
	}
	p.events = p.events[:0]
	if c.Err() != nil {
		return
	}
	if c.Reading() {
		if int64(p.next) < int64(n) {
			c.Fail(predict.ErrMalformed) // the inputs begin before the session
			return
		}
		p.inputs = append(p.inputs[:0], zeroInputs[:n]...)
	}
	if p.form == deltaRun {
		input.CodeInputs(c, p.inputs)
		return
	}
	for i := range p.inputs {
		input.CodeInputs(c, p.inputs[i:i+1])
	}
}

var zeroInputs [maxInputs]sim.Input

// resize returns s with n elements, keeping those that it has.
func resize[T any](s []T, n int) []T {
	for len(s) < n {
		s = append(s, *new(T))
	}
	return s[:n]
}

// fields reports the fields of a payload to see.
func fields(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	var c quant.Coder
	var m message
	c.OnField(see)
	return m.read(&c, payload, up, 1<<tickBits, scene)
}

// read reads an untrusted payload, which comes from a client if up is set.
func (m *message) read(c *quant.Coder, payload []byte, up bool, near sim.Tick, scene *sim.Scene) error {
	m.fromClient = up
	m.players = resize(m.players, scene.Players)
	c.BeginRead(payload)
	m.code(c, near, len(scene.Boxes))
	if c.Err() == nil && !c.AtEnd(len(payload)) {
		return predict.ErrMalformed // trailing bytes
	}
	return c.Err()
}

// write writes the message into buffer and returns the payload.
func (m *message) write(c *quant.Coder, buffer []byte) []byte {
	c.BeginWrite(buffer)
	m.code(c, 0, len(m.reply.BodyHashes))
	if c.Err() != nil {
		panic("lockstep: a message exceeds its buffer: " + c.Err().Error())
	}
	return c.FinishWrite()
}

// forgeAcks moves the acknowledgements in a received message up to the newest inputs that were sent: see
// predict.Strategy.
func forgeAcks(up bool, received, sent []byte, scene *sim.Scene) []byte {
	var c quant.Coder
	var in, out message
	if in.read(&c, received, up, 1<<tickBits, scene) != nil || out.read(&c, sent, !up, 1<<tickBits, scene) != nil {
		return received
	}
	for p := range in.players {
		if r := &in.players[p]; !r.hasInputs && out.players[p].hasInputs {
			r.next = out.players[p].next
		}
	}
	return in.write(&c, make([]byte, (len(received)+16)/8*8))
}

// kind reports whether a payload has inputs of any player, or only acknowledges them.
func kind(_ bool, payload []byte, players int) predict.PacketKind {
	bits := func(at, n int) (v int) {
		for i := range n {
			if at+i < len(payload)*8 {
				v |= int(payload[(at+i)/8]>>((at+i)%8)&1) << i
			}
		}
		return v
	}
	for at := 0; players > 0; players-- {
		if bits(at, 1) == 0 {
			at += 1 + tickBits
			continue
		}
		if bits(at+1+tickBits, countBits) > 0 {
			return predict.Inputs
		}
		at += 1 + tickBits + countBits
	}
	return predict.AcksOnly
}
