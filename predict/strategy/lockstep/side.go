package lockstep

import (
	"time"

	"ghostcube/net/jitter"
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/hit"
	"ghostcube/sim"
)

// side is what both halves have in common: a world, what is known of all
// players' inputs, and the rule that a tick is stepped only with all of them.
type side struct {
	settings
	env    *predict.Env
	number int // of the side: 0 is the server's

	own     []bool // by player: its inputs are made here
	streams []stream
	waiting []*jitter.Playout[sim.Input] // by player; of one's own nothing waits
	past    record
	shots   *hit.Judge // at the server; a client would judge the same

	clock  int64   // ticks of this half's own clock
	filled int64   // of them, those since the first tick was due
	stall  int     // ticks that it has been waiting
	late   float64 // ms by which the earliest inputs come later than at first
	step   []sim.Input

	in, out message
	coder   quant.Coder
	buffer  []byte
}

// start makes the side ready where it lies: its knobs point to it.
func (s *side) start(env *predict.Env, number int) {
	w := env.World
	s.env, s.number = env, number
	s.own, s.step = make([]bool, env.Players), make([]sim.Input, env.Players)
	s.past = newRecord(len(w.Bodies()))
	s.buffer = make([]byte, (mostBytes+2*len(w.Bodies())+7)/8*8)
	s.out.runs = sized(s.out.runs, env.Players)
	for range env.Players {
		s.streams = append(s.streams, newStream(w.Tick()))
		s.waiting = append(s.waiting, jitter.NewPlayout[sim.Input](int64(w.Tick()), w.Rate(), 0))
	}
	s.past.note(w)
	s.settings.declare(env.Knobs)
	m := env.Counters
	m.Declare("stalls", "times that a side waited for an input that was due, all sides together")
	m.Declare("stalls_per_minute", "the same, of the time since the first tick was due")
	m.Declare("stall_longest_ms", "the longest wait")
	m.Declare("stalled_ticks", "ticks spent waiting, all sides together")
	m.Declare("caught_up_ticks", "ticks stepped beyond one at a time, after waits")
	m.Declare("playout_ms", "delay in force")
	m.Declare("clock_drift_ms", "by how much the earliest inputs come later than at first")
	m.Declare("unacked_inputs", "inputs of the own player that are not acknowledged, now")
	m.Declare("input_runs", "runs of inputs sent, one for each player in a packet")
	m.Declare("inputs_sent", "inputs in them, each time counted")
	m.Declare("input_bits", "bits of them, headers and all else apart")
	m.Declare("window_full_ticks", "ticks in which no input could be made, because too many are not acknowledged or not stepped")
	m.Declare("held_ticks", "ticks in which a client made no input, so as not to be ahead of the other players")
	m.Declare("checksums", "ticks of which both sides' checksums were compared, until they differed")
	m.Declare("desyncs", "clients whose world is known to differ from the server's")
	m.Declare("desync_tick", "the first tick that differs, as far as is known; 0: none")
	m.Declare("desync_body", "the first body that differs in it; -1: only contacts do")
	m.Declare("desync_bodies", "how many bodies differ in it")
	m.Declare("refused", "payloads that were no message")
}

// now is the time on this half's own clock, which ticks when the half does.
func (s *side) now() time.Duration {
	rate := int64(s.env.World.Rate())
	return time.Duration(s.clock/rate)*time.Second + time.Duration(s.clock%rate)*time.Second/time.Duration(rate)
}

// begin begins a tick of the half. It returns whether what is sent in it goes
// over TCP.
func (s *side) begin() (stream bool) {
	stream = s.env.InOrder
	s.env.InOrder = s.transport == tcp
	s.clock++
	for p, q := range s.waiting {
		if !s.own[p] {
			q.Delay = time.Duration(s.playout * float64(time.Millisecond))
			q.Adapt, q.Follow = s.adaptive, s.drift
		}
	}
	return stream
}

// take takes in what a message says of players' inputs: those that follow what
// is here, as far as full allows.
func (s *side) take(p int, r *run, full func(p int) bool) {
	st := &s.streams[p]
	first := r.next - sim.Tick(len(r.inputs))
	if first > st.next || r.next <= st.next {
		return // a gap, or nothing new
	}
	for _, in := range r.inputs[st.next-first:] {
		if full(p) || s.waiting[p].Put(s.now(), int64(st.next), in) == jitter.Far {
			return
		}
		st.add(in)
	}
}

