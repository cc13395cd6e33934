package lockstep

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"ghostcube/internal/experiment"
	"ghostcube/sim"
)

const (
	ms       = time.Millisecond
	testRate = 60
)

// testPlayout is a playout buffer with its settings. Its clock begins tick n after n/60 s.
type testPlayout struct {
	playoutBuffer
	settings settings
}

func newTestPlayout(first sim.Tick, delay time.Duration) *testPlayout {
	p := &testPlayout{playoutBuffer: newPlayoutBuffer(first, testRate)}
	p.settings.playoutDelay = float64(delay / ms)
	p.now = -sim.MomentsPerTick
	return p
}

// tick begins the next tick and inserts the inputs that arrive in it.
func (p *testPlayout) tick(arrivals ...sim.Tick) {
	p.beginTick(&p.settings, 0)
	for _, t := range arrivals {
		p.push(t, inputOf(t))
	}
}

// inputOf returns an input that names its tick.
func inputOf(t sim.Tick) sim.Input {
	return sim.Input{Buttons: sim.Buttons(t) & sim.MoveButtons, Heading: uint8(t >> 6)}
}

// release releases up to four inputs and checks that they are the next ones.
func (p *testPlayout) release(t testing.TB) (released int) {
	t.Helper()
	released = p.releasable(4)
	for range released {
		want := p.next
		if in, ok := p.pop(); !ok || in != inputOf(want) {
			t.Fatalf("released %v, %v, want the input of tick %d", in, ok, want)
		}
	}
	return released
}

// dueAt returns when by its own clock the buffer is to release the input of a tick.
func (p *testPlayout) dueAt(t sim.Tick) sim.Moment {
	return t.Moment() - p.clock.Expected(0) + p.slew.Offset() + p.delay
}

// moments returns a length of time in the buffer's unit.
func moments(d time.Duration) sim.Moment { return sim.MomentOf(d, testRate) }

// TestPlayoutDelay checks that inputs are released in order, each at the arrival of the first plus
// its own time and the delay: 100 ms, which is six ticks at 60 Hz.
func TestPlayoutDelay(t *testing.T) {
	p := newTestPlayout(0, 100*ms)
	for range 7 {
		if p.tick(); p.releasable(4) != 0 || p.stalled() {
			t.Fatal("an input is due before any has arrived")
		}
	}
	p.tick(2, 0, 1, 0, 3)
	for tick := 1; tick < 10; tick++ {
		p.tick()
		if n := p.release(t); n != 0 != (tick >= 6) {
			t.Errorf("%d released %d ticks after the first arrival", n, tick)
		}
	}
	if p.next != 4 {
		t.Errorf("the last released input is before tick %d", p.next)
	}
}

// TestPlayoutStalls checks that the buffer waits for an input that is due and missing, and for all
// behind it, and that afterwards it releases no more inputs at once than asked for, so that the
// side can catch up.
func TestPlayoutStalls(t *testing.T) {
	p := newTestPlayout(100, 50*ms)
	p.tick()
	for tick := sim.Tick(100); tick < 130; tick++ {
		if tick != 102 {
			p.push(tick, inputOf(tick))
		}
	}
	for range 60 {
		p.tick()
		p.release(t)
	}
	if _, ok := p.pop(); ok || !p.stalled() || p.next != 102 {
		t.Fatalf("the input of tick 102 is missing, but tick %d is next", p.next)
	}
	buffered := p.inputs.Len()
	if p.push(101, sim.Input{}); p.inputs.Len() != buffered || p.push(102+maxEarlyInputs, sim.Input{}) || p.push(1<<32-1, sim.Input{}) {
		t.Error("an input that is late or far ahead is buffered")
	}
	p.push(103, sim.Input{}) // a duplicate
	p.push(102, inputOf(102))
	for p.next < 130 {
		if n := min(4, int(130-p.next)); p.release(t) != n {
			t.Fatalf("at tick %d the buffer does not release %d inputs", p.next, n)
		}
		p.tick()
	}
}

// TestPlayoutWithoutStalls checks that with a delay as long as the worst lateness no input is ever
// missing when it is due, and that the order is kept.
func TestPlayoutWithoutStalls(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		delay := rapid.IntRange(0, 12).Draw(rt, "delay")
		first := sim.Tick(rapid.IntRange(0, 1<<30).Draw(rt, "first"))
		p := newTestPlayout(first, 0)
		p.settings.playoutDelay = sim.Tick(delay).Moment().Millis(testRate) + 1e-3 // conversions round down
		arrivals := map[int][]sim.Tick{0: {first}}
		for i := 1; i < 300; i++ {
			at := i + rapid.IntRange(0, delay).Draw(rt, "late")
			arrivals[at] = append(arrivals[at], first+sim.Tick(i))
		}
		for tick := 0; p.next < first+300; tick++ {
			p.tick(arrivals[tick]...)
			if p.stalled() {
				rt.Fatalf("tick %d stalls for the input of tick %d", tick, p.next)
			}
			p.release(t)
		}
	})
}

