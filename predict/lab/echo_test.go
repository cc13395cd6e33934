package lab_test

import (
	"testing"

	. "ghostcube/predict/lab"
	"ghostcube/sim"
)

// playEchoModes plays a minute of historyoffset with the clock set by the round trip of each
// kind, and returns the panes.
func playEchoModes(t *testing.T, weather string, commands ...Command) (acks, echo, whole *Pane) {
	t.Helper()
	l := open(t, config(t, "plain", weather, AtClient), "historyoffset", "historyoffset:rtt-source=echo", "historyoffset:rtt-source=echo-whole")
	for i := range 3600 {
		e := Entry{Inputs: []sim.Input{{Buttons: []sim.Buttons{sim.Forward, sim.Right, sim.Back, sim.Left}[i/40%4]}}}
		if i == 0 {
			e.Commands = commands
		}
		l.Tick(e)
	}
	return l.Panes[0], l.Panes[1], l.Panes[2]
}

// missedInputs is how often a pane's server had no input of its own for a tick, or passed over
// one.
func missedInputs(p *Pane) float64 {
	return p.Counters.Value("input_starved_ticks") + p.Counters.Value("skipped_inputs")
}

// TestEchoMeasures says that the echo less the wait is the link's round trip, within a
// tick, whatever the buffer's length, and that the whole of it is longer by the buffer.
func TestEchoMeasures(t *testing.T) {
	for _, c := range []struct {
		weather string
		want    float64 // ms
	}{{"perfect", 0}, {"latency=25ms", 50}, {"latency=75ms", 150}, {"latency=150ms", 300}} {
		for length, spec := range map[float64]string{1: "historyoffset:playout=1", 4: "historyoffset:rtt-source=echo", 8: "historyoffset:rtt-source=echo:playout=8"} {
			l := open(t, config(t, "plain", c.weather, AtClient), spec)
			for range 400 {
				l.Tick(Entry{Inputs: []sim.Input{{}}})
			}
			m := l.Panes[0].Counters
			if got := m.Value("rtt_echo_ms"); got < c.want-17 || got > c.want+17 {
				t.Errorf("%s, %s: a round trip of %v ms", c.weather, spec, got)
			}
			whole := c.want + float64(length*1000)/60
			if got := m.Value("echo_ms"); got < whole-1 || got > whole+34 {
				t.Errorf("%s, %s: %v ms from input to state, want %v and up to two ticks", c.weather, spec, got, whole)
			}
		}
	}
}

// TestEchoSetsClock says that a clock set by the echo less the wait serves the server's
// buffer as well as one set by the link's round trip: with jitter, with a clock that is
// wrong, and while the way becomes longer and shorter.
func TestEchoSetsClock(t *testing.T) {
	for _, c := range []struct {
		weather, skew string
		most          float64
	}{
		{"latency=75ms", "off", 0}, {"latency=75ms,jitter=30ms", "off", 30}, {"latency=75ms", "500", 2}, {"latency=75ms", "-500", 2},
		{"latency=75ms,swing=60ms,swing-every=8s", "off", 2},
	} {
		acks, echo, _ := playEchoModes(t, c.weather, Command{"clock", AllPanes, "skew", c.skew})
		if missedInputs(acks) > c.most || missedInputs(echo) > c.most {
			t.Errorf("%s, skew %s: %v and %v ticks without an input of their own, or inputs passed over", c.weather, c.skew, missedInputs(acks), missedInputs(echo))
		}
		if b := echo.Counters.Value("clock_behind_ticks"); b < -2.5 || b > 2.5 {
			t.Errorf("%s, skew %s: the client ends %v ticks behind", c.weather, c.skew, b)
		}
	}
}

// TestWholeEchoSkipsInputs says what the article's round trip does to the buffer: a client
// that is too far ahead waits longer, and takes that for a longer way, until the
// server passes over inputs.
func TestWholeEchoSkipsInputs(t *testing.T) {
	_, echo, whole := playEchoModes(t, "latency=75ms,jitter=30ms")
	if missedInputs(whole) < 30 || missedInputs(whole) < 5*missedInputs(echo) {
		t.Errorf("%v ticks without an input of their own or inputs passed over, %v with the wait taken off", missedInputs(whole), missedInputs(echo))
	}
}

// TestPredictedCubeRecoversFromFreeze says that after a client has stood still the one cube that it
// predicts is as late as before within five seconds and not far from the truth, whichever
// round trip sets its clock; and that the server then has its inputs as before, also
// after ten seconds, when the low bits of the first tick that comes mean a later one.
func TestPredictedCubeRecoversFromFreeze(t *testing.T) {
	for _, spec := range []string{"historyoffset", "historyoffset:rtt-source=echo"} {
		r := newViewRecorder(t, "plain", "latency=75ms,jitter=10ms", AtClient, spec)
		usual := r.usualDelay()
		for _, long := range []string{"300ms", "900ms", "2s", "10s"} {
			r.apply("freeze", "", long)
			r.run(int(r.lab.Panes[0].ClockFault(0).FrozenUntil) - len(r.delays))
			back := len(r.delays)
			r.run(300)
			after := r.countStarved(600)
			r.run(300)
			took := r.recoveryTicks(back, usual, 3)
			t.Logf("%s, %s: %.1f s, then %v of 600 ticks without an input", spec, long, float64(took)/60, after)
			if took > 300 || after > 20 {
				t.Errorf("%s: after a freeze of %s the picture is wrong for %d ticks, and then %v of 600 ticks have no input", spec, long, took, after)
			}
		}
	}
}
