package animated

import (
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/hit"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

type server struct {
	env   *predict.Env
	desk  input.Desk
	line  line
	shots hit.Judge
	out   codec.Broadcast
	held  []sim.Input
	world predict.Solver
}

func newServer(env *predict.Env) predict.Server {
	s := &server{env: env, held: append([]sim.Input(nil), env.LastInputs...)}
	s.desk.Declare(env)
	s.line.declare(env)
	s.shots.Declare(env)
	s.out.DeclareLinks(env)
	env.Knobs.Solver(&s.world)
	return s
}

// Tick reads the inputs, steps with the newest or with those whose turn it is, and
// sends the positions. A client that draws the past is no reason to refuse any input.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	world, m := s.env.World, s.env.Counters
	s.out.Hear(peers)
	from := hit.Source(&s.desk)
	if s.line.on() {
		s.line.play(host, peers, s.held, world, m)
		from = &s.line
	} else {
		s.desk.Play(host, peers, s.held, world, m)
	}
	s.shots.Tick(world, host, peers, from)
	s.world.Step(world, s.held...)
	s.out.Stepped(world)
	s.out.Send(world, peers, s.held, m)
}

func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.held, s.world = append(s.held[:0], o.held...), o.world
	s.desk.CopyFrom(&o.desk)
	s.line.copyFrom(&o.line)
	s.shots.CopyFrom(&o.shots)
	s.out.CopyFrom(&o.out)
}
