package lab

import (
	"math"

	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/sim/geom"
)

// Hash digests every world, drawn pose, counter and endpoint statistic of the pane, and the
// clock faults of its clients.
func (p *Pane) Hash() uint64 {
	h := digest(p.startTick) + 1
	world := func(w *predict.World) {
		bodies, cache := w.Hash()
		h.addUint64(bodies)
		h.addUint64(cache)
	}
	if p.lab.remote.runsServer() {
		world(p.ServerWorld)
	}
	h.addUint64(uint64(p.drawnHash))
	for i, s := range p.Clients {
		world(s.World)
		h.addStats(&s.Endpoint.Stats)
		h.addStats(&p.peers[i].Endpoint.Stats)
		for _, peer := range s.peers {
			if peer != nil && peer.endpoint.Stats.PacketsSent > 0 {
				h.addStats(&peer.endpoint.Stats)
			}
		}
	}
	h.addUint64(hashCounters(p.Counters.All()))
	h.addClockFaults(p)
	return uint64(h)
}

// hashCounters digests the values of counters, independently of their names and order. A
// counter at zero counts as absent, and so does one that measures pictures: they have a digest of their own.
func hashCounters(list []predict.CounterValue) (sum uint64) {
	for _, c := range list {
		if c.Value != 0 && c.Quantity != predict.OnScreens {
			d := digest(1)
			d.addUint64(math.Float64bits(c.Value))
			sum += uint64(d)
		}
	}
	return sum
}

func (d *digest) addPose(p *geom.Pose) {
	two := func(a, b float32) {
		d.addUint64(uint64(math.Float32bits(a))<<32 | uint64(math.Float32bits(b)))
	}
	two(p.Pos.X, p.Pos.Y)
	two(p.Pos.Z, p.Rot.X)
	two(p.Rot.Y, p.Rot.Z)
	two(p.Rot.W, 0)
}

func (d *digest) addStats(s *packet.Stats) {
	for _, n := range [...]uint64{s.PacketsSent, s.PacketsReceived, s.DatagramsSent, s.DatagramsReceived,
		s.BytesSent, s.BytesReceived, s.Expected, s.Acked, s.Rejected(), s.Duplicates, s.Stale, s.ReassemblyFailures, s.InvalidAcks,
		uint64(s.RTT), uint64(s.LastRTT), uint64(s.RTTVariation), uint64(s.Jitter), s.RecentExpected, s.RecentLost,
		s.SentRate, s.ReceivedRate, s.AckedRate} {
		d.addUint64(n)
	}
	for i, n := range [...]uint64{s.Unconfirmed, s.FalseFragments} {
		if n != 0 { // only forgeries and outages cause them
			d.addUint64(uint64(i))
			d.addUint64(n)
		}
	}
}

// digest is a running hash of 64-bit numbers.
type digest uint64

func (d *digest) addUint64(u uint64) {
	x := (uint64(*d) ^ u) * 0x9E3779B97F4A7C15
	*d = digest(x ^ x>>32)
}
