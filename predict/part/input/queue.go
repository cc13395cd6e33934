package input

import (
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
)

// Queue is the server's buffer of one player's inputs. Each waits for its tick.
type Queue struct {
	ring        [ringLen]slot // by tick
	newest      sim.Tick      // tick of the newest input that has arrived
	ahead       int64         // ticks by which the last message was ahead of the server
	order       order         // of the inputs of a client that draws the past
	clock       packetClock   // of a client that numbers its inputs by its own ticks
	hasAny      bool          // an input has arrived
	nextTick    sim.Tick      // inputs of ticks before it are late
	oldestLate  sim.Tick      // oldest tick of the late inputs since the last PopOldestLate
	hasLate     bool          // there is one
	consumedEnd sim.Tick      // tick after the newest input that was used
	lastInput   sim.Input     // used last
	repeats     int           // ticks in a row for which it was repeated

	firstTick     sim.Tick // oldest tick whose input has arrived
	countedEnd    sim.Tick // ticks before it are counted
	dueCount      uint64   // counted ticks
	consumedCount uint64   // counted ticks whose input was used

	shotBuffer

	counters queueCounters
	decodeScratch
}

// decodeScratch is memory of one payload.
type decodeScratch struct {
	message Message
	coder   quant.Coder
}

type slot struct {
	tick     sim.Tick
	in       sim.Input
	present  bool
	consumed bool
}

// queueCounters are what the queues of all players count together.
type queueCounters struct {
	consumedRatio, starvedTicks, lateInputs, duplicateInputs, bufferDepth, rejectedPayloads predict.Counter
}

func newQueueCounters(m *predict.Counters) (c queueCounters) {
	c.consumedRatio = m.New("inputs_consumed_ratio", "share of inputs that were used in their tick").Of(predict.InputsOnTime)
	c.starvedTicks = m.New("input_starved_ticks", "ticks without their input").Of(predict.LateInputs)
	c.lateInputs = m.New("late_inputs", "inputs that arrived after their tick").Of(predict.LateInputs)
	c.duplicateInputs = m.New("duplicate_inputs", "inputs that arrived again")
	c.bufferDepth = m.New("buffer_depth", "inputs that wait, now").Of(predict.WaitingInputs)
	c.rejectedPayloads = m.Rejected()
	return c
}

// Start sets the first tick whose input will be asked for, and the player's input until one arrives.
func (q *Queue) Start(next sim.Tick, in sim.Input) { q.nextTick, q.lastInput = next, in }

// Read reads an untrusted payload at the server's tick now, of a client whose ticks follow the
// server's. It returns the new inputs, oldest first, and the tick of the first of them. They are valid
// until the next Read.
func (q *Queue) Read(payload []byte, now sim.Tick) (from sim.Tick, fresh []sim.Input) {
	from, fresh, _ = q.ReadWith(payload, now, nil)
	return from, fresh
}

// ReadWith is Read for a payload with bits of the strategy behind the message: more reads them, if there
// are any. ok reports whether all of the payload is well-formed.
func (q *Queue) ReadWith(payload []byte, now sim.Tick, more func(*quant.Coder)) (from sim.Tick, fresh []sim.Input, ok bool) {
	q.coder.BeginRead(payload)
	q.message.NewestTick = sim.Tick(max(int64(now)+q.ahead, 0))
	q.message.Code(&q.coder)
	ahead := int64(q.message.NewestTick) - int64(now)
	if !q.readMore(len(payload), more) || ahead >= ringLen/2 || ahead <= -ringLen/2 {
		q.counters.rejectedPayloads.Inc() // malformed, or its ticks are too far off
		return 0, nil, false
	}
	q.ahead = ahead
	from, fresh = q.queueInputs()
	return from, fresh, true
}

// readMore reads the rest of a payload behind a message. It reports whether all of it was well-formed.
func (q *Queue) readMore(length int, more func(*quant.Coder)) bool {
	if more != nil && q.coder.Err() == nil && !q.coder.AtEnd(length) {
		more(&q.coder)
	}
	return q.coder.Err() == nil && q.coder.AtEnd(length)
}

