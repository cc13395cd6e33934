package session

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/ui/plan"
	"ghostcube/ui/timeline"
)

// TestMemory checks the memory of a session of four panes with 901 bodies, updated as a window does: what the program has from
// the system after each of ten minutes.
func TestMemory(t *testing.T) {
	experiment.SkipUnlessLong(t)
	s := playSettings(t, plan.Settings{Tape: "katamari-ball", Panes: "rewind,snapshot,statesync,historyoffset", Network: "wifi-bad"})
	run := func(seconds int) (m runtime.MemStats) {
		for range seconds * s.Lab.Config().Rate {
			if _, err := s.Update(&s.in); err != nil {
				t.Fatal(err)
			}
			s.Past.Wait()
		}
		runtime.ReadMemStats(&m)
		return m
	}
	debug.SetMemoryLimit(timeline.MemoryLimit)
	for minute := range 10 {
		m := run(60)
		t.Logf("%d min: %d MiB from the system, %d MiB allocated, collected at %d MiB", minute+1, (m.Sys-m.HeapReleased)>>20, m.HeapAlloc>>20, m.NextGC>>20)
		if m.Sys-m.HeapReleased > 450<<20 {
			t.Errorf("%d MiB from the system after %d minutes, want at most 450", (m.Sys-m.HeapReleased)>>20, minute+1)
		}
	}
}

// TestUnattendedMemory checks that a session without display takes as much memory, in its last tick, after minutes as after one,
// and with GHOSTCUBE_LONG after ten hours as after one.
func TestUnattendedMemory(t *testing.T) {
	experiment.Skip(t)
	short, long, panes := 3600, 5*3600, "noprediction"
	if experiment.Long() {
		short, long, panes = 60*3600, 600*3600, "rewind,snapshot"
	}
	p := playSettings(t, plan.Settings{Scene: "plain", Panes: panes, FaultEvery: time.Second}).Plan
	inUse := func(ticks int) (bytes int) {
		l, err := p.NewLab()
		if err != nil {
			t.Fatal(err)
		}
		if err := Run(t.Context(), l, p.Entries(ticks), nil, func(made int) error {
			if made == ticks {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				bytes = int(m.HeapAlloc)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return bytes
	}
	inUse(short) // buffers that all sessions share have their size now
	first, last := inUse(short), inUse(long)
	t.Logf("%d KiB in use after %d ticks, %d after %d", first>>10, short, last>>10, long)
	if last > first+200<<10 {
		t.Errorf("a session of %d ticks has %d KiB in use at its end, one of %d has %d", long, last>>10, short, first>>10)
	}
}
