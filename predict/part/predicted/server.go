package predicted

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/hit"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

type server struct {
	env    *predict.Env
	set    input.PlayoutSettings
	queues []input.Playout // by peer
	out    codec.Broadcast
	shots  hit.Judge
	held   []sim.Input
	world  predict.Solver
	head   func(c *quant.Coder, peer int)
	rides  carrying // if the strategy tells of parents
	peers  []predict.Peer
}

// NewServer makes the half that owns the truth.
func NewServer(env *predict.Env) predict.Server { return newServer(env) }

// NewRelativeServer makes one that chooses a parent for each player's cube.
func NewRelativeServer(env *predict.Env) predict.Server {
	s := newServer(env)
	s.rides.declare(env)
	return s
}

func newServer(env *predict.Env) *server {
	s := &server{env: env, held: append([]sim.Input(nil), env.LastInputs...)}
	input.DeclarePlayout(&s.set, env)
	s.shots.Declare(env)
	s.out.DeclareLinks(env)
	env.Knobs.Solver(&s.world)
	s.head = func(c *quant.Coder, peer int) {
		q := &s.queues[peer]
		h := head{q.Taken(), min(q.Waited(), mostWaited)}
		h.code(c, 0)
		s.rides.code(c, env.World, peer, s.peers[peer].Seat)
	}
	return s
}

// Tick takes each player's input from its buffer, lets in what has come, steps, and
// sends the state, with the frame of the input that led to it.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	world, m := s.env.World, s.env.Counters
	s.out.Hear(peers)
	for i := len(s.queues); i < len(peers); i++ {
		s.queues = append(s.queues, input.Playout{})
		if seat := peers[i].Seat; seat >= 0 {
			s.queues[i].Start(s.held[seat])
		}
	}
	input.Hold(s.held, host)
	for i, peer := range peers {
		s.play(&s.queues[i], peer)
	}
	s.shots.Tick(world, host, peers, s)
	s.world.Step(world, s.held...)
	s.out.Stepped(world)
	s.peers = peers
	s.rides.stepped(world, peers)
	s.out.SendAfter(s.head, world, peers, s.held, m)
}

// Shots returns the shots of a peer that have come since it was last called.
func (s *server) Shots(peer int) []sim.Shot { return s.queues[peer].Shots() }

// play makes a tick of one player's buffer.
func (s *server) play(q *input.Playout, peer predict.Peer) {
	m := s.env.Counters
	if peer.Seat >= 0 {
		s.held[peer.Seat] = q.Take(&s.set, m)
	}
	for p, ok := peer.Endpoint.Receive(); ok; p, ok = peer.Endpoint.Receive() {
		if peer.Seat >= 0 && len(p.Payload) > 0 {
			q.Read(p.Payload, s.env.World.Tick(), &s.set, m)
		}
	}
	if peer.Seat >= 0 {
		q.Settle(&s.set, m)
	}
}

func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.set, s.world = o.set, o.world
	s.held = append(s.held[:0], o.held...)
	s.queues = make([]input.Playout, len(o.queues))
	for i := range o.queues {
		s.queues[i].CopyFrom(&o.queues[i])
	}
	s.out.CopyFrom(&o.out)
	s.shots.CopyFrom(&o.shots)
	s.rides.copyFrom(&o.rides)
}
