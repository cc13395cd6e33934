package packet

import (
	"math"
	"testing"
	"time"

	"ghostcube/net/link"

	"pgregory.net/rapid"
)

// TestRates checks that a steady stream has a steady rate in bits per second including
// all headers, with every fragment counted, correct after half a second; that
// acknowledged packets are those sent less those lost; and that the rates return to
// zero in silence.
func TestRates(t *testing.T) {
	for _, c := range []struct {
		network string
		size    int
		lost    float64
	}{{"latency=20ms", 100, 0}, {"latency=20ms", 3000, 0}, {"latency=20ms,loss=25%", 100, 0.25}} {
		a, b := newPair(t, c.network, 3)
		perPacket := c.size + headerBytes + link.UDPIPHeaderBytes
		if c.size > maxUnfragmented {
			n := (c.size + FragmentBytes - 1) / FragmentBytes
			perPacket = c.size + n*(headerBytes+fragmentHeaderBytes+link.UDPIPHeaderBytes)
		}
		want := float64(60 * 8 * perPacket)
		sum, acked := 0.0, 0.0
		const ticks = 1800
		for i := range ticks {
			now := time.Duration(i) * tick
			a.Update(now)
			a.Send(make([]byte, c.size))
			b.Update(now)
			b.Send(nil)
			if i >= 60 {
				if got := float64(a.Stats.SentRate); math.Abs(got-want) > want*0.034 { // one packet of thirty
					t.Fatalf("%s, %d bytes: %v bit/s sent at tick %d, want %v", c.network, c.size, got, i, want)
				}
				sum += float64(b.Stats.ReceivedRate) / (ticks - 60)
				acked += float64(a.Stats.AckedRate) / (ticks - 60)
			}
		}
		if r := want * (1 - c.lost); math.Abs(sum-r) > 0.04*want || math.Abs(acked-r) > 0.04*want {
			t.Errorf("%s, %d bytes: %.0f bit/s received and %.0f acknowledged, want %.0f", c.network, c.size, sum, acked, r)
		}
		a.Update(ticks*tick + time.Second)
		b.Update(ticks*tick + time.Second)
		if s := &a.Stats; s.SentRate != 0 || b.Stats.ReceivedRate > 0 {
			t.Errorf("after a second of silence %d and %d bit/s", s.SentRate, b.Stats.ReceivedRate)
		}
	}
	// The first half second, a late start, and a gap of a day.
	a := NewEndpoint(&recorder{})
	start := 1000 * time.Hour
	for i := range 16 {
		a.Update(start + time.Duration(i)*tick)
		a.Send(make([]byte, 58))
	}
	if got := a.Stats.SentRate; got < 43000 || got > 53000 {
		t.Errorf("%d bit/s after a quarter of a second, want about 48000", got)
	}
	a.Update(start + 24*time.Hour)
	if a.Stats.SentRate != 0 || a.rates.slotEnd <= a.now || a.rates.slotEnd > a.now+rateSlot {
		t.Errorf("a day later %d bit/s; the next slot ends at %v", a.Stats.SentRate, a.rates.slotEnd)
	}
}

// TestRTTSmoothing compares RTT, its variation and the jitter with the formulas of RFC
// 6298 and RFC 3550 in real numbers.
func TestRTTSmoothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.Int64Range(0, int64(10*time.Second)), 1, 100).Draw(t, "trips")
		var s Stats
		var mean, variation, jitter float64
		for i, d := range samples {
			x := float64(d)
			if i == 0 {
				mean, variation = x, x/2
			} else {
				jitter += (math.Abs(x-float64(samples[i-1])) - jitter) / 16
				deviation := x - mean
				mean += deviation / 8
				variation += (math.Abs(deviation) - variation) / 4
			}
			s.addRTT(time.Duration(d), i == 0)
		}
		near := func(a time.Duration, b float64) bool { return math.Abs(float64(a)-b) < 100 } // nanoseconds
		if !near(s.RTT, mean) || !near(s.RTTVariation, variation) || !near(s.Jitter, jitter) || s.LastRTT != time.Duration(samples[len(samples)-1]) {
			t.Fatalf("%v %v %v, want %v %v %v", s.RTT, s.RTTVariation, s.Jitter, mean, variation, jitter)
		}
	})
}