// simulatePlayout plays out n inputs of a sender whose clock differs by ppm. It returns the number
// of ticks that stalled after the first seconds, and the final delay.
func simulatePlayout(t *testing.T, p *testPlayout, n, ppm, seconds int, path func(i int) time.Duration) (stalled int, delay sim.Moment) {
	type flight struct {
		at time.Duration
		n  sim.Tick
	}
	var flights []flight
	for i := range n {
		sent := time.Duration(i) * time.Second / testRate
		sent += sent / 1_000_000 * time.Duration(ppm)
		flights = append(flights, flight{sent + path(i), sim.Tick(i)})
	}
	for tick := 0; p.next < sim.Tick(n) && tick < n+6000; tick++ {
		now := time.Duration(tick) * time.Second / testRate
		p.tick()
		for _, f := range flights {
			if f.at <= now && f.at > now-time.Second/testRate {
				p.push(f.n, inputOf(f.n))
			}
			if f.at > now+time.Second {
				break
			}
		}
		for len(flights) > 100 && flights[50].at < now-5*time.Second {
			flights = flights[50:]
		}
		if p.release(t) == 0 && p.stalled() && tick > seconds*testRate {
			stalled++
		}
	}
	return stalled, p.delay
}

// TestPlayoutFollowsClock checks that with follow-clock the inputs of a sender whose clock is 1000
// ppm slower or faster are played out for ten minutes without a stall, and that without it those of
// a slower one stall repeatedly.
func TestPlayoutFollowsClock(t *testing.T) {
	steady := func(int) time.Duration { return 80 * ms }
	for _, ppm := range []int{1000, -1000} {
		p := newTestPlayout(0, 50*ms)
		p.settings.followClock = true
		if stalled, _ := simulatePlayout(t, p, 36000, ppm, 10, steady); stalled != 0 {
			t.Errorf("%d ppm: %d ticks stall", ppm, stalled)
		}
		sent := 600*time.Second + 600*time.Second/1_000_000*time.Duration(ppm)
		if away := p.dueAt(36000) - moments(sent+80*ms+50*ms); away < -moments(20*ms) || away > moments(20*ms) {
			t.Errorf("%d ppm: the last input is due %.1f ms too early or late", ppm, away.Millis(testRate))
		}
	}
	p := newTestPlayout(0, 50*ms)
	if stalled, _ := simulatePlayout(t, p, 36000, 1000, 10, steady); stalled < 30 { // 600 ms less 50, in ticks
		t.Errorf("a slower clock without follow-clock: only %d ticks stall", stalled)
	}
}

// TestPlayoutAdapts checks that an adaptive delay becomes what the link needs, growing at once and
// shrinking slowly, and that no input stalls afterwards.
func TestPlayoutAdapts(t *testing.T) {
	// Every fifth input arrives 90 ms later than the others.
	swaying := func(i int) time.Duration {
		if i%5 == 3 {
			return 130 * ms
		}
		return 40 * ms
	}
	for _, first := range []time.Duration{0, 100 * ms, 600 * ms} {
		p := newTestPlayout(0, first)
		p.tick()
		p.settings.adaptive = true
		p.now = -sim.MomentsPerTick
		stalled, delay := simulatePlayout(t, p, 6000, 0, 30, swaying)
		if stalled != 0 || delay < moments(90*ms) || delay > moments(130*ms) {
			t.Errorf("from a delay of %v: %d ticks stall, the final delay is %.1f ms", first, stalled, delay.Millis(testRate))
		}
	}
	// A link that becomes worse.
	p := newTestPlayout(0, 20*ms)
	p.settings.adaptive = true
	simulatePlayout(t, p, 1200, 0, 0, func(i int) time.Duration {
		if i > 600 {
			return 240 * ms
		}
		return 40 * ms
	})
	if p.delay < moments(200*ms) || p.delay > moments(240*ms) {
		t.Errorf("the latency has grown by 200 ms, and the delay is %.1f ms", p.delay.Millis(testRate))
	}
	p.settings.adaptive = false
	if p.tick(); p.delay != moments(20*ms) {
		t.Errorf("not adaptive any more, the delay is %.1f ms", p.delay.Millis(testRate))
	}
}

// TestPlayoutAfterFreeze checks that with follow-clock a receiver whose clock stood still, so that
// all inputs arrive too early by it, returns to its old delay within seconds, and that without
// it the receiver stays behind.
func TestPlayoutAfterFreeze(t *testing.T) {
	const delay, path = 50 * ms, 80 * ms
	for _, freeze := range []time.Duration{200 * ms, 900 * ms, 3 * time.Second} {
		for _, follow := range []bool{true, false} {
			p := newTestPlayout(0, delay)
			p.settings.followClock = follow
			next := sim.Tick(0)
			for tick := range testRate * 20 {
				real := time.Duration(tick) * time.Second / testRate
				if real >= 5*time.Second && real < 5*time.Second+freeze {
					continue
				}
				p.tick()
				for ; time.Duration(next)*time.Second/testRate+path <= real; next++ {
					p.push(next, inputOf(next))
				}
				p.release(t)
			}
			away := p.dueAt(next) + moments(freeze) - next.Moment() - moments(path+delay)
			want := time.Duration(0)
			if !follow {
				want = freeze
			}
			if d := away - moments(want); max(d, -d) > moments(30*ms) {
				t.Errorf("after a freeze of %v, follow-clock %v: inputs are due %.1f ms later than before, want %v", freeze, follow, away.Millis(testRate), want)
			}
		}
	}
}

