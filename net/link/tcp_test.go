package link

import (
	"math"
	"slices"
	"testing"
	"time"

	"ghostcube/internal/experiment"
)

// streamTCP sends n numbered datagrams, one per gap, up a TCP link and returns their
// delays. It fails the test if one is missing, duplicated, out of order or damaged.
func streamTCP(t *testing.T, w *Network, n int, gap time.Duration) []time.Duration {
	t.Helper()
	c, s := PairTCP(w, 0)
	var delays []time.Duration
	b := make([]byte, 200)
	receive := func(now time.Duration) {
		for d, ok := s.Receive(now); ok; d, ok = s.Receive(now) {
			i := len(delays)
			if got := int(d.Bytes[0]) | int(d.Bytes[1])<<8 | int(d.Bytes[2])<<16; got != i {
				t.Fatalf("%s: number %d arrived, want %d", w, got, i)
			}
			if len(d.Bytes) != 3+i%197 || d.ReceivedAt > now {
				t.Fatalf("%s: number %d: %d bytes at %v, now %v", w, i, len(d.Bytes), d.ReceivedAt, now)
			}
			delays = append(delays, d.ReceivedAt-time.Duration(i)*gap)
		}
	}
	for i := range n {
		now := time.Duration(i) * gap
		b[0], b[1], b[2] = byte(i), byte(i>>8), byte(i>>16)
		if err := c.Send(now, b[:3+i%197]); err != nil {
			t.Fatal(err)
		}
		receive(now)
	}
	receive(time.Duration(n)*gap + time.Hour)
	if len(delays) != n {
		t.Fatalf("%s: %d of %d arrived", w, len(delays), n)
	}
	return delays
}

// TestTCPDeliversAll checks that a TCP link loses nothing, repeats nothing and keeps
// the order on every network.
func TestTCPDeliversAll(t *testing.T) {
	texts := []string{"loss=100%,latency=10ms", "trace=us/20000:5000/-/-/-/-/90000/100", "loss=50%,burst=30,latency=30ms,bandwidth=40kbit",
		"torture,outage-every=5s,outage=2s,bandwidth=100kbit,bucket=5kB,queue=10ms"}
	for _, text := range append(texts, ProfileNames()...) {
		w := &Network{Seed: 6, Blackout: 700 * ms}
		if err := w.Parse(text); err != nil {
			t.Fatal(err)
		}
		streamTCP(t, w, 4000, tick)
	}
}

// TestTCPHeadOfLineBlocking checks head-of-line blocking: a lost datagram arrives four
// one-way latencies later, with everything sent until then, and the losses are those of
// a UDP link.
func TestTCPHeadOfLineBlocking(t *testing.T) {
	w := &Network{Seed: 2, Up: Conditions{Latency: 50 * ms, Loss: 0.02}}
	const n, gap = 3000, 10 * ms
	delays := streamTCP(t, w, n, gap)
	lost, since := 0, 1000 // datagrams since the last lost one
	for i := range n {
		since++
		if w.Outcome(Up, 0, time.Duration(i)*gap, 0).Lost {
			lost++
			since = 0
		}
		want := 50 * ms
		if since < 20 { // less than 200 ms ago
			want = 250*ms - time.Duration(since)*gap
		}
		if delays[i] != want {
			t.Fatalf("number %d, %d after a lost one: late by %v, want %v", i, since, delays[i], want)
		}
	}
	if lost < 30 || lost > 90 {
		t.Errorf("%d lost", lost)
	}
}

