package input

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
)

// Queue is the server's side for one player: inputs that have come and wait
// for their tick.
type Queue struct {
	ring        [ringLen]slot
	newest      sim.Tick // of all that came
	ahead       int64    // how far the last message was ahead of the server
	hasAny      bool
	nextTick    sim.Tick // inputs of ticks below this have had their turn
	oldestLate  sim.Tick // the oldest of those that came after their tick since Late was asked
	hasLate     bool     // there is one
	consumedEnd sim.Tick // the tick after that of the newest input that has been used
	lastInput   sim.Input

	firstTick     sim.Tick // the oldest that ever came
	countedEnd    sim.Tick // ticks below this are counted
	dueCount      uint64   // inputs old enough to be judged
	consumedCount uint64   // of those, used in their tick

	shotBuffer

	message Message
	coder   quant.Coder
}

type slot struct {
	tick     sim.Tick
	in       sim.Input
	present  bool
	consumed bool
}

// Declare tells env what a queue counts.
func Declare(env *predict.Env) {
	m := env.Counters
	m.Declare("inputs_consumed_ratio", "of the inputs older than a second, the share that was used in its tick")
	m.Declare("input_starved_ticks", "ticks for which the input had not come")
	m.Declare("late_inputs", "inputs that came after their tick")
	m.Declare("duplicate_inputs", "inputs that had come before")
	m.Declare("buffer_depth", "inputs that wait for their tick, now")
	m.Rejected()
}

// Start says that the inputs of ticks below next will not be asked for, and
// what the player held before.
func (q *Queue) Start(next sim.Tick, held sim.Input) { q.nextTick, q.lastInput = next, held }

// Read takes in a payload, which may be anything, at a server's tick now. It
// returns the inputs that are new, oldest first, and the tick of the first of
// them; they are valid until the next Read.
func (q *Queue) Read(payload []byte, now sim.Tick, m *predict.Counters) (from sim.Tick, fresh []sim.Input) {
	q.coder.BeginRead(payload)
	q.Decode(&q.coder, now)
	if q.coder.Err() != nil || !q.coder.AtEnd(len(payload)) {
		m.Rejected().Inc()
		return 0, nil
	}
	return q.Accept(now, m)
}

// Decode reads a message from a payload that has more behind it, and returns the
// tick of its newest input. If c has not failed in the end, Accept takes it in.
func (q *Queue) Decode(c *quant.Coder, now sim.Tick) sim.Tick {
	q.message.NewestTick = sim.Tick(max(int64(now)+q.ahead, 0))
	q.message.Code(c)
	return q.message.NewestTick
}

// Accept takes in the message that Code has read, as Read does.
func (q *Queue) Accept(now sim.Tick, m *predict.Counters) (from sim.Tick, fresh []sim.Input) {
	ahead := int64(q.message.NewestTick) - int64(now)
	if ahead >= ringLen/2 || ahead <= -ringLen/2 {
		m.Rejected().Inc() // no client that can be played with is so far off
		return 0, nil
	}
	q.ahead = ahead
	run := q.message.Inputs
	oldest := q.message.NewestTick - sim.Tick(len(run)-1)
	news := len(run)
	for i, in := range run {
		if q.insert(oldest+sim.Tick(i), in, m) && news == len(run) {
			news = i
		}
	}
	return oldest + sim.Tick(news), run[news:]
}

