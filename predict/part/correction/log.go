package correction

import (
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// Log follows which of the client's ticks the server's states describe, and counts and reports the
// corrections of the player's body.
type Log struct {
	state logState
	env   *predict.Env
}

type logState struct {
	located      bool     // a state has described a tick of ours
	comparedTick sim.Tick // the newest of our ticks that a state has described
	tickOffset   int64    // the server's tick of a state minus the tick of ours that it describes
	agreedTick   sim.Tick // the newest compared tick that agreed or was corrected
	totalMetres  float64  // of all corrections
}

// Declare tells env what is counted.
func (l *Log) Declare(env *predict.Env) {
	l.env, l.state.comparedTick = env, env.World.Tick()
	m := env.Counters
	m.Declare("corrections", "states that differed from the remembered player's cube by more than a tolerance")
	m.Declare("correction_mean_m", "m that a correction added to the player's history, mean")
	m.Declare("correction_max_m", "m that a correction added to the player's history, largest")
	m.Declare("pending_correction_m", "m of correction still to be applied gradually, now")
}

// Locate takes in a state of the server's tick that led from an input of ours, and returns the tick
// of ours whose beginning it describes. moved reports that the server has repeated or skipped
// inputs since the last state. A state that was made by repeating an old input describes no tick of
// ours: then ok is false. Until the server uses our inputs, its ticks count as ours.
func (l *Log) Locate(server sim.Tick, from input.Consumed) (at sim.Tick, moved, ok bool) {
	s := &l.state
	at = server
	switch from.Source {
	case input.SourceRepeated:
		return 0, false, false
	case input.SourceReceived, input.SourceFilled:
		at = from.ClientTick + 1
		offset := int64(server) - int64(at)
		moved = s.located && offset != s.tickOffset
		s.located, s.tickOffset = true, offset
	}
	s.comparedTick = at
	return at, moved, true
}

// Located reports whether any state has described a tick of ours.
func (l *Log) Located() bool { return l.state.located }

// ComparedTick returns the newest tick of ours that a state has described.
func (l *Log) ComparedTick() sim.Tick { return l.state.comparedTick }

// Ahead returns how many ticks the client's world is beyond that tick; below zero, it is behind.
func (l *Log) Ahead() int64 { return int64(l.env.World.Tick()) - int64(l.state.comparedTick) }

// ServerTick returns the server's tick that uses the input of a tick of ours.
func (l *Log) ServerTick(own sim.Tick) sim.Tick {
	return sim.Tick(max(int64(own)+l.state.tickOffset, 0))
}

// OwnTick returns the tick of ours that a server's tick belongs to. It may be below zero.
func (l *Log) OwnTick(server sim.Tick) int64 { return int64(server) - l.state.tickOffset }

// Agree notes that the newest compared tick agreed.
func (l *Log) Agree() { l.state.agreedTick = l.state.comparedTick }

// Describe returns what a correction of the player's body says of the difference between the
// server's body and the remembered one.
func (l *Log) Describe(from *packet.Packet, tick sim.Tick, why predict.Cause, server, remembered *sim.Body) predict.Correction {
	w, player := l.env.World, l.env.Player
	fix := predict.Correction{Packet: from.Sequence, Received: from.ReceivedAt, Tick: tick, Body: player, Cause: why}
	d := predict.Diff(server, remembered)
	seconds := float32(max(int64(l.state.comparedTick)-int64(l.state.agreedTick), 1)) / float32(w.Rate())
	fix.Field, fix.Amount = d.RootField(w.Scene().Boxes[player].Half.Len(), seconds)
	return fix
}

// Report counts a correction that moves the player's body by some metres, in the end, and reports
// it.
func (l *Log) Report(fix predict.Correction, metres float32) {
	m := l.env.Counters
	l.Agree()
	m.Add("corrections", 1)
	l.state.totalMetres += float64(metres)
	m.Set("correction_mean_m", l.state.totalMetres/m.Value("corrections"))
	m.Set("correction_max_m", max(m.Value("correction_max_m"), float64(metres)))
	if fix.Shift = metres; l.env.OnCorrection != nil {
		l.env.OnCorrection(fix)
	}
}

// CopyFrom makes l an equal of o, all but its env.
func (l *Log) CopyFrom(o *Log) { l.state = o.state }
