package snapshot

import (
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/hit"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

type server struct {
	env        *predict.Env
	set        settings
	velocities bool
	level      int
	desk       input.Desk
	shots      hit.Judge
	held       []sim.Input
	world      predict.Solver
	since      int // steps since the last snapshot

	listeners []listener                // by peer, once a level asks for them
	last      []predict.PacketBreakdown // by peer
	tally     tally

	now    picture
	buffer []byte
	coder  quant.Coder
}

// tally sums up what is sent while the level stays as it is.
type tally struct {
	level            int
	snapshots, cubes int
	parts            predict.SnapshotBits
	fragments        uint64
}

func newServer(env *predict.Env) predict.Server {
	s := &server{env: env, held: append([]sim.Input(nil), env.LastInputs...)}
	k, m := env.Knobs, env.Counters
	s.set.declare(k)
	k.Bool(&s.velocities, "velocities", false, "send linear velocities also where the interpolation does without")
	k.Choice(&s.level, "level", raw, levels, "how much is done to save bits, each level what the one before does and more; up to at-rest with velocities, from delta on relative to a snapshot that the client has")
	s.desk.Declare(env)
	s.shots.Declare(env)
	k.Solver(&s.world)
	m.Declare("snapshots", "snapshots sent")
	m.Declare("snapshot_bits", "bits in them, headers apart")
	m.Declare("bits_per_cube", "bits of a snapshot for each of its bodies, mean since the level was turned to")
	m.Declare("index_bits", "of those, the ones that say which bodies have changed")
	m.Declare("position_bits", "of those, the positions")
	m.Declare("rotation_bits", "of those, the rotations")
	m.Declare("linear_bits", "of those, the velocities")
	m.Declare("rest_bits", "of those, all others: who touches it, that it rests, heads")
	m.Declare("fragments", "datagrams that a snapshot takes, mean since the level was turned to")
	return s
}

// Tick reads the inputs, steps with the newest, and sends how it looks if that
// is due. A client that draws the past is no reason to refuse any input.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	world := s.env.World
	s.desk.Play(host, peers, s.held, world, s.env.Counters)
	s.shots.Tick(world, host, peers, &s.desk)
	s.world.Step(world, s.held...)
	for i := range s.listeners {
		s.listeners[i].hear(peers[i].Endpoint)
	}
	if s.since++; s.since < s.set.every {
		return
	}
	s.since = 0
	level := s.level
	if !fits(world.Scene()) {
		level = min(level, atRest)
	}
	s.now.take(world, level, level < quantised && (s.velocities || s.set.velocities()))
	if level >= quantised {
		s.sendPacked(peers)
		return
	}
	s.now.write(&s.coder, &s.buffer, world.Scene())
	bits, payload := s.coder.Processed(), s.coder.Data()
	for i, peer := range peers {
		s.send(i, peer, payload, bits)
	}
}

// sendPacked sends each peer the snapshot as it can read it.
func (s *server) sendPacked(peers []predict.Peer) {
	for len(s.listeners) < len(peers) {
		s.listeners = append(s.listeners, newListener())
	}
	for i, peer := range peers {
		l := &s.listeners[i]
		payload, number := s.now.put(&s.coder, &s.buffer, s.env.World.Scene(), l)
		l.sent(s.send(i, peer, payload, 8*len(payload)), number)
	}
}

// send sends peer i a snapshot of so many bits, and counts what it is made of.
func (s *server) send(i int, peer predict.Peer, payload []byte, bits int) packet.Sequence {
	stats := &peer.Endpoint.Stats
	datagrams, bytes := stats.DatagramsSent, stats.BytesSent
	number := peer.Endpoint.Send(payload)
	datagrams, bytes = stats.DatagramsSent-datagrams, stats.BytesSent-bytes
	for len(s.last) <= i {
		s.last = append(s.last, predict.PacketBreakdown{})
	}
	s.last[i] = predict.PacketBreakdown{
		Tick: s.now.tick, Bodies: len(s.now.looks), Datagrams: int(datagrams), Updates: bits, Header: 8*int(bytes) - bits, Parts: s.now.spent,
	}

	m, t := s.env.Counters, &s.tally
	m.Add("snapshots", 1)
	m.Add("snapshot_bits", float64(bits))
	if t.level != s.now.level {
		*t = tally{level: s.now.level}
	}
	t.snapshots++
	t.cubes += len(s.now.looks)
	t.fragments += datagrams
	t.parts.Add(&s.now.spent)
	each := float64(t.cubes)
	m.Set("bits_per_cube", t.parts.Bits()/each)
	m.Set("index_bits", t.parts.Index/each)
	m.Set("position_bits", t.parts.Position/each)
	m.Set("rotation_bits", t.parts.Rotation/each)
	m.Set("linear_bits", t.parts.Linear/each)
	m.Set("rest_bits", t.parts.Rest/each)
	m.Set("fragments", float64(t.fragments)/float64(t.snapshots))
	return number
}

// Inspect tells of the last snapshot to one client.
func (s *server) Inspect(l *predict.Inspection, seat int) {
	if seat < len(s.last) {
		l.Packet = s.last[seat]
	}
}

func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.set, s.velocities, s.world, s.since = o.set, o.velocities, o.world, o.since
	s.held = append(s.held[:0], o.held...)
	s.desk.CopyFrom(&o.desk)
	s.shots.CopyFrom(&o.shots)
	s.level, s.tally, s.last = o.level, o.tally, append(s.last[:0], o.last...)
	s.listeners = s.listeners[:min(len(s.listeners), len(o.listeners))]
	for i := range o.listeners {
		if i == len(s.listeners) {
			s.listeners = append(s.listeners, newListener())
		}
		s.listeners[i].copyFrom(&o.listeners[i])
	}
}