// ReadOwnTicks is Read for a packet of a client that numbers its inputs by its own ticks, however far
// from the server's tick these are.
func (q *Queue) ReadOwnTicks(p *packet.Packet, now sim.Tick) (from sim.Tick, fresh []sim.Input) {
	from, fresh, _ = q.ReadOwnTicksWith(p, now, nil)
	return from, fresh
}

// ReadOwnTicksWith is to ReadOwnTicks what ReadWith is to Read.
func (q *Queue) ReadOwnTicksWith(p *packet.Packet, now sim.Tick, more func(*quant.Coder)) (from sim.Tick, fresh []sim.Input, ok bool) {
	q.coder.BeginRead(p.Payload)
	q.DecodeOwnTicks(&q.coder, p.Sequence, now)
	if !q.readMore(len(p.Payload), more) {
		q.counters.rejectedPayloads.Inc()
		return 0, nil, false
	}
	from, fresh = q.AcceptOwnTicks(p.Sequence)
	return from, fresh, true
}

// DecodeOwnTicks reads a message at the front of a packet's payload, for ReadOwnTicks, and returns the
// tick of its newest input. s is the packet's number. AcceptOwnTicks queues the inputs, if the rest of
// the payload is well-formed too.
func (q *Queue) DecodeOwnTicks(c *quant.Coder, s packet.Sequence, now sim.Tick) sim.Tick {
	q.clock.decode(c, &q.message, s, now)
	return q.message.NewestTick
}

// SetDecodedTick sets the tick of the newest input in the message that has been read, for a payload
// with more bits of it than the message has. It reports false, and changes nothing, if the low bits
// differ or the inputs would begin before the session.
func (q *Queue) SetDecodedTick(t sim.Tick) bool {
	m := &q.message
	if (t^m.NewestTick)&(1<<m.TickBits-1) != 0 || int64(t) < int64(len(m.Inputs))-1 {
		return false
	}
	m.NewestTick = t
	return true
}

// AcceptOwnTicks queues the inputs of the message that DecodeOwnTicks has read, and returns what Read
// returns.
func (q *Queue) AcceptOwnTicks(s packet.Sequence) (from sim.Tick, fresh []sim.Input) {
	q.clock.accept(&q.message, s)
	return q.queueInputs()
}

// queueInputs queues the inputs of the message that has been read, and returns what Read returns.
func (q *Queue) queueInputs() (from sim.Tick, fresh []sim.Input) {
	run := q.message.Inputs
	oldest := q.message.NewestTick - sim.Tick(len(run)-1)
	firstFresh := len(run)
	for i, in := range run {
		if q.insert(oldest+sim.Tick(i), in) && firstFresh == len(run) {
			firstFresh = i
		}
	}
	return oldest + sim.Tick(firstFresh), run[firstFresh:]
}

// insert stores the input of a tick. It reports whether the input is new and not late.
func (q *Queue) insert(t sim.Tick, in sim.Input) bool {
	if !q.hasAny || t < q.firstTick {
		q.firstTick = t
		if q.dueCount == 0 { // nothing is counted yet
			q.countedEnd = t
		}
	}
	if !q.hasAny || t > q.newest {
		q.newest = t
	}
	q.hasAny = true
	s := &q.ring[t%ringLen]
	if s.present && s.tick == t {
		q.counters.duplicateInputs.Inc()
		if !s.consumed && t >= q.nextTick {
			in.Shot = sim.Shot{} // it counted when the input first arrived
			s.in = in            // the same, or a correction: an old message with equal low bits may have been taken for this tick
		}
		return false
	}
	if t < q.nextTick {
		if t+ringLen/2 > q.nextTick { // an older input may share its slot with a waiting one
			q.extractShot(&in)
			q.order.arrive(t)
			*s = slot{tick: t, in: in, present: true}
			if !q.hasLate || t < q.oldestLate {
				q.oldestLate, q.hasLate = t, true
			}
		}
		q.counters.lateInputs.Inc()
		return false
	}
	q.extractShot(&in)
	q.order.arrive(t)
	*s = slot{tick: t, in: in, present: true}
	return true
}

// Pop returns the input of tick t. If it has not arrived, Pop returns the last input, repeated, or none.
func (q *Queue) Pop(t sim.Tick, repeat Repetition) sim.Input {
	q.nextTick = t + 1
	s := &q.ring[t%ringLen]
	if s.present && s.tick == t {
		s.consumed = true
		q.lastInput, q.consumedEnd, q.repeats = s.in, t+1, 0
		return s.in
	}
	if q.hasAny && t >= q.firstTick {
		q.counters.starvedTicks.Inc()
	}
	return q.repeatLast(repeat)
}

