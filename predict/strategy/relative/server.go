package relative

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/localprediction/frame"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/input"
	"ghostcube/predict/part/serverworld"
	"ghostcube/sim"
)

type server struct {
	serverworld.World
	receiver    input.PlayoutReceiver
	parents     frame.Selection
	broadcast   codec.Broadcast
	scratch     serverScratch
	writeHeader func(c *quant.Coder, peer int)
}

// serverScratch is memory that no later tick depends on.
type serverScratch struct {
	peers []predict.Peer // of this tick
}

func newServer(env *predict.Env) predict.Server {
	s := &server{}
	s.receiver.Declare(env)
	s.Declare(env)
	s.broadcast.DeclareRemote(env)
	s.parents.Declare(env)
	s.DeclareSolver()
	s.writeHeader = func(c *quant.Coder, peer int) {
		header := codec.NewConsumedHeader(&s.receiver.Buffers[peer])
		header.Code(c, 0)
		s.parents.Write(c, s.Env.World, peer, s.scratch.peers[peer].Player)
	}
	return s
}

// Tick plays out the inputs, steps, chooses the parents, and sends the state with the client tick of
// the input that led to it and the player's cube relative to its parent.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	w := s.Env.World
	s.broadcast.Acknowledge(peers)
	s.receiver.Collect(host, peers, s.Inputs, w)
	s.Step(host, peers, &s.receiver)
	s.broadcast.RecordStep(w)
	s.scratch.peers = peers
	s.parents.Update(w, peers)
	s.broadcast.SendWithHeader(s.writeHeader, w, peers, s.Inputs)
}

// CopyFrom makes s a copy of another server, except for its env.
func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.World.CopyFrom(&o.World)
	s.receiver.CopyFrom(&o.receiver)
	s.parents.CopyFrom(&o.parents)
	s.broadcast.CopyFrom(&o.broadcast)
}
