package link

import (
	"math"
	"slices"
	"testing"
	"time"

	"ghostcube/internal/experiment"
)

// TestCounters checks the counters for a few datagrams computed by hand.
func TestCounters(t *testing.T) {
	w := &Network{Up: Conditions{Latency: 30 * ms, Bandwidth: 80000, Queue: 20 * ms}} // 10 bytes per millisecond
	c, s := Pair(w, 0)
	send := func(now time.Duration) { c.Send(now, make([]byte, 72)) } // 10 ms each
	send(1000 * ms)                                                   // departs at 1010, arrives at 1040
	send(1000 * ms)                                                   // 1020, 1050
	send(1000 * ms)                                                   // 1030, 1060
	send(1000 * ms)                                                   // dropped
	w.Up.Latency = 0
	send(1020 * ms) // departs at 1040 and arrives: with the first, but after it in order of sending
	w.Up.Duplicate = 1
	send(1050 * ms) // departs at 1060, arrives twice
	w.Blackout = time.Hour
	send(2000 * ms) // lost
	for _, ok := s.Receive(time.Hour); ok; _, ok = s.Receive(time.Hour) {
	}
	m := s.Counters(Up)
	if m != c.Counters(Up) || m == c.Counters(Down) || c.Counters(Down) != s.Counters(Down) {
		t.Error("the two ends have different counters")
	}
	if m.Sent != 7 || m.Lost != 1 || m.Dropped != 1 || m.Duplicated != 1 || m.Arrived != 5 || m.DuplicatesArrived != 1 {
		t.Errorf("%d sent, %d lost, %d dropped, %d duplicated; %d arrived, %d duplicates", m.Sent, m.Lost, m.Dropped, m.Duplicated, m.Arrived, m.DuplicatesArrived)
	}
	// In order of arrival: 1, 5, 2, 3, 6, 6. So 2 and 3 are reordered by 5.
	if m.Reordered != 2 || m.ReorderMax != 3 {
		t.Errorf("%d reordered, %d places at most", m.Reordered, m.ReorderMax)
	}
	if m.BytesSent != 7*72 || m.BytesArrived != 5*72 || m.firstSent != 1000*ms || m.lastArrival != 1060*ms {
		t.Errorf("%d bytes sent, %d arrived, from %v to %v", m.BytesSent, m.BytesArrived, m.firstSent, m.lastArrival)
	}
	if got := m.Goodput(); got != 5*72*8/0.06 {
		t.Errorf("%v bit/s", got)
	}
	for _, x := range []struct {
		name              string
		s                 *Distribution
		least, most, mean time.Duration
	}{
		{"delay", &m.Delay, 10 * ms, 60 * ms, 36 * ms}, // 40, 50, 60, 20, 10
		{"queue", &m.Queue, 10 * ms, 30 * ms, 18 * ms}, // 10, 20, 30, 20, 10
		{"transit", &m.Transit, 0, 30 * ms, 18 * ms},   // 30, 30, 30, 0, 0
	} {
		if x.s.Count != 5 || x.s.Min != x.least || x.s.Max != x.most || x.s.Mean() != x.mean {
			t.Errorf("%s: %d, %v to %v, mean %v", x.name, x.s.Count, x.s.Min, x.s.Max, x.s.Mean())
		}
	}
	if got := m.Delay.Deviation(); got.Round(time.Microsecond) != 18547*time.Microsecond {
		t.Errorf("deviation %v", got)
	}
}

