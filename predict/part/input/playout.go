package input

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/playout"
	"ghostcube/sim"
)

// PlayoutBuffer is the server's queue of one player's inputs, as Space Engineers has it (a
// talk at GDC): a line of places, DelayTicks of them, of which the server takes the first in
// each of its ticks. Inputs stand in it in the order of the client's ticks. The first one
// to arrive takes the last place and so waits for the whole delay; a later one takes the
// place behind the input before it. All other places are empty.
//
// Empty places matter before the first input only, where they are the ticks until its turn.
// So the line is a playout.Buffer and a number of ticks.
//
// The input that is taken need not be of the server's tick: LastConsumed names its tick.
type PlayoutBuffer struct {
	queue         playout.Buffer[queuedInput]
	wait          int               // ticks until the turn of the first input, if there is one
	kept          bool              // the first input has been used and stays to be repeated
	lastInput     sim.Input         // used last
	nextTick      sim.Tick          // the client's tick after the newest one used
	firstTick     sim.Tick          // the first one used
	consumedEnd   sim.Tick          // the tick after the newest one whose own input was used
	started       bool              // an input has been used
	consumedCount uint64            // ticks whose own input was used
	repeatCount   int               // ticks in a row for which the last input was repeated
	lastConsumed  Consumed          // result of the last Pop
	popCount      int               // calls of Pop
	waitedTicks   int               // ticks that the newest used input waited
	receivedTicks [ringLen]sim.Tick // received ticks plus 1, by their low bits
	ahead         int64             // ticks by which the last message was ahead of the server
	hasMessage    bool              // there was one
	outlierCount  int               // messages in a row that were too far ahead of it

	shotBuffer

	message Message
	coder   quant.Coder
}

// queuedInput is an input that waits for its turn.
type queuedInput struct {
	input     sim.Input
	arrivedAt int // in calls of Pop
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
	if p.queue.Len() == 0 || p.wait > 0 {
		p.wait = max(p.wait-1, 0)
		if !p.started {
			p.lastConsumed = Consumed{Source: SourceNone}
			return p.lastInput
		}
		p.lastConsumed.Source = SourceRepeated
		return sim.Input{}
	}
	if p.kept {
		if p.queue.Len() > 1 {
			p.drop()
		}
		p.lastConsumed.Source = SourceRepeated
		if p.repeatCount++; p.repeatCount > s.MaxRepeats {
			return sim.Input{}
		}
		return p.lastInput
	}
	first := *p.queue.At(0)
	if p.started && first.Tick > p.nextTick && int64(first.Tick-p.nextTick) <= int64(s.MaxRepeats) {
		p.lastConsumed = Consumed{SourceFilled, p.nextTick}
		p.nextTick++
		return p.lastInput
	}
	if !p.started {
		p.started, p.firstTick = true, first.Tick
	}
	p.lastInput, p.nextTick, p.consumedEnd, p.repeatCount = first.Value.input, first.Tick+1, first.Tick+1, 0
	p.consumedCount++
	p.waitedTicks = p.popCount - first.Value.arrivedAt
	p.lastConsumed = Consumed{SourceReceived, first.Tick}
	if s.KeepLast && p.queue.Len() == 1 {
		p.kept = true
	} else {
		p.drop()
	}
	return p.lastInput
}

// drop removes the first input. The next one has its turn in the next tick.
func (p *PlayoutBuffer) drop() {
	p.queue.Drop(1)
	p.kept, p.wait = false, 0
}

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
	if p.queue.Len() == 0 {
		p.wait = s.DelayTicks - 1
	}
	place := p.queue.Insert(t)
	if place == nil { // receivedTicks forgets a tick when one 1024 ticks later arrives
		m.Add("duplicate_inputs", 1)
		return
	}
	*place = queuedInput{in, p.popCount}
	p.limitWait(s)
}

// limitWait removes empty places before the first input while there are more places than
// the delay.
func (p *PlayoutBuffer) limitWait(s *PlayoutSettings) {
	p.wait = min(p.wait, max(s.DelayTicks-p.queue.Len(), 0))
}

// Trim ends a tick. It skips the oldest inputs if too many wait.
func (p *PlayoutBuffer) Trim(s *PlayoutSettings, m *predict.Counters) {
	p.limitWait(s)
	if p.waiting() > s.MaxQueued {
		for p.waiting() > min(s.DelayTicks, s.MaxQueued) {
			if !p.kept {
				m.Add("skipped_inputs", 1)
			}
			p.drop()
		}
		p.nextTick = p.queue.At(0).Tick
	}
	m.Set("buffer_depth", float64(p.waiting()))
	if p.started {
		m.Set("inputs_consumed_ratio", float64(p.consumedCount)/float64(p.nextTick-p.firstTick))
	}
}

// waiting returns the number of inputs that have not been used.
func (p *PlayoutBuffer) waiting() int {
	if p.kept {
		return p.queue.Len() - 1
	}
	return p.queue.Len()
}

// ConsumedTick returns the frame after the newest of which the own input was used, and 0
// before any was.
func (p *PlayoutBuffer) ConsumedTick() sim.Tick { return p.consumedEnd }

// LastConsumed returns what the last Take took.
func (p *PlayoutBuffer) LastConsumed() Consumed { return p.lastConsumed }

// WaitedTicks returns for how many ticks the newest input that was used had stood in the
// line.
func (p *PlayoutBuffer) WaitedTicks() int { return p.waitedTicks }

// CopyFrom makes p an equal of o that shares no memory with it.
func (p *PlayoutBuffer) CopyFrom(o *PlayoutBuffer) {
	queue, run, shots := p.queue, p.message.Inputs, p.shots
	queue.CopyFrom(&o.queue, nil)
	*p = *o
	p.queue, p.message.Inputs, p.coder = queue, run, quant.Coder{}
	p.copyShots(&o.shotBuffer, shots)
}
