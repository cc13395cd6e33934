package historyoffset

import (
	"ghostcube/predict"
	"ghostcube/predict/localprediction"
	"ghostcube/sim"
)

type server struct {
	localprediction.Server
}

func newServer(env *predict.Env) predict.Server {
	s := &server{}
	s.Declare(env, nil, nil)
	return s
}

// Tick plays out the inputs, steps, and sends the state with the client tick of the input that led
// to it.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	w := s.Env.World
	s.Broadcast.Acknowledge(peers)
	s.Receiver.Collect(host, peers, s.Inputs, w)
	s.Step(host, peers, &s.Receiver)
	s.Broadcast.RecordStep(w)
	s.Send(peers)
}

// CopyFrom makes s a copy of another server, except for its env.
func (s *server) CopyFrom(from predict.Server) { s.Server.CopyFrom(&from.(*server).Server) }
