package input

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
)

// Playout is the server's side for one player as Space Engineers has it (a talk at
// GDC): a line of places, as many as the buffer is long, of which the first is taken
// in every tick of the server. Inputs stand in it in the order of their frames, which
// is what the client calls its ticks; what comes first stands last and so waits for
// the length of the line; what comes later stands behind the one before it. A place
// nobody has come for is empty.
//
// What is taken need not be of the server's tick: Take says of which frame it is.
type Playout struct {
	line    []place
	last    sim.Input            // used last
	next    sim.Tick             // the frame after the newest used
	first   sim.Tick             // the first frame used
	made    sim.Tick             // the frame after the newest of which the own input was used
	began   bool                 // one has been
	used    uint64               // frames whose own input was
	repeats int                  // ticks in a row for which the last input was used again
	taken   Taken                // what Take returned last
	ticks   int                  // Takes
	waited  int                  // ticks that the newest input used stood in the line
	seen    [remembered]sim.Tick // frames that have come, and one more, by their low bits
	ahead   int64                // how far the last message was ahead of the server
	heard   bool                 // there was one
	odd     int                  // messages in a row that were too far ahead of that

	fired

	message Message
	coder   quant.Coder
}

// place is one place in the line.
type place struct {
	tick sim.Tick
	in   sim.Input
	full bool
	used bool // it stays only to be repeated
	came int  // when, by the buffer's own ticks
}

// Taken is what a tick of the server was made with.
type Taken struct {
	How   How
	Frame sim.Tick // the newest frame used; of no meaning before any was
}

// How says where an input is from.
type How uint8

// The ways.
const (
	NoneYet How = iota // none has been used: the player does what it did before
	Own                // the frame's own input
	Filled             // the frame's own input is missing and those after it are there: the last one again
	Again              // no frame's: nothing is there, and the last is used again, or none
)

// PlayoutSettings are the knobs of a playout buffer.
type PlayoutSettings struct {
	Length  int  // places
	Keep    bool // the last input stays in the line to be repeated
	Repeats int  // ticks in a row for which it is
	Most    int  // inputs that may wait
}

// DeclarePlayout tells env what of the buffer may be tuned and what it counts.
func DeclarePlayout(s *PlayoutSettings, env *predict.Env) {
	k, m := env.Knobs, env.Counters
	DeclareLength(&s.Length, k)
	k.Bool(&s.Keep, "keep-last", true, "the input used last stays in the buffer and is repeated until another comes, which then follows at once; off: nothing is done, and the next waits for the whole buffer")
	k.Int(&s.Repeats, "repeat-most", 15, 0, 600, "keep-last: ticks in a row for which an input is repeated before nothing is done; and missing inputs in a row that are filled in")
	k.Int(&s.Most, "playout-most", 8, 1, 256, "inputs that may wait in the buffer: when there are more, the oldest are skipped until playout are left")
	m.Declare("inputs_consumed_ratio", "of the frames whose turn is over, the share of which the input was used")
	m.Declare("starved", "ticks for which no input was there, or not the next one")
	m.Declare("late_inputs", "inputs that came when their turn was over")
	m.Declare("repeated_inputs", "inputs that had come before")
	m.Declare("skipped_inputs", "inputs that were passed over because too many waited")
	m.Declare("buffer_depth", "inputs that wait for their turn, now")
	m.Declare("refused", "payloads that were no message")
}

// DeclareLength declares the knob that both halves look at.
func DeclareLength(p *int, k *predict.Knobs) {
	k.Int(p, "playout", 4, 1, 60, "ticks for which the server holds the inputs back (its playout delay buffer); the client runs that much further ahead")
}

// Start says what the player held before the first input comes.
func (p *Playout) Start(held sim.Input) { p.last = held }

// Take takes the first place of the line and returns what the player does in the
// tick that begins. It comes before Read in each tick.
func (p *Playout) Take(s *PlayoutSettings, m *predict.Counters) sim.Input {
	p.ticks++
	in := p.take(s)
	if p.taken.How == Filled || p.taken.How == Again {
		m.Add("starved", 1)
	}
	return in
}

func (p *Playout) take(s *PlayoutSettings) sim.Input {
	if len(p.line) == 0 || !p.line[0].full {
		p.drop(min(1, len(p.line)))
		if !p.began {
			p.taken = Taken{How: NoneYet}
			return p.last
		}
		p.taken.How = Again
		return sim.Input{}
	}
	head := p.line[0]
	if head.used {
		if p.follows() {
			p.drop(1)
		}
		p.taken.How = Again
		if p.repeats++; p.repeats > s.Repeats {
			return sim.Input{}
		}
		return p.last
	}
	if p.began && head.tick > p.next && int64(head.tick-p.next) <= int64(s.Repeats) {
		p.taken = Taken{Filled, p.next}
		p.next++
		return p.last
	}
	if !p.began {
		p.began, p.first = true, head.tick
	}
	p.last, p.next, p.made, p.repeats = head.in, head.tick+1, head.tick+1, 0
	p.used++
	p.waited = p.ticks - head.came
	p.taken = Taken{Own, head.tick}
	if s.Keep && !p.follows() {
		p.line[0].used = true
	} else {
		p.drop(1)
	}
	return p.last
}

