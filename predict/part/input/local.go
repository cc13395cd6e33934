package input

import (
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/sim"
)

// Local is the inputs of a client's own player: what the client steps with, and what it sends.
// Until it has joined, which is when it knows the server's time, nothing is sent, and both sides
// repeat what the player did before the session.
type Local struct {
	sender Sender
	state  localState
}

type localState struct {
	joined    bool
	last      sim.Input // stepped with last; before, what the player did before the session
	idleTicks int       // steps since a button was pressed
}

// Declare tells env what may be tuned and what is counted.
func (l *Local) Declare(env *predict.Env) {
	l.sender.Declare(env)
	if env.Player >= 0 {
		l.state.last = env.LastInputs[env.Player]
	}
}

// Join has inputs sent from now on.
func (l *Local) Join() { l.state.joined = true }

// Next takes in the player's input of a tick and returns the one to step it with. It has no shot:
// that is sent and nothing else.
func (l *Local) Next(t sim.Tick, in sim.Input) sim.Input {
	if l.state.joined {
		l.sender.Add(t, in)
		in.Shot = sim.Shot{}
		l.state.last = in
	}
	return l.Repeat()
}

// Repeat returns the last input again, for a tick that has none of its own.
func (l *Local) Repeat() sim.Input {
	l.state.idleTicks++
	if l.state.last.Buttons != 0 {
		l.state.idleTicks = 0
	}
	return l.state.last
}

// IdleTicks returns for how many steps no button has been pressed.
func (l *Local) IdleTicks() int { return l.state.idleTicks }

// Send sends the inputs from tick needed on, or an empty packet, which acknowledges, if the client
// has not joined.
func (l *Local) Send(server *packet.Endpoint, needed sim.Tick) {
	if l.state.joined {
		l.sender.Send(server, needed)
	} else {
		server.Send(nil)
	}
}

// SampledTick returns the tick after that of the newest input to be sent, and 0 before any.
func (l *Local) SampledTick() sim.Tick { return l.sender.SampledTick() }

// CopyFrom makes l an equal of o.
func (l *Local) CopyFrom(o *Local) {
	l.state = o.state
	l.sender.CopyFrom(&o.sender)
}
