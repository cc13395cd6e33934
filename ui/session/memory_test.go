package session

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/ui/plan"
	"ghostcube/ui/timeline"
)

// TestMemory checks the memory of a session of four panes with 901 bodies, updated as a window does: what is in use after 20 s,
// and with GHOSTCUBE_LONG what the program has from the system after each of ten minutes.
func TestMemory(t *testing.T) {
	experiment.Skip(t)
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
	if os.Getenv("GHOSTCUBE_LONG") == "" {
		run(20)
		runtime.GC()
		if m := run(0); m.HeapAlloc > 280<<20 {
			t.Errorf("%d MiB in use after 20 s, want at most 280", m.HeapAlloc>>20)
		}
		return
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
