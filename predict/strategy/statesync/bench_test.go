package statesync

import (
	"testing"

	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

// drivePulling is the input of a player that gathers cubes into a katamari.
func drivePulling(tick int) sim.Input {
	in := predicttest.DriveAround(tick)
	in.Buttons |= sim.Pull
	return in
}

// BenchmarkChooseUpdates fills a packet of 256 kbit/s from 900 cubes, some of them gathered by the
// player.
func BenchmarkChooseUpdates(b *testing.B) {
	for _, level := range levels {
		b.Run(level, func(b *testing.B) {
			r := newRig(b, "katamari", "latency=50ms", "compression", level)
			r.input = drivePulling
			r.run(900)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				r.s.scratch.message.updateCount = 0
				r.s.senders[0].chooseUpdates(&r.s.scratch.message, r.ServerWorld(), 3800, unowned)
			}
			b.ReportMetric(float64(r.s.scratch.message.updateCount), "updates")
		})
	}
}
