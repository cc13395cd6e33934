package probe_test

import (
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	. "ghostcube/predict/lab/probe"
	"ghostcube/sim"
)

// latencySpecs are panes whose inputs take different paths to the screen.
var latencySpecs = []string{
	"noprediction", "noprediction:snapshot-every=4", "rewind", "rewind:smoothing=none", "lockstep", "snapshot", "snapshot:interpolation=none",
	"snapshot:snapshot-every=6", "statesync", "statesync:jitter-buffer=0", "statesync:authority=client", "animated",
	"animated:validity=0", "animated:snapshot-every=3", "animated:playout=4", "animated:playout=4:validity=0", "historyoffset",
}

// TestStagesSumToInputLatency checks that the stages of an input sum to exactly the input
// latency that MeasureInputLatency measures for it: at round trips of 0, 50 and 300 ms, with
// jitter and loss, with clients at 20 and 144 fps, at both seats, and in lockstep with two
// players.
func TestStagesSumToInputLatency(t *testing.T) {
	experiment.Skip(t)
	for _, network := range []string{"perfect", "latency=25ms", "latency=150ms", "latency=60ms,jitter=15ms,loss=5%"} {
		if experiment.Brief() && strings.HasPrefix(network, "latency=") && !strings.Contains(network, ",") {
			continue
		}
		for _, spec := range latencySpecs {
			checkStageSum(t, "plain", network, lab.AtClient, spec)
			if spec != "lockstep" { // it sends no states that could be traced
				checkStageSum(t, "plain", network, lab.AtHost, spec)
			}
		}
		checkStageSum(t, "two-players", network, lab.AtClient, "lockstep")
		checkStageSum(t, "plain", network, lab.AtClient, "noprediction", lab.Command{Verb: "clock", Pane: lab.AllPanes, Name: "fps", Value: "20"})
		checkStageSum(t, "plain", network, lab.AtClient, "animated", lab.Command{Verb: "clock", Pane: lab.AllPanes, Name: "fps", Value: "144"})
	}
}

func checkStageSum(t *testing.T, scene, network string, seat lab.Seat, spec string, commands ...lab.Command) {
	t.Helper()
	const first = 151
	l := labtest.Open(t, labtest.Config(t, scene, network, seat), spec)
	entries := make([]lab.Entry, 500)
	for i := range entries {
		entries[i].Inputs = make([]sim.Input, 2)
		if i >= first {
			entries[i].Inputs[0].Buttons = sim.Right
		}
	}
	entries[0].Commands = commands
	for _, e := range entries[:first] {
		l.Tick(e)
	}
	want := l.MeasureInputLatency(entries[first:])[0]
	var got LatencyStages
	for i := first; i < len(entries) && got.Inputs == 0; i++ {
		now := l.Now()
		l.Tick(entries[i])
		got = l.Panes[0].Latency.StagesOf(first, now)
	}
	rate := time.Duration(l.Config().Rate)
	if sum := int((got.Sum()*rate + time.Second/2) / time.Second); got.Inputs == 0 || sum != want {
		t.Errorf("%s, %s, %v, %v: %d ticks, want %d: %v", network, spec, seat, commands, sum, want, got)
	}
	for s, d := range got.Stages {
		if d < 0 || d > 0 && !Stage(s).Measured() {
			t.Errorf("%s, %s, %v, %v: %s takes %v", network, spec, seat, commands, StageNames[s], d)
		}
	}
}

// TestLatencyStages checks the stages of two panes against their knobs: a one-way latency
// of 25 ms, which ends in the middle of a tick, four ticks in the server's buffer, and a
// playout delay of 60 ms, which ends in a tick.
func TestLatencyStages(t *testing.T) {
	l := labtest.Open(t, labtest.Config(t, "plain", "latency=25ms", lab.AtClient),
		"animated:playout=4", "historyoffset:playout=4", "animated:snapshot-every=6")
	labtest.Hold(t, l, 600)
	millis := func(b LatencyStages) (list [StageCount]float64) {
		for i, d := range b.Stages {
			list[i] = float64((d+5*time.Microsecond)/(10*time.Microsecond)) / 100
		}
		return list
	}
	response := l.Panes[0].Latency.Recent().Response
	if got, want := millis(response), [StageCount]float64{1: 0, 2: 25, 3: 75, 5: 25, 6: 58.33}; got != want || response.Inputs != 60 {
		t.Errorf("animated: %v of %d, want %v", got, response.Inputs, want)
	}
	predicted := l.Panes[1].Latency.Recent()
	if got := predicted.Response.Sum(); got != 0 || predicted.Response.Inputs != 60 {
		t.Errorf("the local player's cube responds after %v", got)
	}
	if got, want := millis(predicted.Confirmed), [StageCount]float64{2: 25, 3: 75, 5: 25, 6: 8.33}; got != want {
		t.Errorf("confirmed: %v, want %v", got, want)
	}
	if got := millis(l.Panes[2].Latency.SinceStart().Response)[ServerSendStage]; got < 41 || got > 42.5 {
		t.Errorf("with a snapshot every 6 ticks the server sends after %v ms on average, want 2.5 ticks", got)
	}
}

// TestSpaceEngineersLatency checks the sum of the article's terms.
func TestSpaceEngineersLatency(t *testing.T) {
	for ping, want := range map[time.Duration]time.Duration{50: 214800, 300: 464800} {
		b := SpaceEngineersLatency(ping * time.Millisecond)
		if got := b.Sum(); got != want*time.Microsecond {
			t.Errorf("%d ms: %v", ping, got)
		}
	}
}
