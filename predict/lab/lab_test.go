package lab_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/predict/lab/tape"
	"ghostcube/sim"
)

func playTape(t testing.TB, from *tape.Tape) *Lab {
	t.Helper()
	l, err := from.NewLab()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range from.Entries {
		labtest.Tick(t, l, e)
	}
	return l
}

// badNetwork delays, reorders, loses and duplicates packets.
const badNetwork = "latency=75ms,jitter=20ms,loss=10%,duplicate=5%,reorder=5%,reorder-delay=40ms"

// conforms checks that two runs of a session are equal, and that a fork after some ticks stays equal to its
// original and shares no memory with it. It returns the session.
func conforms(t *testing.T, c Config, spec string, before, after int, run func(t testing.TB, l *Lab, ticks int)) *Lab {
	t.Helper()
	a, b := labtest.Open(t, c, spec), labtest.Open(t, c, spec)
	run(t, a, before)
	run(t, b, before)
	if a.Hash() != b.Hash() {
		t.Fatalf("%s in %s: two runs differ", spec, c.Scene)
	}
	f := a.Fork()
	if f.Hash() != a.Hash() {
		t.Fatalf("%s in %s: a fork differs at once", spec, c.Scene)
	}
	run(t, a, after)
	if f.Hash() != b.Hash() {
		t.Errorf("%s in %s: the fork shares memory with its original", spec, c.Scene)
	}
	run(t, f, after)
	if f.Hash() != a.Hash() {
		t.Errorf("%s in %s: the fork diverges", spec, c.Scene)
	}
	return a
}

// restsAtServer runs a session without input and checks that the view then draws every body, or every one
// that sleeps, within some metres of the server's pose.
func restsAtServer(t *testing.T, l *Lab, ticks int, metres float32, sleepersOnly bool) {
	t.Helper()
	labtest.Hold(t, l, ticks)
	p := l.Panes[0]
	for i, b := range p.ServerWorld.Bodies() {
		if d := p.Clients[0].View.Bodies[i].Pos.Sub(b.Pose.Pos).Len(); d > metres && (b.Asleep || !sleepersOnly) {
			t.Errorf("%s: at rest body %d is drawn %v m from the server's pose", p.Spec(), i, d)
		}
	}
}

// TestConformance checks the contract of every strategy, at both seats, and with GHOSTCUBE_LONG in every scene at both: two
// runs are equal; a fork at tick 300 stays equal to its original and shares no memory with it; and when everything has come to
// rest, the views equal the server's world.
func TestConformance(t *testing.T) {
	t.Parallel()
	scenes := []string{"zen", "katamari:cubes=100", "two-players", "plain", "heap:layers=2", "tower"}
	if experiment.Brief() {
		scenes = []string{"katamari:cubes=40", "two-players"} // alternately
	}
	for i, s := range Strategies {
		for j, seat := range []Seat{AtClient, AtHost} {
			for k, scene := range scenes {
				skip := !experiment.Long() && (i+j+k)%2 != 0
				if experiment.Brief() {
					skip = j != i/2%2 || k != i%2
				}
				if skip {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%s", s.Name, seat, scene), func(t *testing.T) {
					l := conforms(t, labtest.Config(t, scene, badNetwork, seat), s.Name, 300, 300, labtest.Run)
					restsAtServer(t, l, 600, 0.001, false)
					for _, m := range l.Panes[0].Measures(nil) {
						if math.IsNaN(m.Value) || math.IsInf(m.Value, 0) {
							t.Errorf("%s is %v", m.Name, m.Value)
						}
					}
				})
			}
		}
	}
}

// TestStrategiesDescribeThemselves checks that every strategy has a unique name, a
// description and a source, and that every knob and counter has a help text.
func TestStrategiesDescribeThemselves(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, s := range Strategies {
		title, text, ok := strings.Cut(s.Doc, "\n\n")
		if s.Name == "" || names[s.Name] || title == "" || !ok || text == "" || s.Source == "" || s.Fields == nil {
			t.Errorf("%q lacks a unique name, a description, a source or fields", s.Name)
		}
		names[s.Name] = true
		knobs, counters := Describe(s)
		for _, k := range knobs.All() {
			if k.Help == "" || strings.ContainsAny(k.Name, " :=_") {
				t.Errorf("%s: knob %q", s.Name, k.Name)
			}
		}
		for _, c := range counters.All() {
			if c.Help == "" || strings.ContainsAny(c.Name, " -") {
				t.Errorf("%s: counter %q", s.Name, c.Name)
			}
		}
	}
}

