package link

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

const tick = time.Second / 60

// TestSameOutcome checks that other traffic does not change the outcome of the first
// datagram of a moment: a pane that sends one datagram per tick and a pane that sends
// three larger ones lose and delay the same first ones.
func TestSameOutcome(t *testing.T) {
	w := &Network{Seed: 3}
	if err := w.Parse("latency=10ms,jitter=30ms,shape=gamma,loss=30%,duplicate=5%,reorder=5%,reorder-delay=40ms"); err != nil {
		t.Fatal(err)
	}
	ca, sa := Pair(w, 0)
	cb, sb := Pair(w, 0)
	type arrival struct {
		id byte
		at time.Duration
	}
	drain := func(e *End, now time.Duration) (got []arrival) {
		for d, ok := e.Receive(now); ok; d, ok = e.Receive(now) {
			if len(d.Bytes) != 2 {
				got = append(got, arrival{d.Bytes[0], d.ReceivedAt})
			}
		}
		return got
	}
	total := 0
	for i := range 2000 {
		now := time.Duration(i) * tick
		ca.Send(now, []byte{byte(i)})
		cb.Send(now, []byte{byte(i), 1, 2, 3})
		cb.Send(now, []byte{255, 255})
		cb.Send(now, []byte{254, 255})
		a, b := drain(sa, now), drain(sb, now)
		if !slices.Equal(a, b) {
			t.Fatalf("at %v one pane got %v, the other %v", now, a, b)
		}
		total += len(a)
	}
	if total < 1300 || total > 1600 {
		t.Errorf("%d of 2000 arrived", total)
	}
}

// TestSeatsAndDirectionsDiffer checks that directions, seats and indices have
// independent outcomes.
func TestSeatsAndDirectionsDiffer(t *testing.T) {
	w := &Network{Seed: 9, Up: Conditions{Loss: 0.5}, Down: Conditions{Loss: 0.5}}
	same := [3]int{}
	const n = 4000
	for i := range n {
		now := time.Duration(i) * tick
		a := w.Outcome(Up, 0, now, 0).Lost
		for k, b := range []bool{w.Outcome(Down, 0, now, 0).Lost, w.Outcome(Up, 1, now, 0).Lost, w.Outcome(Up, 0, now, 1).Lost} {
			if a == b {
				same[k]++
			}
		}
	}
	for k, s := range same {
		if s < n*45/100 || s > n*55/100 {
			t.Errorf("pair %d agrees %d times of %d", k, s, n)
		}
	}
}

// TestDuplicateHasItsOwnDelay checks that the two copies of a datagram have independent jitter, that
// both wait for the end of a pause, and that spikes and reordering delay the original alone.
func TestDuplicateHasItsOwnDelay(t *testing.T) {
	w := &Network{Seed: 5}
	const conditions = "latency=50ms,jitter=20ms,duplicate=100%,reorder=100%,reorder-delay=30ms," +
		"spike-chance=100%,spike=100ms,pause=200ms,pause-every=1s"
	if err := w.Parse(conditions); err != nil {
		t.Fatal(err)
	}
	equal := 0
	for i := range 600 {
		now := time.Duration(i) * tick
		o := w.Outcome(Up, 0, now, 0)
		wait := w.Up.pauseLeft(now)
		original, copied := o.Delay-wait-130*time.Millisecond, o.DuplicateDelay-wait
		if low, high := 30*time.Millisecond, 70*time.Millisecond; !o.Duplicated || min(original, copied) < low || max(original, copied) > high {
			t.Fatalf("at %v: %+v, including %v of pause", now, o, wait)
		}
		if original == copied {
			equal++
		}
	}
	if equal > 3 {
		t.Errorf("%d of 600 duplicates have the delay of their original", equal)
	}
}

