package input

import (
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/sim"
)

// Local is the inputs of a client's own player: the client steps with them and sends them. Until
// the client has joined, that is, until it knows the server's time, none is sent, and both sides
// repeat the player's last input before the session.
type Local struct {
	sender Sender
	state  localState
}

type localState struct {
	joined    bool
	last      sim.Input // of the last step; at first, the player's last input before the session
	idleTicks int       // steps since a button was pressed
}

// Declare declares the knobs and counters.
func (l *Local) Declare(env *predict.Env) {
	l.sender.Declare(env)
	if env.Player >= 0 {
		l.state.last = env.LastInputs[env.Player]
	}
}

// Join starts sending inputs.
func (l *Local) Join() { l.state.joined = true }

// Next stores the player's input of a tick for sending, and returns the input for the step. That has
// no shot, because only the server evaluates shots.
func (l *Local) Next(t sim.Tick, in sim.Input) sim.Input {
	if l.state.joined {
		l.sender.Add(t, in)
		in.Shot = sim.Shot{}
		l.state.last = in
	}
	return l.Repeat()
}

// Repeat returns the last input again, for a step without an input of its own.
func (l *Local) Repeat() sim.Input {
	l.state.idleTicks++
	if l.state.last.Buttons != 0 {
		l.state.idleTicks = 0
	}
	return l.state.last
}

// IdleTicks returns the number of steps since a button was pressed.
func (l *Local) IdleTicks() int { return l.state.idleTicks }

// Send sends the inputs from tick needed on. A client that has not joined sends an empty packet, for
// its acknowledgements.
func (l *Local) Send(server *packet.Endpoint, needed sim.Tick) {
	if l.state.joined {
		l.sender.Send(server, needed)
	} else {
		server.Send(nil)
	}
}

// SampledTick returns the tick after the newest input for sending, or 0 if there is none.
func (l *Local) SampledTick() sim.Tick { return l.sender.SampledTick() }

// CopyFrom makes l a copy of o.
func (l *Local) CopyFrom(o *Local) {
	l.state = o.state
	l.sender.CopyFrom(&o.sender)
}
