package input

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
)

// PlayoutBuffer is the server's side for one player as Space Engineers has it (a talk at
// GDC): a line of places, as many as the buffer is long, of which the first is taken
// in every tick of the server. Inputs stand in it in the order of their frames, which
// is what the client calls its ticks; what comes first stands last and so waits for
// the length of the line; what comes later stands behind the one before it. A place
// nobody has come for is empty.
//
// What is taken need not be of the server's tick: Take says of which frame it is.
type PlayoutBuffer struct {
	slots         []playoutSlot
	lastInput     sim.Input         // used last
	nextTick      sim.Tick          // the frame after the newest used
	firstTick     sim.Tick          // the first frame used
	consumedEnd   sim.Tick          // the frame after the newest of which the own input was used
	started       bool              // one has been
	consumedCount uint64            // frames whose own input was
	repeatCount   int               // ticks in a row for which the last input was used again
	lastConsumed  Consumed          // what Take returned last
	popCount      int               // Takes
	waitedTicks   int               // ticks that the newest input used stood in the line
	receivedTicks [ringLen]sim.Tick // frames that have come, and one more, by their low bits
	ahead         int64             // how far the last message was ahead of the server
	hasMessage    bool              // there was one
	outlierCount  int               // messages in a row that were too far ahead of that

	shotBuffer

	message Message
	coder   quant.Coder
}

// playoutSlot is one place in the line.
type playoutSlot struct {
	tick      sim.Tick
	in        sim.Input
	occupied  bool
	consumed  bool // it stays only to be repeated
	arrivedAt int  // when, by the buffer's own ticks
}

// Consumed is what a tick of the server was made with.
type Consumed struct {
	Source     Source
	ClientTick sim.Tick // the newest frame used; of no meaning before any was
}

// Source says where an input is from.
type Source uint8

// The ways.
const (
	SourceNone     Source = iota // none has been used: the player does what it did before
	SourceReceived               // the frame's own input
	SourceFilled                 // the frame's own input is missing and those after it are there: the last one again
	SourceRepeated               // no frame's: nothing is there, and the last is used again, or none
)

// PlayoutSettings are the knobs of a playout buffer.
type PlayoutSettings struct {
	DelayTicks int  // places
	KeepLast   bool // the last input stays in the line to be repeated
	MaxRepeats int  // ticks in a row for which it is
	MaxQueued  int  // inputs that may wait
}

// DeclarePlayout tells env what of the buffer may be tuned and what it counts.
func DeclarePlayout(s *PlayoutSettings, env *predict.Env) {
	k, m := env.Knobs, env.Counters
	DeclarePlayoutDelay(&s.DelayTicks, k)
	k.Bool(&s.KeepLast, "keep-last", true, "the input used last stays in the buffer and is repeated until another comes, which then follows at once; off: nothing is done, and the next waits for the whole buffer")
	k.Int(&s.MaxRepeats, "repeat-max", 15, 0, 600, "keep-last: ticks in a row for which an input is repeated before nothing is done; and missing inputs in a row that are filled in")
	k.Int(&s.MaxQueued, "playout-max", 8, 1, 256, "inputs that may wait in the buffer: when there are more, the oldest are skipped until playout are left")
	m.Declare("inputs_consumed_ratio", "of the frames whose turn is over, the share of which the input was used")
	m.Declare("input_starved_ticks", "ticks for which no input was there, or not the next one")
	m.Declare("late_inputs", "inputs that came when their turn was over")
	m.Declare("duplicate_inputs", "inputs that had come before")
	m.Declare("skipped_inputs", "inputs that were passed over because too many waited")
	m.Declare("buffer_depth", "inputs that wait for their turn, now")
	m.Declare("rejected_payloads", "payloads that were no message")
}

