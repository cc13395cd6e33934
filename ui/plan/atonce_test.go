package plan

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
)

// TestAtOnce checks that every call is made once, however many cores there are.
func TestAtOnce(t *testing.T) {
	for _, n := range []int{0, 1, 4, 100} {
		made := make([]atomic.Int32, n)
		AtOnce(n, func(i int) { made[i].Add(1) })
		for i := range made {
			if m := made[i].Load(); m != 1 {
				t.Errorf("call %d of %d was made %d times", i, n, m)
			}
		}
	}
	do := func(int) {}
	if n := testing.AllocsPerRun(100, func() { AtOnce(4, do) }); n >= 1 {
		t.Errorf("%v allocations", n)
	}
}

// TestPanesAtOnce checks that panes that are stepped at once end, tick by tick, as those that are stepped one after
// another, while packets are lost, faults happen, a strategy is switched and a copy goes on.
func TestPanesAtOnce(t *testing.T) {
	ticks := experiment.Pick(45, 90, 90)
	p, err := newLibrary().New(Settings{
		Tape: "two-players", Panes: "rewind,historyoffset:others=auto,statesync,lockstep", Network: "wifi-bad",
		FaultEvery: time.Second / 2,
	}, Settings{}, "")
	if err != nil {
		t.Fatal(err)
	}
	run := func(atOnce bool) (hashes []uint64) {
		l := must(p.NewLab())
		if !atOnce {
			l.AtOnce = nil
		}
		for i := range ticks {
			e := p.Entry(i)
			switch i {
			case ticks / 3:
				e.Commands = slices.Concat(e.Commands, []lab.Command{must(lab.ParseCommand("switch 2 rollback -"))})
			case ticks / 2:
				l = l.Fork()
			}
			if err := l.Tick(e); err != nil {
				t.Fatal(err)
			}
			hashes = append(hashes, l.Hash())
		}
		return hashes
	}
	want := run(false)
	for _, cores := range []int{1, 2, 4} {
		before := runtime.GOMAXPROCS(cores)
		got := run(true)
		runtime.GOMAXPROCS(before)
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%d cores, tick %d: hash %x, one after another %x", cores, i, got[i], want[i])
			}
		}
	}
}

// BenchmarkPanes makes ticks of four panes, one after another and at once.
func BenchmarkPanes(b *testing.B) {
	for _, tape := range []string{"katamari", "four-players"} {
		p, err := newLibrary().New(Settings{Tape: tape, Panes: "rewind,rewind:lead=8,rewind:lead=12,statesync", Network: "csp-25-loss"}, Settings{}, "")
		if err != nil {
			b.Fatal(err)
		}
		for _, atOnce := range []bool{false, true} {
			name := map[bool]string{false: "oneAfterAnother", true: "atOnce"}[atOnce]
			b.Run(tape+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				l := must(p.NewLab())
				if !atOnce {
					l.AtOnce = nil
				}
				for i := 0; b.Loop(); i++ {
					if err := l.Tick(p.Entry(i)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
