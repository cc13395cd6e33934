package stage

import (
	"testing"

	"ghostcube/predict/lab"
)

// BenchmarkFrame measures the Go side of a frame of four panes of 901 bodies with all gauges: the tick of the
// stage and the composition of the picture, without the session's own tick.
func BenchmarkFrame(b *testing.B) {
	l := openLab(b, lab.Config{Scene: "katamari", Rate: 60, Seat: lab.AtHost}, "latency=50ms,loss=1%", []string{"statesync", "statesync:budget=64", "snapshot", "snapshot:compression=delta"})
	setDisplay(b, l, "packet=on,ages=on,latency=on,slots=on,simulated=on,split=off,color=age,headline=down_kbit_per_second")
	var s Stage
	rollAndPull(b, &s, l, 120)
	var f Frame
	s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{}, 1) // allocates what later frames use again
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		if err := l.Tick(lab.Entry{}); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		s.Tick(l)
		s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{Title: "four panes", HighlightFocus: true}, 0.5)
	}
}
