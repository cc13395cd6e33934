package interest

import (
	"testing"

	"ghostcube/sim"
)

// TestRateFallsWithDistance checks that a body is due in every tick within the radius, and farther
// away less often with the square of the distance.
func TestRateFallsWithDistance(t *testing.T) {
	a := Area{radius: 10}
	for metres, want := range map[float32]int{5: 60, 13: 60, 20: 15, 40: 3} {
		n := 0
		for i := range 60 {
			if a.IsDue(metres*metres, sim.Tick(600+i)) {
				n++
			}
		}
		if n < want || n > want+1 {
			t.Errorf("at %v m: %d of 60 ticks, want %d", metres, n, want)
		}
	}
}
