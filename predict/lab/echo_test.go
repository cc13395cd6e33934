package lab_test

import (
	"testing"

	"ghostcube/internal/experiment"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// playEchoModes runs a minute of historyoffset with each kind of round-trip measurement for
// the client's clock, and returns the panes.
func playEchoModes(t *testing.T, network string, commands ...Command) (margin, echo, whole *Pane) {
	t.Helper()
	l := labtest.Open(t, labtest.Config(t, "plain", network, AtClient), "historyoffset", "historyoffset:rtt-source=echo", "historyoffset:rtt-source=echo-whole")
	for i := range 3600 {
		e := Entry{Inputs: []sim.Input{{Buttons: []sim.Buttons{sim.Forward, sim.Right, sim.Back, sim.Left}[i/40%4]}}}
		if i == 0 {
			e.Commands = commands
		}
		l.Tick(e)
	}
	return l.Panes[0], l.Panes[1], l.Panes[2]
}

// missedInputs returns how often a pane's server lacked the input of a tick or skipped one.
func missedInputs(p *Pane) float64 {
	return p.Counters.Value("input_starved_ticks") + p.Counters.Value("skipped_inputs")
}

// TestEchoMeasures checks that the echo minus the time in the input buffer is the link's
// round trip within a tick, for any buffer length, and that the whole echo is longer by the
// buffer.
func TestEchoMeasures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		network string
		want    float64 // ms
	}{{"perfect", 0}, {"latency=25ms", 50}, {"latency=75ms", 150}, {"latency=150ms", 300}} {
		for length, spec := range map[float64]string{1: "historyoffset:playout=1", 4: "historyoffset:rtt-source=echo", 8: "historyoffset:rtt-source=echo:playout=8"} {
			l := labtest.Open(t, labtest.Config(t, "plain", c.network, AtClient), spec)
			labtest.Hold(t, l, 400)
			m := l.Panes[0].Counters
			if got := m.Value("rtt_echo_ms"); got < c.want-17 || got > c.want+17 {
				t.Errorf("%s, %s: a round trip of %v ms", c.network, spec, got)
			}
			whole := c.want + float64(length*1000)/60
			if got := m.Value("echo_ms"); got < whole-1 || got > whole+34 {
				t.Errorf("%s, %s: %v ms from input to state, want %v and up to two ticks", c.network, spec, got, whole)
			}
		}
	}
}

// TestEchoSetsClock checks that a clock set by what the server measures, or by the echo minus the time in the buffer,
// keeps the server's input buffer filled: with jitter, with clock skew, and while the latency rises and falls. By the
// mean round trip of a second it follows a latency that swings by 60 ms late, and the server misses two inputs and skips
// two in each swing; it measures them itself at once.
func TestEchoSetsClock(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, c := range []struct {
		network, skew string
		margin, echo  float64 // most inputs that are missed or skipped
	}{
		{"latency=75ms", "off", 0, 0}, {"latency=75ms,jitter=30ms", "off", 5, 30}, {"latency=75ms", "500", 2, 2}, {"latency=75ms", "-500", 2, 2},
		{"latency=75ms,swing=60ms,swing-every=8s", "off", 3, 30},
	} {
		if experiment.Brief() && c.skew == "off" && c.echo != 30 {
			continue
		}
		margin, echo, _ := playEchoModes(t, c.network, Command{"clock", AllPanes, "skew", c.skew})
		t.Logf("%s, skew %s: %v and %v", c.network, c.skew, missedInputs(margin), missedInputs(echo))
		if missedInputs(margin) > c.margin || missedInputs(echo) > c.echo {
			t.Errorf("%s, skew %s: %v and %v ticks without their input, or skipped inputs", c.network, c.skew, missedInputs(margin), missedInputs(echo))
		}
		for _, p := range []*Pane{margin, echo} {
			if b := p.Counters.Value("clock_behind_ticks"); b < -2.5 || b > 2.5 {
				t.Errorf("%s, skew %s: the client ends %v ticks behind", c.network, c.skew, b)
			}
		}
	}
}

// TestWholeEchoSkipsInputs checks what the article's round trip does to the input buffer: a
// client that is too far ahead waits longer in the buffer and takes that for a longer round
// trip, until the server skips inputs. Its clock averages round trips, so few are skipped in a minute.
func TestWholeEchoSkipsInputs(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	_, echo, whole := playEchoModes(t, "latency=75ms,jitter=30ms")
	if missedInputs(whole) < 5 || missedInputs(whole) < 3*missedInputs(echo) {
		t.Errorf("%v ticks without their input or skipped inputs, %v without the time in the buffer", missedInputs(whole), missedInputs(echo))
	}
}
