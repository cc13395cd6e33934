package hud

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/ui/stage/stagetest"
)

// BenchmarkFrame measures the Go side of a frame of four panes of 901 bodies with all gauges: the tick of the
// HUD and the composition of the picture, without the session's own tick.
func BenchmarkFrame(b *testing.B) {
	l := openBusySession(b)
	var s HUD
	stagetest.RollAndPull(b, &s, l, 120)
	var f Frame
	s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{}, 1) // allocates what later frames use again
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		if err := l.Tick(lab.Entry{}); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		s.Tick(l)
		s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{Title: "four panes", HighlightFocus: true}, 0.5)
	}
}

// openBusySession opens four panes of 901 bodies with all gauges.
func openBusySession(t testing.TB) *lab.Lab {
	l := stagetest.Open(t, lab.Config{Scene: "katamari", Rate: 60, Seat: lab.AtHost}, "latency=50ms,loss=1%", "statesync", "statesync:budget=64",
		"snapshot", "snapshot:compression=delta")
	stagetest.Show(t, l, "packet=on,ages=on,latency=on,slots=on,simulated=on,split=off,color=age,headline=down_kbit_per_second")
	return l
}

// TestFrameAllocations promises that the tick of the HUD and the composition of the picture allocate nothing
// while captions, gauges, headlines and explanations change, whatever colours the bodies, split or not. The
// runtime's own allocations are counted too, so only those found three times in a row are an error.
func TestFrameAllocations(t *testing.T) {
	experiment.Skip(t)
	var found []string
	for range 3 {
		if found = frameAllocations(t); len(found) == 0 {
			return
		}
	}
	t.Error(found)
}

// frameAllocations returns the displays in which frames of a session allocate. A tick of the session allocates a
// little itself, so the frames are counted without it.
func frameAllocations(t *testing.T) (found []string) {
	t.Helper()
	l := openBusySession(t)
	var s HUD
	var f Frame
	frames, each := 0, 150 // of a display
	if experiment.Brief() {
		each = 45
	}
	var before, after runtime.MemStats
	words := []string{"tick ", "path error ", " kbit/s", "mean ", "p99 ", "server tick "}
	changed := map[string]map[string]bool{} // texts by the word that they contain
	displays := []string{
		"color=age,lanes=off,packet=on,ages=on,latency=on,slots=on,split=off,ticks=off", "color=path-error,split=on",
		"color=priority,headline=snapshot_age_ms,ticks=on", "packet=off,ages=off,latency=off,slots=off,headline=off",
		"lanes=on,net-graph=on", "lanes=between,split=on,lane-span=5",
	}
	for n, display := range append(displays, displays...) {
		stagetest.Show(t, l, display)
		s.Refresh(l)
		total := uint64(0)
		for i := range each {
			if err := l.Tick(lab.Entry{Inputs: []sim.Input{{Buttons: sim.Pull | sim.Buttons(1<<(l.Ticks()/7%4))}}}); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&before)
			s.Tick(l)
			s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{Title: "four panes", HighlightFocus: true}, 0.5)
			runtime.ReadMemStats(&after)
			if n < len(displays) || i < 30 {
				continue // memory grows to what later frames use again
			}
			frames++
			total += after.Mallocs - before.Mallocs
			for k := range f.Overlay.Items {
				for _, word := range words {
					if text := f.Overlay.Items[k].Text; strings.Contains(text, word) {
						if changed[word] == nil {
							changed[word] = map[string]bool{}
						}
						changed[word][strings.Clone(text)] = true
					}
				}
			}
		}
		if total > 0 {
			found = append(found, fmt.Sprintf("%s: %d allocations in %d frames", display, total, each-30))
		}
	}
	for _, word := range words {
		if n := len(changed[word]); n < 3 {
			t.Errorf("%d texts with %q in %d frames: nothing is tested", n, word, frames)
		}
	}
	return found
}
