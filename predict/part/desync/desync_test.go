package desync

import (
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

// BenchmarkChecksum measures the checksum of a tick with 901 bodies.
func BenchmarkChecksum(b *testing.B) {
	sc := predicttest.Scene(b, "katamari")
	w := predict.NewWorld(sc, 60)
	for range 120 {
		w.Step(sim.Input{Buttons: sim.Pull})
	}
	r := NewHistory(len(w.Bodies()))
	b.ReportAllocs()
	for b.Loop() {
		r.Record(w)
	}
}
