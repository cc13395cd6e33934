package rewind

import (
	"slices"

	"ghostcube/predict"
	"ghostcube/predict/part/history"
	"ghostcube/sim"
)

// What a server may do with an input that comes after its tick.
const (
	drop = iota
	resimulate
)

var lateInputModes = []string{"drop", "resimulate"}

// rollbackHistoryTicks bounds how far back a server goes, in ticks.
const rollbackHistoryTicks = 64

// lateInputSettings are knobs that both halves look at.
type lateInputSettings struct {
	mode        int
	maxRollback int // ticks
}

func (l *lateInputSettings) declare(k *predict.Knobs) {
	k.Choice(&l.mode, "late-inputs", drop, lateInputModes, "what the server does with an input that comes after its tick: nothing, or it goes back to that tick and simulates again up to now; the client then lets states pass that were made with a guess of its input, for they will be set right")
	k.Int(&l.maxRollback, "max-rollback", 15, 1, rollbackHistoryTicks-1, "resimulate: ticks by which an input may be late")
}

// rollbackHistory is what a server remembers to simulate again: the worlds of the last ticks, and
// what they were stepped with. The inputs that have come are in the queues.
type rollbackHistory struct {
	lateInputSettings
	states     history.Ring[sim.State] // when the tick began
	ticks      history.Ring[pastTick]
	lastBodies []sim.Body // as the last step left them
	maxShift   float64    // metres, largest
}

// pastTick is a tick of the past.
type pastTick struct {
	inputs [maxPlayers]sim.Input
	sent   bool // a snapshot told of what it led to
}

// init makes it ready where it lies: its knobs point to it.
func (l *rollbackHistory) init(env *predict.Env) {
	l.states, l.ticks = history.New[sim.State](rollbackHistoryTicks), history.New[pastTick](rollbackHistoryTicks)
	l.declare(env.Knobs)
	m := env.Counters
	m.Declare("resimulated_inputs", "late inputs that had their effect after all")
	m.Declare("server_rollbacks", "times that the server went back for them")
	m.Declare("server_replayed_ticks", "ticks that it simulated again")
	m.Declare("superseded_snapshots", "snapshots that had told of ticks which were then simulated again")
	m.Declare("rollback_max_m", "metres by which that moved any body in the present, largest")
}

// rollback lets inputs that have come late have their effect: the world goes back to
// the first tick that was made with something else, and is stepped again up to now
// with what all players did then. It does so at most once a tick, for all peers
// together. What the players do in the present is set in held.
func (s *server) rollback(peers []predict.Peer) {
	l, w := &s.history, s.env.World
	now := w.Tick()
	from, found := now, false
	for i := range peers {
		if t, ok := s.inputReceiver.Queues[i].PopOldestLate(); ok {
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

// applyLateInputs writes down what the ticks in [from, now) should have been made with, and
// returns the first that was made with something else. It marks inputs as used.
func (s *server) applyLateInputs(from, now sim.Tick, peers []predict.Peer) (first sim.Tick, ok bool) {
	l, m := &s.history, s.env.Counters
	first = now
	for i, peer := range peers {
		if peer.Player < 0 {
			continue
		}
		q, before := &s.inputReceiver.Queues[i], l.ticks.Find(from-1)
		used := 0
		for t := from; t < now; t++ {
			did := l.ticks.Find(t)
			if did == nil {
				before = nil // not remembered, and so not changed
				continue
			}
			last := did.inputs[peer.Player]
			if before != nil {
				last = before.inputs[peer.Player]
			}
			in, fresh := q.ReplayInput(t, last, s.inputReceiver.RepeatMissing)
			if in != did.inputs[peer.Player] && t < first {
				first = t
			}
			if fresh {
				used++
			}
			did.inputs[peer.Player], before = in, did
		}
		m.Add("resimulated_inputs", float64(used))
	}
	return first, first < now && l.states.Find(first) != nil
}

// replay steps the ticks in [first, now) again.
func (s *server) replay(first, now sim.Tick) {
	l, w, m := &s.history, s.env.World, s.env.Counters
	began := m.BeginSpan()
	l.lastBodies = append(l.lastBodies[:0], w.Bodies()...)
	w.Load(l.states.Find(first))
	for w.Tick() < now {
		did := l.ticks.Find(w.Tick())
		if did.sent {
			m.Add("superseded_snapshots", 1)
		}
		w.Save(l.states.Insert(w.Tick()))
		s.solver.Step(w, did.inputs[:s.env.Players]...)
	}
	for i, b := range w.Bodies() {
		l.maxShift = max(l.maxShift, float64(b.Pose.Pos.Sub(l.lastBodies[i].Pose.Pos).Len()))
	}
	m.Set("rollback_max_m", l.maxShift)
	m.Add("server_rollbacks", 1)
	m.Add("server_replayed_ticks", float64(now-first))
	m.EndSpan("server replay", began)
}

// resetIfModified forgets the past if somebody has done something to the bodies since the last
// step: that could not be done again.
func (l *rollbackHistory) resetIfModified(w *sim.World) {
	if !slices.Equal(l.lastBodies, w.Bodies()) {
		l.states.Reset()
		l.ticks.Reset()
	}
}

// beginTick remembers the world as a tick begins, and what it will be stepped with.
func (l *rollbackHistory) beginTick(w *sim.World, held []sim.Input) {
	if l.mode != resimulate {
		l.lastBodies = l.lastBodies[:0]
		return
	}
	w.Save(l.states.Insert(w.Tick()))
	did := l.ticks.Insert(w.Tick())
	*did = pastTick{}
	copy(did.inputs[:], held)
}

// endTick remembers how a tick left the bodies, and whether it was told of.
func (l *rollbackHistory) endTick(w *sim.World, told sim.Tick) {
	if l.mode != resimulate {
		return
	}
	l.lastBodies = append(l.lastBodies[:0], w.Bodies()...)
	if did := l.ticks.Find(w.Tick() - 1); did != nil {
		did.sent = told == w.Tick()
	}
}

func (l *rollbackHistory) copyFrom(o *rollbackHistory) {
	l.lateInputSettings, l.maxShift = o.lateInputSettings, o.maxShift
	l.states.CopyFrom(&o.states, func(dst, src *sim.State) { dst.CopyFrom(src) })
	l.ticks.CopyFrom(&o.ticks, history.CopyValue[pastTick])
	l.lastBodies = append(l.lastBodies[:0], o.lastBodies...)
}

// lateInputGrace is how long a client has waited for the server to set its states right.
type lateInputGrace struct {
	lateInputSettings
	since sim.Tick // the first such state in a row; 0: none
}

// allows reports whether a state may pass that does not agree: it was made with a guess of
// the client's own input, which is on its way, and will be made again when that comes.
func (a *lateInputGrace) allows(state sim.Tick, guessed bool) bool {
	if a.mode != resimulate || !guessed {
		a.since = 0
		return false
	}
	if a.since == 0 {
		a.since = state
	}
	return state-a.since <= sim.Tick(a.maxRollback)
}
