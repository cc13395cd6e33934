package snapshot

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/inputs"
	"ghostcube/sim"
)

type server struct {
	env        *predict.Env
	set        settings
	velocities bool
	desk       inputs.Desk
	held       []sim.Input
	world      predict.Contacts
	since      int // steps since the last snapshot

	now    picture
	buffer []byte
	coder  quant.Coder
}

func newServer(env *predict.Env) predict.Server {
	s := &server{env: env, held: append([]sim.Input(nil), env.Held...)}
	k, m := env.Knobs, env.Meter
	s.set.declare(k)
	k.Bool(&s.velocities, "velocities", false, "send linear velocities also where the interpolation does without")
	s.desk.Declare(env)
	k.Contacts(&s.world)
	m.Declare("snapshots", "snapshots sent")
	m.Declare("snapshot_bits", "bits in them, headers apart")
	return s
}

// Tick reads the inputs, steps with the newest, and sends how it looks if that
// is due. A client that draws the past is no reason to refuse any input.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	world, m := s.env.World, s.env.Meter
	s.desk.Play(host, peers, s.held, world, m)
	s.world.Step(world, s.held...)
	if s.since++; s.since < s.set.every {
		return
	}
	s.since = 0
	s.now.take(world, s.velocities || s.set.velocities())
	s.now.write(&s.coder, &s.buffer, world.Scene())
	bits, payload := s.coder.Processed(), s.coder.Data()
	for _, peer := range peers {
		m.Add("snapshots", 1)
		m.Add("snapshot_bits", float64(bits))
		peer.Endpoint.Send(payload)
	}
}

func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.set, s.velocities, s.world, s.since = o.set, o.velocities, o.world, o.since
	s.held = append(s.held[:0], o.held...)
	s.desk.CopyFrom(&o.desk)
}