// advance steps as many ticks as the inputs that are here and due allow.
func (s *side) advance() {
	w, m, now := s.env.World, s.env.Counters, s.now()
	n, alone := s.catchUp, true
	held, drift := time.Duration(0), time.Duration(0)
	overdue := false
	for p, q := range s.waiting {
		if s.own[p] {
			n = min(n, int(s.streams[p].next-w.Tick()))
			continue
		}
		alone = false
		n = min(n, q.Ready(now, n))
		overdue = overdue || q.Overdue(now)
		held = max(held, q.Held())
		if d := q.Drift(); d.Abs() > drift.Abs() {
			drift = d
		}
	}
	for range n {
		for p, q := range s.waiting {
			if s.own[p] {
				s.step[p] = s.streams[p].at(w.Tick())
				continue
			}
			i, _ := q.Take(now)
			s.step[p] = i.Value
		}
		if s.shots != nil {
			s.fire()
		}
		w.Settings.SolveOrderSeed = s.seed(w.Tick(), s.number)
		began := m.Begin()
		s.contacts.Step(w, s.step...)
		m.Spent("step", began)
		if s.every > 0 {
			began = m.Begin()
			s.past.note(w)
			m.Spent("checksum", began)
		}
	}
	if alone {
		return
	}
	m.Set("playout_ms", float64(held)/float64(time.Millisecond))
	s.late = float64(drift) / float64(time.Millisecond)
	m.Set("clock_drift_ms", s.late)
	s.count(n, overdue)
}

// fire judges the shots of the tick that is to be stepped.
func (s *side) fire() {
	w := s.env.World
	s.shots.Remember(w)
	for p, in := range s.step {
		if in.Shot.Fired {
			s.shots.Hear(w, p, in.Shot)
		}
	}
	s.shots.Play(w)
}

// count counts waits, from the first tick that was due.
func (s *side) count(stepped int, overdue bool) {
	m, rate := s.env.Counters, float64(s.env.World.Rate())
	if stepped > 0 || s.filled > 0 {
		s.filled++
	}
	if stepped > 1 {
		m.Add("caught_up_ticks", float64(stepped-1))
	}
	if stepped > 0 || !overdue {
		s.stall = 0
	} else {
		if s.stall == 0 {
			m.Add("stalls", 1)
		}
		s.stall++
		m.Add("stalled_ticks", 1)
		m.Set("stall_longest_ms", max(m.Value("stall_longest_ms"), float64(s.stall*1000)/rate))
	}
	if s.filled > 0 {
		m.Set("stalls_per_minute", float64(m.Value("stalls")*rate*60)/float64(s.filled))
	}
}

// check puts the newest checksum into the message to be sent.
func (s *side) check() {
	t := s.env.World.Tick()
	s.out.checked = s.every > 0 && t%sim.Tick(s.every) == 0
	s.out.tick, s.out.hash = t, s.past.at(t)
	s.out.checked = s.out.checked && s.out.hash != 0
}

// fill puts the inputs of a player that the other side of d has not
// acknowledged into the message to be sent.
func (s *side) fill(p int, l *delivery, stream bool) {
	r := &s.out.runs[p]
	from, n := l.due(&s.streams[p], stream)
	r.passed, r.next, r.inputs = true, from+sim.Tick(n), r.inputs[:0]
	for i := range n {
		r.inputs = append(r.inputs, s.streams[p].at(from+sim.Tick(i)))
	}
	if n > 0 {
		s.coder.Measure()
		r.code(&s.coder, 0)
		s.env.Counters.Add("input_runs", 1)
		s.env.Counters.Add("inputs_sent", float64(n))
		s.env.Counters.Add("input_bits", float64(s.coder.Processed()))
	}
}

// confirm puts what has come of a player's inputs into the message to be sent.
func (s *side) confirm(p int) {
	r := &s.out.runs[p]
	r.passed, r.next, r.inputs = false, s.streams[p].next, r.inputs[:0]
}

func (s *side) send(e *packet.Endpoint) { e.Send(s.out.write(&s.coder, s.buffer)) }

func (s *side) copyFrom(o *side) {
	s.settings = o.settings
	copy(s.own, o.own)
	copy(s.streams, o.streams)
	for i := range s.waiting {
		s.waiting[i].CopyFrom(o.waiting[i])
	}
	s.past.copyFrom(&o.past)
	s.clock, s.filled, s.stall, s.late = o.clock, o.filled, o.stall, o.late
}