// DeclarePlayoutDelay declares the knob that both halves look at.
func DeclarePlayoutDelay(p *int, k *predict.Knobs) {
	k.Int(p, "playout", 4, 1, 60, "ticks for which the server holds the inputs back (its playout delay buffer); the client runs that much further ahead")
}

// Start says what the player held before the first input comes.
func (p *PlayoutBuffer) Start(held sim.Input) { p.lastInput = held }

// Pop takes the first place of the line and returns what the player does in the
// tick that begins. It comes before Read in each tick.
func (p *PlayoutBuffer) Pop(s *PlayoutSettings, m *predict.Counters) sim.Input {
	p.popCount++
	in := p.pop(s)
	if p.lastConsumed.Source == SourceFilled || p.lastConsumed.Source == SourceRepeated {
		m.Add("input_starved_ticks", 1)
	}
	return in
}

func (p *PlayoutBuffer) pop(s *PlayoutSettings) sim.Input {
	if len(p.slots) == 0 || !p.slots[0].occupied {
		p.dropFirst(min(1, len(p.slots)))
		if !p.started {
			p.lastConsumed = Consumed{Source: SourceNone}
			return p.lastInput
		}
		p.lastConsumed.Source = SourceRepeated
		return sim.Input{}
	}
	head := p.slots[0]
	if head.consumed {
		if p.secondOccupied() {
			p.dropFirst(1)
		}
		p.lastConsumed.Source = SourceRepeated
		if p.repeatCount++; p.repeatCount > s.MaxRepeats {
			return sim.Input{}
		}
		return p.lastInput
	}
	if p.started && head.tick > p.nextTick && int64(head.tick-p.nextTick) <= int64(s.MaxRepeats) {
		p.lastConsumed = Consumed{SourceFilled, p.nextTick}
		p.nextTick++
		return p.lastInput
	}
	if !p.started {
		p.started, p.firstTick = true, head.tick
	}
	p.lastInput, p.nextTick, p.consumedEnd, p.repeatCount = head.in, head.tick+1, head.tick+1, 0
	p.consumedCount++
	p.waitedTicks = p.popCount - head.arrivedAt
	p.lastConsumed = Consumed{SourceReceived, head.tick}
	if s.KeepLast && !p.secondOccupied() {
		p.slots[0].consumed = true
	} else {
		p.dropFirst(1)
	}
	return p.lastInput
}

// secondOccupied reports whether an input stands behind the first place.
func (p *PlayoutBuffer) secondOccupied() bool { return len(p.slots) > 1 && p.slots[1].occupied }

// dropFirst removes the first n places.
func (p *PlayoutBuffer) dropFirst(n int) { p.slots = p.slots[:copy(p.slots, p.slots[n:])] }

// maxOutliers is how many messages in a row must be much further ahead of the server than
// those before to be believed. A client that has stood still for so long that the low
// bits of its tick mean a later one by now is as far ahead until it knows how late it
// is; one that does not care how late it is stays so.
const maxOutliers = 30

// Read takes in a payload, which may be anything, at a server's tick now.
func (p *PlayoutBuffer) Read(payload []byte, now sim.Tick, s *PlayoutSettings, m *predict.Counters) {
	c, msg := &p.coder, &p.message
	c.BeginRead(payload)
	msg.NewestTick = sim.Tick(max(int64(now)+p.ahead, 0))
	msg.Code(c)
	ahead := int64(msg.NewestTick) - int64(now)
	if c.Err() != nil || !c.AtEnd(len(payload)) || ahead >= ringLen/2 || ahead <= -ringLen/2 {
		m.Add("rejected_payloads", 1) // or of a client that is too far off to be played with
		return
	}
	if p.hasMessage && ahead > p.ahead+int64(1)<<msg.TickBits/8 && p.outlierCount < maxOutliers {
		p.outlierCount++
		m.Add("rejected_payloads", 1)
		return
	}
	p.ahead, p.hasMessage, p.outlierCount = ahead, true, 0
	oldest := msg.NewestTick - sim.Tick(len(msg.Inputs)-1)
	for i, in := range msg.Inputs {
		p.insert(oldest+sim.Tick(i), in, s, m)
	}
}

