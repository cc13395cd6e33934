package rewind

import (
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/input"
	"ghostcube/predict/part/serverworld"
	"ghostcube/sim"
)

type server struct {
	serverworld.Receiving
	stepMode  int
	broadcast codec.Broadcast
	history   rollbackHistory
}

func newServer(env *predict.Env) predict.Server {
	s := &server{}
	declareStepMode(env.Knobs, &s.stepMode)
	s.Declare(env)
	s.broadcast.Declare(env)
	s.DeclareSolver()
	s.history.init(env)
	return s
}

// Tick reads the inputs, steps and sends the state.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	world := s.Env.World
	s.Receiver.AddPeers(peers, world.Tick(), s.Inputs)
	s.broadcast.Acknowledge(peers)
	input.SetHostInputs(s.Inputs, host)
	if s.stepMode == onInput && len(host) == 0 {
		s.stepOnInput(peers)
	} else {
		s.Receiver.Receive(peers, world.Tick())
		s.rollback(peers)
		for i, peer := range peers {
			if peer.Player >= 0 {
				s.Inputs[peer.Player] = s.Receiver.Queues[i].Pop(world.Tick(), s.Receiver.RepeatMissing)
			}
		}
		s.history.beginTick(world, s.Inputs, peers, s.Receiver.Queues)
		s.Step(host, peers)
		s.broadcast.RecordStep(world)
	}
	for i, peer := range peers {
		if peer.Player >= 0 {
			s.Receiver.Queues[i].CountConsumed(world.Tick(), world.Rate())
		}
	}
	s.Receiver.CountTotals()
	s.broadcast.Send(world, peers, s.Inputs)
	s.history.endTick(world, s.broadcast.SentTick())
}

// stepOnInput steps as the published program does: once for each new input, in order, skipping
// gaps. With several players the first one's inputs drive the world, and the others repeat their
// last.
func (s *server) stepOnInput(peers []predict.Peer) {
	world := s.Env.World
	for i, peer := range peers {
		q := &s.Receiver.Queues[i]
		for p, ok := peer.Endpoint.Receive(); ok; p, ok = peer.Endpoint.Receive() {
			if peer.Player < 0 || len(p.Payload) == 0 {
				continue
			}
			from, fresh := q.ReadOwnTicks(&p, world.Tick())
			for j := range fresh {
				t := from + sim.Tick(j)
				if t < world.Tick() && i == 0 {
					continue
				}
				s.Inputs[peer.Player] = q.Pop(t, input.Repetition{})
				if i == 0 {
					world.SetTick(t)
					s.Step(nil, peers)
					s.broadcast.RecordStep(world)
				}
			}
		}
	}
}

func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.stepMode = o.stepMode
	s.Receiving.CopyFrom(&o.Receiving)
	s.history.copyFrom(&o.history)
	s.broadcast.CopyFrom(&o.broadcast)
}
