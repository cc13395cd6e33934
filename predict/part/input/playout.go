package input

import (
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/part/playout"
	"ghostcube/sim"
)

// PlayoutBuffer is the server's queue of one player's inputs, as in Space Engineers (a talk at
// GDC): a queue of DelayTicks slots whose first slot the server pops in each of its ticks.
// Inputs are sorted by the client's ticks. The first one to arrive enters the last slot, so
// it waits for the whole delay. A later one enters the slot behind the input before it. All
// other slots are empty.
//
// Empty slots matter only before the first input: they are the ticks until its turn. So the
// queue is a playout.Buffer and a number of ticks.
//
// The used input need not be of the server's tick; LastConsumed returns its tick.
type PlayoutBuffer struct {
	queue         playout.Buffer[queuedInput]
	wait          int               // ticks until the turn of the first input, if there is one
	repeating     bool              // the first input has been used and stays to be repeated
	lastInput     sim.Input         // used last
	nextTick      sim.Tick          // the client's tick after the newest one used
	firstTick     sim.Tick          // the first one used
	consumedEnd   sim.Tick          // the tick after the newest one whose own input was used
	started       bool              // an input has been used
	consumedCount uint64            // ticks whose own input was used
	repeatCount   int               // ticks in a row for which the last input was repeated
	lastConsumed  Consumed          // result of the last Pop
	popCount      int               // calls of Pop
	repeated      bool              // the last Pop returned the input of the one before, because none waited
	arrivals      arrivals          // since the last Pop
	waitedTicks   int               // ticks that the newest used input waited
	calmTicks     int               // ticks in a row without starvation in which too many inputs waited
	longTicks     int               // ticks in a row in which more than Slack waited beyond DelayTicks
	starvedTicks  int               // ticks without an input since the buffer was last neither starved nor too long
	receivedTicks [ringLen]sim.Tick // received ticks plus 1, by their low bits
	ahead         int64             // ticks by which the last message was ahead of the server
	hasMessage    bool              // there was one
	outlierCount  int               // messages in a row that were too far ahead of it
	clock         packetClock       // of a client that numbers its inputs by its own ticks

	shotBuffer

	counters playoutCounters
	decodeScratch
}

// queuedInput is an input that waits for its turn.
type queuedInput struct {
	input     sim.Input
	arrivedAt int // in calls of Pop
}

// Consumed describes the input that a tick of the server was made with.
type Consumed struct {
	Source     Source
	ClientTick sim.Tick // newest client tick used; undefined with SourceNone
}

// Source is the origin of an input.
type Source uint8

// The sources.
const (
	SourceNone     Source = iota // no input has arrived yet: the player goes on as before
	SourceReceived               // the input of ClientTick
	SourceFilled                 // the last input, because that of ClientTick is missing and a later one waits
	SourceRepeated               // the last input or none, because no input waits
)

// PlayoutSettings are the knobs of a playout buffer.
type PlayoutSettings struct {
	DelayTicks int        // places
	KeepLast   bool       // the last input stays in the buffer to be repeated
	Repeat     Repetition // how long it is, and how many missing inputs are filled
	Slack      int        // inputs that may wait beyond DelayTicks
	DrainAfter float64    // time until an input is skipped because too many wait, ms; 0: never
}

// declare declares the knobs, at rate ticks per second.
func (s *PlayoutSettings) declare(k *predict.Knobs, rate int) {
	DeclarePlayoutDelay(&s.DelayTicks, k)
	group := k.In(predict.InputKnobs)
	group.Bool(&s.KeepLast, "keep-last", true, "repeat the last input until the next arrives, used at once; off: no input, then the full delay")
	k.NotSearched(predict.MovesServer, "keep-last")
	s.Repeat.Enabled = true
	s.Repeat.declareTime(k, rate)
	group = k.In(predict.PlayoutKnobs)
	group.Int(&s.Slack, "playout-slack", 4, 0, 256, "inputs that may wait beyond playout; more are skipped after as long a starvation, or a second")
	group.Millis(&s.DrainAfter, "playout-drain", 1000, 0, 60000,
		"time with two or more inputs beyond playout after which one is skipped, ms; 0: never")
	for _, name := range []string{"keep-last", "playout-slack", "playout-drain"} {
		k.Needs(name, "playout")
	}
}

// playoutCounters are what the playout buffers of all players count together.
type playoutCounters struct {
	consumedRatio, starvedTicks, lateInputs, duplicateInputs, skippedInputs, bufferDepth, rejectedPayloads predict.Counter
}