// TestCountersAddUp checks for every profile that each datagram is counted as lost,
// dropped, arrived or in flight, and each duplicate as well.
func TestCountersAddUp(t *testing.T) {
	for _, tcp := range []bool{false, true} {
		for _, p := range Profiles {
			w := &Network{Seed: 2, Up: p.Up, Down: p.Down}
			c, s := Pair(w, 0)
			if tcp {
				c, s = PairTCP(w, 0)
			}
			for i := range 3000 {
				now := time.Duration(i) * tick
				c.Send(now, make([]byte, 900))
				for _, ok := s.Receive(now); ok; _, ok = s.Receive(now) {
				}
			}
			m := c.Counters(Up)
			inFlight, duplicatesInFlight := uint64(0), uint64(0)
			for _, d := range c.out.scheduled {
				if d.duplicate {
					duplicatesInFlight++
				} else {
					inFlight++
				}
			}
			undelivered := m.Lost + m.Dropped
			if tcp {
				undelivered = m.Dropped
			}
			if m.Sent != 3000 || m.Sent != undelivered+m.Arrived+inFlight || m.Duplicated != m.DuplicatesArrived+duplicatesInFlight {
				t.Errorf("%s (TCP: %t): %d sent, %d lost, %d dropped, %d arrived, %d in flight; %d duplicated, %d arrived, %d in flight",
					p.Name, tcp, m.Sent, m.Lost, m.Dropped, m.Arrived, inFlight, m.Duplicated, m.DuplicatesArrived, duplicatesInFlight)
			}
			if m.Delay.Count != m.Arrived || tcp && m.Reordered+m.DuplicatesArrived != 0 {
				t.Errorf("%s (TCP: %t): %d delays of %d; %d reordered", p.Name, tcp, m.Delay.Count, m.Arrived, m.Reordered)
			}
		}
	}
}

// TestCountersMatchExpected compares an hour of traffic with Expect, for every profile
// and a few other networks.
func TestCountersMatchExpected(t *testing.T) {
	experiment.Skip(t)
	texts := []string{
		"latency=10ms,jitter=30ms", "latency=10ms,jitter=30ms,shape=normal", // cut off at zero
		"latency=40ms,jitter=10ms,shape=long-tail,loss=30%", "latency=50ms,jitter=20ms,shape=uniform-positive", "latency=20ms,jitter=15ms,shape=gamma",
		"latency=20ms,swing-every=7s,swing=90ms,swing-loss=30%,loss=10%",
		"pause-every=3s,pause=1s,latency=10ms", "outage-every=3s,outage=1s,loss=50%,latency=10ms",
		"trace=us/20000:5012/4980/-/-/21000:5100,latency=3ms,jitter=2ms,loss=5%",
		"spike-chance=20%,spike=400ms,reorder=30%,reorder-delay=100ms,duplicate=25%",
	}
	for i, text := range append(texts, ProfileNames()...) {
		if experiment.Brief() && i%2 == 1 {
			continue
		}
		w := &Network{Seed: 12}
		if err := w.Parse(text); err != nil {
			t.Fatal(err)
		}
		c, s := Pair(w, 0)
		const n = 210000
		for i := range n {
			now := time.Duration(i) * (tick + 12345) // out of step with every period
			c.Send(now, make([]byte, 60))
			for _, ok := s.Receive(now); ok; _, ok = s.Receive(now) {
			}
		}
		for _, ok := s.Receive(never); ok; _, ok = s.Receive(never) {
		}
		m, want := c.Counters(Up), w.Up.Expect()
		// Losses in runs are fewer independent events.
		runs := 4 * math.Sqrt(want.Lost*(1-want.Lost)*max(1, 2*w.Up.Burst)/n)
		if got := float64(m.Lost) / n; math.Abs(got-want.Lost) > runs+0.0005 {
			t.Errorf("%s: %.4f lost, want %.4f (within %.4f)", text, got, want.Lost, runs)
		}
		if got := float64(m.DuplicatesArrived) / float64(m.Arrived); math.Abs(got-want.Duplicated) > 0.004 {
			t.Errorf("%s: %.4f duplicated, want %.4f", text, got, want.Duplicated)
		}
		if got := m.Transit.Mean(); math.Abs(float64(got-want.Mean)) > 0.01*float64(want.Mean)+2e5 {
			t.Errorf("%s: mean %v, want %v", text, got, want.Mean)
		}
		if got := m.Transit.Deviation(); math.Abs(float64(got-want.Deviation)) > 0.03*float64(want.Deviation)+2e5 {
			t.Errorf("%s: deviation %v, want %v", text, got, want.Deviation)
		}
		if w.Up.Reorder > 0 && float64(m.Reordered)/float64(m.Arrived) < 0.8*w.Up.Reorder {
			t.Errorf("%s: %d of %d reordered", text, m.Reordered, m.Arrived)
		}
	}
}