// TestBursts checks that losses come in runs of the configured mean length, and that
// the chain does not depend on where evaluation starts.
func TestBursts(t *testing.T) {
	for _, c := range []struct{ loss, burst float64 }{{0.02, 8}, {0.10, 6}, {0.5, 3}, {0.9, 2}} {
		w := &Network{Seed: 5, Up: Conditions{Loss: c.loss, Burst: c.burst}}
		const n = 400000
		lost, runs, previous := 0, 0, false
		for i := range n {
			current := w.Outcome(Up, 0, time.Duration(i)*tick+ms, 0).Lost
			if current {
				lost++
				if !previous {
					runs++
				}
			}
			previous = current
		}
		share, mean := float64(lost)/n, float64(lost)/float64(runs)
		// At 90 % loss independent losses already have longer runs than two.
		want := max(c.burst, 1/(1-c.loss))
		if math.Abs(share-c.loss) > 0.04*c.loss+0.005 || math.Abs(mean-want) > 0.06*want {
			t.Errorf("loss %v in runs of %v: got %.4f in runs of %.2f", c.loss, c.burst, share, mean)
		}
	}
}

// TestOutagesAndPauses checks when outages, pauses and blackouts apply. In outages and blackouts no datagrams of other
// programs arrive either.
func TestOutagesAndPauses(t *testing.T) {
	c := Conditions{
		OutageEvery: 10 * time.Second, Outage: time.Second, PauseEvery: 5 * time.Second, Pause: 100 * ms, Foreign: 1,
	}
	w := &Network{Up: c}
	for _, x := range []struct {
		at    time.Duration
		lost  bool
		delay time.Duration
	}{
		{0, false, 0}, {4899 * ms, false, 0}, {4900*ms - 1, false, 0}, {4900 * ms, false, 100 * ms},
		{4950 * ms, false, 50 * ms}, {5000*ms - 1, false, 1}, {5 * time.Second, false, 0},
		{9*time.Second - 1, false, 0}, {9 * time.Second, true, 0}, {10 * time.Second, false, 0},
	} {
		if o := w.Outcome(Up, 0, x.at, 0); o.Lost != x.lost || o.Delay != x.delay || (o.Foreign == 0) != x.lost {
			t.Errorf("at %v: %+v", x.at, o)
		}
	}
	w.Blackout = 3 * time.Second
	for _, at := range []time.Duration{2999 * ms, 3 * time.Second} {
		if o, lost := w.Outcome(Up, 0, at, 0), at < w.Blackout; o.Lost != lost || (o.Foreign == 0) != lost {
			t.Errorf("at %v, in a blackout %v: %+v", at, lost, o)
		}
	}
}

// TestParseRoundTrip checks that every profile survives its text form, and that
// parameters override a profile.
func TestParseRoundTrip(t *testing.T) {
	for _, p := range Profiles {
		a := Network{Seed: 1}
		if err := a.Parse(p.Name); err != nil {
			t.Fatal(err)
		}
		b := Network{Seed: 1}
		if err := b.Parse(a.String()); err != nil {
			t.Fatalf("%s: %q: %v", p.Name, a.String(), err)
		}
		if a != b {
			t.Errorf("%s: %q gives %+v", p.Name, a.String(), b)
		}
	}
	var w Network
	if err := w.Parse("wifi-bad, loss=0.5 ,down.latency=1s,bandwidth=1mbit,bucket=1MB"); err != nil {
		t.Fatal(err)
	}
	if w.Up.Loss != 0.5 || w.Up.Latency != 15*ms || w.Down.Latency != time.Second || w.Up.Bucket != 1_000_000 {
		t.Errorf("%+v", w)
	}
}

