//go:build !js || headless

package cli

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
)

// TestLatencyTable checks that bench prints the stages of every pane, and that the measured
// ones sum to the input latency of the score.
func TestLatencyTable(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	args := []string{"bench", "--panes", "noprediction,animated:playout=4,historyoffset,lockstep", "--tape", "turns",
		"--network", "latency=25ms", "--seconds", "20", "--latency"}
	var r struct {
		Panes []struct {
			Score   map[string]*float64
			Latency latencyResult
		}
	}
	need(json.Unmarshal([]byte(printed(t, append(args, "--format", "json")...)), &r))
	for i, p := range r.Panes {
		sum := 0.0
		for _, s := range p.Latency.Stages {
			if s.Response != nil {
				sum += *s.Response
			}
		}
		latency := p.Score["key_to_screen_ms"]
		if latency == nil || math.Abs(sum-*latency) > 0.01 || math.Abs(*p.Latency.Sum.Response-*latency) > 0.01 {
			t.Errorf("pane %d: the stages sum to %v ms, the input latency is %v", i, sum, latency)
		}
		if wants := i == 2; (p.Latency.Sum.Confirmed != nil) != wants || p.Latency.Predicted != (i > 1) {
			t.Errorf("pane %d: %+v", i, p.Latency)
		}
	}
	_, table, _ := strings.Cut(printed(t, args...), "input latency in ms")
	for _, row := range []string{"server buffer 66.4 8.3 75.0 - 75.0 - -", "sum 214.8 66.7 183.3 0.0 133.3 0.0 -"} {
		if !strings.Contains(strings.Join(strings.Fields(table), " "), row) {
			t.Errorf("no %q in %s", row, table)
		}
	}
}
