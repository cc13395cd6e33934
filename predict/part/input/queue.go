package input

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
)

// Queue is the server's side for one player: inputs that have come and wait
// for their tick.
type Queue struct {
	ring   [remembered]slot
	newest sim.Tick // of all that came
	ahead  int64    // how far the last message was ahead of the server
	any    bool
	next   sim.Tick // inputs of ticks below this have had their turn
	late   sim.Tick // the oldest of those that came after their tick since Late was asked
	lates  bool     // there is one
	made   sim.Tick // the tick after that of the newest input that has been used
	last   sim.Input

	first  sim.Tick // the oldest that ever came
	judged sim.Tick // ticks below this are counted
	due    uint64   // inputs old enough to be judged
	used   uint64   // of those, used in their tick

	fired

	message Message
	coder   quant.Coder
}

type slot struct {
	tick sim.Tick
	in   sim.Input
	here bool
	used bool
}

// Declare tells env what a queue counts.
func Declare(env *predict.Env) {
	m := env.Counters
	m.Declare("inputs_consumed_ratio", "of the inputs older than a second, the share that was used in its tick")
	m.Declare("starved", "ticks for which the input had not come")
	m.Declare("late_inputs", "inputs that came after their tick")
	m.Declare("repeated_inputs", "inputs that had come before")
	m.Declare("buffer_depth", "inputs that wait for their tick, now")
	m.Declare("refused", "payloads that were no message")
}

// Start says that the inputs of ticks below next will not be asked for, and
// what the player held before.
func (q *Queue) Start(next sim.Tick, held sim.Input) { q.next, q.last = next, held }

// Read takes in a payload, which may be anything, at a server's tick now. It
// returns the inputs that are new, oldest first, and the tick of the first of
// them; they are valid until the next Read.
func (q *Queue) Read(payload []byte, now sim.Tick, m *predict.Counters) (from sim.Tick, fresh []sim.Input) {
	q.coder.Read(payload)
	q.Code(&q.coder, now)
	if q.coder.Err() != nil || !q.coder.Whole(len(payload)) {
		m.Add("refused", 1)
		return 0, nil
	}
	return q.Accept(now, m)
}

// Code reads a message from a payload that has more behind it, and returns the
// tick of its newest input. If c has not failed in the end, Accept takes it in.
func (q *Queue) Code(c *quant.Coder, now sim.Tick) sim.Tick {
	q.message.Newest = sim.Tick(max(int64(now)+q.ahead, 0))
	q.message.Code(c)
	return q.message.Newest
}

// Accept takes in the message that Code has read, as Read does.
func (q *Queue) Accept(now sim.Tick, m *predict.Counters) (from sim.Tick, fresh []sim.Input) {
	ahead := int64(q.message.Newest) - int64(now)
	if ahead >= remembered/2 || ahead <= -remembered/2 {
		m.Add("refused", 1) // no client that can be played with is so far off
		return 0, nil
	}
	q.ahead = ahead
	run := q.message.Inputs
	oldest := q.message.Newest - sim.Tick(len(run)-1)
	news := len(run)
	for i, in := range run {
		if q.put(oldest+sim.Tick(i), in, m) && news == len(run) {
			news = i
		}
	}
	return oldest + sim.Tick(news), run[news:]
}

// put keeps the input of a tick. It reports whether it is new and still of
// use.
func (q *Queue) put(t sim.Tick, in sim.Input, m *predict.Counters) bool {
	if !q.any || t < q.first {
		q.first = t
		if q.due == 0 { // nothing is judged yet
			q.judged = t
		}
	}
	if !q.any || t > q.newest {
		q.newest = t
	}
	q.any = true
	s := &q.ring[t%remembered]
	if s.here && s.tick == t {
		m.Add("repeated_inputs", 1)
		if !s.used && t >= q.next {
			s.in = in // the same, or the true one after one of a tick long ago, of which the low bits are as these
		}
		return false
	}
	if t < q.next {
		if t+remembered/2 > q.next { // an older one may share its slot with one that waits
			q.takeShot(&in)
			*s = slot{tick: t, in: in, here: true}
			if !q.lates || t < q.late {
				q.late, q.lates = t, true
			}
		}
		m.Add("late_inputs", 1)
		return false
	}
	q.takeShot(&in)
	*s = slot{tick: t, in: in, here: true}
	return true
}

// Take returns the input of tick t, whose turn it is. Without one it repeats
// the last, or nothing if repeat is false.
func (q *Queue) Take(t sim.Tick, repeat bool, m *predict.Counters) sim.Input {
	q.next = t + 1
	s := &q.ring[t%remembered]
	if s.here && s.tick == t {
		s.used = true
		q.last, q.made = s.in, t+1
		return s.in
	}
	if q.any && t >= q.first {
		m.Add("starved", 1)
	}
	if !repeat {
		return sim.Input{}
	}
	return q.last
}

// Late returns the tick of the oldest input that has come after its tick since it was
// last asked.
func (q *Queue) Late() (t sim.Tick, ok bool) {
	t, ok = q.late, q.lates
	q.lates = false
	return t, ok
}

// Again returns the input of a tick whose turn is over, for a server that makes the
// tick again, last being what the player did in the tick before. It reports whether
// the input had come too late for its turn and is used now.
func (q *Queue) Again(t sim.Tick, last sim.Input, repeat bool) (in sim.Input, fresh bool) {
	if s := &q.ring[t%remembered]; s.here && s.tick == t {
		in, fresh = s.in, !s.used
		s.used = true
		q.made = max(q.made, t+1)
	} else if repeat {
		in = last
	}
	if t+1 == q.next {
		q.last = in
	}
	return in, fresh
}

// TakeNewest returns the newest input that has come, whatever its tick, or
// the last one again. A server without ticks of its own plays so.
func (q *Queue) TakeNewest(repeat bool, m *predict.Counters) sim.Input {
	if q.any && q.newest >= q.next {
		return q.Take(q.newest, repeat, m)
	}
	if q.any {
		m.Add("starved", 1)
	}
	if !repeat {
		return sim.Input{}
	}
	return q.last
}

// Used returns the tick after that of the newest input that has been used, and 0
// before any was.
func (q *Queue) Used() sim.Tick { return q.made }

// Newest returns the tick of the newest input that has come.
func (q *Queue) Newest() (t sim.Tick, ok bool) { return q.newest, q.any }

// Judge counts the inputs that have turned a second old by tick now, a second
// being rate ticks.
func (q *Queue) Judge(now sim.Tick, rate int, m *predict.Counters) {
	depth := 0
	if q.any && q.newest >= q.next {
		for t := q.next; t <= q.newest; t++ {
			if s := &q.ring[t%remembered]; s.here && s.tick == t {
				depth++
			}
		}
	}
	m.Set("buffer_depth", float64(depth))
	if !q.any {
		return
	}
	for ; q.judged+sim.Tick(rate) < now; q.judged++ {
		q.due++
		if s := &q.ring[q.judged%remembered]; s.here && s.used && s.tick == q.judged {
			q.used++
		}
	}
	if q.due > 0 {
		m.Set("inputs_consumed_ratio", float64(q.used)/float64(q.due))
	}
}

// CopyFrom makes q an equal of o.
func (q *Queue) CopyFrom(o *Queue) {
	run, shots := q.message.Inputs, q.list
	*q = *o
	q.message.Inputs, q.coder = run, quant.Coder{}
	q.copyShots(&o.fired, shots)
}
