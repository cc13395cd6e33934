package link

import (
	"math"
	"slices"
	"testing"
	"time"

	"ghostcube/internal/experiment"
)

// offerLoad sends datagrams of n bytes, headers included, one per gap for a duration.
// It returns how many it sent, and the index and arrival time of each that arrived.
func offerLoad(t *testing.T, c Conditions, n int, gap, duration time.Duration) (sent int, indices []int, at []time.Duration) {
	t.Helper()
	w := &Network{Seed: 1, Up: c}
	client, server := Pair(w, 0)
	b := make([]byte, n-UDPIPHeaderBytes)
	for now := time.Duration(0); now < duration; now += gap {
		b[0], b[1], b[2] = byte(sent), byte(sent>>8), byte(sent>>16)
		client.Send(now, b)
		sent++
	}
	for d, ok := server.Receive(time.Hour); ok; d, ok = server.Receive(time.Hour) {
		indices = append(indices, int(d.Bytes[0])|int(d.Bytes[1])<<8|int(d.Bytes[2])<<16)
		at = append(at, d.ReceivedAt)
	}
	return sent, indices, at
}

// TestBucketRate checks that the long-term throughput above the limit is the rate, with
// and without a bucket, and that the excess is dropped.
func TestBucketRate(t *testing.T) {
	experiment.Skip(t)
	for _, c := range []Conditions{
		{Bandwidth: 256e3, Queue: 500 * ms},
		{Bandwidth: 256e3, Queue: 500 * ms, Bucket: 10000},
		{Bandwidth: 256e3, Queue: 20 * ms, Bucket: 500},
	} {
		const n, duration = 500, 200 * time.Second
		const gap = time.Second / 128 // 512 kbit/s, twice the limit
		sent, indices, at := offerLoad(t, c, n, gap, duration)
		passed := 0
		for _, a := range at {
			if a <= duration {
				passed += n * 8
			}
		}
		// The bucket adds its contents once.
		want := float64(c.Bandwidth)*duration.Seconds() + float64(c.Bucket*8)
		if math.Abs(float64(passed)-want) > n*8 {
			t.Errorf("%+v: %d bits passed in %v, want %.0f", c, passed, duration, want)
		}
		// Datagrams queued at the end have not been dropped either.
		dropped := sent - len(indices)
		excess := float64(sent) - (want+float64(c.Bandwidth)*c.Queue.Seconds())/(n*8)
		if math.Abs(float64(dropped)-excess) > 2 {
			t.Errorf("%+v: %d of %d dropped, want %.1f", c, dropped, sent, excess)
		}
	}
}

// TestBucketBurst checks that a full bucket passes a burst at once, that later
// datagrams are sent at the rate, and that a pause refills the bucket up to its size.
func TestBucketBurst(t *testing.T) {
	w := &Network{Up: Conditions{Bandwidth: 80000, Bucket: 300, Queue: time.Second}} // 10 bytes per millisecond
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
		{0, 5, []time.Duration{0, 0, 0, 10 * ms, 20 * ms}},                // full at the start
		{40 * ms, 3, []time.Duration{0, 0, 10 * ms}},                      // empty at 20 ms, so 200 bytes now
		{10 * time.Second, 5, []time.Duration{0, 0, 0, 10 * ms, 20 * ms}}, // full, and no more
		{10*time.Second + 25*ms, 1, []time.Duration{5 * ms}},              // half of the tokens are there
		{20 * time.Second, 1, []time.Duration{0}},                         // one of three
		{20*time.Second + 1*ms, 3, []time.Duration{0, 0, 9 * ms}},         // the other two, then a wait
		{30 * time.Second, 4, []time.Duration{0, 0, 0, 10 * ms}},          // full again
	} {
		if got := burst(x.at, x.n); !slices.Equal(got, x.want) {
			t.Errorf("at %v: %d datagrams leave after %v, want %v", x.at, x.n, got, x.want)
		}
	}
	// A datagram larger than the bucket waits for the difference.
	c.Send(time.Minute, make([]byte, 500-UDPIPHeaderBytes))
	if d, ok := s.Receive(time.Hour); !ok || d.ReceivedAt-time.Minute != 20*ms {
		t.Errorf("500 bytes through a bucket of 300 arrive after %v", d.ReceivedAt-time.Minute)
	}
}

// TestQueueDelay checks that a full queue delays by its length (bufferbloat), and an
// unused one not at all.
func TestQueueDelay(t *testing.T) {
	const n, gap = 500, time.Second / 128
	for _, x := range []struct {
		c        Conditions
		low, top time.Duration
	}{
		// Twice the limit: eventually every datagram waits for the whole queue and
		// takes 15.6 ms itself.
		{Conditions{Bandwidth: 256e3, Queue: 2 * time.Second}, 1980 * ms, 2016 * ms},
		{Conditions{Bandwidth: 256e3, Queue: 2 * time.Second, Bucket: 4000}, 1980 * ms, 2016 * ms},
		{Conditions{Bandwidth: 256e3, Queue: 100 * ms}, 80 * ms, 116 * ms},
		// Below the limit: only its own time, or none with a bucket.
		{Conditions{Bandwidth: 1e6, Queue: 2 * time.Second}, 4 * ms, 4 * ms},
		{Conditions{Bandwidth: 1e6, Queue: 2 * time.Second, Bucket: 500}, 0, 0},
	} {
		_, indices, at := offerLoad(t, x.c, n, gap, 20*time.Second)
		for i := range indices {
			sentAt := time.Duration(indices[i]) * gap
			if late := at[i] - sentAt; sentAt > 10*time.Second && (late < x.low || late > x.top) {
				t.Fatalf("%+v: sent at %v, late by %v, want %v to %v", x.c, sentAt, late, x.low, x.top)
			}
		}
	}
}

// TestQueueKeepsOrder checks that datagrams of any size leave the queue in order and
// are dropped at its tail.
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

// TestBucketChanges checks that a new limit applies to the datagrams sent after it.
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

// TestDuplicatesLeaveTogether checks that both copies of a datagram pass the bandwidth limit at the time of the
// original, and that one which the full queue drops has no copies.
func TestDuplicatesLeaveTogether(t *testing.T) {
	w := &Network{Up: Conditions{Bandwidth: 80000, Queue: 25 * ms, Duplicate: 1}} // 10 bytes per millisecond
	c, s := Pair(w, 0)
	for range 5 {
		c.Send(0, make([]byte, 100-UDPIPHeaderBytes))
	}
	var at []time.Duration
	for d, ok := s.Receive(time.Hour); ok; d, ok = s.Receive(time.Hour) {
		at = append(at, d.ReceivedAt)
	}
	if want := []time.Duration{10 * ms, 10 * ms, 20 * ms, 20 * ms, 30 * ms, 30 * ms}; !slices.Equal(at, want) {
		t.Errorf("arrivals at %v, want %v", at, want)
	}
}
