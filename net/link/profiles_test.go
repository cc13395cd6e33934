package link

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestProfiles checks the conditions of every profile, that its title fits, and that
// its source says whether latency is one way or a round trip.
func TestProfiles(t *testing.T) {
	numbers := map[string]string{
		"perfect":             "perfect",
		"lan":                 "latency=1ms,jitter=0.5ms",
		"fiber":               "latency=8ms,jitter=1ms,shape=gamma",
		"cable":               "latency=15ms,jitter=4ms,shape=gamma,loss=0.1%",
		"wifi-good":           "latency=10ms,jitter=5ms,shape=gamma,loss=0.2%,burst=3,duplicate=0.1%",
		"wifi-bad":            "latency=15ms,jitter=9.3ms,shape=long-tail,loss=2%,burst=8,spike-chance=1%,spike=150ms,reorder=1%,reorder-delay=40ms",
		"4g":                  "latency=35ms,jitter=15ms,shape=gamma,loss=0.5%,burst=4",
		"3g":                  "latency=100ms,jitter=40ms,shape=gamma,loss=1%,burst=4,queue=1s,up.bandwidth=330kbit,down.bandwidth=780kbit",
		"leo":                 "latency=20ms,jitter=8ms,shape=gamma,loss=0.5%,burst=8,pause=100ms,pause-every=15s",
		"geo":                 "latency=340ms,jitter=20ms,shape=gamma,loss=1%",
		"transatlantic":       "latency=60ms,jitter=5ms,shape=gamma,loss=0.1%",
		"bufferbloat":         "latency=10ms,bandwidth=256kbit,queue=2s",
		"metro":               "latency=50ms,jitter=40ms,shape=gamma,loss=2%,burst=6,spike-chance=5%,spike=400ms,outage=1s,outage-every=30s",
		"bursty":              "latency=100ms,jitter=10ms,loss=10%,burst=10",
		"torture":             "latency=150ms,jitter=75ms,shape=gamma,loss=10%,burst=6,duplicate=2%,reorder=5%,reorder-delay=100ms",
		"csp-75ms":            "rtt=150ms",
		"csp-25-loss":         "rtt=150ms,loss=25%",
		"csp-250ms-10":        "latency=250ms,loss=10%",
		"csp-default":         "latency=100ms,loss=5%",
		"fiedler-2015":        "rtt=100ms,jitter=16.667ms,loss=5%",
		"fiedler-tcp-mild":    "rtt=100ms,jitter=16.667ms,loss=1%",
		"fiedler-tcp-medium":  "rtt=200ms,jitter=16.667ms,loss=2%",
		"fiedler-tcp-bad":     "rtt=250ms,jitter=16.667ms,loss=5%",
		"fiedler-udp-extreme": "rtt=2s,jitter=16.667ms,loss=25%",
		"fiedler-udp-code":    "latency=125ms,jitter=16.667ms,loss=25%",
		"fiedler-udp-half":    "latency=125ms,jitter=16.667ms,loss=50%",
		"fiedler-snapshot":    "latency=50ms,jitter=33.334ms,loss=5%",
		"zen-2004":            "rtt=200ms,loss=5%",
		"oculus":              "latency=50ms,jitter=50ms,shape=uniform-positive,loss=25%",
		"space-engineers-50":  "rtt=50ms",
		"space-engineers-300": "rtt=300ms",
	}
	for _, p := range Profiles {
		var w Network
		if err := w.Parse(numbers[p.Name]); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		} else if w.Up != p.Up || w.Down != p.Down {
			t.Errorf("%s is %s, want %s", p.Name, &Network{Up: p.Up, Down: p.Down}, numbers[p.Name])
		}
		delete(numbers, p.Name)
		stated := strings.Contains(p.Source, "one way") || strings.Contains(p.Source, "round trip")
		if p.Doc == "" || len(p.Doc) > 60 || !stated && p.Name != "perfect" {
			t.Errorf("%s: %q from %q", p.Name, p.Doc, p.Source)
		}
	}
	for name := range numbers {
		t.Errorf("no profile %s, or a duplicate", name)
	}
}

// TestProfileTails compares what a profile says of its slowest datagrams with ten minutes of them. One said
// "1 % above 110 ms" where 1 % took more than 170.
func TestProfileTails(t *testing.T) {
	tail := regexp.MustCompile(`1 % above (\d+) ms`)
	found := 0
	for _, p := range Profiles {
		m := tail.FindStringSubmatch(p.Source)
		if m == nil {
			continue
		}
		n := Network{Seed: 1, Up: p.Up, Down: p.Down}
		var delays []time.Duration
		for i := range 36000 {
			if o := n.Outcome(Up, 0, time.Duration(i)*time.Second/60, 0); !o.Lost {
				delays = append(delays, o.Delay)
			}
		}
		slices.Sort(delays)
		found++
		if got, want := delays[len(delays)*99/100].Milliseconds(), m[1]; strconv.FormatInt((got+5)/10*10, 10) != want {
			t.Errorf("%s: 1 %% take more than %d ms, not %s", p.Name, got, want)
		}
	}
	if found == 0 {
		t.Error("no profile names its tail")
	}
}
