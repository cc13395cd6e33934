package lockstep

import (
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/desync"
	"ghostcube/predict/part/hit"
	"ghostcube/sim"
)

// side is the common part of server and client: a world, the known inputs of all players, and the
// rule that a tick is stepped only with all of them.
type side struct {
	env            *predict.Env
	number         int // distinguishes the sides: 0 for the server, player+2 for a client
	settings       settings
	state          sideState
	local          []bool          // by player: the inputs are sampled at this side
	streams        []inputStream   // by player
	playoutBuffers []playoutBuffer // by player; empty for local players
	eventInputs    []eventInput    // by player
	checksums      desync.History
	lagCompensator *hit.LagCompensator // at the server only
	counters       sideCounters
	scratch        sideScratch
}

// sideCounters are the counters of both sides.
type sideCounters struct {
	stalls, stallsPerMinute, stallMax, stalledTicks, catchUpTicks, playoutDelay, clockDrift, clockJumps predict.Counter
	unackedInputs, inputRuns, inputsSent, inputBits, windowFullTicks, inputPauseTicks                   predict.Counter
	bufferDepth, disconnects, rejectedPayloads                                                          predict.Counter

	desync desync.Counters
}

// sideState is plain: it is copied by assignment.
type sideState struct {
	playingTicks int64      // ticks since the first one was due
	stallTicks   int        // length of the present stall
	behindTicks  int        // ticks that are due and have not been stepped
	clockDrift   sim.Moment // how much later than at first the earliest inputs arrive
	frameInputs  int        // own inputs sampled in the present frame of the program
	frameSteps   int        // ticks stepped in it
	stepEnd      sim.Tick   // tick from which on no tick is stepped; 0: none
}

// sideScratch is memory that is reused. It holds nothing from one tick to the next.
type sideScratch struct {
	stepInputs []sim.Input
	in, out    message
	coder      quant.Coder
	buffer     []byte
}

// init initialises the side. Its knobs point into it, so it must not move afterwards.
func (s *side) init(env *predict.Env, number int) {
	w := env.World
	s.env, s.number = env, number
	s.local, s.scratch.stepInputs = make([]bool, env.Players), make([]sim.Input, env.Players)
	s.checksums = desync.NewHistory(len(w.Bodies()))
	s.scratch.buffer = make([]byte, (maxBytes+2*len(w.Bodies())+7)/8*8)
	s.scratch.out.players = resize(s.scratch.out.players, env.Players)
	for range env.Players {
		s.streams = append(s.streams, newInputStream(w.Tick()))
		s.playoutBuffers = append(s.playoutBuffers, newPlayoutBuffer(w.Tick(), w.Rate()))
		s.eventInputs = append(s.eventInputs, eventInput{})
	}
	s.checksums.Record(w)
	s.settings.declare(env.Knobs, env.World)
	s.counters.init(env.Counters)
}

func (s *sideCounters) init(m *predict.Counters) {
	s.stalls = m.New("stalls", "stops for a missing input, all sides together").Of(predict.Stalls)
	s.stallsPerMinute = m.New("stalls_per_minute", "stalls per minute, since the first tick was due").Of(predict.StallsPerMinute)
	s.stallMax = m.New("stall_max_ms", "longest stall, ms").Of(predict.LongestStall)
	s.stalledTicks = m.New("stalled_ticks", "ticks stalled by a missing input, all sides together")
	s.catchUpTicks = m.New("catch_up_ticks", "ticks stepped after the first of a frame, all sides together")
	s.playoutDelay = m.New("playout_delay_ms", "playout delay, ms, now")
	s.bufferDepth = m.New("buffer_depth", "most inputs of one player in a playout buffer, now").Of(predict.WaitingInputs)
	s.clockDrift = m.New("clock_drift_ms", "delay of the earliest inputs since the start, ms, now")
	s.clockJumps = m.ClockJumps()
	s.unackedInputs = m.New("unacked_inputs", "unacknowledged inputs of the player, now")
	s.inputRuns = m.New("input_runs", "runs of inputs sent, one per player and packet").Of(predict.InputPackets)
	s.inputsSent = m.New("inputs_sent", "inputs sent in runs, repeats included")
	s.inputBits = m.New("input_bits", "bits in runs of inputs").Of(predict.InputBits)
	s.windowFullTicks = m.New("window_full_ticks", "ticks without a new input because too many wait")
	s.inputPauseTicks = m.New("input_pause_ticks", "ticks without a new input, so that others catch up")
	s.disconnects = m.New("disconnects", "connections ended by the knob timeout")
	s.desync.Declare(m)
	s.rejectedPayloads = m.Rejected()
}

