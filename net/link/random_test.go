package link

import (
	"testing"
	"time"
)

// TestRandom sets conditions one by one and compares the outcomes of ten seeds: they differ exactly where
// Random says so.
func TestRandom(t *testing.T) {
	texts := []string{"latency=10ms", "jitter=10ms", "loss=10%", "loss=10%,burst=5", "duplicate=10%", "corrupt=10%", "foreign=10%",
		"reorder=10%,reorder-delay=20ms", "spike-chance=10%,spike=50ms", "swing-every=1s,swing=50ms", "swing-every=1s,swing-loss=50%",
		"pause-every=1s,pause=100ms", "outage-every=1s,outage=100ms", "latency-per-player=10ms",
		"bandwidth=100kbit,queue=1s", "far-player=1,far-latency=10ms"}
	for i := range Profiles {
		texts = append(texts, Profiles[i].Name)
	}
	for _, text := range texts {
		var n Network
		if err := n.Parse(text); err != nil {
			t.Fatal(text, err)
		}
		differ := false
		for tick := range 2000 {
			now := time.Duration(tick) * time.Second / 60
			n.Seed = 0
			first := n.Outcome(Down, 0, now, tick)
			for n.Seed = 1; n.Seed < 10; n.Seed++ {
				differ = differ || n.Outcome(Down, 0, now, tick) != first
			}
		}
		if differ != n.Down.Random() {
			t.Errorf("%s: outcomes differ by the seed: %t, Random: %t", text, differ, n.Down.Random())
		}
	}
}
