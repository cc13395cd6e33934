package snapshot

import (
	"math"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	"ghostcube/sim"
)

// TestDelayRule compares the automatic delay with the article's figures.
func TestDelayRule(t *testing.T) {
	for _, c := range []struct {
		rate           int
		every, survive string
		knob, value    string
		want           float64 // ms
	}{
		{60, "1", "2", "", "", 83.333}, // the article says 85
		{60, "2", "2", "", "", 150},
		{60, "3", "2", "", "", 200},
		{60, "6", "2", "", "", 350},
		{60, "6", "1", "", "", 250},
		{60, "6", "0", "", "", 150},
		{60, "6", "2", "extrapolate", "200ms", 150},
		{60, "6", "2", "extrapolate", "500ms", 150},
		{60, "6", "0", "extrapolate", "100ms", 150},
		{60, "1", "2", "extrapolate", "200ms", 50},
		{60, "6", "2", "interpolation-delay", "125ms", 125},
		{60, "6", "2", "interpolation-delay", "3s", 3000},
		{60, "1", "2", "interpolation-delay", "3s", 1033.333}, // limited by the buffer
		{64, "4", "2", "", "", 237.5},
		{10, "1", "2", "", "", 350},
		{240, "4", "2", "", "", 83.333},
		{60, "6", "2", "interpolation", "none", 0},
	} {
		r := newRig(t, c.rate, "snapshot-every", c.every, "survive-losses", c.survive)
		if c.knob != "" {
			r.SetKnob(c.knob, c.value)
		}
		r.run(3*c.rate, nil)
		if got := r.Counter("interpolation_delay_ms"); math.Abs(got-c.want) > 0.01 {
			t.Errorf("%d Hz, every %s, survive-losses=%s, %s=%s: %v ms, want %v", c.rate, c.every, c.survive, c.knob, c.value, got, c.want)
		}
	}
}

// TestSurvivesLosses checks that with the automatic delay by the rule alone, at ten a second, two snapshots lost in a
// row do not stop playback. Three and five do, until the next snapshot arrives and no longer, and playback then continues
// where it would have been.
func TestSurvivesLosses(t *testing.T) {
	for lost, want := range map[int]float64{1: 0, 2: 0, 3: 33, 5: 233} { // ms: six ticks for each interval, less the delay of 21
		r := newRig(t, 60, "snapshot-every", "6", "adaptive", "off")
		r.run(120, nil)
		var last *predict.View
		delivered := func(tick int) bool { return tick < 120 || tick >= 120+6*lost }
		for range 120 {
			v := r.run(1, delivered)
			if r.c.starvedTicks > 1 && (v.Bodies[0] != last.Bodies[0] || v.Tick() != last.Tick()) {
				t.Fatalf("%d lost: the view moves without a snapshot", lost)
			}
			last = v
		}
		if got := r.Counter("starvations"); got != min(want, 1) {
			t.Errorf("%d lost: %v times starved", lost, got)
		}
		if longest := r.Counter("starvation_max_ms"); math.Abs(longest-want) > 1 {
			t.Errorf("%d lost: starved for %v ms, want %v", lost, longest, want)
		}
		if r.Counter("playback_restarts") != 0 {
			t.Errorf("%d lost: restarted", lost)
		}
		drawnTick := float64(r.Tick-1) - 21
		if d := last.Bodies[0].Pos.Sub(straightLine(r.seconds(drawnTick)).pose.Pos).Len(); d > 1e-5 {
			t.Errorf("%d lost: %v m from the expected position", lost, d)
		}
	}
}

// TestLongDelayKeepsItsSnapshots checks that a delay of as many snapshots as the buffer has does not lose those that playback
// is at, although the first snapshot came late and all others are earlier than that.
func TestLongDelayKeepsItsSnapshots(t *testing.T) {
	r := newRig(t, 60, "interpolation-delay", "3s")
	for range 12 {
		r.step()
	}
	r.step(0)
	r.run(62+12, nil)
	before := r.run(1, nil).Others
	played := r.run(300, nil).Others - before
	starvations, restarts, buffered := r.Counter("starvations"), r.Counter("playback_restarts"), r.c.buffer.Len()
	if played != 300*sim.MomentsPerTick || starvations > 0 || restarts > 0 || buffered > bufferSize+14 {
		t.Errorf("%.2f of 300 ticks played, %v starvations, %v restarts, %d snapshots buffered", played.Ticks(), starvations, restarts, buffered)
	}
}