// TestTCPDelays compares the delays of the three lockstep profiles over TCP with the
// rule: a datagram is late by more than four latencies less k+1/2 ticks with a chance
// of 1-(1-loss)^(k+1), if it or one of the k before it was lost. With the mild profile
// 11 % of the inputs are late at all; with the bad one four in five, and 46 % by more
// than 300 ms.
func TestTCPDelays(t *testing.T) {
	for _, x := range []struct {
		profile string
		late    float64 // share that is late
	}{{"fiedler-tcp-mild", 0.114}, {"fiedler-tcp-medium", 0.384}, {"fiedler-tcp-bad", 0.785}} {
		w := &Network{Seed: 11}
		if err := w.Parse(x.profile + ",jitter=0"); err != nil {
			t.Fatal(err)
		}
		n := experiment.Pick(100_000, 500_000, 500_000)
		delays := streamTCP(t, w, n, tick)
		latency, loss := w.Up.Latency, w.Up.Loss
		slices.Sort(delays)
		lateShare := func(than time.Duration) float64 {
			i, _ := slices.BinarySearch(delays, latency+than+1)
			return 1 - float64(i)/float64(n)
		}
		window := int(4 * latency / tick)
		for k := range window {
			want := 1 - math.Pow(1-loss, float64(k+1))
			got := lateShare(4*latency - time.Duration(2*k+1)*tick/2)
			// Losses within a window are one event; four standard deviations.
			if near := 4 * math.Sqrt(want*(1-want)*float64(window)/float64(n)); math.Abs(got-want) > near {
				t.Errorf("%s: %.4f late by more than %v, want %.4f (within %.4f)", x.profile, got, 4*latency-time.Duration(2*k+1)*tick/2, want, near)
			}
		}
		if got := lateShare(tick / 2); math.Abs(got-x.late) > 0.015 {
			t.Errorf("%s: %.4f late, want %.3f", x.profile, got, x.late)
		}
		if top := delays[n-1]; top != 5*latency {
			t.Errorf("%s: the largest delay is %v, want %v", x.profile, top, 5*latency)
		}
	}
}

// TestTCPWaitsForOutages checks that a datagram sent in an outage arrives after it,
// with the next retransmission, whose intervals double.
func TestTCPWaitsForOutages(t *testing.T) {
	for _, x := range []struct {
		latency, dark, at, want time.Duration
	}{
		{50 * ms, 0, 0, 50 * ms},
		{50 * ms, 100 * ms, 0, 250 * ms},                 // retransmitted at 200 ms
		{50 * ms, 300 * ms, 0, 650 * ms},                 // at 200 and 600
		{50 * ms, 5 * time.Second, 0, 6250 * ms},         // at 200, 600, 1400, 3000, 6200
		{50 * ms, 5 * time.Second, 4900 * ms, 5150 * ms}, // at 5100
		{0, 50 * ms, 0, 200 * ms},                        // at 0, and then 200
		{0, 300 * ms, 0, 600 * ms},
		{0, 400 * time.Second, 0, 402200 * ms}, // at 0.2, 0.6, ... 51, 102.2, and then every minute
	} {
		w := &Network{Up: Conditions{Latency: x.latency}, Blackout: x.dark}
		c, s := PairTCP(w, 0)
		c.Send(x.at, []byte{1})
		if d, ok := s.Receive(time.Hour); !ok || d.ReceivedAt != x.want {
			t.Errorf("%+v: %v, %t", x, d.ReceivedAt, ok)
		}
	}
}

// TestTCPConnectionDies checks that a connection in an endless outage dies, drops what
// is sent, and still delivers what was sent before.
func TestTCPConnectionDies(t *testing.T) {
	w := &Network{Up: Conditions{Latency: 50 * ms}}
	c, s := PairTCP(w, 0)
	c.Send(0, []byte{1})
	w.Up.OutageEvery, w.Up.Outage = time.Second, time.Second
	c.Send(ms, []byte{2})
	w.Up.OutageEvery, w.Up.Outage = 0, 0
	c.Send(2*ms, []byte{3})
	if d, ok := s.Receive(time.Hour); !ok || d.Bytes[0] != 1 {
		t.Error("the first datagram did not arrive")
	}
	if m := c.Counters(Up); m.Sent != 3 || m.Dropped != 2 || m.Arrived != 1 {
		t.Errorf("%d sent, %d dropped, %d arrived", m.Sent, m.Dropped, m.Arrived)
	}
	if d, ok := s.Receive(never); ok || len(c.out.scheduled) != 0 {
		t.Errorf("%v arrived", d.Bytes)
	}
}

