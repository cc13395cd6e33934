package historyoffset

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/input"
	"ghostcube/predict/part/serverworld"
	"ghostcube/sim"
)

type server struct {
	serverworld.World
	receiver    input.PlayoutReceiver
	broadcast   codec.Broadcast
	writeHeader func(c *quant.Coder, peer int)
}

func newServer(env *predict.Env) predict.Server {
	s := &server{}
	s.receiver.Declare(env)
	s.Declare(env)
	s.broadcast.DeclareRemote(env)
	s.DeclareSolver()
	s.writeHeader = func(c *quant.Coder, peer int) {
		header := codec.NewConsumedHeader(&s.receiver.Buffers[peer])
		header.Code(c, 0)
	}
	return s
}

// Tick plays out the inputs, steps, and sends the state with the client tick of the input that led
// to it.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	w := s.Env.World
	s.broadcast.Acknowledge(peers)
	s.receiver.Collect(host, peers, s.Inputs, w)
	s.Step(host, peers, &s.receiver)
	s.broadcast.RecordStep(w)
	s.broadcast.SendWithHeader(s.writeHeader, w, peers, s.Inputs)
}

// CopyFrom makes s a copy of another server, except for its env.
func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.World.CopyFrom(&o.World)
	s.receiver.CopyFrom(&o.receiver)
	s.broadcast.CopyFrom(&o.broadcast)
}
