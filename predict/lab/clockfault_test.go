package lab_test

import (
	"fmt"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// countClientTicks returns the number of ticks that the first client makes in each of the
// next session ticks.
func countClientTicks(t *testing.T, l *Lab, ticks int) (counts []int) {
	t.Helper()
	p := l.Panes[0]
	for range ticks {
		before := p.Counters.Value("input_packets")
		labtest.Run(t, l, 1)
		counts = append(counts, int(p.Counters.Value("input_packets")-before))
	}
	return counts
}

// TestClockFaults checks the effect of each fault: at 500 ppm a client makes one tick more in
// 2000, at -500 ppm one less; at 20 fps three ticks in every third session tick, at 144 fps
// one in each; frozen for half a second, none in 30.
func TestClockFaults(t *testing.T) {
	t.Parallel()
	open := func() *Lab {
		return labtest.Open(t, labtest.Config(t, "plain", "latency=20ms", AtClient), "noprediction")
	}
	sum := func(counts []int) (n int) {
		for _, m := range counts {
			n += m
		}
		return n
	}
	for skew, want := range map[string]int{"500": 8004, "-500": 7996, "off": 8000} {
		l := open()
		labtest.Apply(t, l, "clock all skew "+skew)
		if n := sum(countClientTicks(t, l, 8000)); n != want {
			t.Errorf("skew %s: %d ticks, want %d", skew, n, want)
		}
	}
	l := open()
	labtest.Apply(t, l, "clock all fps 20")
	for i, n := range countClientTicks(t, l, 60)[1:] {
		if want := map[bool]int{true: 3}[(i+1)%3 == 0]; n != want {
			t.Fatalf("20 fps: %d ticks in tick %d, want %d", n, i+1, want)
		}
	}
	labtest.Apply(t, l, "clock all fps 144")
	for i, n := range countClientTicks(t, l, 60)[1:] {
		if n != 1 {
			t.Fatalf("144 fps: %d ticks in tick %d", n, i)
		}
	}
	labtest.Apply(t, l, "clock all fps off", "freeze all - 500ms")
	if n := sum(countClientTicks(t, l, 30)); n != 0 {
		t.Errorf("%d ticks while frozen", n)
	}
	if n := sum(countClientTicks(t, l, 30)); n != 30 {
		t.Errorf("%d ticks in 30 after the freeze", n)
	}
}

// TestFrameRateEqualToTickRate checks that a frame rate equal to the tick rate is no fault:
// the session is the same to the bit.
func TestFrameRateEqualToTickRate(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, s := range Strategies {
		c := labtest.Config(t, "zen", "latency=75ms,jitter=20ms,loss=10%", AtClient)
		a, b := labtest.Open(t, c, s.Name), labtest.Open(t, c, s.Name)
		labtest.Apply(t, b, "clock all fps 60")
		labtest.Run(t, a, 300)
		labtest.Run(t, b, 300)
		labtest.Apply(t, b, "clock all fps off")
		if a.Hash() != b.Hash() {
			t.Errorf("%s: 60 fps change the session", s.Name)
		}
	}
}

// TestClockFaultScope checks that a fault may concern one client, one pane or all panes, that
// a pane opened later has the faults of all panes, that faults survive a restart and a
// switch of strategy, and how they are described.
func TestClockFaultScope(t *testing.T) {
	t.Parallel()
	l := labtest.Open(t, labtest.Config(t, "two-players", "perfect", AtClient), "rewind", "rewind")
	labtest.Apply(t, l, "clock all 2.skew 500", "clock 1 fps 20", "freeze 2 1 1s")
	labtest.Run(t, l, 1)
	for i, want := range []string{"client 1: 20 fps; client 2: skew +500 ppm, 20 fps", "client 1: frozen; client 2: skew +500 ppm"} {
		if got := l.Panes[i].DescribeClockFaults(); got != want {
			t.Errorf("pane %d: %q, want %q", i+1, got, want)
		}
	}
	labtest.Apply(t, l, "open all snapshot -", "switch 2 lockstep -", "restart all - -")
	labtest.Run(t, l, 60)
	for i := 1; i < 3; i++ {
		if got := l.Panes[i].DescribeClockFaults(); got != "client 2: skew +500 ppm" {
			t.Errorf("pane %d: %q", i+1, got)
		}
	}
	labtest.Apply(t, l, "clock all skew -500", "clock all fps off")
	if got := l.Panes[0].DescribeClockFaults(); got != "skew -500 ppm" {
		t.Errorf("%q", got)
	}
	labtest.Apply(t, l, "clock all skew off")
	if got := l.Panes[0].DescribeClockFaults(); got != "" {
		t.Errorf("%q", got)
	}
}

// TestForkKeepsClockFaults checks that faults are part of the session: a fork during faults
// stays equal to its original, and so do two panes under the same faults.
func TestForkKeepsClockFaults(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	every := experiment.Pick(80, 40, 10)    // ticks between two pairs of forks that run on
	after := experiment.Pick(100, 100, 200) // ticks after the freeze
	for i, s := range Strategies {
		if experiment.Brief() && i%3 != 0 {
			continue
		}
		l := labtest.Open(t, labtest.Config(t, "two-players", "latency=75ms,jitter=20ms,loss=10%", AtClient), s.Name, s.Name)
		labtest.Run(t, l, 60)
		labtest.Apply(t, l, "clock all skew 4000", "clock all 1.fps 25", "clock all 2.fps 144")
		labtest.Run(t, l, 60)
		labtest.Apply(t, l, "freeze all 1 700ms")
		var during *Lab // a fork of the freeze, which runs along
		for i := range 80 {
			labtest.Run(t, l, 1)
			if i == 20 {
				during = l.Fork()
			} else if i > 20 {
				labtest.Run(t, during, 1)
			}
			if i%(every/10) != every/10-1 {
				continue
			}
			f, g := l.Fork(), l.Fork()
			if f.Hash() != l.Hash() {
				t.Fatalf("%s: %d ticks after the freeze the fork differs", s.Name, i)
			}
			if i%every != every-1 {
				continue
			}
			labtest.Run(t, f, 60)
			labtest.Run(t, g, 60)
			if f.Hash() != g.Hash() {
				t.Fatalf("%s: %d ticks after the freeze two forks diverge", s.Name, i)
			}
		}
		f := l.Fork()
		labtest.Run(t, l, after)
		labtest.Run(t, f, after)
		labtest.Run(t, during, after)
		if f.Hash() != l.Hash() || during.Hash() != l.Hash() {
			t.Errorf("%s: a fork diverges", s.Name)
		}
		if a, b := l.Panes[0].Hash(), l.Panes[1].Hash(); a != b {
			t.Errorf("%s: two panes under the same faults diverge", s.Name)
		}
		labtest.Apply(t, l, "clock all skew off")
		if h := l.Hash(); h == f.Hash() {
			t.Errorf("%s: the hash does not cover the fault", s.Name)
		}
	}
}

// TestFrozenClientAllocatesNothing checks that freezes and low frame rates allocate nothing
// once the buffers exist.
func TestFrozenClientAllocatesNothing(t *testing.T) {
	for _, s := range Strategies {
		l := labtest.Open(t, labtest.Config(t, "zen", "latency=75ms", AtClient), s.Name)
		labtest.Apply(t, l, "clock all fps 20")
		in := Entry{Inputs: []sim.Input{{}}}
		step := func() {
			if l.Ticks()%60 == 0 { // without the command, whose text allocates
				l.Panes[0].Freeze(l.Ticks() + 12)
			}
			l.Tick(in)
		}
		for range 300 {
			step()
		}
		if n := testing.AllocsPerRun(100, step); n != 0 {
			t.Errorf("%s: %v allocations per tick", s.Name, n)
		}
	}
}

// TestBadClockCommands checks that a bad command is refused with the reason and changes
// nothing.
func TestBadClockCommands(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"clock all skew 100001": "-100000 to 100000",
		"clock all skew fast":   "-100000 to 100000",
		"clock all fps 4":       "5 to 1000",
		"clock all fps 20.5":    "5 to 1000",
		"clock all speed 3":     `no clock setting "speed"`,
		"clock all 2.skew 3":    "1 to 1",
		"clock all x.skew 3":    "1 to 1",
		"freeze all - 2":        "above 0s, up to 1m0s",
		"freeze all - 61s":      "above 0s, up to 1m0s",
		"freeze all 0 1s":       "1 to 1",
		"freeze 3 - 1s":         "no pane 3",
	} {
		l := labtest.Open(t, labtest.Config(t, "plain", "perfect", AtClient), "rewind")
		c, err := ParseCommand(text)
		if err == nil {
			err = l.Apply(c)
		}
		if err == nil || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%q: %v, want %q in it", text, err, want)
		}
		if _, err := l.Open("rewind"); err != nil {
			t.Fatal(err)
		}
		for _, p := range l.Panes {
			if p.ClockFault(0) != (ClockFault{}) {
				t.Errorf("%q changed the session", text)
			}
		}
	}
}