// TestSwitchCostsNoTick checks that the server's world makes one step per tick across a
// switch of strategy, and that constant input moves it as without the switch.
func TestSwitchCostsNoTick(t *testing.T) {
	t.Parallel()
	for _, to := range []string{
		"noprediction", "rewind", "rewind:smoothing=none:lead=9", "snapshot:snapshot-every=6",
		"snapshot:compression=arithmetic", "statesync:compression=uncompressed", "animated", "historyoffset", "relative",
	} {
		l := labtest.Open(t, labtest.Config(t, "plain", "latency=75ms", AtClient), "rewind", "rewind")
		in := []sim.Input{{Buttons: sim.Forward}}
		for i := range 300 {
			if i == 150 {
				labtest.Apply(t, l, "switch 1 "+to+" -")
			}
			labtest.Tick(t, l, Entry{Inputs: in})
			if got := l.Panes[0].ServerWorld.Tick(); got != sim.Tick(i+1) {
				t.Fatalf("%s: after tick %d the server is at %d", to, i+1, got)
			}
			if i == 150 && (l.Panes[0].Score.Ticks != 0 || l.Panes[0].Counters.Value("corrections") != 0) {
				t.Error("the score is not empty after the switch")
			}
			a, b := l.Panes[0].ServerWorld.Bodies()[0], l.Panes[1].ServerWorld.Bodies()[0]
			if a != b {
				t.Fatalf("%s: tick %d: the cube of the switched pane is at %v, of the other at %v", to, i, a.Pose.Pos, b.Pose.Pos)
			}
		}
	}
}

// TestSameOutcomes checks that packets which two panes send at the same moments have the same
// outcomes, and that panes do not influence each other.
func TestSameOutcomes(t *testing.T) {
	t.Parallel()
	l := labtest.Open(t, labtest.Config(t, "zen", "torture", AtClient), "rewind", "rewind:smoothing=none:redundant=off")
	alone := labtest.Open(t, labtest.Config(t, "zen", "torture", AtClient), "rewind:smoothing=none:redundant=off")
	labtest.Run(t, l, 900)
	labtest.Run(t, alone, 900)
	a, b := l.Panes[0].ServerStats(), l.Panes[1].ServerStats()
	if a.PacketsReceived != b.PacketsReceived || a.Duplicates != b.Duplicates {
		t.Errorf("one pane got %d packets, the other %d", a.PacketsReceived, b.PacketsReceived)
	}
	if l.Panes[1].Hash() != alone.Panes[0].Hash() {
		t.Error("a pane depends on another pane")
	}
}

// TestTickAllocatesNothing checks that a tick allocates nothing once the buffers exist: for
// every strategy in zen, and for snapshots in fragments.
func TestTickAllocatesNothing(t *testing.T) {
	for _, s := range Strategies {
		allocatesNothing(t, "zen", AtClient, s.Name)
		if !experiment.Brief() {
			allocatesNothing(t, "zen", AtHost, s.Name)
		}
	}
	if experiment.Brief() {
		return
	}
	allocatesNothing(t, "zen", AtHost, "lockstep:transport=tcp:adaptive=on:follow-clock=on")
	allocatesNothing(t, "katamari:cubes=100", AtClient, "snapshot", "snapshot:interpolation=none")
	allocatesNothing(t, "katamari:cubes=100", AtClient,
		"snapshot:compression=at-rest", "snapshot:compression=relative-rotation", "snapshot:compression=arithmetic")
	allocatesNothing(t, "two-players", AtClient, "statesync:authority=client:adaptive=on")
	allocatesNothing(t, "katamari:cubes=60", AtClient,
		"rewind:late-inputs=resimulate:lead=0", "historyoffset:replay-touch=alone", "historyoffset:replay-touch=island",
		"rewind:others=auto")
	allocatesNothing(t, "katamari:cubes=100", AtClient, "animated:validity=20ms", "historyoffset")
	allocatesNothing(t, "fleet:fields=2", AtClient, "historyoffset:interest-radius=30:others=auto", "animated:interest-radius=30:interest-cutoff=105")
	allocatesNothing(t, "katamari:cubes=100", AtHost, "statesync:compression=delta", "statesync:compression=relative:jitter-buffer=0:correction=blend")
	allocatesNothing(t, "ship:distance=530:platform=1", AtClient, "relative")
	allocatesNothing(t, "trailer", AtClient, "relative:handover=gradual")
}

func allocatesNothing(t *testing.T, scene string, seat Seat, specs ...string) {
	t.Helper()
	l := labtest.Open(t, labtest.Config(t, scene, "latency=75ms,jitter=10ms,loss=5%", seat), specs...)
	in := [8][]sim.Input{}
	for i := range in {
		in[i] = []sim.Input{{Buttons: sim.Buttons(1 << (i % 4)), Heading: uint8(i)}}
	}
	step := func() { l.Tick(Entry{Inputs: in[l.Ticks()/20%8]}) }
	for range 540 {
		step()
	}
	n := testing.AllocsPerRun(100, step)
	if n != 0 { // an impact makes buffers grow late, once
		n = testing.AllocsPerRun(100, step)
	}
	if n != 0 {
		t.Errorf("%s, %s, %s: %v allocations per tick", scene, specs, seat, n)
	}
}