func newPlayoutCounters(m *predict.Counters) (c playoutCounters) {
	c.consumedRatio = m.New("inputs_consumed_ratio", "share of the client's ticks whose input was used").Of(predict.InputsOnTime)
	c.starvedTicks = m.New("input_starved_ticks", "server ticks without the next input").Of(predict.LateInputs)
	c.lateInputs = m.New("late_inputs", "inputs that arrived after their turn").Of(predict.LateInputs)
	c.duplicateInputs = m.New("duplicate_inputs", "inputs that arrived again")
	c.skippedInputs = m.New("skipped_inputs", "inputs skipped because too many waited")
	c.bufferDepth = m.New("buffer_depth", "inputs that wait, now").Of(predict.WaitingInputs)
	c.rejectedPayloads = m.Rejected()
	return c
}

// DeclarePlayoutDelay declares the knob that both sides use.
func DeclarePlayoutDelay(p *int, k *predict.Knobs) {
	k.In(predict.PlayoutKnobs).Int(p, "playout", 4, 1, 60, "playout delay of inputs at the server, ticks; the client runs ahead by as much")
}

// Start sets the player's input until the first one arrives.
func (p *PlayoutBuffer) Start(in sim.Input) { p.lastInput = in }

// Pop takes the first place and returns the player's input for the tick that begins. Call it
// once in each tick, before Read.
func (p *PlayoutBuffer) Pop(s *PlayoutSettings) sim.Input {
	p.popCount++
	p.arrivals, p.repeated = arrivals{}, false
	in := p.pop(s)
	if p.lastConsumed.Source == SourceFilled || p.lastConsumed.Source == SourceRepeated {
		p.counters.starvedTicks.Inc()
	}
	if p.lastConsumed.Source == SourceRepeated {
		p.starvedTicks++
	}
	return in
}

// pop is Pop without the counters.
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
	if p.repeating {
		if p.queue.Len() > 1 {
			p.drop()
		}
		p.lastConsumed.Source = SourceRepeated
		p.repeatCount++
		p.repeated = p.repeatCount <= s.Repeat.Ticks()
		return s.Repeat.Input(p.lastInput, p.repeatCount)
	}
	first := *p.queue.At(0)
	if p.started && first.Tick > p.nextTick && int64(first.Tick-p.nextTick) <= int64(s.Repeat.Ticks()) {
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
		p.repeating = true
	} else {
		p.drop()
	}
	return p.lastInput
}

// drop removes the first input. The next one has its turn in the next tick.
func (p *PlayoutBuffer) drop() {
	p.queue.Drop(1)
	p.repeating, p.wait = false, 0
}

// maxOutliers is how many messages in a row are rejected because they are much further ahead
// of the server than those before. After a long freeze of the client, the low bits of its
// old tick are those of a later one, until the client has set its clock. A client that
// stays that far ahead is accepted after maxOutliers messages.
const maxOutliers = 30

// Read reads a payload at the server's tick now. A malformed payload is counted and dropped.
func (p *PlayoutBuffer) Read(payload []byte, now sim.Tick, s *PlayoutSettings) {
	c, msg := &p.coder, &p.message
	c.BeginRead(payload)
	msg.NewestTick = sim.Tick(max(int64(now)+p.ahead, 0))
	msg.Code(c)
	ahead := int64(msg.NewestTick) - int64(now)
	if c.Err() != nil || !c.AtEnd(len(payload)) || ahead >= ringLen/2 || ahead <= -ringLen/2 {
		p.counters.rejectedPayloads.Inc() // malformed, or its ticks are too far off
		return
	}
	if p.hasMessage && ahead > p.ahead+int64(1)<<msg.TickBits/8 && p.outlierCount < maxOutliers {
		p.outlierCount++
		p.counters.rejectedPayloads.Inc()
		return
	}
	p.ahead, p.hasMessage, p.outlierCount = ahead, true, 0
	p.queueInputs(s)
}

// readOwnTicks is Read for a packet of a client that numbers its inputs by its own ticks.
func (p *PlayoutBuffer) readOwnTicks(from *packet.Packet, now sim.Tick, s *PlayoutSettings) {
	c, msg := &p.coder, &p.message
	c.BeginRead(from.Payload)
	p.clock.decode(c, msg, from.Sequence, now)
	if c.Err() != nil || !c.AtEnd(len(from.Payload)) {
		p.counters.rejectedPayloads.Inc()
		return
	}
	p.clock.accept(msg, from.Sequence)
	p.queueInputs(s)
}

// queueInputs queues the inputs of the message that has been read.
func (p *PlayoutBuffer) queueInputs(s *PlayoutSettings) {
	msg := &p.message
	oldest := msg.NewestTick - sim.Tick(len(msg.Inputs)-1)
	for i, in := range msg.Inputs {
		p.insert(oldest+sim.Tick(i), in, s)
	}
}

