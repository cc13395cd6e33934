//go:build !js || headless

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
)

// TestFaults checks that forced faults happen in their ticks, are on the tape, which verifies,
// and show in the score; and that a wrong one is refused before the session runs.
func TestFaults(t *testing.T) {
	experiment.Skip(t)
	file := filepath.Join(t.TempDir(), "f.tape")
	args := []string{"--panes", "rewind,noprediction", "--network", "latency=50ms", "--tape", "circle", "--seconds", "10"}
	was := runBench(t, args...)
	is := runBench(t, append(args, "--fault", "skew=500,fps=20@0.99s,1.freeze=2s@4s,fps=off@8s", "--save-tape", file)...)
	text := must(os.ReadFile(file))
	for _, want := range []string{"---\n! clock all skew 500\n", "! clock all fps 20\n", "! freeze all 1 2s\n", "! clock all fps off\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the tape lacks %q", want)
		}
	}
	printed(t, "play", file, "--verify")
	for i := range is.Panes {
		a, b := was.Panes[i].Traffic.PacketsUp, is.Panes[i].Traffic.PacketsUp
		if !(float64(a) > 0.99*float64(was.Ticks) && float64(b) < 0.85*float64(is.Ticks)) {
			t.Errorf("pane %d: %v packets up, %v with a freeze of two seconds", i, a, b)
		}
	}
	for text, want := range map[string]string{"skew=1e6": "--fault", "slow=1": `no fault "slow"`} {
		refused(t, want, "bench", "--fault", text)
	}
}
