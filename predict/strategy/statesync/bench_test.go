package statesync

import (
	"testing"

	"ghostcube/sim"
)

// gather is a player that pulls at cubes and pushes about, as in a katamari.
func gather(tick int) sim.Input {
	in := keys(tick)
	in.Buttons |= sim.Pull
	return in
}

// BenchmarkChoose fills a packet of 256 kbit/s from 900 cubes of which the player
// has gathered some.
func BenchmarkChoose(b *testing.B) {
	for _, level := range levels {
		b.Run(level, func(b *testing.B) {
			r := newRig(b, "katamari", "latency=50ms", "level", level)
			r.input = gather
			r.run(900)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				r.s.message.n = 0
				r.s.peers[0].choose(&r.s.message, r.env[1].World, 3800, nobody)
			}
			b.ReportMetric(float64(r.s.message.n), "updates")
		})
	}
}
