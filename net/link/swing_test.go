package link

import (
	"math"
	"testing"
	"time"
)

// TestSwingIsATriangle checks that the latency rises linearly to the middle of each
// period and falls again.
func TestSwingIsATriangle(t *testing.T) {
	w := &Network{Up: Conditions{Latency: 20 * ms, SwingEvery: 8 * time.Second, Swing: 40 * ms}}
	for _, x := range []struct{ at, want time.Duration }{
		{0, 20 * ms}, {time.Second, 30 * ms}, {2 * time.Second, 40 * ms}, {4 * time.Second, 60 * ms},
		{5 * time.Second, 50 * ms}, {7 * time.Second, 30 * ms}, {8 * time.Second, 20 * ms}, {804 * time.Second, 60 * ms},
	} {
		if got := w.Outcome(Up, 0, x.at, 0).Delay; got != x.want {
			t.Errorf("at %v: %v, want %v", x.at, got, x.want)
		}
	}
	if got := w.Outcome(Down, 0, 4*time.Second, 0).Delay; got != 0 {
		t.Errorf("the other direction swings too: %v", got)
	}
	// Compare with the formula over the whole range of parameters.
	for i := range uint64(20000) {
		c := Conditions{
			SwingEvery: time.Millisecond + time.Duration(splitmix64(i)%uint64(maxDuration/time.Microsecond))*time.Microsecond,
			Swing:      time.Duration(splitmix64(i^1)%10_000_001) * time.Microsecond,
		}
		now := time.Duration(splitmix64(i^2) % uint64(10*time.Hour))
		at := float64(now%c.SwingEvery) / float64(c.SwingEvery)
		want := c.Swing.Seconds() * (1 - math.Abs(1-2*at))
		// Effect of a microsecond of time.
		near := 1e-9 + c.Swing.Seconds()*(2e-6+2e-6/c.SwingEvery.Seconds())
		if got := c.swingDelay(now).Seconds(); math.Abs(got-want) > near {
			t.Fatalf("%+v at %v: %v s, want %v s", c, now, got, want)
		}
	}
}

// TestSwingLoss checks that loss follows the period, that its mean is half its maximum,
// and that it adds to other losses.
func TestSwingLoss(t *testing.T) {
	for _, loss := range []float64{0, 0.2} {
		w := &Network{Seed: 8, Up: Conditions{Loss: loss, SwingEvery: 10 * time.Second, SwingLoss: 0.4}}
		const n = 600000
		var lost, sent [10]float64 // by tenth of the period
		for i := range n {
			now := time.Duration(i) * tick
			at := int(now % (10 * time.Second) / time.Second)
			sent[at]++
			if w.Outcome(Up, 0, now, 0).Lost {
				lost[at]++
			}
		}
		var total float64
		for i := range lost {
			middle := 1 - math.Abs(1-2*(float64(i)+0.5)/10)
			want := 1 - (1-loss)*(1-0.4*middle)
			if got := lost[i] / sent[i]; math.Abs(got-want) > 0.008 { // four standard deviations
				t.Errorf("loss %v, tenth %d: %.4f, want %.4f", loss, i, got, want)
			}
			total += lost[i] / n
		}
		if want := 1 - (1-loss)*0.8; math.Abs(total-want) > 0.003 {
			t.Errorf("loss %v: %.4f in all, want %.4f", loss, total, want)
		}
	}
}

// TestSwingChangesNoOutcome checks that a swing of latency changes neither which
// datagrams are lost nor the rest of their delay.
func TestSwingChangesNoOutcome(t *testing.T) {
	a, b := &Network{Seed: 4}, &Network{Seed: 4}
	if err := a.Parse("wifi-bad"); err != nil {
		t.Fatal(err)
	}
	if err := b.Parse("wifi-bad,swing-every=3s,swing=100ms"); err != nil {
		t.Fatal(err)
	}
	for i := range 20000 {
		now := time.Duration(i) * tick
		x, y := a.Outcome(Down, 1, now, 0), b.Outcome(Down, 1, now, 0)
		if x.Lost != y.Lost || x.Duplicated != y.Duplicated || y.Delay-x.Delay != b.Down.swingDelay(now) {
			t.Fatalf("at %v: %+v and %+v", now, x, y)
		}
	}
}
