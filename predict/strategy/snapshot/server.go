package snapshot

import (
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/serverworld"
	"ghostcube/sim"
)

type server struct {
	serverworld.Receiving
	settings           settings
	sendVelocities     bool
	checks             bool
	level              int
	precision          precision
	indices            quant.IndexEncoding
	stepsSinceSnapshot int // steps since the last snapshot was sent

	deltaPeers  []deltaPeer               // by peer; empty before a level needs them
	lastPackets []predict.PacketBreakdown // by peer
	totals      levelTotals

	counters serverCounters
	serverScratch
}

// serverScratch is memory that no later tick depends on.
type serverScratch struct {
	current snapshot
	buffer  []byte
	coder   quant.Coder
}

// serverCounters are what a server counts.
type serverCounters struct {
	snapshots, snapshotBits, bitsPerBody, indexBits, positionBits, rotationBits, linearBits, otherBits, fragmentsPerSnapshot predict.Counter
}

// levelTotals sums the packets sent while the compression level, the precision and the encoding of indices stay the same.
type levelTotals struct {
	level             int
	precision         precision
	indices           quant.IndexEncoding
	snapshots, bodies int
	breakdown         predict.SnapshotBits
	fragments         uint64
}

func newServer(env *predict.Env) predict.Server {
	s := &server{}
	k, m := env.Knobs, env.Counters
	s.settings.declare(k)
	group := k.In(predict.PacketKnobs)
	group.Bool(&s.sendVelocities, "velocities", false, "send linear velocities even if interpolation does not need them")
	group.Choice(&s.level, "compression", raw, levels, "compression level; each adds a technique")
	s.precision.declare(k)
	group.Choice((*int)(&s.indices), "index-encoding", int(quant.ShorterIndices), indexEncodings,
		"how snapshots list the bodies that have changed; ghostcube codec --indices compares the encodings")
	k.Needs("index-encoding", "compression", levels[deltaEncoded:relativeRotation+1]...)
	codec.DeclareChecks(env, &s.checks)
	k.Needs("velocities", "compression", levels[:quantised]...)
	k.Needs("velocities", "interpolation", "none", "linear")
	s.Declare(env)
	s.DeclarePlayout(env)
	s.DeclareSolver()
	s.counters.snapshots = m.New("snapshots", "snapshots sent")
	s.counters.snapshotBits = m.New("snapshot_bits", "bits in snapshots, headers excluded")
	s.counters.bitsPerBody = m.New("bits_per_body", "mean bits of a snapshot per body")
	s.counters.indexBits = m.New("index_bits", "bits per body of changed bodies' indices")
	s.counters.positionBits = m.New("position_bits", "bits per body of positions")
	s.counters.rotationBits = m.New("rotation_bits", "bits per body of rotations")
	s.counters.linearBits = m.New("linear_bits", "bits per body of velocities")
	s.counters.otherBits = m.New("other_bits", "bits per body of everything else")
	s.counters.fragmentsPerSnapshot = m.New("fragments_per_snapshot", "mean datagrams per snapshot")
	return s
}

// Tick reads the inputs, steps with the newest, and sends a snapshot if one is due. The client
// draws the past, so no input is ever too late.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	world := s.Env.World
	s.Collect(host, peers)
	s.Step(host, peers)
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
	s.current.capture(world, level, s.precision, s.indices, level < quantised && (s.sendVelocities || s.settings.needsVelocities()))
	if s.current.isPacked() {
		s.sendPacked(peers)
		return
	}
	s.current.checks = s.checks
	s.current.write(&s.coder, &s.buffer, world.Scene())
	bits, payload := s.coder.BitsProcessed(), s.coder.FinishWrite()
	for i, peer := range peers {
		s.send(i, peer, payload, bits)
	}
}

// sendPacked sends each peer the snapshot relative to what that peer has.
func (s *server) sendPacked(peers []predict.Peer) {
	for len(s.deltaPeers) < len(peers) {
		s.deltaPeers = append(s.deltaPeers, newDeltaPeer())
	}
	for i, peer := range peers {
		l := &s.deltaPeers[i]
		payload, number := s.current.writePacked(&s.coder, &s.buffer, s.Env.World.Scene(), l)
		l.recordSent(s.send(i, peer, payload, 8*len(payload)), number)
	}
}

// send sends peer i a snapshot with a payload of that many bits, and counts its bits.
func (s *server) send(i int, peer predict.Peer, payload []byte, bits int) packet.Sequence {
	stats := &peer.Endpoint.Stats
	datagrams, bytes := stats.DatagramsSent, stats.BytesSent
	if report := s.Env.OnPacketBits; report != nil {
		report(i, &s.current.spent)
	}
	number := peer.Endpoint.Send(payload)
	datagrams, bytes = stats.DatagramsSent-datagrams, stats.BytesSent-bytes
	for len(s.lastPackets) <= i {
		s.lastPackets = append(s.lastPackets, predict.PacketBreakdown{})
	}
	s.lastPackets[i] = predict.PacketBreakdown{
		Tick: s.current.tick, BodyCount: len(s.current.bodies), DatagramCount: int(datagrams),
		BodyBits: bits, HeaderBits: 8*int(bytes) - bits, Parts: s.current.breakdown,
	}

	t := &s.totals
	s.counters.snapshots.Inc()
	s.counters.snapshotBits.Add(float64(bits))
	if t.level != s.current.level || t.precision != s.current.precision || t.indices != s.current.indices {
		*t = levelTotals{level: s.current.level, precision: s.current.precision, indices: s.current.indices}
	}
	t.snapshots++
	t.bodies += len(s.current.bodies)
	t.fragments += datagrams
	t.breakdown.Add(&s.current.breakdown)
	bodies := float64(t.bodies)
	s.counters.bitsPerBody.Set(t.breakdown.Bits() / bodies)
	s.counters.indexBits.Set(t.breakdown.Index / bodies)
	s.counters.positionBits.Set(t.breakdown.Position / bodies)
	s.counters.rotationBits.Set(t.breakdown.Rotation / bodies)
	s.counters.linearBits.Set(t.breakdown.Linear / bodies)
	s.counters.otherBits.Set(t.breakdown.Other / bodies)
	s.counters.fragmentsPerSnapshot.Set(float64(t.fragments) / float64(t.snapshots))
	return number
}

// Forget forgets a client's inputs and baselines.
func (s *server) Forget(peer int) {
	s.Receiving.Forget(peer, 0)
	if peer < len(s.deltaPeers) {
		s.deltaPeers[peer] = newDeltaPeer()
	}
}

// inspect reports the last snapshot sent to one client.
func (s *server) inspect(l *predict.Inspection, seat int) {
	if seat < len(s.lastPackets) {
		l.Packet = s.lastPackets[seat]
	}
}

func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.settings, s.sendVelocities, s.stepsSinceSnapshot = o.settings, o.sendVelocities, o.stepsSinceSnapshot
	s.Receiving.CopyFrom(&o.Receiving)
	s.precision, s.indices, s.checks = o.precision, o.indices, o.checks
	s.level, s.totals, s.lastPackets = o.level, o.totals, append(s.lastPackets[:0], o.lastPackets...)
	s.deltaPeers = s.deltaPeers[:min(len(s.deltaPeers), len(o.deltaPeers))]
	for i := range o.deltaPeers {
		if i == len(s.deltaPeers) {
			s.deltaPeers = append(s.deltaPeers, newDeltaPeer())
		}
		s.deltaPeers[i].copyFrom(&o.deltaPeers[i])
	}
}