// TestParseRefuses checks that invalid text is rejected with the allowed values and
// leaves the network unchanged.
func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"wifi-bda":                        `no network profile "wifi-bda"`,
		"":                                `no network profile ""`,
		"latency=-5ms":                    "0s to 1m0s",
		"latency=75":                      "such as 75ms",
		"latency=1h":                      "0s to 1m0s",
		"latency=NaN":                     "0s to 1m0s",
		"loss=150%":                       "0% to 100%",
		"loss=-1":                         "0% to 100%",
		"loss=NaN":                        "0% to 100%",
		"los=5%":                          `no network condition "los"`,
		"up.los=5%":                       `no network condition "up.los"`,
		"loss=5%,perfect":                 "a profile's name comes first",
		"shape=square":                    `no jitter shape "square"`,
		"bandwidth=10":                    "1kbit to 1gbit",
		"bandwidth=NaN":                   "1kbit to 1gbit",
		"bandwidth=256kB":                 "1kbit to 1gbit",
		"bandwidth=1mbit,bucket=2MB":      "0B to 1MB",
		"bandwidth=1mbit,bucket=1000001B": "0B to 1MB",
		"bucket=3kB":                      "bandwidth=256kbit",
		"pause=2s,pause-every=1s":         "longer than its period",
		"reorder=5%":                      "reorder-delay",
		"spike-chance=5%":                 "spike=",
		"swing=20ms":                      "a period from 1ms",
		"swing-every=5us":                 "a period from 1ms",
		"swing-loss=5%":                   "a period from 1ms",
		"burst=-1":                        "0 to 600",
		"outage=5s,outage-every=0":        "longer than its period",
	} {
		w := Network{Seed: 7, Up: Conditions{Loss: 0.1}}
		before := w
		err := w.Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", text, err, want)
		}
		if w != before {
			t.Errorf("%q changed the network", text)
		}
	}
	var u *UnknownNameError
	if err := new(Network).Parse("cabel"); !errors.As(err, &u) || !slices.Contains(u.Choices, "cable") {
		t.Error("the error for an unknown profile does not list the known ones")
	}
}

// TestSendAllocatesNothing checks that links of both kinds do not allocate in steady
// state.
func TestSendAllocatesNothing(t *testing.T) {
	for _, pair := range []func(*Network, int) (client, server *End){Pair, PairTCP} {
		for _, text := range []string{"torture", "latency=20ms,bandwidth=100kbit,bucket=3kB,queue=500ms,trace=us/20000:5/6/-/90000,swing-every=1s,swing=30ms"} {
			w := &Network{Seed: 1}
			if err := w.Parse(text); err != nil {
				t.Fatal(err)
			}
			c, s := pair(w, 0)
			i := 0
			b := make([]byte, 150)
			step := func() {
				now := time.Duration(i) * tick
				i++
				c.Send(now, b)
				for _, ok := s.Receive(now); ok; _, ok = s.Receive(now) {
				}
			}
			for range 5000 {
				step()
			}
			if n := testing.AllocsPerRun(1000, step); n != 0 {
				t.Errorf("%s: %v allocations", text, n)
			}
		}
	}
}

// BenchmarkOutcome measures an outcome on a clean link, with all effects, and with a
// trace of 4000 samples.
func BenchmarkOutcome(b *testing.B) {
	trace := "trace=us/20000:5000" + strings.Repeat("/5100/4900/-", 1333)
	for _, x := range [][2]string{{"clean", "latency=75ms"}, {"torture", "torture"}, {"trace", trace}} {
		b.Run(x[0], func(b *testing.B) {
			w := &Network{Seed: 1}
			if err := w.Parse(x[1]); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				w.Outcome(Up, 0, time.Duration(i)*tick, 0)
				i++
			}
		})
	}
}

// BenchmarkSendReceive measures sending and receiving a datagram of 500 bytes.
func BenchmarkSendReceive(b *testing.B) {
	for _, x := range []struct {
		name, network string
		pair          func(*Network, int) (client, server *End)
	}{
		{"clean", "latency=75ms", Pair}, {"torture", "torture", Pair},
		{"narrow", "latency=10ms,bandwidth=200kbit,bucket=4kB,queue=1s", Pair}, {"tcp", "fiedler-tcp-bad", PairTCP},
	} {
		b.Run(x.name, func(b *testing.B) {
			w := &Network{Seed: 1}
			if err := w.Parse(x.network); err != nil {
				b.Fatal(err)
			}
			c, s := x.pair(w, 0)
			datagram := make([]byte, 500)
			i := 0
			step := func() {
				now := time.Duration(i) * tick
				i++
				c.Send(now, datagram)
				for _, ok := s.Receive(now); ok; _, ok = s.Receive(now) {
				}
			}
			for range 5000 { // until there is memory for everything in flight
				step()
			}
			b.ReportAllocs()
			for b.Loop() {
				step()
			}
		})
	}
}
