package lab_test

import (
	"testing"

	"ghostcube/internal/experiment"

	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// TestPopsOnInput checks that a cube that is drawn exactly as the server steps it has no pops, although
// the server makes no step in some ticks of the session and several in others; and that a cube that the
// server moves has one.
func TestPopsOnInput(t *testing.T) {
	l := labtest.Open(t, labtest.Config(t, "zen", "latency=75ms,jitter=20ms", AtClient), "rewind:server-steps=on-input:smoothing=none")
	p := l.Panes[0]
	run := func(ticks int) (stopped, hurried int) {
		for range ticks {
			before := p.ServerWorld.Tick()
			keys := []sim.Buttons{sim.Forward, sim.Right, sim.Back, sim.Left}
			labtest.Hold(t, l, 1, sim.Input{Buttons: keys[before/60%4]})
			switch n := p.ServerWorld.Tick() - before; {
			case n == 0:
				stopped++
			case n > 1:
				hurried++
			}
		}
		return stopped, hurried
	}
	if stopped, hurried := run(1200); stopped < 60 || hurried < 60 {
		t.Fatalf("the server makes no step in %d ticks and several in %d of 1200", stopped, hurried)
	}
	all := measure(t, p, "pops_all_per_minute")
	if n := p.Score.PopsPerMinute(); n != 0 || all > 10 {
		t.Errorf("%v pops a minute, %v of all bodies", n, all)
	}
	labtest.Apply(t, l, "nudge all x 1")
	if run(60); p.Score.PopsPerMinute() == 0 {
		t.Error("a correction of a metre is no pop")
	}
}

// TestPopsOfEqualWorlds checks that a client that repeats the server's simulation to the bit has no pops, of any
// body, also where it draws them two seconds later.
func TestPopsOfEqualWorlds(t *testing.T) {
	experiment.Skip(t)
	tape := builtInTape(t, "katamari-ball")
	l := labtest.Open(t, labtest.Config(t, "katamari", "latency=50ms", AtHost),
		"lockstep", "lockstep:playout=1950ms:contact-order=tick-seed")
	for i := range 600 {
		labtest.Tick(t, l, tape.Entries[i])
	}
	for _, p := range l.Panes {
		if n := measure(t, p, "pops_all_per_minute"); n != 0 {
			t.Errorf("%s: %v pops a minute of all bodies", p.Spec(), n)
		}
	}
}

// TestPopsAfterOutage checks that a lockstep client that goes on evenly has no pops after an outage in which its
// server waits for inputs, and makes up for them in several steps a tick.
func TestPopsAfterOutage(t *testing.T) {
	l := labtest.Open(t, labtest.Config(t, "plain", "latency=50ms,outage=1s,outage-every=6s", AtClient), "lockstep")
	keys := []sim.Buttons{sim.Forward, sim.Right, sim.Back, sim.Left}
	for i := range 1200 {
		labtest.Hold(t, l, 1, sim.Input{Buttons: keys[i/30%4]})
	}
	p := l.Panes[0]
	if p.Counters.Value("stalled_ticks") < 60 || p.Counters.Value("catch_up_ticks") < 60 {
		t.Fatalf("the server waits for %v ticks and makes up for %v", p.Counters.Value("stalled_ticks"), p.Counters.Value("catch_up_ticks"))
	}
	if n := p.Score.PopsPerMinute(); n != 0 {
		t.Errorf("%v pops a minute", n)
	}
}

// TestPopsInMetro checks that spikes, losses and an outage of a second move the picture of no strategy by more than half a
// metre at once: not at 3 m/s, nor in flight at 9 m/s, where a client without news is wrong by up to 11 m. noprediction draws
// the newest state as soon as it has it.
func TestPopsInMetro(t *testing.T) {
	experiment.Skip(t)
	seeds := 1
	if experiment.Long() {
		seeds = 10
	}
	for _, name := range []string{"figure-eight", "jump"} {
		told := builtInTape(t, name)
		for _, s := range Strategies {
			if s.Name == "noprediction" || name == "jump" && s.Name != "rewind" && !experiment.Long() {
				continue
			}
			for seed := range seeds {
				c := labtest.Config(t, "plain", "metro", AtClient)
				c.Network.Seed = uint64((seed+2)%10 + 1) // 3: rewind is wrong by 10.5 m in jump
				l := labtest.Open(t, c, s.Name)
				for i := range 2400 {
					labtest.Tick(t, l, Entry{Inputs: told.Entries[i%len(told.Entries)].Inputs})
				}
				pop := measure(t, l.Panes[0], "largest_pop_m")
				labtest.Report(t, pop > 0.5, "%s, %s, seed %d: the largest pop is %.3f m", s.Name, name, c.Network.Seed, pop)
			}
		}
	}
}

// TestPopsAtSpeed checks that no strategy but noprediction moves its picture in metro by 3 m or more at once, also where the cube is in a ship of
// 50 m/s, or among 901 cubes whose states are too large for one packet: a client makes up for lost time in steps.
func TestPopsAtSpeed(t *testing.T) {
	experiment.Skip(t)
	type session struct {
		tape, strategy string
		seed           uint64
	}
	// Without that lockstep jumps by 4.7 m and relative by 9.3; snapshot in hover, with seed 7, by 5.3; noprediction by 40.
	sessions := []session{{"boarding-pilot", "lockstep", 3}, {"boarding-pilot", "relative", 4}}
	if experiment.Long() {
		sessions = nil
		for _, name := range []string{"boarding-pilot", "hover", "jump"} {
			for _, s := range Strategies {
				for seed := range uint64(10) {
					if s.Name != "noprediction" {
						sessions = append(sessions, session{name, s.Name, seed + 1})
					}
				}
			}
		}
	}
	for _, s := range sessions {
		told := builtInTape(t, s.tape)
		c := labtest.Config(t, told.Config.Scene, "metro", AtClient)
		c.Network.Seed = s.seed
		l := labtest.Open(t, c, s.strategy)
		for i := range experiment.Pick(2400, 2400, 3600) {
			labtest.Tick(t, l, Entry{Inputs: told.Entries[i%len(told.Entries)].Inputs})
		}
		pop := measure(t, l.Panes[0], "largest_pop_m")
		labtest.Report(t, pop >= 3, "%s, %s, seed %d: the largest pop is %.3f m", s.strategy, s.tape, s.seed, pop)
	}
}