// insert queues the input of a client's tick.
func (p *PlayoutBuffer) insert(t sim.Tick, in sim.Input, s *PlayoutSettings) {
	if p.receivedTicks[t%ringLen] == t+1 {
		p.countDuplicate()
		return
	}
	p.receivedTicks[t%ringLen] = t + 1
	p.extractShot(&in)
	if p.started && t < p.nextTick {
		p.counters.lateInputs.Inc()
		p.arrivals.late++
		return
	}
	if p.queue.Len() == 0 {
		p.wait = s.DelayTicks - 1
	}
	place := p.queue.Insert(t)
	if place == nil { // receivedTicks forgets a tick when one 1024 ticks later arrives
		p.countDuplicate()
		return
	}
	p.arrivals.fresh++
	*place = queuedInput{in, p.popCount}
	p.limitWait(s)
}

func (p *PlayoutBuffer) countDuplicate() {
	p.counters.duplicateInputs.Inc()
	p.arrivals.duplicate++
}

// limitWait removes empty places before the first input until no more than DelayTicks places
// are left.
func (p *PlayoutBuffer) limitWait(s *PlayoutSettings) {
	p.wait = min(p.wait, max(s.DelayTicks-p.queue.Len(), 0))
}

// Trim ends a tick at rate ticks per second. It skips inputs if too many wait.
//
// The inputs of ticks in which the buffer starved arrive together, and are late by as many ticks. If those are more
// than Slack, they are skipped. Under jitter as many may wait for a moment, and none a moment later; so without starvation
// inputs are skipped only after a second. The buffer grows by a tick whenever it starves, and would keep that delay for ever;
// so one is skipped if more than DelayTicks and one have waited for long.
func (p *PlayoutBuffer) Trim(s *PlayoutSettings, rate int) {
	p.limitWait(s)
	switch excess := p.waiting() - s.DelayTicks; {
	case excess <= s.Slack:
		p.longTicks = 0
		if p.lastConsumed.Source == SourceReceived {
			p.starvedTicks = 0
		}
	case p.started && p.starvedTicks > s.Slack:
		p.skip(min(excess, p.starvedTicks))
		p.starvedTicks = 0
	default:
		if p.longTicks++; !p.started || p.longTicks >= rate || excess > s.Slack+rate {
			p.skip(excess)
			p.longTicks = 0
		}
	}
	// One input more is within the tolerance of the client's clock.
	if p.calmTicks++; p.lastConsumed.Source != SourceReceived || p.waiting() <= s.DelayTicks+1 {
		p.calmTicks = 0
	}
	if s.DrainAfter > 0 && float64(p.calmTicks)*1000 >= s.DrainAfter*float64(rate) {
		p.skip(1)
		p.calmTicks = 0
	}
	p.counters.bufferDepth.Set(float64(p.waiting()))
	if p.started {
		p.counters.consumedRatio.Set(float64(p.consumedCount) / float64(p.nextTick-p.firstTick))
	}
}

// skip removes the oldest inputs that wait, and counts them. More than n inputs must wait.
func (p *PlayoutBuffer) skip(n int) {
	for keep := p.waiting() - n; p.waiting() > keep; p.drop() {
		if !p.repeating {
			p.counters.skippedInputs.Inc()
		}
	}
	p.nextTick = p.queue.At(0).Tick
}

// waiting returns the number of inputs that have not been used.
func (p *PlayoutBuffer) waiting() int {
	if p.repeating {
		return p.queue.Len() - 1
	}
	return p.queue.Len()
}

// AppendWaiting appends the inputs of the next ticks to dst, at most limit of them, up to the first tick whose input
// has not arrived.
func (p *PlayoutBuffer) AppendWaiting(dst []sim.Input, limit int) []sim.Input {
	next := 0
	switch {
	case p.wait > 0 || p.waiting() == 0:
		return dst
	case p.repeating: // once more, and then the next one has its turn
		dst, next = append(dst, p.lastInput), 1
	}
	for t := p.nextTick; next < p.queue.Len() && len(dst) < limit && p.queue.At(next).Tick == t; t++ {
		dst = append(dst, p.queue.At(next).Value.input)
		next++
	}
	return dst
}

// ConsumedTick returns the client's tick after the newest one whose own input was used, and 0
// before any was.
func (p *PlayoutBuffer) ConsumedTick() sim.Tick { return p.consumedEnd }

// LastConsumed describes the input that the last Pop returned.
func (p *PlayoutBuffer) LastConsumed() Consumed { return p.lastConsumed }

// WaitedTicks returns the number of ticks that the newest used input waited in the buffer.
func (p *PlayoutBuffer) WaitedTicks() int { return p.waitedTicks }

// CopyFrom makes p a copy of o that shares no memory, except for its counters.
func (p *PlayoutBuffer) CopyFrom(o *PlayoutBuffer) {
	queue, counters, scratch, shots := p.queue, p.counters, p.decodeScratch, p.shots
	queue.CopyFrom(&o.queue, nil)
	*p = *o
	p.queue, p.counters, p.decodeScratch = queue, counters, scratch
	p.copyShots(&o.shotBuffer, shots)
}
