package predicted

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/frame"
	"ghostcube/predict/part/hit"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

type server struct {
	env            *predict.Env
	playout        input.PlayoutSettings
	buffers        []input.PlayoutBuffer // by peer
	broadcast      codec.Broadcast
	lagCompensator hit.LagCompensator
	lastInputs     []sim.Input
	solver         predict.Solver
	writeHeader    func(c *quant.Coder, peer int)
	relative       bool
	parents        frame.Selection // if the strategy tells of parents
	peers          []predict.Peer
}

// NewServer makes the half that owns the truth.
func NewServer(env *predict.Env) predict.Server { return newServer(env) }

// NewRelativeServer makes one that chooses a parent for each player's cube.
func NewRelativeServer(env *predict.Env) predict.Server {
	s := newServer(env)
	s.relative = true
	s.parents.Declare(env)
	return s
}

func newServer(env *predict.Env) *server {
	s := &server{env: env, lastInputs: append([]sim.Input(nil), env.LastInputs...)}
	input.DeclarePlayout(&s.playout, env)
	s.lagCompensator.Declare(env)
	s.broadcast.DeclareTree(env)
	env.Knobs.Solver(&s.solver)
	s.writeHeader = func(c *quant.Coder, peer int) {
		h := codec.NewConsumedHeader(&s.buffers[peer])
		h.Code(c, 0)
		if s.relative {
			s.parents.Write(c, env.World, peer, s.peers[peer].Player)
		}
	}
	return s
}

// Tick takes each player's input from its buffer, lets in what has come, steps, and
// sends the state, with the frame of the input that led to it.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	world, m := s.env.World, s.env.Counters
	s.broadcast.Acknowledge(peers)
	for i := len(s.buffers); i < len(peers); i++ {
		s.buffers = append(s.buffers, input.PlayoutBuffer{})
		if seat := peers[i].Player; seat >= 0 {
			s.buffers[i].Start(s.lastInputs[seat])
		}
	}
	input.SetHostInputs(s.lastInputs, host)
	for i, peer := range peers {
		s.receiveInput(&s.buffers[i], peer)
	}
	s.lagCompensator.Tick(world, host, peers, s)
	s.solver.Step(world, s.lastInputs...)
	s.broadcast.RecordStep(world)
	s.peers = peers
	if s.relative {
		s.parents.Update(world, peers)
	}
	s.broadcast.SendWithHeader(s.writeHeader, world, peers, s.lastInputs, m)
}

// PopShots returns the shots of a peer that have come since it was last called.
func (s *server) PopShots(peer int) []sim.Shot { return s.buffers[peer].PopShots() }

// receiveInput makes a tick of one player's buffer.
func (s *server) receiveInput(q *input.PlayoutBuffer, peer predict.Peer) {
	m := s.env.Counters
	if peer.Player >= 0 {
		s.lastInputs[peer.Player] = q.Pop(&s.playout, m)
	}
	for p, ok := peer.Endpoint.Receive(); ok; p, ok = peer.Endpoint.Receive() {
		if peer.Player >= 0 && len(p.Payload) > 0 {
			q.Read(p.Payload, s.env.World.Tick(), &s.playout, m)
		}
	}
	if peer.Player >= 0 {
		q.Trim(&s.playout, m)
	}
}

func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.playout, s.solver = o.playout, o.solver
	s.lastInputs = append(s.lastInputs[:0], o.lastInputs...)
	s.buffers = make([]input.PlayoutBuffer, len(o.buffers))
	for i := range o.buffers {
		s.buffers[i].CopyFrom(&o.buffers[i])
	}
	s.broadcast.CopyFrom(&o.broadcast)
	s.lagCompensator.CopyFrom(&o.lagCompensator)
	s.parents.CopyFrom(&o.parents)
}
