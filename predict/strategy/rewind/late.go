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

var lateWays = []string{"drop", "resimulate"}

// mostLate bounds how far back a server goes, in ticks.
const mostLate = 64

// lateSettings are knobs that both halves look at.
type lateSettings struct {
	way  int
	most int // ticks
}

func (l *lateSettings) declare(k *predict.Knobs) {
	k.Choice(&l.way, "late-inputs", drop, lateWays, "what the server does with an input that comes after its tick: nothing, or it goes back to that tick and simulates again up to now; the client then lets states pass that were made with a guess of its input, for they will be set right")
	k.Int(&l.most, "late-most", 15, 1, mostLate-1, "resimulate: ticks by which an input may be late")
}

// late is what a server remembers to simulate again: the worlds of the last ticks, and
// what they were stepped with. The inputs that have come are in the queues.
type late struct {
	lateSettings
	worlds history.Ring[sim.State] // when the tick began
	did    history.Ring[stepped]
	bodies []sim.Body // as the last step left them
	moved  float64    // metres, largest
}

// stepped is a tick of the past.
type stepped struct {
	in   [mostPlayers]sim.Input
	sent bool // a snapshot told of what it led to
}

// start makes it ready where it lies: its knobs point to it.
func (l *late) start(env *predict.Env) {
	l.worlds, l.did = history.New[sim.State](mostLate), history.New[stepped](mostLate)
	l.declare(env.Knobs)
	m := env.Counters
	m.Declare("late_resimulated", "late inputs that had their effect after all")
	m.Declare("server_replays", "times that the server went back for them")
	m.Declare("server_replayed_ticks", "ticks that it simulated again")
	m.Declare("snapshots_retold", "snapshots that had told of ticks which were then simulated again")
	m.Declare("retold_max_m", "metres by which that moved any body in the present, largest")
}

// catchUp lets inputs that have come late have their effect: the world goes back to
// the first tick that was made with something else, and is stepped again up to now
// with what all players did then. It does so at most once a tick, for all peers
// together. What the players do in the present is set in held.
func (s *server) catchUp(peers []predict.Peer) {
	l, w := &s.late, s.env.World
	now := w.Tick()
	from, found := now, false
	for i := range peers {
		if t, ok := s.desk.Queues[i].Late(); ok {
			from, found = min(from, t), true
		}
	}
	if l.way != resimulate {
		return
	}
	l.forget(w)
	if !found {
		return
	}
	from = max(from, now-min(now, sim.Tick(l.most)))
	first, ok := s.replan(from, now, peers)
	if ok {
		s.replay(first, now)
	}
}

// replan writes down what the ticks in [from, now) should have been made with, and
// returns the first that was made with something else. It marks inputs as used.
func (s *server) replan(from, now sim.Tick, peers []predict.Peer) (first sim.Tick, ok bool) {
	l, m := &s.late, s.env.Counters
	first = now
	for i, peer := range peers {
		if peer.Seat < 0 {
			continue
		}
		q, before := &s.desk.Queues[i], l.did.At(from-1)
		used := 0
		for t := from; t < now; t++ {
			did := l.did.At(t)
			if did == nil {
				before = nil // not remembered, and so not changed
				continue
			}
			last := did.in[peer.Seat]
			if before != nil {
				last = before.in[peer.Seat]
			}
			in, fresh := q.Again(t, last, s.desk.Repeat)
			if in != did.in[peer.Seat] && t < first {
				first = t
			}
			if fresh {
				used++
			}
			did.in[peer.Seat], before = in, did
		}
		m.Add("late_resimulated", float64(used))
	}
	return first, first < now && l.worlds.At(first) != nil
}

// replay steps the ticks in [first, now) again.
func (s *server) replay(first, now sim.Tick) {
	l, w, m := &s.late, s.env.World, s.env.Counters
	began := m.Begin()
	l.bodies = append(l.bodies[:0], w.Bodies()...)
	w.Load(l.worlds.At(first))
	for w.Tick() < now {
		did := l.did.At(w.Tick())
		if did.sent {
			m.Add("snapshots_retold", 1)
		}
		w.Save(l.worlds.Put(w.Tick()))
		s.world.Step(w, did.in[:s.env.Players]...)
	}
	for i, b := range w.Bodies() {
		l.moved = max(l.moved, float64(b.Pose.Pos.Sub(l.bodies[i].Pose.Pos).Len()))
	}
	m.Set("retold_max_m", l.moved)
	m.Add("server_replays", 1)
	m.Add("server_replayed_ticks", float64(now-first))
	m.Spent("server replay", began)
}

// forget forgets the past if somebody has done something to the bodies since the last
// step: that could not be done again.
func (l *late) forget(w *sim.World) {
	if !slices.Equal(l.bodies, w.Bodies()) {
		l.worlds.Forget()
		l.did.Forget()
	}
}

// begins remembers the world as a tick begins, and what it will be stepped with.
func (l *late) begins(w *sim.World, held []sim.Input) {
	if l.way != resimulate {
		l.bodies = l.bodies[:0]
		return
	}
	w.Save(l.worlds.Put(w.Tick()))
	did := l.did.Put(w.Tick())
	*did = stepped{}
	copy(did.in[:], held)
}

// ended remembers how a tick left the bodies, and whether it was told of.
func (l *late) ended(w *sim.World, told sim.Tick) {
	if l.way != resimulate {
		return
	}
	l.bodies = append(l.bodies[:0], w.Bodies()...)
	if did := l.did.At(w.Tick() - 1); did != nil {
		did.sent = told == w.Tick()
	}
}

func (l *late) copyFrom(o *late) {
	l.lateSettings, l.moved = o.lateSettings, o.moved
	l.worlds.CopyFrom(&o.worlds, func(dst, src *sim.State) { dst.CopyFrom(src) })
	l.did.CopyFrom(&o.did, history.Plain[stepped])
	l.bodies = append(l.bodies[:0], o.bodies...)
}

// awaits is how long a client has waited for the server to set its states right.
type awaits struct {
	lateSettings
	since sim.Tick // the first such state in a row; 0: none
}

// lets reports whether a state may pass that does not agree: it was made with a guess of
// the client's own input, which is on its way, and will be made again when that comes.
func (a *awaits) lets(state sim.Tick, guessed bool) bool {
	if a.way != resimulate || !guessed {
		a.since = 0
		return false
	}
	if a.since == 0 {
		a.since = state
	}
	return state-a.since <= sim.Tick(a.most)
}