// follows reports whether an input stands behind the first place.
func (p *Playout) follows() bool { return len(p.line) > 1 && p.line[1].full }

// drop removes the first n places.
func (p *Playout) drop(n int) { p.line = p.line[:copy(p.line, p.line[n:])] }

// oddMost is how many messages in a row must be much further ahead of the server than
// those before to be believed. A client that has stood still for so long that the low
// bits of its tick mean a later one by now is as far ahead until it knows how late it
// is; one that does not care how late it is stays so.
const oddMost = 30

// Read takes in a payload, which may be anything, at a server's tick now.
func (p *Playout) Read(payload []byte, now sim.Tick, s *PlayoutSettings, m *predict.Counters) {
	c, msg := &p.coder, &p.message
	c.Read(payload)
	msg.Newest = sim.Tick(max(int64(now)+p.ahead, 0))
	msg.Code(c)
	ahead := int64(msg.Newest) - int64(now)
	if c.Err() != nil || !c.Whole(len(payload)) || ahead >= remembered/2 || ahead <= -remembered/2 {
		m.Add("refused", 1) // or of a client that is too far off to be played with
		return
	}
	if p.heard && ahead > p.ahead+int64(1)<<msg.TickBits/8 && p.odd < oddMost {
		p.odd++
		m.Add("refused", 1)
		return
	}
	p.ahead, p.heard, p.odd = ahead, true, 0
	oldest := msg.Newest - sim.Tick(len(msg.Inputs)-1)
	for i, in := range msg.Inputs {
		p.put(oldest+sim.Tick(i), in, s, m)
	}
}

// put lets the input of a frame into the line.
func (p *Playout) put(t sim.Tick, in sim.Input, s *PlayoutSettings, m *predict.Counters) {
	if p.seen[t%remembered] == t+1 {
		m.Add("repeated_inputs", 1)
		return
	}
	p.seen[t%remembered] = t + 1
	p.takeShot(&in)
	if p.began && t < p.next {
		m.Add("late_inputs", 1)
		return
	}
	at := -1 // the place that it gets
	for i := range p.line {
		switch q := &p.line[i]; {
		case !q.full:
		case q.tick < t:
			at = i + 1
		case at < 0:
			at = i
		}
	}
	if at < 0 { // the only one: it waits for the whole line
		for len(p.line) < s.Length-1 {
			p.line = append(p.line, place{})
		}
		at = min(s.Length-1, len(p.line))
	}
	p.line = append(p.line, place{})
	copy(p.line[at+1:], p.line[at:])
	p.line[at] = place{tick: t, in: in, full: true, came: p.ticks}
	p.fit(s)
}

// Settle ends a tick: the line is as long as it should be, and longer only if so
// many inputs wait.
func (p *Playout) Settle(s *PlayoutSettings, m *predict.Counters) {
	for len(p.line) < s.Length {
		p.line = append(p.line, place{})
	}
	p.fit(s)
	waits := p.waits()
	if waits > s.Most {
		for ; waits > min(s.Length, s.Most); p.drop(1) {
			if q := &p.line[0]; q.full && !q.used {
				m.Add("skipped_inputs", 1)
				waits--
			}
		}
		p.next = p.line[0].tick
	}
	m.Set("buffer_depth", float64(waits))
	if p.began {
		m.Set("inputs_consumed_ratio", float64(p.used)/float64(p.next-p.first))
	}
}

// fit removes empty places, those at the end before those at the beginning, while
// the line is too long.
func (p *Playout) fit(s *PlayoutSettings) {
	for len(p.line) > s.Length && !p.line[len(p.line)-1].full {
		p.line = p.line[:len(p.line)-1]
	}
	for len(p.line) > s.Length && !p.line[0].full {
		p.drop(1)
	}
}

// waits counts the inputs in the line that have not been used.
func (p *Playout) waits() (n int) {
	for i := range p.line {
		if p.line[i].full && !p.line[i].used {
			n++
		}
	}
	return n
}

// Used returns the frame after the newest of which the own input was used, and 0
// before any was.
func (p *Playout) Used() sim.Tick { return p.made }

// Taken returns what the last Take took.
func (p *Playout) Taken() Taken { return p.taken }

// Waited returns for how many ticks the newest input that was used had stood in the
// line.
func (p *Playout) Waited() int { return p.waited }

// CopyFrom makes p an equal of o.
func (p *Playout) CopyFrom(o *Playout) {
	line, run, shots := append(p.line[:0], o.line...), p.message.Inputs, p.list
	*p = *o
	p.line, p.message.Inputs, p.coder = line, run, quant.Coder{}
	p.copyShots(&o.fired, shots)
}
