//go:build !js || headless

package cli

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
)

// TestGameLogOpens writes the logs of sessions and opens them: the game's pane has the measures of the session that wrote
// the log, delays within a tick, and strategies run beside it.
func TestGameLogOpens(t *testing.T) {
	experiment.Skip(t)
	for _, args := range []string{
		"rewind:smoothing=none --network latency=60ms,loss=5% --fault nudge=1@3s --seconds 6",
		"snapshot --network latency=50ms,jitter=10ms,loss=5% --seconds 6",
		"rewind --rate 30 --network latency=75ms,loss=5% --seconds 6",
	} {
		log, bench := benchWithLog(t, args)
		var r struct {
			Panes []struct {
				Spec  string
				Score map[string]*float64
			}
		}
		need(json.Unmarshal([]byte(printed(t, "bench", "--tape", log, "--panes", "noprediction", "--format", "json")), &r))
		if len(r.Panes) != 2 || !strings.HasSuffix(r.Panes[0].Spec, "=log") || r.Panes[1].Spec != "noprediction" {
			t.Fatalf("%s: %+v", args, r.Panes)
		}
		for _, name := range cardNames {
			v, want := r.Panes[0].Score[name], bench[name]
			if v == nil || want == nil {
				if v != want {
					t.Errorf("%s: %s is %v, in the session %v", args, name, v, want)
				}
				continue
			}
			tolerance := 1e-4 + 0.01*math.Abs(*want)
			if strings.HasSuffix(name, "_ms") {
				tolerance = 1000.0 / 30
			}
			if math.Abs(*v-*want) > tolerance {
				t.Errorf("%s: %s is %v, in the session %v", args, name, *v, *want)
			}
		}
	}
}

// cardNames are the measures that a game's pane has from its picture and its datagrams.
var cardNames = []string{
	"path_error_rms_m", "path_error_max_m", "path_error_rms_degrees", "path_error_rms_all_m", "pops_per_minute", "largest_pop_m",
	"pops_all_per_minute", "lag_error_rms_m", "display_delay_ms", "longest_freeze_ms", "jerk_ratio", "up_kbit_per_second", "down_kbit_per_second",
}

// TestGameLogRefused opens logs with flags that cannot be, and files that are none.
func TestGameLogRefused(t *testing.T) {
	log, _ := benchWithLog(t, "rewind --seconds 1 --network loss=1%")
	refused(t, "want at most --panes, --scene and --seconds besides", "bench", "--tape", log, "--network", "wifi-bad")
	refused(t, "want at most 3: the first one shows the game", "bench", "--tape", log, "--panes", "rewind,rewind,rewind,rewind")
	refused(t, "3 game logs", "bench", "--tape", log+","+log+","+log)
	refused(t, "no such file", "bench", "--tape", filepath.Join(t.TempDir(), "none.jsonl"))
	refused(t, "captures or its log alone", "link", "--tape", log)
	refused(t, "neither --save-tape nor --seeds", "bench", "--tape", log, "--seeds", "3")
}