// TestAdaptiveDelay checks that when a fourth of a second passes without a snapshot, playback stops where it is and
// goes on from there, later than before by as long, and the next such gap does not stop it; that ten
// seconds later the delay shrinks to the rule again, slowly; and that an outage that is skipped does not lengthen it.
func TestAdaptiveDelay(t *testing.T) {
	r := newRig(t, 60, "snapshot-every", "6")
	r.run(300, nil)
	moment, rule := r.run(1, nil).Others, r.Counter("interpolation_delay_ms")
	// play runs some ticks with a gap of four intervals, and returns in how many of them the picture
	// advanced by at most half a tick, and the longest advance.
	play := func(ticks, gap int) (stopped int, most sim.Moment) {
		first := (r.Tick/6 + 1) * 6
		for range ticks {
			v := r.run(1, func(tick int) bool { return tick < first || tick >= first+gap })
			step := v.Others - moment
			if moment = v.Others; step <= sim.MomentsPerTick/2 {
				stopped++
			}
			most = max(most, step)
		}
		return stopped, most
	}
	const even = sim.MomentsPerTick + sim.MomentsPerTick/shrinkDivisor
	if stopped, most := play(120, 18); stopped == 0 || stopped > 4 || most > even {
		t.Errorf("the first gap stops playback for %d ticks, and then it advances by up to %.2f ticks", stopped, most.Ticks())
	}
	if n := r.Counter("starvations"); n != 1 {
		t.Errorf("%v starvations in the first gap", n)
	}
	if stopped, most := play(120, 18); stopped != 0 || most > even {
		t.Errorf("the second gap stops playback for %d ticks, and then it advances by up to %.2f ticks", stopped, most.Ticks())
	}
	grown := r.Counter("interpolation_delay_ms")
	if grown < rule+30 || grown > rule+80 {
		t.Errorf("the delay is %v ms after gaps, %v before", grown, rule)
	}
	if stopped, most := play(1200, 0); stopped != 0 || most > even || r.Counter("interpolation_delay_ms") != rule {
		t.Errorf("afterwards it advances by up to %.2f ticks, and the delay is %v ms", most.Ticks(), r.Counter("interpolation_delay_ms"))
	}
	r.SetKnob("catch-up", "0ms")
	if stopped, _ := play(300, 60); stopped < 20 || r.Counter("interpolation_delay_ms") != rule {
		t.Errorf("an outage of a second stops it for %d ticks, and the delay is %v ms", stopped, r.Counter("interpolation_delay_ms"))
	}
}

// TestCatchesUp checks that after a second or more without a snapshot playback goes on from where it has stopped, on the
// curve between the two snapshots, at first 1.5 or 1.8 times as fast and then slower, until the delay is that of the rule
// again; without catch-up it skips the second; and three seconds it skips in any case. Its pace does not change at
// once, and it stands no longer than the silence.
func TestCatchesUp(t *testing.T) {
	experiment.Skip(t)
	for _, c := range []struct {
		every, catchUp string
		silence        int // ticks
		skips          bool
	}{{"1", "2s", 60, false}, {"6", "2s", 100, false}, {"1", "2s", 100, false}, {"1", "0ms", 60, true}, {"1", "2s", 180, true}, {"6", "2s", 180, true}} {
		r := newRig(t, 60, "snapshot-every", c.every, "catch-up", c.catchUp)
		r.run(300, nil)
		last, rule := r.run(1, nil), r.Counter("interpolation_delay_ms")
		most, uneven, pace, stopped := sim.Moment(0), sim.Moment(0), sim.Moment(sim.MomentsPerTick), 0
		for range 1200 {
			v := r.run(1, func(tick int) bool { return tick < 300 || tick >= 300+c.silence })
			step := v.Others - last.Others
			uneven, pace = max(uneven, step-pace, pace-step), step
			if step == 0 {
				stopped++
			}
			most, last = max(most, v.Others-last.Others), v
			if d := v.Bodies[0].Pos.Sub(straightLine(r.seconds(v.Others.Ticks())).pose.Pos).Len(); d > 1e-3 {
				t.Fatalf("every %s, %d ticks: %v m from the server's path", c.every, c.silence, d)
			}
		}
		if skipped := most > sim.MomentsPerTick+sim.MomentsPerTick*sim.Moment(c.silence)/120; skipped != c.skips {
			t.Errorf("every %s, %d ticks, catch-up %s: playback advances by up to %.2f ticks", c.every, c.silence, c.catchUp, most.Ticks())
		}
		if !c.skips && uneven > 3*sim.MomentsPerTick/5 {
			t.Errorf("every %s: the pace of playback changes by %.2f ticks a tick at once", c.every, uneven.Ticks())
		}
		if stopped > c.silence {
			t.Errorf("every %s, %d ticks, catch-up %s: playback stands for %d ticks", c.every, c.silence, c.catchUp, stopped)
		}
		if !c.skips && most < 5*sim.MomentsPerTick/4 {
			t.Errorf("every %s: playback catches up by at most %.2f ticks a tick", c.every, most.Ticks())
		}
		if got := r.Counter("interpolation_delay_ms"); got != rule {
			t.Errorf("every %s, %d ticks, catch-up %s: the delay is %v ms at the end, want %v", c.every, c.silence, c.catchUp, got, rule)
		}
	}
}