// TestBadCommands checks that a bad command is refused with the reason and changes nothing.
func TestBadCommands(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"swich all rewind -":          `no command "swich"`,
		"switch 1 rewnid -":           `no strategy "rewnid"`,
		"switch 1 rewind:leed=3 -":    `no knob "leed"`,
		"switch 1 snapshot=rewind -":  "that is the name of a strategy",
		"switch 1 A=rewind -":         "want a name of 1 to 24 lower-case letters",
		"switch 1 rewind:lead=333 -":  "0 to 60",
		"switch 1 rewind:lead -":      "name=value",
		"switch 4 rewind -":           "no pane 4",
		"set 1 lead x":                "0 to 60",
		"set all lead 5":              `no knob "lead"`, // the second pane lacks it
		"nudge all w 1":               `no axis "w"`,
		"nudge all x 1e9":             "-100 to 100",
		"nudge all x NaN":             "-100 to 100",
		"condition all latency -1s":   "0s to 1m0s",
		"condition all latensy 1s":    `no network condition "latensy"`,
		"network all - wifi-worse":    `no network profile "wifi-worse"`,
		"blackout all - 2h":           "0s, up to 1m0s",
		"scene all zone -":            "no scene",
		"seat all table -":            `no seat "table"`,
		"seed all - -5":               "whole number",
		"open all noprediction:x=1 -": `no knob "x"`,
		"close all - -":               "at least one other pane",
		"focus all - -":               "one pane",
		"focus 3 - -":                 "no pane 3",
		"nudge 9 x 1":                 "1 to 4",
		"nudge all x":                 "want verb, pane",
	} {
		l := labtest.Open(t, labtest.Config(t, "plain", "perfect", AtClient), "rewind", "noprediction")
		labtest.Run(t, l, 10)
		hash, focus, conf := l.Hash(), l.Focus(), l.Config()
		c, err := ParseCommand(text)
		if err == nil {
			err = l.Apply(c)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", text, err, want)
		}
		if text != "set all lead 5" && (l.Hash() != hash || l.Focus() != focus || l.Config() != conf || len(l.Panes) != 2) {
			t.Errorf("%q changed the session", text)
		}
	}
}

func BenchmarkTick(b *testing.B) {
	l := labtest.Open(b, labtest.Config(b, "zen", "latency=75ms,loss=5%", AtClient), "rewind", "noprediction")
	in := []sim.Input{{Buttons: sim.Right}}
	for range 600 {
		l.Tick(Entry{Inputs: in})
	}
	b.ReportAllocs()
	for b.Loop() {
		in[0].Buttons = sim.Buttons(1 << (l.Ticks() / 30 % 4))
		l.Tick(Entry{Inputs: in})
	}
}

func BenchmarkFork(b *testing.B) {
	l := labtest.Open(b, labtest.Config(b, "zen", "latency=75ms,loss=5%", AtClient), "rewind")
	labtest.Run(b, l, 600)
	b.ReportAllocs()
	for b.Loop() {
		l.Fork()
	}
}

// TestEightPlayers checks in every strategy that the input of the eighth player moves its cube at all clients and at the
// server, and that a copy with eight clients continues like its original.
func TestEightPlayers(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	specs := []string{"rollback:topology=mesh"}
	for _, s := range Strategies {
		specs = append(specs, s.Name)
	}
	for _, spec := range specs {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			l := labtest.Open(t, labtest.Config(t, "katamari:cubes=0:players=8", "latency=30ms,jitter=5ms,loss=2%", AtClient), spec)
			labtest.Run(t, l, 150)
			labtest.Apply(t, l, "clock all 8.skew 200", "freeze all 8 100ms")
			p, f := l.Panes[0], l.Fork()
			before := p.ServerWorld.Bodies()[7].Pose.Pos
			e := Entry{Inputs: make([]sim.Input, 8)}
			e.Inputs[7].Buttons = sim.Right
			for range 120 {
				labtest.Tick(t, l, e)
				labtest.Tick(t, f, e)
			}
			if l.Hash() != f.Hash() {
				t.Error("a copy ends elsewhere")
			}
			if d := p.ServerWorld.Bodies()[7].Pose.Pos.Sub(before).Len(); d < 1 {
				t.Errorf("the eighth player moves by %v m at the server", d)
			}
			for i, c := range p.Clients {
				if d := c.View.Bodies[7].Pos.Sub(before).Len(); d < 1 {
					t.Errorf("the eighth player moves by %v m at client %d", d, i)
				}
			}
		})
	}
}
