package relative

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/localprediction"
	"ghostcube/predict/localprediction/frame"
	"ghostcube/sim"
)

type server struct {
	localprediction.Server
	parents frame.Selection
	scratch serverScratch
}

// serverScratch is memory that no later tick depends on.
type serverScratch struct {
	peers []predict.Peer // of this tick
}

func newServer(env *predict.Env) predict.Server {
	s := &server{}
	s.Declare(env, func() { s.parents.Declare(env) }, func(c *quant.Coder, peer int) {
		w, player := s.Env.World, s.scratch.peers[peer].Player
		s.parents.Write(c, w, peer, player)
		s.parents.WriteRelayed(c, w, player, s.scratch.peers, s.Receiver.Buffers)
	})
	return s
}

// Tick plays out the inputs, steps, chooses the parents, and sends the state with the client tick of
// the input that led to it and the player's cube relative to its parent.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	w := s.Env.World
	s.Broadcast.Acknowledge(peers)
	s.Receiver.Collect(host, peers, s.Inputs, w)
	s.Step(host, peers, &s.Receiver)
	s.Broadcast.RecordStep(w)
	s.scratch.peers = peers
	s.parents.Update(w, peers)
	s.Send(peers)
}

// CopyFrom makes s a copy of another server, except for its env.
func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.Server.CopyFrom(&o.Server)
	s.parents.CopyFrom(&o.parents)
}
