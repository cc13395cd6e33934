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
	env                *predict.Env
	settings           settings
	sendVelocities     bool
	level              int
	inputReceiver      input.Receiver
	lagCompensator     hit.LagCompensator
	lastInputs         []sim.Input
	solver             predict.Solver
	stepsSinceSnapshot int // steps since the last snapshot

	deltaPeers  []deltaPeer               // by peer, once a level asks for them
	lastPackets []predict.PacketBreakdown // by peer
	totals      levelTotals

	current snapshot
	buffer  []byte
	coder   quant.Coder
}

// levelTotals sums up what is sent while the level stays as it is.
type levelTotals struct {
	level             int
	snapshots, bodies int
	breakdown         predict.SnapshotBits
	fragments         uint64
}

func newServer(env *predict.Env) predict.Server {
	s := &server{env: env, lastInputs: append([]sim.Input(nil), env.LastInputs...)}
	k, m := env.Knobs, env.Counters
	s.settings.declare(k)
	k.Bool(&s.sendVelocities, "velocities", false, "send linear velocities also where the interpolation does without")
	k.Choice(&s.level, "compression", raw, levels, "how much is done to save bits, each level what the one before does and more; up to at-rest with velocities, from delta on relative to a snapshot that the client has")
	s.inputReceiver.Declare(env)
	s.lagCompensator.Declare(env)
	k.Solver(&s.solver)
	m.Declare("snapshots", "snapshots sent")
	m.Declare("snapshot_bits", "bits in them, headers apart")
	m.Declare("bits_per_body", "bits of a snapshot for each of its bodies, mean since the level was turned to")
	m.Declare("index_bits", "of those, the ones that say which bodies have changed")
	m.Declare("position_bits", "of those, the positions")
	m.Declare("rotation_bits", "of those, the rotations")
	m.Declare("linear_bits", "of those, the velocities")
	m.Declare("other_bits", "of those, all others: who touches it, that it rests, heads")
	m.Declare("fragments_per_snapshot", "datagrams that a snapshot takes, mean since the level was turned to")
	return s
}

// Tick reads the inputs, steps with the newest, and sends how it looks if that
// is due. A client that draws the past is no reason to refuse any input.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	world := s.env.World
	s.inputReceiver.Collect(host, peers, s.lastInputs, world, s.env.Counters)
	s.lagCompensator.Tick(world, host, peers, &s.inputReceiver)
	s.solver.Step(world, s.lastInputs...)
	for i := range s.deltaPeers {
		s.deltaPeers[i].receiveAcks(peers[i].Endpoint)
	}
	if s.stepsSinceSnapshot++; s.stepsSinceSnapshot < s.settings.snapshotEvery {
		return
	}
	s.stepsSinceSnapshot = 0
	level := s.level
	if !fitsQuantised(world.Scene()) {
		level = min(level, atRest)
	}
	s.current.capture(world, level, level < quantised && (s.sendVelocities || s.settings.needsVelocities()))
	if level >= quantised {
		s.sendPacked(peers)
		return
	}
	s.current.write(&s.coder, &s.buffer, world.Scene())
	bits, payload := s.coder.BitsProcessed(), s.coder.FinishWrite()
	for i, peer := range peers {
		s.send(i, peer, payload, bits)
	}
}

// sendPacked sends each peer the snapshot as it can read it.
func (s *server) sendPacked(peers []predict.Peer) {
	for len(s.deltaPeers) < len(peers) {
		s.deltaPeers = append(s.deltaPeers, newDeltaPeer())
	}
	for i, peer := range peers {
		l := &s.deltaPeers[i]
		payload, number := s.current.writePacked(&s.coder, &s.buffer, s.env.World.Scene(), l)
		l.recordSent(s.send(i, peer, payload, 8*len(payload)), number)
	}
}

// send sends peer i a snapshot of so many bits, and counts what it is made of.
func (s *server) send(i int, peer predict.Peer, payload []byte, bits int) packet.Sequence {
	stats := &peer.Endpoint.Stats
	datagrams, bytes := stats.DatagramsSent, stats.BytesSent
	number := peer.Endpoint.Send(payload)
	datagrams, bytes = stats.DatagramsSent-datagrams, stats.BytesSent-bytes
	for len(s.lastPackets) <= i {
		s.lastPackets = append(s.lastPackets, predict.PacketBreakdown{})
	}
	s.lastPackets[i] = predict.PacketBreakdown{
		Tick: s.current.tick, BodyCount: len(s.current.bodies), DatagramCount: int(datagrams), BodyBits: bits, HeaderBits: 8*int(bytes) - bits, Parts: s.current.breakdown,
	}

	m, t := s.env.Counters, &s.totals
	m.Add("snapshots", 1)
	m.Add("snapshot_bits", float64(bits))
	if t.level != s.current.level {
		*t = levelTotals{level: s.current.level}
	}
	t.snapshots++
	t.bodies += len(s.current.bodies)
	t.fragments += datagrams
	t.breakdown.Add(&s.current.breakdown)
	each := float64(t.bodies)
	m.Set("bits_per_body", t.breakdown.Bits()/each)
	m.Set("index_bits", t.breakdown.Index/each)
	m.Set("position_bits", t.breakdown.Position/each)
	m.Set("rotation_bits", t.breakdown.Rotation/each)
	m.Set("linear_bits", t.breakdown.Linear/each)
	m.Set("other_bits", t.breakdown.Other/each)
	m.Set("fragments_per_snapshot", float64(t.fragments)/float64(t.snapshots))
	return number
}

// Inspect tells of the last snapshot to one client.
func (s *server) Inspect(l *predict.Inspection, seat int) {
	if seat < len(s.lastPackets) {
		l.Packet = s.lastPackets[seat]
	}
}

func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.settings, s.sendVelocities, s.solver, s.stepsSinceSnapshot = o.settings, o.sendVelocities, o.solver, o.stepsSinceSnapshot
	s.lastInputs = append(s.lastInputs[:0], o.lastInputs...)
	s.inputReceiver.CopyFrom(&o.inputReceiver)
	s.lagCompensator.CopyFrom(&o.lagCompensator)
	s.level, s.totals, s.lastPackets = o.level, o.totals, append(s.lastPackets[:0], o.lastPackets...)
	s.deltaPeers = s.deltaPeers[:min(len(s.deltaPeers), len(o.deltaPeers))]
	for i := range o.deltaPeers {
		if i == len(s.deltaPeers) {
			s.deltaPeers = append(s.deltaPeers, newDeltaPeer())
		}
		s.deltaPeers[i].copyFrom(&o.deltaPeers[i])
	}
}