// TestRTTAfterInterruption checks that the first round trip after a second without one replaces the
// smoothed one, and that until then a long one is unknown and a short one is not.
func TestRTTAfterInterruption(t *testing.T) {
	for _, before := range []string{"latency=500ms", "latency=50ms"} {
		w := &link.Network{Seed: 5}
		if err := w.Parse(before); err != nil {
			t.Fatal(err)
		}
		ca, cb := link.Pair(w, 0)
		a, b := NewEndpoint(ca), NewEndpoint(cb)
		now := time.Duration(0)
		run := func(ticks int) {
			for range ticks {
				now += tick
				a.Update(now)
				b.Update(now)
				a.Send(nil)
				b.Send(nil)
			}
		}
		run(300)
		old := a.Stats.RTT
		if !a.Stats.RTTKnown(now) {
			t.Errorf("%s: the round trip is unknown", before)
		}
		w.Up.Loss, w.Down.Loss = 1, 1
		run(200)
		if known := a.Stats.RTTKnown(now); known != (old < queueRTT) {
			t.Errorf("%s: after an outage of three seconds known is %v", before, known)
		}
		w.Up, w.Down = link.Conditions{Latency: 20 * time.Millisecond}, link.Conditions{Latency: 20 * time.Millisecond}
		for range 60 {
			if run(1); a.Stats.RTT != old {
				break
			}
		}
		if got := a.Stats.RTT; got < 39*time.Millisecond || got > 41*time.Millisecond || !a.Stats.RTTKnown(now) {
			t.Errorf("%s: the first round trip after the outage makes %v, want 40 ms", before, got)
		}
	}
}

// TestRecentLoss checks that recent loss follows the link when it changes, unlike total
// loss, and that packets that are just late do not count.
func TestRecentLoss(t *testing.T) {
	w := &link.Network{Seed: 5}
	if err := w.Parse("latency=40ms,jitter=100ms"); err != nil {
		t.Fatal(err)
	}
	ca, cb := link.Pair(w, 0)
	a, b := NewEndpoint(ca), NewEndpoint(cb)
	i := 0
	run := func(n int, loss float64) {
		w.Up.Loss = loss
		for range n {
			now := time.Duration(i) * tick
			i++
			a.Update(now)
			a.Send(nil)
			b.Update(now)
		}
	}
	run(64, 0)
	if b.Stats.RecentExpected != 0 || b.Stats.recentLoss() != 0 {
		t.Errorf("%d of %d missing before the loss window has begun", b.Stats.RecentLost, b.Stats.RecentExpected)
	}
	run(936, 0)
	if b.Stats.RecentLost != 0 || b.Stats.RecentExpected != lossWindow {
		t.Errorf("%d of %d missing on a link that only delays", b.Stats.RecentLost, b.Stats.RecentExpected)
	}
	run(1000, 0.5)
	if l := b.Stats.recentLoss(); l < 0.4 || l > 0.6 {
		t.Errorf("recent loss %.3f at 50 %%", l)
	}
	run(1000, 0)
	if l, all := b.Stats.recentLoss(), b.Stats.loss(); l != 0 || all < 0.1 {
		t.Errorf("recent loss %.3f and total loss %.3f after the loss has ended", l, all)
	}
}

