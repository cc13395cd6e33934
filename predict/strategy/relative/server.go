package relative

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/frame"
	"ghostcube/predict/part/hit"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

type server struct {
	solver         predict.Solver // settings
	inputs         []sim.Input    // by player, of the last tick
	receiver       input.PlayoutReceiver
	lagCompensator hit.LagCompensator
	parents        frame.Selection
	broadcast      codec.Broadcast
	scratch        serverScratch
	writeHeader    func(c *quant.Coder, peer int)
	env            *predict.Env
}

// serverScratch is memory that no later tick depends on.
type serverScratch struct {
	peers []predict.Peer // of this tick
}

func newServer(env *predict.Env) predict.Server {
	s := &server{env: env, inputs: append([]sim.Input(nil), env.LastInputs...)}
	s.receiver.Declare(env)
	s.lagCompensator.Declare(env)
	s.broadcast.DeclareTree(env)
	s.parents.Declare(env)
	env.Knobs.Solver(&s.solver)
	s.writeHeader = func(c *quant.Coder, peer int) {
		header := codec.NewConsumedHeader(&s.receiver.Buffers[peer])
		header.Code(c, 0)
		s.parents.Write(c, s.env.World, peer, s.scratch.peers[peer].Player)
	}
	return s
}

// Tick plays out the inputs, steps, chooses the parents, and sends the state with the client tick of
// the input that led to it and the player's cube relative to its parent.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	w := s.env.World
	s.broadcast.Acknowledge(peers)
	s.receiver.Collect(host, peers, s.inputs, w)
	s.lagCompensator.Tick(w, host, peers, &s.receiver)
	s.solver.Step(w, s.inputs...)
	s.broadcast.RecordStep(w)
	s.scratch.peers = peers
	s.parents.Update(w, peers)
	s.broadcast.SendWithHeader(s.writeHeader, w, peers, s.inputs)
}

// CopyFrom makes s a copy of another server, except for its env.
func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.solver, s.inputs = o.solver, append(s.inputs[:0], o.inputs...)
	s.receiver.CopyFrom(&o.receiver)
	s.lagCompensator.CopyFrom(&o.lagCompensator)
	s.parents.CopyFrom(&o.parents)
	s.broadcast.CopyFrom(&o.broadcast)
}
