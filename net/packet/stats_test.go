package packet

import (
	"math"
	"testing"
	"time"

	"ghostcube/net/link"
	"pgregory.net/rapid"
)

// TestRates says that a steady stream has a steady rate, bits per second with
// all headers, fragments charged one by one; that it is right after half a
// second, that what is acknowledged is what was sent less what was lost, and
// that silence brings the rates back to nothing.
func TestRates(t *testing.T) {
	for _, c := range []struct {
		weather string
		size    int
		lost    float64
	}{{"latency=20ms", 100, 0}, {"latency=20ms", 3000, 0}, {"latency=20ms,loss=25%", 100, 0.25}} {
		a, b := newPair(t, c.weather, 3)
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
					t.Fatalf("%s, %d bytes: %v bit/s sent at tick %d, want %v", c.weather, c.size, got, i, want)
				}
				sum += float64(b.Stats.ReceivedRate) / (ticks - 60)
				acked += float64(a.Stats.AckedRate) / (ticks - 60)
			}
		}
		if r := want * (1 - c.lost); math.Abs(sum-r) > 0.04*want || math.Abs(acked-r) > 0.04*want {
			t.Errorf("%s, %d bytes: %.0f bit/s received and %.0f acknowledged, want %.0f", c.weather, c.size, sum, acked, r)
		}
		a.Update(ticks*tick + time.Second)
		b.Update(ticks*tick + time.Second)
		if s := &a.Stats; s.SentRate != 0 || b.Stats.ReceivedRate > 0 {
			t.Errorf("after a second of silence %d and %d bit/s", s.SentRate, b.Stats.ReceivedRate)
		}
	}
	// The first half second, a start at a late time, and a leap of a day.
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

// TestRTTSmoothing holds RTT, its sway and the jitter against the formulas of RFC 6298
// and RFC 3550, computed with real numbers.
func TestRTTSmoothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trips := rapid.SliceOfN(rapid.Int64Range(0, int64(10*time.Second)), 1, 100).Draw(t, "trips")
		var s Stats
		var mean, sway, jitter float64
		for i, d := range trips {
			x := float64(d)
			if i == 0 {
				mean, sway = x, x/2
			} else {
				jitter += (math.Abs(x-float64(trips[i-1])) - jitter) / 16
				away := x - mean
				mean += away / 8
				sway += (math.Abs(away) - sway) / 4
			}
			s.addRTT(time.Duration(d), i == 0)
		}
		near := func(a time.Duration, b float64) bool { return math.Abs(float64(a)-b) < 100 } // nanoseconds
		if !near(s.RTT, mean) || !near(s.RTTVariation, sway) || !near(s.Jitter, jitter) || s.LastRTT != time.Duration(trips[len(trips)-1]) {
			t.Fatalf("%v %v %v, want %v %v %v", s.RTT, s.RTTVariation, s.Jitter, mean, sway, jitter)
		}
	})
}

// TestJitter says that a steady link has no jitter, although packets wait for
// ticks, and one that shakes has about as much as it shakes: round trips of two
// uniform delays of +-20 ms each differ by 18.7 ms in the mean.
func TestJitter(t *testing.T) {
	for _, c := range []struct {
		weather   string
		low, high time.Duration
	}{{"latency=75ms", 0, ackDelayUnit}, {"latency=75ms,jitter=20ms", 12 * time.Millisecond, 26 * time.Millisecond}} {
		a, b := newPair(t, c.weather, 1)
		for i := range 2000 {
			now := time.Duration(i) * tick
			for _, e := range []*Endpoint{a, b} {
				e.Update(now)
				e.Send(nil)
			}
		}
		if j := a.Stats.Jitter; j < c.low || j > c.high {
			t.Errorf("%s: jitter %v", c.weather, j)
		}
	}
}

// TestRecentLoss says that the loss of late follows the link when it changes,
// where the loss of all time cannot, and that packets that are merely late do
// not count.
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
		t.Errorf("%d of %d missing before there is anything to tell", b.Stats.RecentLost, b.Stats.RecentExpected)
	}
	run(936, 0)
	if b.Stats.RecentLost != 0 || b.Stats.RecentExpected != lossWindow {
		t.Errorf("%d of %d missing on a link that only delays", b.Stats.RecentLost, b.Stats.RecentExpected)
	}
	run(1000, 0.5)
	if l := b.Stats.recentLoss(); l < 0.4 || l > 0.6 {
		t.Errorf("%.3f of late at 50 %%", l)
	}
	run(1000, 0)
	if l, all := b.Stats.recentLoss(), b.Stats.loss(); l != 0 || all < 0.1 {
		t.Errorf("%.3f of late and %.3f of all after the loss has ended", l, all)
	}
}

// TestReceiveState holds what an endpoint knows of the other's packets against a
// list of all that came: expected, missing of late, the newest, and the bits of
// the 32 newest.
func TestReceiveState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &scriptedConn{}
		e := NewEndpoint(s)
		came := map[Sequence]bool{}
		at := rapid.IntRange(0, 500).Draw(t, "start")
		first, newest := Sequence(1<<62), Sequence(0)
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			at += rapid.SampledFrom([]int{1, 1, 1, 1, 2, 5, -1, -40, -100, 40, 150, 330, 2000}).Draw(t, "step")
			at = max(at, 0)
			q := Sequence(at)
			s.in = append(s.in, makeDatagram(q, ""))
			e.Update(0)
			if newest >= historyLen && q <= newest-historyLen {
				continue
			}
			came[q] = true
			first, newest = min(first, q), max(newest, q)
			due, missing, expected := uint64(0), uint64(0), uint64(newest-first+1)
			for age := Sequence(lossDelay); age < lossDelay+lossWindow && age <= newest-first; age++ {
				if due++; !came[newest-age] {
					missing++
				}
			}
			set := uint32(0)
			for n := range Sequence(32) {
				if n <= newest && came[newest-n] {
					set |= 1 << n
				}
			}
			st := &e.Stats
			if st.RecentExpected != due || st.RecentLost != missing || st.Expected != expected || st.PacketsReceived != uint64(len(came)) {
				t.Fatalf("after %d: %+v, want late %d, missing %d, expected %d, received %d", q, *st, due, missing, expected, len(came))
			}
			if e.received.ack != newest || e.received.ackBits != set {
				t.Fatalf("after %d: ack %d %08x, want %d %08x", q, e.received.ack, e.received.ackBits, newest, set)
			}
		}
	})
}

// TestNewAcks says of the register of acknowledgements that none is lost
// in it and that in a steady stream each is dealt with once.
func TestNewAcks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c ackFilter
		told := map[Sequence]int{}
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
					told[a-n]++
				}
				if set>>n&1 == 1 {
					if arrived[a-n] = true; told[a-n] == 0 {
						t.Fatalf("%d is never told of", a-n)
					}
				} else if fresh>>n&1 == 1 {
					t.Fatalf("%d is told of and was not set", a-n)
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

// TestInvalidAcks says that acknowledgements of what was never sent are counted and
// believed in nothing, and do not keep true ones from being believed later.
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
