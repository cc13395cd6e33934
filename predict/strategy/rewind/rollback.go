package rewind

import (
	"ghostcube/predict"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// What a server does with an input that arrives after its tick.
const (
	drop = iota
	resimulate
)

var lateInputModes = []string{"drop", "resimulate"}

// rollbackHistoryTicks is how many ticks of the past a server remembers.
const rollbackHistoryTicks = 64

// lateInputSettings are the knobs that both sides share.
type lateInputSettings struct {
	mode        int
	maxRollback int // ticks
}

func (l *lateInputSettings) declare(k *predict.Knobs) {
	group := k.In(predict.InputKnobs)
	group.Choice(&l.mode, "late-inputs", drop, lateInputModes, "inputs after their tick: dropped, or the server rolls back and resimulates")
	group.Int(&l.maxRollback, "max-rollback", 15, 1, rollbackHistoryTicks-1, "resimulate: deepest rollback of the server, ticks")
	k.Needs("max-rollback", "late-inputs", "resimulate")
}

// rollbackHistory is what a server needs to simulate again: the worlds of the last ticks and the
// inputs that they were stepped with. The inputs that have arrived are in the queues.
type rollbackHistory struct {
	lateInputSettings
	states   history.Ring[predict.State] // at the start of each tick
	ticks    history.Ring[pastTick]
	stepped  bool    // changes is known
	changes  uint64  // of the world, after the last step
	maxShift float64 // metres, largest distance by which a rollback moved a body in the present
	counters rollbackHistoryCounters
	scratch  []sim.Body // of replay: the present before it
}

// rollbackHistoryCounters are what a rollbackHistory counts.
type rollbackHistoryCounters struct {
	resimulatedInputs, serverRollbacks, serverReplayedTicks, supersededSnapshots, rollbackMax predict.Counter
}

// pastTick is one remembered tick.
type pastTick struct {
	inputs  [sim.MaxPlayers]sim.Input
	repeats [sim.MaxPlayers]int // by player: ticks in a row for which the input was repeated
	sent    bool                // a snapshot of the resulting state was sent
	resync  bool                // hidden state was dropped afterwards
}

// init allocates the history and declares its knobs and counters. The knobs point into r, so r must
// not move afterwards.
func (r *rollbackHistory) init(env *predict.Env) {
	r.states, r.ticks = history.New[predict.State](rollbackHistoryTicks), history.New[pastTick](rollbackHistoryTicks)
	r.declare(env.Knobs)
	m := env.Counters
	r.counters.resimulatedInputs = m.New("resimulated_inputs", "late inputs that were applied by a rollback")
	r.counters.serverRollbacks = m.New("server_rollbacks", "rollbacks of the server because of late inputs")
	r.counters.serverReplayedTicks = m.New("server_replayed_ticks", "ticks that the server simulated again")
	r.counters.supersededSnapshots = m.New("superseded_snapshots", "snapshots sent of ticks that were simulated again")
	r.counters.rollbackMax = m.New("rollback_max_m", "largest distance by which a rollback moved a body, m")
}

// rollback applies inputs that have arrived late: the world goes back to the first tick that was
// stepped with another input and is stepped again up to the present with the inputs of all players.
// It does so at most once a tick, for all peers together.
func (s *server) rollback(peers []predict.Peer) {
	l, w := &s.history, s.Env.World
	now := w.Tick()
	from, found := now, false
	for i := range peers {
		if t, ok := s.Receiver.Queues[i].PopOldestLate(); ok {
			from, found = min(from, t), true
		}
	}
	if l.mode != resimulate {
		return
	}
	l.resetIfModified(w)
	if !found {
		return
	}
	from = max(from, now-min(now, sim.Tick(l.maxRollback)))
	first, ok := s.applyLateInputs(from, now, peers)
	if ok {
		s.replay(first, now)
	}
}

// applyLateInputs updates the inputs of the ticks in [from, now) to what they should have been, and
// returns the first tick that was stepped with another input. It marks the inputs as used.
func (s *server) applyLateInputs(from, now sim.Tick, peers []predict.Peer) (first sim.Tick, ok bool) {
	l := &s.history
	first = now
	for i, peer := range peers {
		if peer.Player < 0 {
			continue
		}
		q, before := &s.Receiver.Queues[i], l.ticks.Find(from-1)
		applied := 0
		for t := from; t < now; t++ {
			record := l.ticks.Find(t)
			if record == nil {
				before = nil // not remembered, and so unchanged
				continue
			}
			last, repeated := record.inputs[peer.Player], 0
			if before != nil {
				last, repeated = before.inputs[peer.Player], before.repeats[peer.Player]
			}
			in, repeats, fresh := q.ReplayInput(t, last, repeated, s.Receiver.RepeatMissing)
			if in != record.inputs[peer.Player] && t < first {
				first = t
			}
			if fresh {
				applied++
			}
			record.inputs[peer.Player], record.repeats[peer.Player], before = in, repeats, record
		}
		l.counters.resimulatedInputs.Add(float64(applied))
	}
	return first, first < now && l.states.Find(first) != nil
}

// replay steps the ticks in [first, now) again.
func (s *server) replay(first, now sim.Tick) {
	l, w, m := &s.history, s.Env.World, s.Env.Counters
	began := m.BeginSpan()
	l.scratch = append(l.scratch[:0], w.Bodies()...)
	w.Load(l.states.Find(first))
	for w.Tick() < now {
		record := l.ticks.Find(w.Tick())
		if record.sent {
			l.counters.supersededSnapshots.Inc()
		}
		w.Save(l.states.Insert(w.Tick()))
		s.Solver.Step(w, record.inputs[:s.Env.Players]...)
		if record.resync {
			w.DropHiddenState()
		}
	}
	for i, b := range w.Bodies() {
		l.maxShift = max(l.maxShift, float64(b.Pose.Pos.Sub(l.scratch[i].Pose.Pos).Len()))
	}
	l.counters.rollbackMax.Set(l.maxShift)
	l.counters.serverRollbacks.Inc()
	l.counters.serverReplayedTicks.Add(float64(now - first))
	m.EndSpan("server replay", began)
}

// resetIfModified forgets the history if a command has changed bodies since the last step, because
// a replay could not repeat that.
func (r *rollbackHistory) resetIfModified(w *predict.World) {
	if !r.stepped || r.changes != w.Changes() {
		r.states.Reset()
		r.ticks.Reset()
	}
}

// beginTick remembers the world at the start of a tick and the inputs that it will be stepped with.
func (r *rollbackHistory) beginTick(w *predict.World, inputs []sim.Input, peers []predict.Peer, queues []input.Queue) {
	if r.mode != resimulate {
		r.stepped = false
		return
	}
	w.Save(r.states.Insert(w.Tick()))
	record := r.ticks.Insert(w.Tick())
	*record = pastTick{}
	copy(record.inputs[:], inputs)
	for i, peer := range peers {
		if peer.Player >= 0 {
			record.repeats[peer.Player] = queues[i].Repeats()
		}
	}
}

// endTick remembers of a tick whether a snapshot of its result was sent, and whether hidden state was dropped before
// that.
func (r *rollbackHistory) endTick(w *predict.World, sent, resync bool) {
	if r.mode != resimulate {
		return
	}
	r.stepped, r.changes = true, w.Changes()
	if record := r.ticks.Find(w.Tick() - 1); record != nil {
		record.sent, record.resync = sent, resync
	}
}

func (r *rollbackHistory) copyFrom(o *rollbackHistory) {
	r.lateInputSettings, r.maxShift, r.stepped, r.changes = o.lateInputSettings, o.maxShift, o.stepped, o.changes
	r.states.CopyFrom(&o.states, func(dst, src *predict.State) { dst.CopyFrom(src) })
	r.ticks.CopyFrom(&o.ticks, history.CopyValue[pastTick])
}

// lateInputGrace decides how long a client tolerates states that the server stepped without the
// client's input and will simulate again when the input arrives.
type lateInputGrace struct {
	lateInputSettings
	since sim.Tick // tick of the first such state in a row; 0 is none
}

// tolerates reports whether a state that differs needs no correction: the server stepped it without
// the client's input, which is on its way, and will simulate it again.
func (l *lateInputGrace) tolerates(tick sim.Tick, inputMissing bool) bool {
	if l.mode != resimulate || !inputMissing {
		l.since = 0
		return false
	}
	if l.since == 0 {
		l.since = tick
	}
	return tick-l.since <= sim.Tick(l.maxRollback)
}
