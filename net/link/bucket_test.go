package link

import (
	"math"
	"slices"
	"testing"
	"time"
)

// offerLoad sends datagrams of n bytes, headers included, every gap for a time, and
// returns when each of those that arrived did so, and how many there were. The
// first bytes of a datagram say which it is.
func offerLoad(t *testing.T, c Conditions, n int, gap, long time.Duration) (sent int, which []int, at []time.Duration) {
	t.Helper()
	w := &Network{Seed: 1, Up: c}
	client, server := Pair(w, 0)
	b := make([]byte, n-UDPIPHeaderBytes)
	for now := time.Duration(0); now < long; now += gap {
		b[0], b[1], b[2] = byte(sent), byte(sent>>8), byte(sent>>16)
		client.Send(now, b)
		sent++
	}
	for d, ok := server.Receive(time.Hour); ok; d, ok = server.Receive(time.Hour) {
		which = append(which, int(d.Bytes[0])|int(d.Bytes[1])<<8|int(d.Bytes[2])<<16)
		at = append(at, d.ReceivedAt)
	}
	return sent, which, at
}

// TestBucketRate says that whatever is offered above the limit, what passes in
// the long run is the rate, and what does not is dropped: the share of drops is
// what the offer has too much. With a bucket no more passes.
func TestBucketRate(t *testing.T) {
	for _, c := range []Conditions{
		{Bandwidth: 256e3, Queue: 500 * ms},
		{Bandwidth: 256e3, Queue: 500 * ms, Bucket: 10000},
		{Bandwidth: 256e3, Queue: 20 * ms, Bucket: 500},
	} {
		const n, long = 500, 200 * time.Second
		const gap = time.Second / 128 // 512 kbit/s, twice the limit
		sent, which, at := offerLoad(t, c, n, gap, long)
		passed := 0
		for _, a := range at {
			if a <= long {
				passed += n * 8
			}
		}
		// The bucket adds what it holds, once.
		want := float64(c.Bandwidth)*long.Seconds() + float64(c.Bucket*8)
		if math.Abs(float64(passed)-want) > n*8 {
			t.Errorf("%+v: %d bits passed in %v, want %.0f", c, passed, long, want)
		}
		// What is in the queue at the end has not been dropped either.
		dropped := sent - len(which)
		tooMuch := float64(sent) - (want+float64(c.Bandwidth)*c.Queue.Seconds())/(n*8)
		if math.Abs(float64(dropped)-tooMuch) > 2 {
			t.Errorf("%+v: %d of %d dropped, want %.1f", c, dropped, sent, tooMuch)
		}
	}
}

// TestBucketBurst says that a full bucket lets a burst through at once, that
// what comes after it is sent at the rate, and that a rest fills the bucket
// again, but not above its brim.
func TestBucketBurst(t *testing.T) {
	w := &Network{Up: Conditions{Bandwidth: 80000, Bucket: 300, Queue: time.Second}} // 10 bytes a millisecond
	c, s := Pair(w, 0)
	burst := func(now time.Duration, n int) (at []time.Duration) {
		for range n {
			c.Send(now, make([]byte, 100-UDPIPHeaderBytes))
		}
		for d, ok := s.Receive(time.Hour); ok; d, ok = s.Receive(time.Hour) {
			at = append(at, d.ReceivedAt-now)
		}
		return at
	}
	for _, x := range []struct {
		at   time.Duration
		n    int
		want []time.Duration
	}{
		{0, 5, []time.Duration{0, 0, 0, 10 * ms, 20 * ms}},                // full at the beginning
		{40 * ms, 3, []time.Duration{0, 0, 10 * ms}},                      // empty at 20 ms, so 200 bytes now
		{10 * time.Second, 5, []time.Duration{0, 0, 0, 10 * ms, 20 * ms}}, // full, and not more than that
		{10*time.Second + 25*ms, 1, []time.Duration{5 * ms}},              // half of it is there
		{20 * time.Second, 1, []time.Duration{0}},                         // one of three
		{20*time.Second + 1*ms, 3, []time.Duration{0, 0, 9 * ms}},         // the two left, and then a wait
		{30 * time.Second, 4, []time.Duration{0, 0, 0, 10 * ms}},          // and again
	} {
		if got := burst(x.at, x.n); !slices.Equal(got, x.want) {
			t.Errorf("at %v: %d datagrams leave after %v, want %v", x.at, x.n, got, x.want)
		}
	}
	// One larger than the bucket waits for what the bucket cannot hold.
	c.Send(time.Minute, make([]byte, 500-UDPIPHeaderBytes))
	if d, ok := s.Receive(time.Hour); !ok || d.ReceivedAt-time.Minute != 20*ms {
		t.Errorf("500 bytes through a bucket of 300 arrive after %v", d.ReceivedAt-time.Minute)
	}
}

