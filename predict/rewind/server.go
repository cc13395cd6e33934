package rewind

import (
	"ghostcube/predict"
	"ghostcube/predict/inputs"
	"ghostcube/predict/wire"
	"ghostcube/sim"
)

type server struct {
	env     *predict.Env
	every   int
	repeat  bool
	steps   int
	queues  []inputs.Queue // one for each peer
	senders []wire.Sender
	changes wire.Changes
	held    []sim.Input
	since   int // steps since the last snapshot
}

func newServer(env *predict.Env) predict.Server {
	s := &server{env: env}
	declareSteps(env.Knobs, &s.steps)
	env.Knobs.Int(&s.every, "snapshot-every", 1, 1, 64, "ticks from one snapshot to the next: 1, 4, 32 are 60, 15, 1.9 a second at 60 Hz")
	env.Knobs.Bool(&s.repeat, "repeat-missing", true, "a player whose input has not come does what it did last, not nothing")
	inputs.Declare(env)
	env.Meter.Declare("snapshots", "snapshots sent")
	env.Meter.Declare("snapshot_bits", "bits in them, headers apart")
	s.held = append(s.held, env.Held...)
	return s
}

// Tick reads the inputs, steps, and sends the state.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	world, m := s.env.World, s.env.Meter
	for i := len(s.queues); i < len(peers); i++ {
		s.queues, s.senders = append(s.queues, inputs.Queue{}), append(s.senders, wire.Sender{})
		if seat := peers[i].Seat; seat >= 0 {
			s.queues[i].Start(world.Tick(), s.held[seat])
		}
	}
	for i, peer := range peers {
		s.senders[i].Hear(peer.Endpoint)
	}
	copy(s.held, host)
	if s.steps == onInput && len(host) == 0 {
		s.stepOnInput(peers)
	} else {
		s.receive(peers)
		for i, peer := range peers {
			if peer.Seat >= 0 {
				s.held[peer.Seat] = s.queues[i].Take(world.Tick(), s.repeat, m)
			}
		}
		s.step()
	}
	for i, peer := range peers {
		if peer.Seat >= 0 {
			s.queues[i].Judge(world.Tick(), world.Rate(), m)
		}
	}
	if s.since < s.every {
		return
	}
	s.since = 0
	for i, peer := range peers {
		m.Add("snapshots", 1)
		m.Add("snapshot_bits", float64(s.senders[i].Send(peer.Endpoint, world, &s.changes, s.held)))
	}
}

// receive puts what has come into the queues.
func (s *server) receive(peers []predict.Peer) {
	for i, peer := range peers {
		for p, ok := peer.Endpoint.Receive(); ok; p, ok = peer.Endpoint.Receive() {
			if peer.Seat >= 0 && len(p.Payload) > 0 {
				s.queues[i].Read(p.Payload, s.env.World.Tick(), s.env.Meter)
			}
		}
	}
}

// stepOnInput is the published way: the world steps once for each input that
// is new, in order, and a gap is not stepped at all. With several players the
// first one's inputs drive the world, and the others do what they did last.
func (s *server) stepOnInput(peers []predict.Peer) {
	world, m := s.env.World, s.env.Meter
	for i, peer := range peers {
		q := &s.queues[i]
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
					world.Relabel(t)
					s.step()
				}
			}
		}
	}
}

func (s *server) step() {
	s.env.World.Step(s.held...)
	s.changes.Note(s.env.World)
	s.since++
}

func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.every, s.repeat, s.steps, s.since = o.every, o.repeat, o.steps, o.since
	s.held = append(s.held[:0], o.held...)
	s.changes.CopyFrom(&o.changes)
	s.queues = make([]inputs.Queue, len(o.queues))
	s.senders = make([]wire.Sender, len(o.senders))
	for i := range o.queues {
		s.queues[i].CopyFrom(&o.queues[i])
		s.senders[i].CopyFrom(&o.senders[i])
	}
}