// beginTick begins a tick of the side. It reports whether the tick's packets are sent over TCP.
func (s *side) beginTick() (overTCP bool) {
	overTCP = s.env.ReliableOrdered
	s.env.ReliableOrdered = s.settings.transport == tcp
	if !s.env.SameFrame {
		s.state.frameInputs, s.state.frameSteps = 0, 0
	}
	for p := range s.playoutBuffers {
		if s.playoutBuffers[p].beginTick(&s.settings, s.env.MissedTicks) {
			s.counters.clockJumps.Inc()
		}
	}
	return overTCP
}

// dueTicks returns the number of ticks that are due and have not been stepped: by the clocks of the playout
// buffers, or if all inputs are the side's own, by these.
func (s *side) dueTicks() int {
	due, allLocal := 0, true
	for p := range s.playoutBuffers {
		if !s.local[p] && !s.eventInputs[p].active {
			due, allLocal = max(due, s.playoutBuffers[p].behind()), false
		}
	}
	if allLocal {
		due = int(s.streams[0].next - s.env.World.Tick())
	}
	return due
}

// receiveInputs appends a player's inputs in a message to its stream, those that follow the newest
// one, until full reports that there is no room.
func (s *side) receiveInputs(p int, r *playerSection, full func(p int) bool) {
	st := &s.streams[p]
	first := r.next - sim.Tick(len(r.inputs))
	if first > st.next || r.next <= st.next {
		return // a gap, or no new inputs
	}
	if !full(p) {
		s.playoutBuffers[p].start(r.next - 1)
	}
	for _, in := range r.inputs[st.next-first:] {
		if full(p) || !s.playoutBuffers[p].push(st.next, in) {
			return
		}
		st.add(in)
	}
}

// advance steps the ticks whose inputs are due and have arrived.
func (s *side) advance() {
	w, m, inputs := s.env.World, s.env.Counters, s.scratch.stepInputs
	due := s.dueTicks()
	n, allLocal := max(s.settings.catchUpTicks(due, len(w.Bodies()))-s.state.frameSteps, 0), true
	if s.env.Joined {
		n = joinCatchUp
	}
	if end := s.state.stepEnd; end > 0 {
		n = min(n, int(end-min(w.Tick(), end)))
	}
	delay, drift := sim.Moment(0), sim.Moment(0)
	overdue := false
	for p := range s.playoutBuffers {
		if s.local[p] || s.eventInputs[p].active {
			n = min(n, int(s.streams[p].next-w.Tick()))
			continue
		}
		allLocal = false
		q := &s.playoutBuffers[p]
		n = q.releasable(n)
		overdue = overdue || q.stalled()
		delay = max(delay, q.delay)
		if d := q.arrivals.Drift(); max(d, -d) > max(drift, -drift) {
			drift = d
		}
	}
	for range n {
		for p := range s.playoutBuffers {
			if s.local[p] || s.eventInputs[p].active {
				inputs[p] = s.streams[p].at(w.Tick())
				continue
			}
			inputs[p], _ = s.playoutBuffers[p].pop()
		}
		if s.lagCompensator != nil {
			s.resolveShots()
		}
		w.Settings.SolveOrderSeed = s.settings.contactSeed(w.Tick(), s.number)
		if s.number > 0 {
			w.Settings.StepError = float32(s.settings.stepError) / 1e6
		}
		began := m.BeginSpan()
		s.settings.solver.Step(w, inputs...)
		m.EndSpan("step", began)
		if s.env.OnStep != nil {
			s.env.OnStep()
		}
		if s.settings.checksumEvery > 0 {
			began = m.BeginSpan()
			s.checksums.Record(w)
			m.EndSpan("checksum", began)
		}
	}
	s.state.behindTicks = max(due-n, 0)
	before := s.state.frameSteps
	s.state.frameSteps += n
	s.counters.catchUpTicks.Add(float64(max(s.state.frameSteps-1, 0) - max(before-1, 0)))
	if allLocal || s.env.Joined {
		return
	}
	waiting := 0
	for p := range s.playoutBuffers {
		waiting = max(waiting, s.playoutBuffers[p].inputs.Len())
	}
	s.counters.bufferDepth.Set(float64(waiting))
	s.counters.playoutDelay.Set(delay.Millis(w.Rate()))
	s.state.clockDrift = drift
	s.counters.clockDrift.Set(drift.Millis(w.Rate()))
	s.countStalls(n, overdue)
}

