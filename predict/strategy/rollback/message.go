package rollback

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/desync"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

const (
	maxInputs    = 128 // inputs of a player in a client's packet: two seconds at 60 Hz
	maxConfirmed = 255 // confirmed ticks in a packet of the server
	maxWaiting   = 63  // inputs of a player in a packet of the server beyond the confirmed ticks

	countBits   = 8 // of maxInputs and maxConfirmed
	waitingBits = 6

	// maxUpBytes and maxDownBytes are enough for any message without hashes of bodies.
	maxUpBytes   = (maxInputs*(input.MaxShotInputBits+1) + 128 + 63) / 64 * 8
	maxDownBytes = (sim.MaxPlayers*maxRunBits + 512 + 32*desync.MaxChecksums + 63) / 64 * 8
	maxRunBits   = (maxConfirmed + maxWaiting) * (input.MaxShotInputBits + 1)
)

// upMessage is the payload of a client. On the wire it is
//
//	first tick whose inputs the client lacks, low 16 bits
//	one bit: the client lacks its own inputs of that tick, too
//	number of its inputs, 8 bits, and if there are any
//	  tick after the newest one, low 16 bits
//	  the inputs (input.CodeInputs)
//	one bit, and if set a query for checksums (package desync)
type upMessage struct {
	confirmed sim.Tick
	wantsOwn  bool
	next      sim.Tick // after the newest input
	inputs    []sim.Input
	hasQuery  bool
	query     desync.Query
}

// downMessage is the payload of the server for one client. On the wire it is
//
//	the server's tick, low 16 bits: all earlier ticks are confirmed
//	number of confirmed ticks in the message, 8 bits
//	one bit: they end at the server's tick; otherwise the tick after them, low 16 bits
//	for each player a run
//	one bit, and if set the checksum of the world: tick, low 16 bits; hash, 32 bits
//	one bit, and if set the reply to a query
type downMessage struct {
	tick  sim.Tick
	end   sim.Tick // after the confirmed ticks in the message
	count int      // of them
	runs  []run    // by player

	hasChecksum  bool
	checksumTick sim.Tick
	checksum     uint32

	hasReply bool
	reply    desync.Reply
}

// run is a player's inputs of consecutive ticks: those of the confirmed ticks of a message, and for other
// players than the receiver's those that wait at the server for the ticks after. On the wire it is
//
//	one bit: the confirmed ones are those that the receiver has sent, so nothing follows
//	number of waiting inputs, 6 bits
//	the inputs (input.CodeInputs)
type run struct {
	asSent bool
	inputs []sim.Input
}

// code reads, writes or measures the message. Before reading, near must be a tick near all ticks in it. What
// it reads may be anything: c fails if it is malformed.
func (m *upMessage) code(c *quant.Coder, near sim.Tick) {
	c.Group("confirmed", 0)
	m.confirmed = input.CodeTick(c, m.confirmed, near)
	c.Label("wants_own")
	m.wantsOwn = c.Bool(m.wantsOwn)
	c.Group("inputs", 0)
	c.Label("count")
	n := c.Int(len(m.inputs), 0, maxInputs)
	if m.inputs = resizeIfReading(c, m.inputs, n); n > 0 && c.Err() == nil {
		if m.next = input.CodeTick(c, m.next, near); int64(m.next) < int64(n) {
			c.Fail(predict.ErrMalformed) // the inputs begin before the session
			return
		}
		input.CodeInputs(c, m.inputs)
	}
	c.Group("query", 0)
	c.Label("has_query")
	if m.hasQuery = c.Bool(m.hasQuery); m.hasQuery {
		m.query.Code(c, near)
	}
}

// code is upMessage.code for the server's message. players must be set before reading, bodies is the number of
// bodies in the scene.
func (m *downMessage) code(c *quant.Coder, near sim.Tick, bodies int) {
	c.Group("confirmed", 0)
	m.tick = input.CodeTick(c, m.tick, near)
	c.Label("count")
	m.count = int(c.Bits(uint32(m.count), countBits))
	c.Label("to_tick")
	if c.Bool(m.end == m.tick) {
		m.end = m.tick
	} else {
		m.end = input.CodeTick(c, m.end, near)
	}
	if int64(m.end) < int64(m.count) {
		c.Fail(predict.ErrMalformed)
	}
	for p := range m.runs {
		if c.Err() != nil {
			return
		}
		c.Group("players", p)
		m.runs[p].code(c, m.count)
	}
	c.Group("checksum", 0)
	c.Label("has_checksum")
	if m.hasChecksum = c.Bool(m.hasChecksum); m.hasChecksum {
		m.checksumTick = input.CodeTick(c, m.checksumTick, near)
		c.Label("hash")
		m.checksum = c.Bits(m.checksum, 32)
	}
	c.Group("reply", 0)
	c.Label("has_reply")
	if m.hasReply = c.Bool(m.hasReply); m.hasReply {
		m.reply.Code(c, near, bodies)
	}
}

// code reads, writes or measures the run of a message with some confirmed ticks.
func (r *run) code(c *quant.Coder, confirmed int) {
	c.Label("as_sent")
	if r.asSent = c.Bool(r.asSent); r.asSent {
		r.inputs = r.inputs[:0]
		return
	}
	c.Label("waiting")
	waiting := int(c.Bits(uint32(max(len(r.inputs)-confirmed, 0)), waitingBits))
	r.inputs = resizeIfReading(c, r.inputs, confirmed+waiting)
	input.CodeInputs(c, r.inputs)
}

// resizeIfReading returns an empty list of n inputs for c to read, or the list to be written.
func resizeIfReading(c *quant.Coder, list []sim.Input, n int) []sim.Input {
	if !c.Reading() {
		return list
	}
	if list = list[:0]; c.Err() == nil {
		for range n {
			list = append(list, sim.Input{})
		}
	}
	return list
}

// resizeRuns returns runs for a number of players, keeping their memory.
func resizeRuns(runs []run, players int) []run {
	for len(runs) < players {
		runs = append(runs, run{})
	}
	return runs[:players]
}

// finishRead returns the error of a payload that has been read, which must not have trailing bytes.
func finishRead(c *quant.Coder, payload []byte) error {
	if c.Err() == nil && !c.AtEnd(len(payload)) {
		return predict.ErrMalformed
	}
	return c.Err()
}

// finishWrite returns the payload that has been written.
func finishWrite(c *quant.Coder) []byte {
	if c.Err() != nil {
		panic("rollback: a message exceeds its buffer: " + c.Err().Error())
	}
	return c.FinishWrite()
}

// fields reports the fields of a payload to see.
func fields(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	if len(payload) == 0 {
		return nil
	}
	const near = 1 << input.TickBits // any tick will do
	var c quant.Coder
	c.OnField(see)
	c.BeginRead(payload)
	if up {
		m := upMessage{}
		m.code(&c, near)
	} else {
		m := downMessage{runs: resizeRuns(nil, scene.Players)}
		m.code(&c, near, len(scene.Boxes))
	}
	return finishRead(&c, payload)
}

// kind reports whether a payload has inputs of any player.
func kind(up bool, payload []byte, _ int) predict.PacketKind {
	var c quant.Coder
	c.BeginRead(payload)
	c.Bits(0, input.TickBits)
	if up {
		c.Bool(false)
	}
	if c.Bits(0, countBits) > 0 && c.Err() == nil {
		return predict.Inputs
	}
	return predict.AcksOnly
}
