package rewind

import (
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/hit"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

type server struct {
	env   *predict.Env
	steps int
	desk  input.Desk
	out   codec.Broadcast
	shots hit.Judge
	held  []sim.Input
	world predict.Solver
	late  late
}

func newServer(env *predict.Env) predict.Server {
	s := &server{env: env, held: append([]sim.Input(nil), env.LastInputs...)}
	declareSteps(env.Knobs, &s.steps)
	s.desk.Declare(env)
	s.out.Declare(env)
	s.shots.Declare(env)
	env.Knobs.Solver(&s.world)
	s.late.start(env)
	return s
}

// Tick reads the inputs, steps, and sends the state.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	world, m := s.env.World, s.env.Counters
	s.desk.Seat(peers, world.Tick(), s.held)
	s.out.Hear(peers)
	input.Hold(s.held, host)
	if s.steps == onInput && len(host) == 0 {
		s.stepOnInput(peers)
	} else {
		s.desk.Receive(peers, world.Tick(), m)
		s.catchUp(peers)
		for i, peer := range peers {
			if peer.Seat >= 0 {
				s.held[peer.Seat] = s.desk.Queues[i].Take(world.Tick(), s.desk.Repeat, m)
			}
		}
		s.late.begins(world, s.held)
		s.shots.Tick(world, host, peers, &s.desk)
		s.step()
	}
	for i, peer := range peers {
		if peer.Seat >= 0 {
			s.desk.Queues[i].Judge(world.Tick(), world.Rate(), m)
		}
	}
	s.desk.Total(m)
	s.out.Send(world, peers, s.held, m)
	s.late.ended(world, s.out.Told())
}

// stepOnInput is the published way: the world steps once for each input that
// is new, in order, and a gap is not stepped at all. With several players the
// first one's inputs drive the world, and the others do what they did last.
func (s *server) stepOnInput(peers []predict.Peer) {
	world, m := s.env.World, s.env.Counters
	for i, peer := range peers {
		q := &s.desk.Queues[i]
		for p, ok := peer.Endpoint.Receive(); ok; p, ok = peer.Endpoint.Receive() {
			if peer.Seat < 0 || len(p.Payload) == 0 {
				continue
			}
			from, fresh := q.Read(p.Payload, world.Tick(), m)
			for j := range fresh {
				t := from + sim.Tick(j)
				if t < world.Tick() && i == 0 {
					continue
				}
				s.held[peer.Seat] = q.Take(t, false, m)
				if i == 0 {
					world.SetTick(t)
					s.shots.Tick(world, nil, peers, &s.desk)
					s.step()
				}
			}
		}
	}
}

func (s *server) step() {
	s.world.Step(s.env.World, s.held...)
	s.out.Stepped(s.env.World)
}

func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.steps, s.world = o.steps, o.world
	s.held = append(s.held[:0], o.held...)
	s.desk.CopyFrom(&o.desk)
	s.late.copyFrom(&o.late)
	s.out.CopyFrom(&o.out)
	s.shots.CopyFrom(&o.shots)
}
