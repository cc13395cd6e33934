package link

import (
	"testing"
	"time"
)

// exchange sends a datagram of size bytes up every gap for n times, and one down if both
// is set, reads everything, and returns the link.
func exchange(t *testing.T, network string, n, size int, gap time.Duration, both, tcp bool) (client *End, w *Network) {
	t.Helper()
	w = &Network{Seed: 4}
	if err := w.Parse(network); err != nil {
		t.Fatal(err)
	}
	pair := Pair
	if tcp {
		pair = PairTCP
	}
	client, server := pair(w, 0)
	receive := func(now time.Duration) {
		for _, e := range []*End{client, server} {
			for _, ok := e.Receive(now); ok; _, ok = e.Receive(now) {
			}
		}
	}
	b := make([]byte, size)
	for i := range n {
		now := time.Duration(i) * gap
		receive(now)
		client.Send(now, b)
		if both {
			server.Send(now, b)
		}
	}
	receive(time.Hour)
	return client, w
}

// TestTCPHeadersAndAcks checks what a lossless TCP link charges: a header for each
// segment, and acknowledgements without data only where no data goes the other way.
func TestTCPHeadersAndAcks(t *testing.T) {
	for _, x := range []struct {
		gap  time.Duration
		both bool
		acks uint64
	}{
		{10 * ms, false, 25},   // one in 40 ms
		{25 * ms, false, 50},   // for every second one
		{100 * ms, false, 100}, // for each
		{10 * ms, true, 1},     // only of the last one
		{30 * ms, true, 1},
		{100 * ms, true, 100}, // data comes too late
	} {
		client, _ := exchange(t, "latency=20ms", 100, 100, x.gap, x.both, true)
		up, down := client.Counters(Up), client.Counters(Down)
		data := uint64(100 * (100 + 20 + 20 + 12))
		if up.Retransmitted+down.Retransmitted != 0 || down.PureAcks != x.acks {
			t.Errorf("%v, both %v: %d pure acks, want %d", x.gap, x.both, down.PureAcks, x.acks)
		}
		wantDown := down.PureAcks * 52
		if x.both {
			wantDown += data
		}
		if up.WireBytes != data+up.PureAcks*52 || down.WireBytes != wantDown {
			t.Errorf("%v, both %v: %d bytes up and %d down, want %d and %d", x.gap, x.both, up.WireBytes, down.WireBytes, data, wantDown)
		}
	}
}

// TestTCPChargesLosses checks that every lost segment is charged again, that each segment
// that arrives before a missing one and each that fills the gap is acknowledged at once,
// and that TCP so never takes fewer bytes than UDP under the same losses.
func TestTCPChargesLosses(t *testing.T) {
	for _, network := range []string{"latency=50ms,loss=1%", "latency=100ms,loss=2%", "latency=125ms,loss=5%", "latency=125ms,loss=25%", "latency=5ms,loss=5%"} {
		const n, size = 3600, 30
		client, w := exchange(t, network, n, size, tick, true, true)
		datagrams, _ := exchange(t, network, n, size, tick, true, false)
		for _, d := range []Direction{Up, Down} {
			lost, immediate, sack, last := uint64(0), uint64(0), uint64(0), time.Duration(0)
			for i := range n {
				sent := time.Duration(i) * tick
				o := w.Outcome(1-d, 0, sent, 0)
				at := sent + o.Delay
				if o.Lost {
					at += 4 * o.Delay
				}
				if at < last {
					immediate++
					sack++
				} else if o.Lost {
					immediate++
				}
				last = max(last, at)
				if w.Outcome(d, 0, sent, 0).Lost {
					lost++
				}
			}
			m := client.Counters(d)
			if m.Lost != lost || m.Retransmitted != lost {
				t.Errorf("%s: %d lost, %d counted, %d retransmitted", network, lost, m.Lost, m.Retransmitted)
			}
			want := (n+lost)*(size+52) + m.PureAcks*52 + sack*12
			if m.PureAcks < immediate || m.PureAcks > immediate+5 || m.WireBytes != want { // and the last ones
				t.Errorf("%s: %d pure acks, want %d; %d bytes, want %d", network, m.PureAcks, immediate, m.WireBytes, want)
			}
			if u := datagrams.Counters(d); u.WireBytes != n*(size+28) || u.WireBytes >= m.WireBytes {
				t.Errorf("%s: UDP takes %d bytes, TCP %d", network, u.WireBytes, m.WireBytes)
			}
		}
	}
}

// TestTCPTakesBandwidth checks that retransmissions and acknowledgements delay the data
// behind them in the queue of a bandwidth limit.
func TestTCPTakesBandwidth(t *testing.T) {
	mean := func(network string, both bool) time.Duration {
		client, _ := exchange(t, network, 3000, 100, 20*ms, both, true)
		return client.Counters(Up).Queue.Mean()
	}
	// 152 bytes every 20 ms are 60.8 kbit/s.
	if q := mean("latency=30ms,bandwidth=62kbit,queue=10s", false); q > 21*ms {
		t.Errorf("without losses data waits %v", q)
	}
	if q := mean("latency=30ms,loss=2%,bandwidth=62kbit,queue=10s", false); q < 40*ms {
		t.Errorf("with retransmissions data waits only %v", q)
	}
	if q := mean("latency=30ms,down.loss=2%,bandwidth=62kbit,queue=10s", true); q < 40*ms {
		t.Errorf("with acknowledgements of the other direction data waits only %v", q)
	}
}