// TestCopyFrom checks that a copied link behaves like the original, with the same
// counters, over UDP and TCP, whatever kind of link it was before.
func TestCopyFrom(t *testing.T) {
	for network, pair := range map[string]func(*Network, int) (client, server *End){
		"torture,bandwidth=64kbit,queue=300ms": Pair, "fiedler-tcp-bad,bandwidth=64kbit": PairTCP,
	} {
		w := &Network{Seed: 3}
		if err := w.Parse(network); err != nil {
			t.Fatal(err)
		}
		c1, s1 := pair(w, 1)
		step := func(i int, c, s *End) (at []time.Duration) {
			now := time.Duration(i) * tick
			c.Send(now, []byte{byte(i), 1, 2})
			s.Send(now, []byte{byte(i)})
			for _, e := range []*End{c, s} {
				for d, ok := e.Receive(now); ok; d, ok = e.Receive(now) {
					at = append(at, d.ReceivedAt, time.Duration(d.Bytes[0]))
				}
			}
			return at
		}
		for i := range 500 {
			step(i, c1, s1)
		}
		c2, s2 := Pair(w, 1)
		c2.CopyFrom(c1)
		for i := 500; i < 1500; i++ {
			if a, b := step(i, c1, s1), step(i, c2, s2); !slices.Equal(a, b) {
				t.Fatalf("%s, tick %d: %v and %v", network, i, a, b)
			}
		}
		if *c1.Counters(Up) != *c2.Counters(Up) || c1.Counters(Up).Arrived == 0 {
			t.Errorf("%s: the copy has other counters", network)
		}
	}
}

// TestTCPSwitches checks that an end may switch between UDP and TCP in flight: what is
// sent over TCP arrives whole and in order, the rest is lost as usual, and both have
// the outcomes of their time of sending.
func TestTCPSwitches(t *testing.T) {
	w := &Network{Seed: 4, Up: Conditions{Latency: 40 * ms, Loss: 0.3}}
	c, s := Pair(w, 0)
	arrivals := map[int]time.Duration{}
	const n, gap = 900, 10 * ms
	for i := range n + 100 {
		now := time.Duration(i) * gap
		if i < n {
			c.SetTCP(i/100%2 == 1)
			c.Send(now, []byte{byte(i), byte(i >> 8)})
		}
		for d, ok := s.Receive(now); ok; d, ok = s.Receive(now) {
			arrivals[int(d.Bytes[0])|int(d.Bytes[1])<<8] = d.ReceivedAt
		}
	}
	lost, last := 0, time.Duration(0)
	for i := range n {
		at, ok := arrivals[i]
		lostOnUDP := w.Outcome(Up, 0, time.Duration(i)*gap, 0).Lost
		if i/100%2 == 1 {
			if !ok || at < last || lostOnUDP && at < time.Duration(i)*gap+200*ms {
				t.Errorf("number %d, TCP: %v %v after %v", i, ok, at, last)
			}
			last = at
		} else if ok == lostOnUDP || ok && at != time.Duration(i)*gap+40*ms {
			t.Errorf("number %d: %v %v", i, ok, at)
		}
		if lostOnUDP {
			lost++
		}
	}
	if lost < 200 {
		t.Errorf("only %d lost", lost)
	}
	// Switching TCP on again opens a dead connection.
	w.Blackout = 24 * time.Hour
	c.SetTCP(true)
	c.Send(20*time.Second, []byte{1, 2})
	w.Blackout = 0
	c.Send(21*time.Second, []byte{1, 2})
	if _, ok := s.Receive(48 * time.Hour); ok {
		t.Error("a dead connection delivers")
	}
	c.SetTCP(false)
	c.SetTCP(true)
	if !delivers(c, s) {
		t.Fatal("the connection stays dead")
	}
}

// delivers reports whether a datagram gets through within a minute.
func delivers(c, s *End) bool {
	for i := range 100 {
		c.Send(time.Minute+time.Duration(i), []byte{3})
	}
	_, ok := s.Receive(2 * time.Minute)
	return ok
}

// TestLatencyPerPlayer checks that each further seat has that much more latency, over
// UDP and TCP.
func TestLatencyPerPlayer(t *testing.T) {
	w := &Network{}
	if err := w.Parse("latency=30ms,latency-per-player=20ms"); err != nil {
		t.Fatal(err)
	}
	for seat := range 4 {
		want := 30*ms + time.Duration(seat)*20*ms
		for _, d := range []Direction{Up, Down} {
			if got := w.Outcome(d, seat, 0, 0).Delay; got != want {
				t.Errorf("seat %d: %v, want %v", seat, got, want)
			}
		}
		c, _ := PairTCP(w, seat)
		if got, ok := c.out.retransmit(&w.Up, 0, 100); !ok || got != 4*want {
			t.Errorf("seat %d retransmits after %v", seat, got)
		}
	}
}