// resolveShots resolves the shots of the tick that is about to be stepped.
func (s *side) resolveShots() {
	w := s.env.World
	s.lagCompensator.Record(w)
	for p, in := range s.scratch.stepInputs {
		if in.Shot.Fired {
			s.lagCompensator.AddShot(w, p, in.Shot)
		}
	}
	s.lagCompensator.ResolvePending(w)
}

// countStalls counts stalls since the first tick was due.
func (s *side) countStalls(stepped int, overdue bool) {
	rate := float64(s.env.World.Rate())
	if stepped > 0 || s.state.playingTicks > 0 {
		s.state.playingTicks++
	}
	if stepped > 0 || !overdue {
		s.state.stallTicks = 0
	} else {
		if s.state.stallTicks == 0 {
			s.counters.stalls.Inc()
		}
		s.state.stallTicks++
		s.counters.stalledTicks.Inc()
		s.counters.stallMax.Max(sim.Tick(s.state.stallTicks).Moment().Millis(s.env.World.Rate()))
	}
	if s.state.playingTicks > 0 {
		s.counters.stallsPerMinute.Set(float64(s.counters.stalls.Value()*rate*60) / float64(s.state.playingTicks))
	}
}

// addChecksum adds the newest checksum to the outgoing message.
func (s *side) addChecksum() {
	t := s.env.World.Tick()
	out := &s.scratch.out
	out.checksumTick, out.checksum = t, s.checksums.At(t)
	out.hasChecksum = s.settings.checksumEvery > 0 && t%sim.Tick(s.settings.checksumEvery) == 0 && out.checksum != 0
}

// addInputs adds a player's pending inputs to the outgoing message.
func (s *side) addInputs(p int, window *sendWindow, overTCP bool) {
	r := &s.scratch.out.players[p]
	r.hasInputs, r.inputs, r.form = true, r.inputs[:0], deltaRun
	if s.settings.inputForm == events && s.local[p] {
		r.next, r.form = 0, eventList
		r.events = s.eventInputs[p].appendNew(r.events[:0], &s.streams[p])
	} else {
		if s.local[p] {
			s.eventInputs[p] = eventInput{}
		}
		from, n := window.pending(&s.streams[p], overTCP)
		r.next = from + sim.Tick(n)
		for i := range n {
			r.inputs = append(r.inputs, s.streams[p].at(from+sim.Tick(i)))
		}
		if !s.settings.inputDelta {
			r.form = plainRun
		}
	}
	if n := len(r.inputs) + len(r.events); n > 0 || r.form == eventList {
		coder := &s.scratch.coder
		coder.BeginMeasure()
		r.code(coder, 0)
		s.counters.inputRuns.Inc()
		s.counters.inputsSent.Add(float64(n))
		s.counters.inputBits.Add(float64(coder.BitsProcessed()))
	}
}

// addAck adds the acknowledgement of a player's inputs to the outgoing message.
func (s *side) addAck(p int) {
	r := &s.scratch.out.players[p]
	r.hasInputs, r.next, r.inputs = false, s.streams[p].next, r.inputs[:0]
}

func (s *side) send(e *packet.Endpoint) {
	e.Send(s.scratch.out.write(&s.scratch.coder, s.scratch.buffer))
}

func (s *side) copyFrom(o *side) {
	s.settings, s.state = o.settings, o.state
	copy(s.local, o.local)
	copy(s.streams, o.streams)
	copy(s.eventInputs, o.eventInputs)
	for i := range s.playoutBuffers {
		s.playoutBuffers[i].copyFrom(&o.playoutBuffers[i])
	}
	s.checksums.CopyFrom(&o.checksums)
	if s.lagCompensator != nil {
		s.lagCompensator.CopyFrom(o.lagCompensator)
	}
}