// TestPlayoutAfterLateStart checks that a sender that was frozen before its first input, and then makes up
// for it at four inputs a tick, has its inputs due with the usual delay once it has caught up.
func TestPlayoutAfterLateStart(t *testing.T) {
	const delay, frozen = 50 * ms, 12 * time.Second
	for _, follow := range []bool{true, false} {
		p := newTestPlayout(0, delay)
		p.settings.followClock = follow
		next := sim.Tick(0)
		for tick := range sim.Tick(testRate * 30) {
			p.tick()
			if tick < testRate*sim.Tick(frozen/time.Second) {
				continue
			}
			for range 4 {
				if next <= tick {
					p.push(next, inputOf(next))
					next++
				}
			}
			p.release(t)
		}
		if due := p.dueAt(next) - p.now - moments(delay); max(due, -due) > moments(30*ms) {
			t.Errorf("follow-clock %v: an input that arrives now is due %.1f ms later than the delay", follow, due.Millis(testRate))
		}
	}
}

// TestClockDrift checks that with follow-clock a client whose clock is up to 3000 ppm faster or
// slower than the server's runs for five minutes without a stall, and that without it a faster one
// stalls repeatedly.
func TestClockDrift(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	ticks, skews := 18000, []string{"500", "-500", "3000", "-3000"}
	if experiment.Brief() {
		ticks, skews = 6000, skews[2:]
	}
	for _, host := range []bool{true, false} {
		for _, skew := range skews {
			r := newRig(t, "plain", "latency=50ms,jitter=5ms", host, "skew", skew, "follow-clock", "on")
			r.run(ticks)
			if n := r.Counter("stalls"); n != 0 {
				t.Errorf("host %v, %s ppm: %v stalls", host, skew, n)
			}
			r.requireSync(t)
			if lag := int(r.s.env.World.Tick()) - int(r.c[0].env.World.Tick()); lag < -60 || lag > 60 {
				t.Errorf("host %v, %s ppm: the client is %d ticks behind", host, skew, lag)
			}
		}
	}
	r := newRig(t, "plain", "latency=50ms,jitter=5ms", true, "skew", "500")
	r.run(18000)
	if n := r.Counter("stalls"); n < 2 {
		t.Errorf("a fast client without follow-clock: %v stalls", n)
	}
	r = newRig(t, "two-players", "latency=50ms", false, "skew", "500", "follow-clock", "on")
	r.run(ticks)
	r.requireSync(t)
	if late := r.c[0].streams[0].next - r.c[0].env.World.Tick(); late > 30 {
		t.Errorf("two fast clients: an input waits for %d ticks", late)
	}
}

// TestAdaptive checks that an adaptive delay becomes what the transport needs: 200 ms for TCP at 50
// ms latency, with hardly any stall after the first.
func TestAdaptive(t *testing.T) {
	r := newRig(t, "plain", "latency=50ms,loss=2%", true, "transport", "tcp", "adaptive", "on")
	r.run(7200)
	if n, delay := r.Counter("stalls"), r.Counter("playout_delay_ms"); n > 3 || delay < 180 || delay > 260 {
		t.Errorf("%v stalls, the delay is %v ms", n, delay)
	}
	// Over a good link it becomes short.
	r = newRig(t, "plain", "latency=50ms", true, "adaptive", "on")
	r.run(1800)
	if delay := r.Counter("playout_delay_ms"); delay > 20 || r.Counter("stalls") > 0 {
		t.Errorf("without jitter the delay is %v ms, %v stalls", delay, r.Counter("stalls"))
	}
}

// TestBacklogAtStart checks that an outage at the start of a session does not make it late for good:
// the inputs that arrive together after it are played out at once, but for the delay, four a tick. A
// short run is played out evenly, as in the article: the oldest input sets the clock.
func TestBacklogAtStart(t *testing.T) {
	for backlog, want := range map[sim.Tick]sim.Tick{10: 15, 240: 6} {
		r := newRig(t, "plain", "perfect", false)
		r.Network.Blackout = time.Duration(backlog) * time.Second / 60
		r.run(600)
		if late := r.c[0].env.World.Tick() - r.s.env.World.Tick(); late > want+1 || late+1 < want {
			t.Errorf("after an outage of %d ticks at the start the server is %d ticks late, want %d", backlog, late, want)
		}
		r.requireAgreement(t)
	}
}
