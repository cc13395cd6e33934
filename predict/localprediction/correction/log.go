package correction

import (
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// Log maps the server's ticks to the client's, and counts and reports the corrections of the
// player's body.
type Log struct {
	state    logState
	counters logCounters
	env      *predict.Env
}

// logCounters are what a Log counts.
type logCounters struct {
	corrections, mean, max, pending predict.Counter
}

type logState struct {
	located      bool     // a state has described a client tick
	repeated     bool     // and the server has repeated an input since
	comparedTick sim.Tick // the newest client tick that a state has described
	tickOffset   int64    // server tick of a state minus the client tick that it describes
	agreedTick   sim.Tick // the newest compared client tick that agreed or was corrected
	totalMetres  float64  // of all corrections
}

// Declare declares the counters.
func (l *Log) Declare(env *predict.Env) {
	l.env, l.state.comparedTick = env, env.World.Tick()
	m := env.Counters
	l.counters.corrections = m.New("corrections",
		"snapshots that differed from the remembered player's cube").Of(predict.Corrections)
	l.counters.mean = m.New("correction_mean_m", "mean shift of the player's history, m").Of(predict.MeanCorrection)
	l.counters.max = m.New("correction_max_m", "largest shift of the player's history, m")
	l.counters.pending = m.New("pending_correction_m", "length of the pending correction, m, now")
}

// Locate returns the client tick whose beginning is described by a state of a server tick that was
// stepped with a given input. moved reports that the server has repeated or skipped inputs since
// the last state. If the server had no input and repeated an old one, its state describes no client
// tick, and ok is false. Until the server uses the client's inputs, the ticks of both are the same.
func (l *Log) Locate(server sim.Tick, from input.Consumed) (at sim.Tick, moved, ok bool) {
	s := &l.state
	at = server
	switch from.Source {
	case input.SourceRepeated:
		s.repeated = s.located
		return 0, false, false
	case input.SourceReceived, input.SourceFilled:
		at = from.ClientTick + 1
		offset := int64(server) - int64(at)
		moved = s.located && offset != s.tickOffset || s.repeated
		s.located, s.repeated, s.tickOffset = true, false, offset
	}
	s.comparedTick = at
	return at, moved, true
}

// Located reports whether any state has described a client tick.
func (l *Log) Located() bool { return l.state.located }

// ComparedTick returns the newest client tick that a state has described.
func (l *Log) ComparedTick() sim.Tick { return l.state.comparedTick }

// Ahead returns by how many ticks the client's world is ahead of that tick; below zero, it is behind.
func (l *Log) Ahead() int64 { return int64(l.env.World.Tick()) - int64(l.state.comparedTick) }

// ServerTick returns the server tick that uses the input of a client tick.
func (l *Log) ServerTick(own sim.Tick) sim.Tick {
	return sim.Tick(max(int64(own)+l.state.tickOffset, 0))
}

// OwnTick returns the client tick whose input a server tick uses. It may be below zero.
func (l *Log) OwnTick(server sim.Tick) int64 { return int64(server) - l.state.tickOffset }

// Agree records that the newest compared tick agreed.
func (l *Log) Agree() { l.state.agreedTick = l.state.comparedTick }

// Describe returns the report of a correction by a snapshot of a server tick, without its length.
// The field is the one from which the other differences between the two states follow.
func (l *Log) Describe(from *packet.Packet, tick sim.Tick, why predict.Cause, server, remembered *sim.Body) predict.Correction {
	w := l.env.World
	player := w.Operated(l.env.Player)
	fix := predict.Correction{Packet: from.Sequence, Received: from.ReceivedAt, Tick: tick, Body: player, Cause: why}
	d := predict.Diff(server, remembered)
	seconds := float32(max(int64(l.state.comparedTick)-int64(l.state.agreedTick), 1)) / float32(w.Rate())
	fix.Field, fix.Amount = d.RootField(w.Scene().Boxes[player].Half.Len(), seconds)
	return fix
}

// Report counts and reports a correction that moves the player's body by some metres in total: at once if ticks were
// replayed, otherwise step by step.
func (l *Log) Report(fix predict.Correction, metres float32) {
	l.Agree()
	l.counters.corrections.Inc()
	l.state.totalMetres += float64(metres)
	l.counters.mean.Set(l.state.totalMetres / l.counters.corrections.Value())
	l.counters.max.Max(float64(metres))
	fix.Gradual = fix.ReplayedTicks == 0
	if fix.Shift = metres; l.env.OnCorrection != nil {
		l.env.OnCorrection(fix)
	}
}

// SetPending counts the length, in metres, of the correction that has not been applied yet.
func (l *Log) SetPending(metres float32) { l.counters.pending.Set(float64(metres)) }

// CopyFrom makes l a copy of o, except for its env.
func (l *Log) CopyFrom(o *Log) { l.state = o.state }