// repeatLast returns the input of one more tick without its own. Before the first input has arrived,
// the client is joining, and time does not count.
func (q *Queue) repeatLast(repeat Repetition) sim.Input {
	if q.hasAny {
		q.repeats++
	}
	return repeat.Input(q.lastInput, q.repeats)
}

// PopOldestLate returns the oldest tick of the inputs that have arrived late since the last call.
func (q *Queue) PopOldestLate() (t sim.Tick, ok bool) {
	t, ok = q.oldestLate, q.hasLate
	q.hasLate = false
	return t, ok
}

// ReplayInput returns the input of a past tick, for a server that simulates the tick again. last is
// the player's input of the tick before, which had been repeated for some ticks; repeats is the same
// of this tick. fresh reports whether the input arrived late and is used for the first time.
func (q *Queue) ReplayInput(t sim.Tick, last sim.Input, repeated int, repeat Repetition) (in sim.Input, repeats int, fresh bool) {
	if s := &q.ring[t%ringLen]; s.present && s.tick == t {
		in, fresh = s.in, !s.consumed
		s.consumed = true
		q.consumedEnd = max(q.consumedEnd, t+1)
	} else {
		repeats = repeated + 1
		in = repeat.Input(last, repeats)
	}
	if t+1 == q.nextTick {
		q.lastInput, q.repeats = in, repeats
	}
	return in, repeats, fresh
}

// Repeats returns the number of ticks in a row, up to the last one, for which an input was repeated.
func (q *Queue) Repeats() int { return q.repeats }

// PopNewest returns the newest input, whatever its tick. If it was used before, PopNewest returns the
// last input, repeated, or none.
func (q *Queue) PopNewest(repeat Repetition) sim.Input {
	if q.hasAny && q.newest >= q.nextTick {
		return q.Pop(q.newest, repeat)
	}
	if q.hasAny {
		q.counters.starvedTicks.Inc()
	}
	return q.repeatLast(repeat)
}

// ConsumedTick returns the tick after the newest input that was used, or 0 if none was.
func (q *Queue) ConsumedTick() sim.Tick { return q.consumedEnd }

// NewestTick returns the tick of the newest input that has arrived.
func (q *Queue) NewestTick() (t sim.Tick, ok bool) { return q.newest, q.hasAny }

// AppendWaiting appends the inputs that wait for the next ticks to dst, at most limit of them, up to the
// first tick whose input has not arrived.
func (q *Queue) AppendWaiting(dst []sim.Input, limit int) []sim.Input {
	for t := q.nextTick; len(dst) < limit; t++ {
		s := &q.ring[t%ringLen]
		if !s.present || s.tick != t {
			break
		}
		dst = append(dst, s.in)
	}
	return dst
}

// CountConsumed counts the inputs that are a second old at tick now. rate is in ticks per second.
func (q *Queue) CountConsumed(now sim.Tick, rate int) {
	depth := 0
	if q.hasAny && q.newest >= q.nextTick {
		for t := q.nextTick; t <= q.newest; t++ {
			if s := &q.ring[t%ringLen]; s.present && s.tick == t {
				depth++
			}
		}
	}
	q.counters.bufferDepth.Set(float64(depth))
	if !q.hasAny {
		return
	}
	for ; q.countedEnd+sim.Tick(rate) < now; q.countedEnd++ {
		q.dueCount++
		if s := &q.ring[q.countedEnd%ringLen]; s.present && s.consumed && s.tick == q.countedEnd {
			q.consumedCount++
		}
	}
	if q.dueCount > 0 {
		q.counters.consumedRatio.Set(float64(q.consumedCount) / float64(q.dueCount))
	}
}

// CopyFrom makes q a copy of o that shares no memory, except for its counters.
func (q *Queue) CopyFrom(o *Queue) {
	counters, scratch, shots := q.counters, q.decodeScratch, q.shots
	*q = *o
	q.counters, q.decodeScratch = counters, scratch
	q.copyShots(&o.shotBuffer, shots)
}
