package animated

import (
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/serverworld"
	"ghostcube/sim"
)

type server struct {
	serverworld.Receiving
	broadcast codec.Broadcast
}

func newServer(env *predict.Env) predict.Server {
	s := &server{}
	s.Receiver.Declare(env)
	s.DeclarePlayout(env)
	s.World.Declare(env)
	s.broadcast.DeclareRemote(env)
	s.DeclareSolver()
	return s
}

// Tick reads the inputs, steps with the newest or with those whose playout delay has passed, and
// sends the positions.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	world := s.Env.World
	s.broadcast.Acknowledge(peers)
	s.Collect(host, peers)
	s.Step(host, peers)
	s.broadcast.RecordStep(world)
	s.broadcast.Send(world, peers, s.Inputs)
}

// Forget forgets a client's inputs and acknowledgements.
func (s *server) Forget(peer int) {
	s.Receiving.Forget(peer, 0)
	s.broadcast.Forget(peer, s.Env.World.Tick())
}

func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.Receiving.CopyFrom(&o.Receiving)
	s.broadcast.CopyFrom(&o.broadcast)
}
