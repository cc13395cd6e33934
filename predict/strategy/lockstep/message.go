package lockstep

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

const (
	// maxInputs is how many inputs of a player fit a message: more than four
	// seconds at 60 a second.
	maxInputs = 256

	tickBits     = 16 // of a tick on the wire: it wraps after 18 minutes
	countBits    = 9
	maxChecksums = 64 // checksums in one answer
	maxAdvantage = 255

	// maxBytes is more than any message takes but for the hashes of bodies.
	maxBytes = 4*((3*tickBits+countBits+maxInputs*(input.MaxShotInputBits+1))/8) + 4*(maxChecksums+8)
)

// message is what travels, both ways. On the wire it is, for each player of the
// scene, one bit, and
//
//	if it is set, that player's inputs: the tick after the newest, 16 low bits
//	                                    the number of inputs, 9 bits
//	                                    the inputs (inputs.Run)
//	if not, what has come of them:      the first tick that has not, 16 low bits
//
// and then
//
//	one bit, and if it is set the newest tick's checksum: 16 low bits and 32
//	from the server, how many inputs of this client's player wait for others': 8 bits
//	one bit, and if it is set a question (client) or an answer (server)
type message struct {
	fromClient bool // sent by a client
	players    []playerSection

	hasChecksum  bool
	checksumTick sim.Tick
	checksum     uint32

	advantage int // of a server: in [0,mostEarly]

	hasQuery bool
	query    checksumQuery

	hasReply bool
	reply    checksumReply
}

// playerSection is one player's part.
type playerSection struct {
	hasInputs bool     // inputs, not an acknowledgement
	next      sim.Tick // after the newest input; or the first that has not come
	inputs    []sim.Input
}

// checksumQuery asks for checksums of ticks from first on, or for those of the
// bodies at first.
type checksumQuery struct {
	first   sim.Tick
	count   int // in [1,mostList]
	perBody bool
}

// checksumReply answers one.
type checksumReply struct {
	checksumQuery
	tickHashes []uint32 // of ticks; 0: not remembered
	bodyHashes []uint16 // of bodies
}

// code reads, writes or measures the message. When it reads, up and the number
// of runs must be what they are with the sender, and near a tick near all that
// it speaks of; what it reads may be anything, and c fails if it is no message.
// bodies is how many the scene has.
func (m *message) code(c *quant.Coder, near sim.Tick, bodies int) {
	for i := range m.players {
		c.Group("players", i)
		m.players[i].code(c, near)
	}
	c.Group("checksum", 0)
	c.Label("has_checksum")
	if m.hasChecksum = c.Bool(m.hasChecksum); m.hasChecksum {
		m.checksumTick = codeTick(c, m.checksumTick, near)
		c.Label("hash")
		m.checksum = c.Bits(m.checksum, 32)
	}
	if m.fromClient {
		c.Label("has_query")
		if m.hasQuery = c.Bool(m.hasQuery); m.hasQuery {
			m.query.code(c, near)
		}
		return
	}
	c.Label("advantage")
	m.advantage = c.Int(m.advantage, 0, maxAdvantage)
	c.Label("has_reply")
	if m.hasReply = c.Bool(m.hasReply); m.hasReply {
		m.reply.code(c, near, bodies)
	}
}

func (r *playerSection) code(c *quant.Coder, near sim.Tick) {
	c.Label("has_inputs")
	r.hasInputs = c.Bool(r.hasInputs)
	r.next = codeTick(c, r.next, near)
	if !r.hasInputs {
		return
	}
	c.Label("count")
	n := c.Int(len(r.inputs), 0, maxInputs)
	if c.Err() != nil {
		return
	}
	if c.Reading() {
		if int64(r.next) < int64(n) {
			c.Fail(predict.ErrMalformed) // it would begin before the session
			return
		}
		r.inputs = append(r.inputs[:0], zeroInputs[:n]...)
	}
	input.CodeInputs(c, r.inputs)
}

var zeroInputs [maxInputs]sim.Input

func (q *checksumQuery) code(c *quant.Coder, near sim.Tick) {
	q.first = codeTick(c, q.first, near)
	c.Label("bodies")
	if q.perBody = c.Bool(q.perBody); q.perBody {
		q.count = 1
		return
	}
	c.Label("count")
	q.count = c.Int(q.count, 1, maxChecksums)
}

func (a *checksumReply) code(c *quant.Coder, near sim.Tick, bodies int) {
	a.checksumQuery.code(c, near)
	if c.Err() != nil {
		return
	}
	if a.perBody {
		a.bodyHashes = resize(a.bodyHashes, bodies)
		for i := range a.bodyHashes {
			c.Group("bodies", i)
			c.Label("hash")
			a.bodyHashes[i] = uint16(c.Bits(uint32(a.bodyHashes[i]), 16))
		}
		return
	}
	a.tickHashes = resize(a.tickHashes, a.count)
	for i := range a.tickHashes {
		c.Group("ticks", i)
		c.Label("hash")
		a.tickHashes[i] = c.Bits(a.tickHashes[i], 32)
	}
}

// resize returns s with n elements and keeps what it holds.
func resize[T any](s []T, n int) []T {
	for len(s) < n {
		s = append(s, *new(T))
	}
	return s[:n]
}

// codeTick reads, writes or measures a tick.
func codeTick(c *quant.Coder, t, near sim.Tick) sim.Tick {
	c.Label("tick")
	low := c.Bits(uint32(t)&(1<<tickBits-1), tickBits)
	if c.Reading() {
		return input.UnwrapTick(low, tickBits, near)
	}
	return t
}

// fields reads a payload and has see told of every field of it.
func fields(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	var c quant.Coder
	var m message
	c.OnField(see)
	return m.read(&c, payload, up, 1<<tickBits, scene)
}

// read reads a payload of the other side.
func (m *message) read(c *quant.Coder, payload []byte, up bool, near sim.Tick, scene *sim.Scene) error {
	m.fromClient = up
	m.players = resize(m.players, scene.Players)
	c.BeginRead(payload)
	m.code(c, near, len(scene.Boxes))
	if c.Err() == nil && !c.AtEnd(len(payload)) {
		return predict.ErrMalformed // something is left over
	}
	return c.Err()
}

// write writes the message into buffer and returns the payload.
func (m *message) write(c *quant.Coder, buffer []byte) []byte {
	c.BeginWrite(buffer)
	m.code(c, 0, len(m.reply.bodyHashes))
	if c.Err() != nil {
		panic("lockstep: a message that does not fit: " + c.Err().Error())
	}
	return c.FinishWrite()
}
