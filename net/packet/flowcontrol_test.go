package packet

import (
	"encoding/binary"
	"testing"
	"time"

	"ghostcube/net/link"
)

// TestFlowControlRate says that what is allowed is the rate, whatever the sizes, and
// that a payload larger than the bucket is allowed and paid back. What would
// overflow a full bucket between two ticks is forgone.
func TestFlowControlRate(t *testing.T) {
	for _, size := range []int{1, 100, 1228, 64 << 10, MaxPayload} {
		b := NewFlowControl(125000, 10000)
		sent := 0
		const seconds = 60
		for i := range 60 * seconds {
			b.Update(time.Duration(i)*tick, 0)
			for b.Allow(size) {
				sent += size
			}
		}
		want := 125000 * seconds
		if low, high := want*98/100, want+13000+size; sent < low || sent > high {
			t.Errorf("%d bytes at a time: %d in %d s, want %d", size, sent, seconds, want)
		}
	}
}

// TestFlowControlRecovery walks through good and bad times and holds the mode and the
// recovery time against Fiedler's rule: down at once; up after the recovery time
// without a bad sign; the time doubles up to a minute if good times were short
// and halves with each ten seconds of them, down to a second.
func TestFlowControlRecovery(t *testing.T) {
	b := NewFlowControl(DefaultGoodRate, DefaultBadRate)
	now := time.Duration(0)
	pass := func(d, trip time.Duration) {
		for end := now + d; now < end; {
			now += 100 * time.Millisecond
			b.Update(now, trip)
		}
	}
	is := func(what string, bad bool, recovery time.Duration) {
		t.Helper()
		if b.Congested() != bad || b.Recovery() != recovery {
			t.Errorf("%s: bad %v, recovery %v; want %v, %v", what, b.Congested(), b.Recovery(), bad, recovery)
		}
		if want := map[bool]int{true: DefaultBadRate, false: DefaultGoodRate}[bad]; b.Rate() != want {
			t.Errorf("%s: %d bytes a second", what, b.Rate())
		}
	}
	const low, high, one = 250 * time.Millisecond, 251 * time.Millisecond, 100 * time.Millisecond
	b.Update(0, 0)
	pass(5*time.Second, low)
	is("at the threshold", false, time.Second)
	pass(one, high)
	is("one bad sign", true, time.Second)
	pass(900*time.Millisecond, low)
	is("not yet", true, time.Second)
	pass(one, high)
	pass(900*time.Millisecond, low)
	is("a bad sign begins it again", true, time.Second)
	pass(one, low)
	is("back", false, time.Second)
	for want := 2 * time.Second; want <= 64*time.Second; want *= 2 {
		pass(one, high)
		is("short good times", true, min(want, time.Minute))
		pass(min(want, time.Minute)-one, low)
		is("one step before recovery", true, min(want, time.Minute))
		pass(one, low)
		is("recovered", false, min(want, time.Minute))
	}
	for _, want := range []time.Duration{30, 15, 7500, 3750, 1875, 1, 1} {
		if want < 1000 {
			want *= 1000
		}
		pass(10*time.Second, low)
		is("ten good seconds", false, want*time.Millisecond)
	}
	pass(one, high)
	is("long good times", true, time.Second)
}

// TestFlowControlBufferbloat sends over a link with half the bandwidth that is
// wanted and a queue of four seconds. Without a budget every packet waits four
// seconds. With one the wait falls, and when the limit is lifted the rate comes
// back and stays.
func TestFlowControlBufferbloat(t *testing.T) {
	const narrow, lifted, ended = 120 * time.Second, 240 * time.Second, 241 * time.Second
	type report struct{ wait, rate, end float64 } // wait in ms and rate in bytes per second over the last minute before the limit was lifted, rate over the last minute of all
	run := func(budget bool) (r report, b FlowControl) {
		w := &link.Network{Seed: 1}
		if err := w.Parse("latency=20ms,up.bandwidth=256kbit,up.queue=4s"); err != nil {
			t.Fatal(err)
		}
		ca, cb := link.Pair(w, 0)
		up, down := NewEndpoint(ca), NewEndpoint(cb)
		b = NewFlowControl(64000, 4000)
		const size = 500
		count, waited, early, late := 0, time.Duration(0), 0, 0
		for i := 0; time.Duration(i)*tick < ended; i++ {
			now := time.Duration(i) * tick
			if now >= narrow {
				w.Up.Bandwidth = 10e6
			}
			up.Update(now)
			b.Update(now, up.Stats.RTT)
			for range 3 { // 720 kbit/s are on offer
				if !budget || b.Allow(size+headerBytes+link.UDPIPHeaderBytes) {
					var p [size]byte
					binary.LittleEndian.PutUint64(p[:], uint64(now))
					up.Send(p[:])
				}
			}
			down.Update(now)
			for p, ok := down.Receive(); ok; p, ok = down.Receive() {
				switch n := size + headerBytes + link.UDPIPHeaderBytes; {
				case now >= narrow-time.Minute && now < narrow:
					count++
					waited += p.ReceivedAt - time.Duration(binary.LittleEndian.Uint64(p.Payload)) - 20*time.Millisecond
					early += n
				case now >= lifted-time.Minute && now < lifted:
					late += n
				}
			}
			down.Send(nil)
		}
		return report{waited.Seconds() * 1000 / float64(max(count, 1)), float64(early) / 60, float64(late) / 60}, b
	}
	without, _ := run(false)
	with, b := run(true)
	t.Logf("wait in the queue %.0f ms without a budget, %.0f with it; %.0f and %.0f bytes a second, %.0f and %.0f after the limit was lifted",
		without.wait, with.wait, without.rate, with.rate, without.end, with.end)
	if without.wait < 3500 {
		t.Errorf("the link has no queue: %.0f ms", without.wait)
	}
	if with.wait*5 > without.wait {
		t.Errorf("%.0f ms in the queue with a budget, %.0f without", with.wait, without.wait)
	}
	if with.rate < 4000 {
		t.Errorf("%.0f bytes a second went through", with.rate)
	}
	if with.end < 0.98*64000 || b.Congested() {
		t.Errorf("%.0f bytes a second after the limit was lifted, congested %v", with.end, b.Congested())
	}
	if b.Recovery() > 30*time.Second {
		t.Errorf("recovery still takes %v", b.Recovery())
	}
}