// insert lets the input of a frame into the line.
func (p *PlayoutBuffer) insert(t sim.Tick, in sim.Input, s *PlayoutSettings, m *predict.Counters) {
	if p.receivedTicks[t%ringLen] == t+1 {
		m.Add("duplicate_inputs", 1)
		return
	}
	p.receivedTicks[t%ringLen] = t + 1
	p.extractShot(&in)
	if p.started && t < p.nextTick {
		m.Add("late_inputs", 1)
		return
	}
	at := -1 // the place that it gets
	for i := range p.slots {
		switch q := &p.slots[i]; {
		case !q.occupied:
		case q.tick < t:
			at = i + 1
		case at < 0:
			at = i
		}
	}
	if at < 0 { // the only one: it waits for the whole line
		for len(p.slots) < s.DelayTicks-1 {
			p.slots = append(p.slots, playoutSlot{})
		}
		at = min(s.DelayTicks-1, len(p.slots))
	}
	p.slots = append(p.slots, playoutSlot{})
	copy(p.slots[at+1:], p.slots[at:])
	p.slots[at] = playoutSlot{tick: t, in: in, occupied: true, arrivedAt: p.popCount}
	p.trimEmpty(s)
}

// Trim ends a tick: the line is as long as it should be, and longer only if so
// many inputs wait.
func (p *PlayoutBuffer) Trim(s *PlayoutSettings, m *predict.Counters) {
	for len(p.slots) < s.DelayTicks {
		p.slots = append(p.slots, playoutSlot{})
	}
	p.trimEmpty(s)
	waits := p.queuedCount()
	if waits > s.MaxQueued {
		for ; waits > min(s.DelayTicks, s.MaxQueued); p.dropFirst(1) {
			if q := &p.slots[0]; q.occupied && !q.consumed {
				m.Add("skipped_inputs", 1)
				waits--
			}
		}
		p.nextTick = p.slots[0].tick
	}
	m.Set("buffer_depth", float64(waits))
	if p.started {
		m.Set("inputs_consumed_ratio", float64(p.consumedCount)/float64(p.nextTick-p.firstTick))
	}
}

// trimEmpty removes empty places, those at the end before those at the beginning, while
// the line is too long.
func (p *PlayoutBuffer) trimEmpty(s *PlayoutSettings) {
	for len(p.slots) > s.DelayTicks && !p.slots[len(p.slots)-1].occupied {
		p.slots = p.slots[:len(p.slots)-1]
	}
	for len(p.slots) > s.DelayTicks && !p.slots[0].occupied {
		p.dropFirst(1)
	}
}

// queuedCount counts the inputs in the line that have not been used.
func (p *PlayoutBuffer) queuedCount() (n int) {
	for i := range p.slots {
		if p.slots[i].occupied && !p.slots[i].consumed {
			n++
		}
	}
	return n
}

// ConsumedTick returns the frame after the newest of which the own input was used, and 0
// before any was.
func (p *PlayoutBuffer) ConsumedTick() sim.Tick { return p.consumedEnd }

// LastConsumed returns what the last Take took.
func (p *PlayoutBuffer) LastConsumed() Consumed { return p.lastConsumed }

// WaitedTicks returns for how many ticks the newest input that was used had stood in the
// line.
func (p *PlayoutBuffer) WaitedTicks() int { return p.waitedTicks }

// CopyFrom makes p an equal of o.
func (p *PlayoutBuffer) CopyFrom(o *PlayoutBuffer) {
	line, run, shots := append(p.slots[:0], o.slots...), p.message.Inputs, p.shots
	*p = *o
	p.slots, p.message.Inputs, p.coder = line, run, quant.Coder{}
	p.copyShots(&o.shotBuffer, shots)
}
