package historyoffset

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/hit"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

type server struct {
	solver         predict.Solver // settings
	inputs         []sim.Input    // by player, of the last tick
	receiver       input.PlayoutReceiver
	lagCompensator hit.LagCompensator
	broadcast      codec.Broadcast
	writeHeader    func(c *quant.Coder, peer int)
	env            *predict.Env
}

func newServer(env *predict.Env) predict.Server {
	s := &server{env: env, inputs: append([]sim.Input(nil), env.LastInputs...)}
	s.receiver.Declare(env)
	s.lagCompensator.Declare(env)
	s.broadcast.DeclareTree(env)
	env.Knobs.Solver(&s.solver)
	s.writeHeader = func(c *quant.Coder, peer int) {
		header := codec.NewConsumedHeader(&s.receiver.Buffers[peer])
		header.Code(c, 0)
	}
	return s
}

// Tick plays out the inputs, steps, and sends the state with the client tick of the input that led
// to it.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	w := s.env.World
	s.broadcast.Acknowledge(peers)
	s.receiver.Collect(host, peers, s.inputs, w)
	s.lagCompensator.Tick(w, host, peers, &s.receiver)
	s.solver.Step(w, s.inputs...)
	s.broadcast.RecordStep(w)
	s.broadcast.SendWithHeader(s.writeHeader, w, peers, s.inputs)
}

// CopyFrom makes s a copy of another server, except for its env.
func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.solver, s.inputs = o.solver, append(s.inputs[:0], o.inputs...)
	s.receiver.CopyFrom(&o.receiver)
	s.lagCompensator.CopyFrom(&o.lagCompensator)
	s.broadcast.CopyFrom(&o.broadcast)
}