// TestExpect compares Expect with textbook values: means and deviations of
// distributions, a triangle, the wait for the end of a pause.
func TestExpect(t *testing.T) {
	for _, x := range []struct {
		text            string
		lost            float64
		mean, deviation float64 // milliseconds
		near            float64 // relative tolerance
	}{
		{"latency=50ms,jitter=20ms", 0, 50, 20 / math.Sqrt(3), 0.001},
		{"latency=50ms,jitter=20ms,shape=uniform-positive", 0, 60, 10 / math.Sqrt(3), 0.001},
		{"latency=100ms,jitter=10ms,shape=normal", 0, 100, 10, 0.003},
		{"latency=50ms,jitter=20ms,shape=gamma", 0, 70, 20 / math.Sqrt2, 0.005},
		{"jitter=10ms,shape=long-tail", 0, 10 * math.Exp(0.5), 10 * math.Sqrt((math.E-1)*math.E), 0.06}, // the tail is cut
		{"jitter=12ms", 0, 3, math.Sqrt(24 - 9), 0.001},                                                 // half of it is cut off at zero
		{"swing-every=9s,swing=30ms", 0, 15, 30 / math.Sqrt(12), 0.001},
		{"swing-every=9s,swing-loss=30%,latency=5ms", 0.15, 5, 0, 0},
		{"swing-every=9s,swing=30ms,swing-loss=100%", 0.5, 10, 30 / math.Sqrt(18), 0.001}, // most datagrams are lost where the delay is long
		{"pause-every=10s,pause=2s", 0, 200, math.Sqrt(0.2*2000*2000/3 - 200*200), 0.001},
		{"outage-every=10s,outage=2s,loss=50%", 0.6, 0, 0, 0},
		{"spike-chance=10%,spike=100ms,latency=5ms", 0, 15, 30, 0.001},
		{"trace=us/1000:3000/9000/-/-", 0.5, 6, 3, 0.001},
		{"trace=us/1000:-", 1, 0, 0, 0},
	} {
		var w Network
		if err := w.Parse(x.text); err != nil {
			t.Fatal(err)
		}
		e := w.Up.Expect()
		mean, deviation := e.Mean.Seconds()*1000, e.Deviation.Seconds()*1000
		if math.Abs(e.Lost-x.lost) > 1e-9 || math.Abs(mean-x.mean) > x.near*x.mean+1e-3 || math.Abs(deviation-x.deviation) > x.near*x.deviation+1e-3 {
			t.Errorf("%s: %.4f lost, %.4f ms, deviation %.4f; want %.4f, %.4f, %.4f", x.text, e.Lost, mean, deviation, x.lost, x.mean, x.deviation)
		}
	}
}

// TestDistributionQuantiles compares quantiles with those of the sorted durations, from a microsecond to an hour, and checks that
// they are no borders of bins: two thirds of a bin's durations are not all of them.
func TestDistributionQuantiles(t *testing.T) {
	for _, shift := range []uint{50, 40, 30, 25} {
		var s Distribution
		var all []time.Duration
		for i := range uint64(20000) {
			d := time.Duration(splitmix64(i)>>shift) / time.Microsecond * time.Microsecond * time.Duration(1+i%7)
			s.add(d)
			all = append(all, d)
		}
		slices.Sort(all)
		for _, share := range []float64{0.01, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 1} {
			want := all[int(share*20000)-1]
			if got := s.Quantile(share); math.Abs(float64(got-want)) > float64(want)/150+1500 { // evenly spread durations: far less than a bin
				t.Errorf("shift %d: quantile %v is %v, want %v", shift, share, got, want)
			}
		}
		if s.Quantile(0) != s.Min || s.Min != all[0] || s.Max != all[len(all)-1] {
			t.Errorf("from %v to %v", s.Min, s.Max)
		}
	}
	var bin Distribution
	for i := range 32 {
		bin.add(time.Duration(1024+i) * time.Microsecond)
	}
	if a, b := bin.Quantile(0.25), bin.Quantile(0.75); a != 1031750*time.Nanosecond || b != 1047250*time.Nanosecond {
		t.Errorf("quantiles of 1024 to 1055 us: %v, %v", a, b)
	}
	before := -1
	for us := time.Duration(0); us < 1<<33; us += 1 + us/70 {
		b := binIndex(us * time.Microsecond)
		if b < before || b > before+1 && us < 1<<32 {
			t.Fatalf("%d us are in bin %d after %d", us, b, before)
		}
		before = b
	}
	var none Distribution
	if none.Mean() != 0 || none.Deviation() != 0 || none.Quantile(0.5) != 0 {
		t.Error("the spread of nothing")
	}
}
