// Package serverworld is what the servers of most strategies begin with: the inputs of all players,
// their shots, and one step of the world.
//
// It knows nothing about packets to clients. A strategy embeds World, or Receiving if its server takes
// inputs from queues, and calls it before it sends.
package serverworld

import (
	"ghostcube/predict"
	"ghostcube/predict/part/hit"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// World steps a server's world with the inputs of all players.
type World struct {
	Env            *predict.Env
	Inputs         []sim.Input // by player: of the tick that begins, or of the last one
	LagCompensator hit.LagCompensator
	Solver         predict.Solver
}

// Declare declares the knobs of lag compensation. The players start with env's last inputs.
func (w *World) Declare(env *predict.Env) {
	w.Env, w.Inputs = env, append([]sim.Input(nil), env.LastInputs...)
	w.LagCompensator.Declare(env)
}

// DeclareSolver declares the knobs of the solver. It is apart from Declare so that a strategy can
// list its own knobs between.
func (w *World) DeclareSolver() { w.Env.Knobs.Solver(&w.Solver, w.Env.World) }

// Step resolves the shots of players at the server, whose inputs are in host, and of peers, and steps
// the world with Inputs.
func (w *World) Step(host []sim.Input, peers []predict.Peer, shots hit.ShotSource) {
	w.LagCompensator.Tick(w.Env.World, host, peers, shots)
	w.Solver.Step(w.Env.World, w.Inputs...)
}

// CopyFrom makes w a copy of o that shares no memory, except for its Env.
func (w *World) CopyFrom(o *World) {
	w.Inputs, w.Solver = append(w.Inputs[:0], o.Inputs...), o.Solver
	w.LagCompensator.CopyFrom(&o.LagCompensator)
}

// Receiving is a World whose players' inputs wait in a queue for each peer.
type Receiving struct {
	World
	Receiver input.Receiver
	playout  input.OptionalPlayout // for Collect
}

// Declare declares the knobs and counters of the queues and of lag compensation.
func (r *Receiving) Declare(env *predict.Env) {
	r.Receiver.Declare(env)
	r.World.Declare(env)
}

// DeclarePlayout declares the knobs and counters of a playout delay of inputs, which is none by
// default.
func (r *Receiving) DeclarePlayout(env *predict.Env) { r.playout.Declare(env) }

// InspectInputs reports the playout buffer of the first client, if its inputs are delayed.
func (r *Receiving) InspectInputs(l *predict.Inspection) {
	r.playout.Inspect(&l.InputBuffer, 0, r.Env.World.Tick())
}

// Collect reads the arrived packets and sets Inputs: players at the server have the inputs in host,
// all others their newest, or those whose playout delay has passed. It is for strategies whose clients
// draw the past, so that no input is ever too late.
func (r *Receiving) Collect(host []sim.Input, peers []predict.Peer) {
	if r.playout.Enabled() {
		r.playout.Collect(host, peers, r.Inputs, r.Env.World)
	} else {
		r.Receiver.Collect(host, peers, r.Inputs, r.Env.World)
	}
}

// Forget empties the queues of a peer that has lost everything. Its inputs are asked for from tick next on.
func (r *Receiving) Forget(peer int, next sim.Tick) {
	r.Receiver.Forget(peer, next)
	r.playout.Forget(peer)
}

// InputProgress reports the first client's newest input that was used, and what becomes of ticks without one.
func (r *Receiving) InputProgress(to *predict.InputProgress) {
	to.Consumed = max(r.Receiver.ConsumedTick(0), r.playout.ConsumedTick(0))
	if to.DropsMissing = !r.Receiver.RepeatMissing.Enabled; len(r.playout.Buffers) > 0 {
		to.DropsMissing = !r.playout.Settings.KeepLast
	}
}

// Step resolves the shots and steps the world with Inputs.
func (r *Receiving) Step(host []sim.Input, peers []predict.Peer) {
	if r.playout.Enabled() {
		r.World.Step(host, peers, &r.playout)
	} else {
		r.World.Step(host, peers, &r.Receiver)
	}
}

// CopyFrom makes r a copy of o that shares no memory, except for its Env.
func (r *Receiving) CopyFrom(o *Receiving) {
	r.World.CopyFrom(&o.World)
	r.Receiver.CopyFrom(&o.Receiver)
	r.playout.CopyFrom(&o.playout)
}