// insert keeps the input of a tick. It reports whether it is new and still of
// use.
func (q *Queue) insert(t sim.Tick, in sim.Input, m *predict.Counters) bool {
	if !q.hasAny || t < q.firstTick {
		q.firstTick = t
		if q.dueCount == 0 { // nothing is judged yet
			q.countedEnd = t
		}
	}
	if !q.hasAny || t > q.newest {
		q.newest = t
	}
	q.hasAny = true
	s := &q.ring[t%ringLen]
	if s.present && s.tick == t {
		m.Add("duplicate_inputs", 1)
		if !s.consumed && t >= q.nextTick {
			s.in = in // the same, or the true one after one of a tick long ago, of which the low bits are as these
		}
		return false
	}
	if t < q.nextTick {
		if t+ringLen/2 > q.nextTick { // an older one may share its slot with one that waits
			q.extractShot(&in)
			*s = slot{tick: t, in: in, present: true}
			if !q.hasLate || t < q.oldestLate {
				q.oldestLate, q.hasLate = t, true
			}
		}
		m.Add("late_inputs", 1)
		return false
	}
	q.extractShot(&in)
	*s = slot{tick: t, in: in, present: true}
	return true
}

// Pop returns the input of tick t, whose turn it is. Without one it repeats
// the last, or nothing if repeat is false.
func (q *Queue) Pop(t sim.Tick, repeat bool, m *predict.Counters) sim.Input {
	q.nextTick = t + 1
	s := &q.ring[t%ringLen]
	if s.present && s.tick == t {
		s.consumed = true
		q.lastInput, q.consumedEnd = s.in, t+1
		return s.in
	}
	if q.hasAny && t >= q.firstTick {
		m.Add("input_starved_ticks", 1)
	}
	if !repeat {
		return sim.Input{}
	}
	return q.lastInput
}

// PopOldestLate returns the tick of the oldest input that has come after its tick since it was
// last asked.
func (q *Queue) PopOldestLate() (t sim.Tick, ok bool) {
	t, ok = q.oldestLate, q.hasLate
	q.hasLate = false
	return t, ok
}

// ReplayInput returns the input of a tick whose turn is over, for a server that makes the
// tick again, last being what the player did in the tick before. It reports whether
// the input had come too late for its turn and is used now.
func (q *Queue) ReplayInput(t sim.Tick, last sim.Input, repeat bool) (in sim.Input, fresh bool) {
	if s := &q.ring[t%ringLen]; s.present && s.tick == t {
		in, fresh = s.in, !s.consumed
		s.consumed = true
		q.consumedEnd = max(q.consumedEnd, t+1)
	} else if repeat {
		in = last
	}
	if t+1 == q.nextTick {
		q.lastInput = in
	}
	return in, fresh
}

// PopNewest returns the newest input that has come, whatever its tick, or
// the last one again. A server without ticks of its own plays so.
func (q *Queue) PopNewest(repeat bool, m *predict.Counters) sim.Input {
	if q.hasAny && q.newest >= q.nextTick {
		return q.Pop(q.newest, repeat, m)
	}
	if q.hasAny {
		m.Add("input_starved_ticks", 1)
	}
	if !repeat {
		return sim.Input{}
	}
	return q.lastInput
}

// ConsumedTick returns the tick after that of the newest input that has been used, and 0
// before any was.
func (q *Queue) ConsumedTick() sim.Tick { return q.consumedEnd }

// NewestTick returns the tick of the newest input that has come.
func (q *Queue) NewestTick() (t sim.Tick, ok bool) { return q.newest, q.hasAny }

// CountConsumed counts the inputs that have turned a second old by tick now, a second
// being rate ticks.
func (q *Queue) CountConsumed(now sim.Tick, rate int, m *predict.Counters) {
	depth := 0
	if q.hasAny && q.newest >= q.nextTick {
		for t := q.nextTick; t <= q.newest; t++ {
			if s := &q.ring[t%ringLen]; s.present && s.tick == t {
				depth++
			}
		}
	}
	m.Set("buffer_depth", float64(depth))
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
		m.Set("inputs_consumed_ratio", float64(q.consumedCount)/float64(q.dueCount))
	}
}

// CopyFrom makes q an equal of o.
func (q *Queue) CopyFrom(o *Queue) {
	run, shots := q.message.Inputs, q.shots
	*q = *o
	q.message.Inputs, q.coder = run, quant.Coder{}
	q.copyShots(&o.shotBuffer, shots)
}
