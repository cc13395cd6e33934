package packet

import (
	"encoding/binary"
	"testing"
	"time"

	"ghostcube/net/link"
)

// TestFlowControlRecovery checks Fiedler's rule: bad conditions begin at once; good
// ones after the recovery time without a bad round trip; that time doubles up to a
// minute if good conditions were short, and halves with every ten seconds of them, down
// to a second.
func TestFlowControlRecovery(t *testing.T) {
	const goodRate, badRate = 30 * 256, 10 * 256 // Fiedler's example: 30 or 10 packets a second of 256 bytes
	f := NewFlowControl(goodRate, badRate)
	now := time.Duration(0)
	advance := func(d, rtt time.Duration) {
		for end := now + d; now < end; {
			now += 100 * time.Millisecond
			f.Update(now, rtt)
		}
	}
	check := func(name string, bad bool, recovery time.Duration) {
		t.Helper()
		if f.Congested() != bad || f.recovery != recovery {
			t.Errorf("%s: congested %v, recovery %v; want %v, %v", name, f.Congested(), f.recovery, bad, recovery)
		}
		if want := map[bool]int{true: badRate, false: goodRate}[bad]; f.Rate() != want {
			t.Errorf("%s: %d bytes per second", name, f.Rate())
		}
	}
	const low, high, one = 250 * time.Millisecond, 251 * time.Millisecond, 100 * time.Millisecond
	f.Update(0, 0)
	advance(5*time.Second, low)
	check("at the threshold", false, time.Second)
	advance(one, high)
	check("one bad round trip", true, time.Second)
	advance(900*time.Millisecond, low)
	check("not yet", true, time.Second)
	advance(one, high)
	advance(900*time.Millisecond, low)
	check("a bad round trip starts it again", true, time.Second)
	advance(one, low)
	check("recovered", false, time.Second)
	for want := 2 * time.Second; want <= 64*time.Second; want *= 2 {
		advance(one, high)
		check("short good conditions", true, min(want, time.Minute))
		advance(min(want, time.Minute)-one, low)
		check("one step before recovery", true, min(want, time.Minute))
		advance(one, low)
		check("recovered", false, min(want, time.Minute))
	}
	for _, want := range []time.Duration{30, 15, 7500, 3750, 1875, 1, 1} {
		if want < 1000 {
			want *= 1000
		}
		advance(10*time.Second, low)
		check("ten good seconds", false, want*time.Millisecond)
	}
	advance(one, high)
	check("long good conditions", true, time.Second)
}

// TestFlowControlBufferbloat sends over a link with half the bandwidth needed and a
// queue of four seconds. Without flow control every packet waits four seconds. With it
// the wait shrinks, and once the limit is lifted the rate returns and stays.
func TestFlowControlBufferbloat(t *testing.T) {
	const liftedAt, lateEnd, end = 120 * time.Second, 240 * time.Second, 241 * time.Second
	type report struct{ wait, rate, end float64 } // wait in ms and rate in bytes per second over the last minute with the limit; end: rate over the last minute
	run := func(limited bool) (r report, f FlowControl) {
		w := &link.Network{Seed: 1}
		if err := w.Parse("latency=20ms,up.bandwidth=256kbit,up.queue=4s"); err != nil {
			t.Fatal(err)
		}
		ca, cb := link.Pair(w, 0)
		up, down := NewEndpoint(ca), NewEndpoint(cb)
		f = NewFlowControl(64000, 4000)
		budget := NewBudget(60)
		const size = 500
		count, waited, limitedBytes, liftedBytes := 0, time.Duration(0), 0, 0
		for i := 0; time.Duration(i)*tick < end; i++ {
			now := time.Duration(i) * tick
			if now >= liftedAt {
				w.Up.Bandwidth = 10e6
			}
			up.Update(now)
			f.Update(now, up.Stats.RTT)
			budget.AddTick(f.Rate())
			for range 3 { // 720 kbit/s offered
				if !limited || budget.Available() >= WireBytes(size) {
					budget.Spend(WireBytes(size))
					var p [size]byte
					binary.LittleEndian.PutUint64(p[:], uint64(now))
					up.Send(p[:])
				}
			}
			budget.Reserve(WireBytes(size))
			down.Update(now)
			for p, ok := down.Receive(); ok; p, ok = down.Receive() {
				switch n := WireBytes(size); {
				case now >= liftedAt-time.Minute && now < liftedAt:
					count++
					waited += p.ReceivedAt - time.Duration(binary.LittleEndian.Uint64(p.Payload)) - 20*time.Millisecond
					limitedBytes += n
				case now >= lateEnd-time.Minute && now < lateEnd:
					liftedBytes += n
				}
			}
			down.Send(nil)
		}
		return report{waited.Seconds() * 1000 / float64(max(count, 1)), float64(limitedBytes) / 60, float64(liftedBytes) / 60}, f
	}
	without, _ := run(false)
	with, f := run(true)
	t.Logf("wait in the queue: %.0f ms without flow control, %.0f with; bytes per second: %.0f and %.0f, after the limit was lifted %.0f and %.0f",
		without.wait, with.wait, without.rate, with.rate, without.end, with.end)
	if without.wait < 3500 {
		t.Errorf("the link has no queue: %.0f ms", without.wait)
	}
	if with.wait*5 > without.wait {
		t.Errorf("%.0f ms in the queue with flow control, %.0f without", with.wait, without.wait)
	}
	if with.rate < 4000 {
		t.Errorf("throughput %.0f bytes per second", with.rate)
	}
	if with.end < 0.98*64000 || f.Congested() {
		t.Errorf("%.0f bytes per second after the limit was lifted, congested %v", with.end, f.Congested())
	}
	if f.recovery > 30*time.Second {
		t.Errorf("recovery still takes %v", f.recovery)
	}
}
