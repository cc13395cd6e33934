package rewind

import (
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/hit"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

type server struct {
	env            *predict.Env
	stepMode       int
	inputReceiver  input.Receiver
	broadcast      codec.Broadcast
	lagCompensator hit.LagCompensator
	lastInputs     []sim.Input
	solver         predict.Solver
	history        rollbackHistory
}

func newServer(env *predict.Env) predict.Server {
	s := &server{env: env, lastInputs: append([]sim.Input(nil), env.LastInputs...)}
	declareStepMode(env.Knobs, &s.stepMode)
	s.inputReceiver.Declare(env)
	s.broadcast.Declare(env)
	s.lagCompensator.Declare(env)
	env.Knobs.Solver(&s.solver)
	s.history.init(env)
	return s
}

// Tick reads the inputs, steps and sends the state.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	world := s.env.World
	s.inputReceiver.AddPeers(peers, world.Tick(), s.lastInputs)
	s.broadcast.Acknowledge(peers)
	input.SetHostInputs(s.lastInputs, host)
	if s.stepMode == onInput && len(host) == 0 {
		s.stepOnInput(peers)
	} else {
		s.inputReceiver.Receive(peers, world.Tick())
		s.rollback(peers)
		for i, peer := range peers {
			if peer.Player >= 0 {
				s.lastInputs[peer.Player] = s.inputReceiver.Queues[i].Pop(world.Tick(), s.inputReceiver.RepeatMissing)
			}
		}
		s.history.beginTick(world, s.lastInputs)
		s.lagCompensator.Tick(world, host, peers, &s.inputReceiver)
		s.step()
	}
	for i, peer := range peers {
		if peer.Player >= 0 {
			s.inputReceiver.Queues[i].CountConsumed(world.Tick(), world.Rate())
		}
	}
	s.inputReceiver.CountTotals()
	s.broadcast.Send(world, peers, s.lastInputs)
	s.history.endTick(world, s.broadcast.SentTick())
}

// stepOnInput steps as the published program does: once for each new input, in order, skipping
// gaps. With several players the first one's inputs drive the world, and the others repeat their
// last.
func (s *server) stepOnInput(peers []predict.Peer) {
	world := s.env.World
	for i, peer := range peers {
		q := &s.inputReceiver.Queues[i]
		for p, ok := peer.Endpoint.Receive(); ok; p, ok = peer.Endpoint.Receive() {
			if peer.Player < 0 || len(p.Payload) == 0 {
				continue
			}
			from, fresh := q.Read(p.Payload, world.Tick())
			for j := range fresh {
				t := from + sim.Tick(j)
				if t < world.Tick() && i == 0 {
					continue
				}
				s.lastInputs[peer.Player] = q.Pop(t, false)
				if i == 0 {
					world.SetTick(t)
					s.lagCompensator.Tick(world, nil, peers, &s.inputReceiver)
					s.step()
				}
			}
		}
	}
}

func (s *server) step() {
	s.solver.Step(s.env.World, s.lastInputs...)
	s.broadcast.RecordStep(s.env.World)
}

func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.stepMode, s.solver = o.stepMode, o.solver
	s.lastInputs = append(s.lastInputs[:0], o.lastInputs...)
	s.inputReceiver.CopyFrom(&o.inputReceiver)
	s.history.copyFrom(&o.history)
	s.broadcast.CopyFrom(&o.broadcast)
	s.lagCompensator.CopyFrom(&o.lagCompensator)
}