// TestReceiveState compares an endpoint's state with a list of all packets received:
// packets expected, missing in the loss window, the newest, and the bits of the newest
// 32. A jump ahead is made of two packets, and no run behind is long enough to move the
// newest back.
func TestReceiveState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &scriptedConn{}
		e := NewEndpoint(s)
		received := map[Sequence]bool{}
		at := rapid.IntRange(0, 500).Draw(t, "start")
		first, newest, behind := Sequence(1<<62), Sequence(0), 0
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			at += rapid.SampledFrom([]int{1, 1, 1, 1, 2, 5, -1, -40, -100, 40, 150, 330, 2000}).Draw(t, "step")
			at = max(at, 0)
			q := Sequence(at)
			if q > newest {
				behind = 0
			} else if behind++; behind == resyncRun {
				at, behind, q = int(newest)+1, 0, newest+1
			}
			if len(received) > 0 && q > newest+maxJump {
				s.in = append(s.in, makeDatagram(q-1, ""))
				received[q-1] = true
			}
			s.in = append(s.in, makeDatagram(q, ""))
			e.Update(0)
			if newest >= historyLen && q <= newest-historyLen {
				continue
			}
			received[q] = true
			first, newest = min(first, q), max(newest, q)
			samples, missing, expected := uint64(0), uint64(0), uint64(newest-first+1)
			for age := Sequence(lossDelay); age < lossDelay+lossWindow && age <= newest-first; age++ {
				if samples++; !received[newest-age] {
					missing++
				}
			}
			set := uint32(0)
			for n := range Sequence(32) {
				if n <= newest && received[newest-n] {
					set |= 1 << n
				}
			}
			st := &e.Stats
			if st.RecentExpected != samples || st.RecentLost != missing || st.Expected != expected || st.PacketsReceived != uint64(len(received)) {
				t.Fatalf("after %d: %+v, want recent %d, missing %d, expected %d, received %d", q, *st, samples, missing, expected, len(received))
			}
			if e.received.ack != newest || e.received.ackBits != set {
				t.Fatalf("after %d: ack %d %08x, want %d %08x", q, e.received.ack, e.received.ackBits, newest, set)
			}
		}
	})
}

// TestNewAcks checks that newAcks omits no acknowledgement, and that in a steady stream
// each is returned once.
func TestNewAcks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c ackFilter
		returned := map[Sequence]int{}
		arrived := map[Sequence]bool{}
		ack := Sequence(rapid.IntRange(0, 100).Draw(t, "start"))
		for range rapid.IntRange(1, 200).Draw(t, "headers") {
			ack += Sequence(rapid.SampledFrom([]int{0, 1, 1, 1, 2, 31, 32, 33, 70}).Draw(t, "ahead"))
			a := ack - min(ack, Sequence(rapid.SampledFrom([]int{0, 0, 0, 1, 5, 31, 32, 40}).Draw(t, "behind")))
			set := rapid.Uint32().Draw(t, "bits") | 1
			fresh := c.newAcks(a, set)
			if fresh&^set != 0 {
				t.Fatalf("%08x of %08x", fresh, set)
			}
			for n := range min(Sequence(32), a+1) {
				if fresh>>n&1 == 1 {
					returned[a-n]++
				}
				if set>>n&1 == 1 {
					if arrived[a-n] = true; returned[a-n] == 0 {
						t.Fatalf("%d is never returned", a-n)
					}
				} else if fresh>>n&1 == 1 {
					t.Fatalf("%d is returned but was not set", a-n)
				}
			}
		}
	})
	var c ackFilter
	for a := range Sequence(1000) {
		if fresh := c.newAcks(a, 1<<32-1); a > 0 && fresh != 1 {
			t.Fatalf("ack %d: %08x are fresh", a, fresh)
		}
	}
}

// TestInvalidAcks checks that acknowledgements of packets never sent are counted and
// ignored, and that valid ones are accepted afterwards.
func TestInvalidAcks(t *testing.T) {
	ack := func(seq Sequence, ack uint16, set uint32) []byte {
		b := make([]byte, headerBytes)
		h := header{sequence: seq.low16(), ack: ack, ackBits: set}
		h.encode(b)
		return b
	}
	s := &scriptedConn{in: [][]byte{ack(0, 0, 1)}}
	e := NewEndpoint(s)
	e.Update(0)
	if e.Stats.InvalidAcks != 1 || len(e.Acks()) != 0 {
		t.Errorf("nothing was sent: %+v, acks %v", e.Stats, e.Acks())
	}
	for range 3 {
		e.Send(nil)
	}
	s.in = append(s.in, ack(1, 3, 1<<32-1), ack(2, 40000, 1<<32-1), ack(3, 32769, 1<<32-1), ack(4, 65535, 1<<32-1))
	e.Update(0)
	if e.Stats.InvalidAcks != 5 || len(e.Acks()) != 0 || e.Stats.Acked != 0 {
		t.Errorf("%+v, acks %v", e.Stats, e.Acks())
	}
	s.in = append(s.in, ack(5, 2, 1<<32-1), ack(6, 2, 1<<32-1))
	e.Update(0)
	if e.Stats.Acked != 3 || len(e.Acks()) != 3 {
		t.Errorf("%+v, acks %v", e.Stats, e.Acks())
	}
}