// TestBlackoutRestarts checks that after ten seconds without a snapshot, more than the buffer
// covers, the client restarts and draws the expected position.
func TestBlackoutRestarts(t *testing.T) {
	for _, every := range []string{"1", "6"} {
		r := newRig(t, 60, "snapshot-every", every)
		r.run(120, nil)
		r.run(600, func(int) bool { return false })
		if r.Counter("playback_restarts") != 0 || r.Counter("starvations") != 1 || r.c.starvedTicks < 580 {
			t.Fatalf("every %s: %v restarts, %v starvations without a snapshot", every, r.Counter("playback_restarts"), r.Counter("starvations"))
		}
		v := r.run(60, nil)
		drawnTick := float64(r.Tick-1) - r.Counter("interpolation_delay_ms")*0.06
		if d := v.Bodies[0].Pos.Sub(straightLine(r.seconds(drawnTick)).pose.Pos).Len(); d > 1e-5 || r.Counter("playback_restarts") != 1 {
			t.Errorf("every %s: %v restarts, and %v m from the expected position", every, r.Counter("playback_restarts"), d)
		}
		if longest := r.Counter("starvation_max_ms"); r.Counter("starvations") != 1 || longest < 9800 || longest > 10500 {
			t.Errorf("every %s: stopped for %v ms, %v times", every, longest, r.Counter("starvations"))
		}
	}
}

// TestHigherLatencyRestarts checks that when latency grows by more than the delay, playback stops until
// later snapshots arrive, goes on as they do, and restarts after a second.
func TestHigherLatencyRestarts(t *testing.T) {
	r := newRig(t, 60)
	r.run(120, nil)
	for range 150 { // from now on half a second late
		r.step(r.Tick - 30)
	}
	v := r.step(r.Tick - 30)
	drawnTick := float64(r.Tick-1) - 30 - 5
	if d := v.Bodies[0].Pos.Sub(straightLine(r.seconds(drawnTick)).pose.Pos).Len(); d > 1e-5 || r.Counter("playback_restarts") != 1 {
		t.Errorf("%v restarts, and %v m from the expected position", r.Counter("playback_restarts"), d)
	}
	if n := r.Counter("starved_ticks"); n < 27 || n > 31 { // half a second less the delay, and then the delay
		t.Errorf("%v ticks starved", n)
	}
}

// TestLate checks that a snapshot that playback has passed is counted and changes nothing; one that
// is late but in time is used; without a buffer everything older than the newest is late.
func TestLate(t *testing.T) {
	r := newRig(t, 60, "snapshot-every", "6")
	missing := 150 // drawn at 171; until then playback goes from 144 to 156
	r.run(165, func(tick int) bool { return tick != missing })
	before := r.c.buffer.Len()
	r.step(r.Tick-1, missing)
	if r.Counter("snapshots_late") != 0 || r.c.buffer.Len() != before+2 {
		t.Errorf("in time: %v late", r.Counter("snapshots_late"))
	}
	r.step(132)
	if r.Counter("snapshots_late") != 1 || r.c.buffer.Len() != before+2 {
		t.Errorf("out of time: %v late", r.Counter("snapshots_late"))
	}

	r = newRig(t, 60, "interpolation", "none")
	r.run(60, nil)
	v := r.step(70)
	w := r.step(69)
	if v.Bodies[0] != straightLine(r.seconds(70)).pose || w.Bodies[0] != v.Bodies[0] || r.Counter("snapshots_late") != 1 {
		t.Errorf("without a buffer: %v late", r.Counter("snapshots_late"))
	}
}

// TestOnArrival checks that without interpolation a snapshot is drawn unchanged in the tick in
// which it arrives, and nothing moves until the next.
func TestOnArrival(t *testing.T) {
	r := newRig(t, 60, "interpolation", "none", "snapshot-every", "6")
	for range 120 {
		v := r.run(1, nil)
		received := (r.Tick - 1) / 6 * 6
		if v.Bodies[0] != straightLine(r.seconds(float64(received))).pose || v.Tick() != sim.Tick(received) {
			t.Fatalf("tick %d: drawn at %v, tick %d", r.Tick-1, v.Bodies[0].Pos, v.Tick())
		}
	}
}

// TestBacklog checks that snapshots which waited for a program that stood still do not make it late
// for good: when it reads five seconds of them at once, at the start or while it corrects its clock,
// it draws the newest ones, or knows how far it has to catch up, to within the quarter of a second
// that may be jitter. (The rig makes one tick at a time, whatever pace the client asks for.)
func TestBacklog(t *testing.T) {
	for _, running := range []bool{false, true} {
		r := newRig(t, 60)
		if running {
			r.run(240, nil)
			r.Tick += 40
			r.run(3, nil)
			if r.Clients[0].Env.SlewPPM == 0 {
				t.Fatal("the client does not catch up on 40 ticks")
			}
		}
		var waiting []int
		for range 300 {
			waiting = append(waiting, r.Tick)
			r.Tick++
		}
		r.step(append(waiting, r.Tick)...)
		allowed := 6.0
		if running {
			allowed += 15 + r.c.servo.Behind().Ticks()
		}
		v := r.run(60, nil)
		if late := float64(r.Tick) - 1 - v.Others.Ticks(); late > allowed {
			t.Errorf("running before: %t: the view is %v ticks late, want at most %v", running, late, allowed)
		}
	}
}
