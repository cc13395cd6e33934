package lockstep

import (
	"errors"

	"ghostcube/net/quant"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

const (
	// mostInputs is how many inputs of a player fit a message: more than four
	// seconds at 60 a second.
	mostInputs = 256

	tickBits  = 16 // of a tick on the wire: it wraps after 18 minutes
	countBits = 9
	mostList  = 64 // checksums in one answer
	mostEarly = 255

	// mostBytes is more than any message takes but for the hashes of bodies.
	mostBytes = 4*((3*tickBits+countBits+mostInputs*(input.MostShotBits+1))/8) + 4*(mostList+8)
)

var errMessage = errors.New("lockstep: not a message")

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
	up   bool // sent by a client
	runs []run

	checked bool
	tick    sim.Tick
	hash    uint32

	early int // of a server: in [0,mostEarly]

	asks bool
	ask  question

	answers bool
	answer  answer
}

// run is one player's part.
type run struct {
	passed bool     // inputs, not an acknowledgement
	next   sim.Tick // after the newest input; or the first that has not come
	inputs []sim.Input
}

// question asks for checksums of ticks from first on, or for those of the
// bodies at first.
type question struct {
	first  sim.Tick
	n      int // in [1,mostList]
	bodies bool
}

// answer answers one.
type answer struct {
	question
	hashes []uint32 // of ticks; 0: not remembered
	body   []uint16 // of bodies
}

// code reads, writes or measures the message. When it reads, up and the number
// of runs must be what they are with the sender, and near a tick near all that
// it speaks of; what it reads may be anything, and c fails if it is no message.
// bodies is how many the scene has.
func (m *message) code(c *quant.Coder, near sim.Tick, bodies int) {
	for i := range m.runs {
		c.Part("players", i)
		m.runs[i].code(c, near)
	}
	c.Part("check", 0)
	c.Name("checked")
	if m.checked = c.Bool(m.checked); m.checked {
		m.tick = tick(c, m.tick, near)
		c.Name("hash")
		m.hash = c.Bits(m.hash, 32)
	}
	if m.up {
		c.Name("asks")
		if m.asks = c.Bool(m.asks); m.asks {
			m.ask.code(c, near)
		}
		return
	}
	c.Name("early")
	m.early = c.Int(m.early, 0, mostEarly)
	c.Name("answers")
	if m.answers = c.Bool(m.answers); m.answers {
		m.answer.code(c, near, bodies)
	}
}

func (r *run) code(c *quant.Coder, near sim.Tick) {
	c.Name("inputs")
	r.passed = c.Bool(r.passed)
	r.next = tick(c, r.next, near)
	if !r.passed {
		return
	}
	c.Name("count")
	n := c.Int(len(r.inputs), 0, mostInputs)
	if c.Err() != nil {
		return
	}
	if c.Reading() {
		if int64(r.next) < int64(n) {
			c.Fail(errMessage) // it would begin before the session
			return
		}
		r.inputs = append(r.inputs[:0], blank[:n]...)
	}
	input.Run(c, r.inputs)
}

var blank [mostInputs]sim.Input

func (q *question) code(c *quant.Coder, near sim.Tick) {
	q.first = tick(c, q.first, near)
	c.Name("bodies")
	if q.bodies = c.Bool(q.bodies); q.bodies {
		q.n = 1
		return
	}
	c.Name("count")
	q.n = c.Int(q.n, 1, mostList)
}

func (a *answer) code(c *quant.Coder, near sim.Tick, bodies int) {
	a.question.code(c, near)
	if c.Err() != nil {
		return
	}
	if a.bodies {
		a.body = sized(a.body, bodies)
		for i := range a.body {
			c.Part("bodies", i)
			c.Name("hash")
			a.body[i] = uint16(c.Bits(uint32(a.body[i]), 16))
		}
		return
	}
	a.hashes = sized(a.hashes, a.n)
	for i := range a.hashes {
		c.Part("ticks", i)
		c.Name("hash")
		a.hashes[i] = c.Bits(a.hashes[i], 32)
	}
}

// sized returns s with n elements and keeps what it holds.
func sized[T any](s []T, n int) []T {
	for len(s) < n {
		s = append(s, *new(T))
	}
	return s[:n]
}

// tick reads, writes or measures a tick.
func tick(c *quant.Coder, t, near sim.Tick) sim.Tick {
	c.Name("tick")
	low := c.Bits(uint32(t)&(1<<tickBits-1), tickBits)
	if c.Reading() {
		return input.Complete(low, tickBits, near)
	}
	return t
}

// fields reads a payload and has see told of every field of it.
func fields(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	var c quant.Coder
	var m message
	c.Watch(see)
	return m.read(&c, payload, up, 1<<tickBits, scene)
}

// read reads a payload of the other side.
func (m *message) read(c *quant.Coder, payload []byte, up bool, near sim.Tick, scene *sim.Scene) error {
	m.up = up
	m.runs = sized(m.runs, scene.Players)
	c.Read(payload)
	m.code(c, near, len(scene.Boxes))
	if c.Err() == nil && !c.Whole(len(payload)) {
		return errMessage // something is left over
	}
	return c.Err()
}

// write writes the message into buffer and returns the payload.
func (m *message) write(c *quant.Coder, buffer []byte) []byte {
	c.Write(buffer)
	m.code(c, 0, len(m.answer.body))
	if c.Err() != nil {
		panic("lockstep: a message that does not fit: " + c.Err().Error())
	}
	return c.Data()
}
