package animated

import (
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/hit"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

type server struct {
	env            *predict.Env
	inputReceiver  input.Receiver
	playout        playout
	lagCompensator hit.LagCompensator
	broadcast      codec.Broadcast
	lastInputs     []sim.Input
	solver         predict.Solver
}

func newServer(env *predict.Env) predict.Server {
	s := &server{env: env, lastInputs: append([]sim.Input(nil), env.LastInputs...)}
	s.inputReceiver.Declare(env)
	s.playout.declare(env)
	s.lagCompensator.Declare(env)
	s.broadcast.DeclareTree(env)
	env.Knobs.Solver(&s.solver)
	return s
}

// Tick reads the inputs, steps with the newest or with those whose playout delay has passed, and
// sends the positions. The client draws the past, so no input is ever too late.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	world := s.env.World
	s.broadcast.Acknowledge(peers)
	shots := hit.ShotSource(&s.inputReceiver)
	if s.playout.enabled() {
		s.playout.Collect(host, peers, s.lastInputs, world)
		shots = &s.playout
	} else {
		s.inputReceiver.Collect(host, peers, s.lastInputs, world)
	}
	s.lagCompensator.Tick(world, host, peers, shots)
	s.solver.Step(world, s.lastInputs...)
	s.broadcast.RecordStep(world)
	s.broadcast.Send(world, peers, s.lastInputs)
}

func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.lastInputs, s.solver = append(s.lastInputs[:0], o.lastInputs...), o.solver
	s.inputReceiver.CopyFrom(&o.inputReceiver)
	s.playout.copyFrom(&o.playout)
	s.lagCompensator.CopyFrom(&o.lagCompensator)
	s.broadcast.CopyFrom(&o.broadcast)
}
