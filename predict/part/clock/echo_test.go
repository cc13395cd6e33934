package clock

import (
	"testing"
	"time"

	"ghostcube/sim"
)

// TestEcho checks that an echo measures the time from an input to its state, with and without the wait
// that the server reports, at any pace of the client's ticks; and that a tick that is not remembered
// changes nothing.
func TestEcho(t *testing.T) {
	const rate, tick = 60, time.Second / 60
	for _, slew := range []int32{0, 250_000, -250_000} {
		e := NewEcho()
		for i := range sim.Tick(200) {
			e.BeginTick(i, slew, rate)
			if i < 12 {
				continue
			}
			// The state arrives of an input sampled twelve client ticks ago, which waited for four.
			passed, ok := e.Add(i-12, 4, rate)
			each := time.Duration(float64(tick) / (1 + float64(slew)/1e6))
			if want := 12 * each; !ok || (passed-want).Abs() > time.Microsecond {
				t.Fatalf("slew %d: %v passed, want %v", slew, passed, want)
			}
			if want := 12*each - 5*tick; (e.RTT() - want).Abs() > time.Microsecond {
				t.Fatalf("slew %d: round trip %v, want %v", slew, e.RTT(), want)
			}
			if want := 12*each - tick; (e.whole - want).Abs() > time.Microsecond {
				t.Fatalf("slew %d: whole echo %v, want %v", slew, e.whole, want)
			}
		}
		before := e.RTT()
		if _, ok := e.Add(5000, 0, rate); ok || e.RTT() != before {
			t.Error("a tick that has not begun is measured")
		}
	}
}