// TestQueueDelay says that a queue that is always full delays by its length,
// which is bufferbloat, and that one that is never needed does not delay.
func TestQueueDelay(t *testing.T) {
	const n, gap = 500, time.Second / 128
	for _, x := range []struct {
		c        Conditions
		low, top time.Duration
	}{
		// Twice the limit: in the end everything waits as long as may be, and
		// then for its own 15.6 ms.
		{Conditions{Bandwidth: 256e3, Queue: 2 * time.Second}, 1980 * ms, 2016 * ms},
		{Conditions{Bandwidth: 256e3, Queue: 2 * time.Second, Bucket: 4000}, 1980 * ms, 2016 * ms},
		{Conditions{Bandwidth: 256e3, Queue: 100 * ms}, 80 * ms, 116 * ms},
		// Below the limit: its own time, or nothing with a bucket.
		{Conditions{Bandwidth: 1e6, Queue: 2 * time.Second}, 4 * ms, 4 * ms},
		{Conditions{Bandwidth: 1e6, Queue: 2 * time.Second, Bucket: 500}, 0, 0},
	} {
		_, which, at := offerLoad(t, x.c, n, gap, 20*time.Second)
		for i := range which {
			sentAt := time.Duration(which[i]) * gap
			if late := at[i] - sentAt; sentAt > 10*time.Second && (late < x.low || late > x.top) {
				t.Fatalf("%+v: sent at %v, late by %v, want %v to %v", x.c, sentAt, late, x.low, x.top)
			}
		}
	}
}

// TestQueueKeepsOrder says that datagrams leave the queue in the order in which
// they came, whatever their sizes, and that it drops those at its tail.
func TestQueueKeepsOrder(t *testing.T) {
	w := &Network{Up: Conditions{Latency: 30 * ms, Bandwidth: 128e3, Bucket: 900, Queue: 150 * ms}}
	c, s := Pair(w, 0)
	const n = 5000
	b := make([]byte, 1200)
	size := func(i int) int { return 2 + int(splitmix64(uint64(i))%1100) }
	for i := range n {
		b[0], b[1] = byte(i), byte(i>>8)
		c.Send(time.Duration(i)*9*ms, b[:size(i)])
	}
	before, got := -1, 0
	for d, ok := s.Receive(time.Hour); ok; d, ok = s.Receive(time.Hour) {
		i := int(d.Bytes[0]) | int(d.Bytes[1])<<8
		if i <= before {
			t.Fatalf("%d arrived after %d", i, before)
		}
		if len(d.Bytes) != size(i) {
			t.Fatalf("%d arrived with %d bytes", i, len(d.Bytes))
		}
		before = i
		got++
	}
	if got < n/5 || got > n*4/5 {
		t.Errorf("%d of %d arrived", got, n)
	}
}

// TestBucketChanges says that a limit that is turned while datagrams wait takes
// effect for those that follow.
func TestBucketChanges(t *testing.T) {
	w := &Network{Up: Conditions{Bandwidth: 80000, Queue: time.Second}}
	c, s := Pair(w, 0)
	c.Send(0, make([]byte, 100-UDPIPHeaderBytes))
	w.Up.Bandwidth = 0
	c.Send(0, make([]byte, 100-UDPIPHeaderBytes))
	w.Up.Bandwidth = 800000
	c.Send(0, make([]byte, 100-UDPIPHeaderBytes))
	var at []time.Duration
	for d, ok := s.Receive(time.Hour); ok; d, ok = s.Receive(time.Hour) {
		at = append(at, d.ReceivedAt)
	}
	if want := []time.Duration{0, 10 * ms, 11 * ms}; !slices.Equal(at, want) {
		t.Errorf("arrivals at %v, want %v", at, want)
	}
}
