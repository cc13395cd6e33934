//go:build !js || headless

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ghostcube/predict/lab"

	"ghostcube/internal/experiment"
)

// TestBenchAll promises that --panes all has every strategy once, with the hash and score that it has alone.
func TestBenchAll(t *testing.T) {
	experiment.Skip(t)
	bench := func(panes string) (r struct {
		Panes []struct{ Spec, Hash string }
	}) {
		args := strings.Fields("bench --seconds 1.5 --network wifi-bad --scene plain --format json --panes " + panes)
		if err := json.Unmarshal([]byte(printed(t, args...)), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	var names []string
	all := bench("all")
	for _, p := range all.Panes {
		names = append(names, p.Spec)
	}
	if !slices.Equal(names, lab.StrategyNames()) {
		t.Fatalf("the panes are %v", names)
	}
	for _, i := range []int{0, 5, len(names) - 1} {
		if alone := bench(names[i]).Panes[0]; alone.Hash != all.Panes[i].Hash {
			t.Errorf("%s has hash %s, alone %s", names[i], all.Panes[i].Hash, alone.Hash)
		}
	}
	if rows := strings.Count(printed(t, strings.Fields("bench --seconds 1 --scene plain --seeds 2 --format csv --panes all")...), ",rollback,"); rows == 0 {
		t.Error("with seeds the last strategy is missing")
	}
	refused(t, "excludes --assert", "bench", "--panes", "all", "--assert", "rewind.pops_per_minute<5")
	refused(t, "excludes --assert", "bench", "--panes", "all", "--latency")
}

// TestBenchAllRefusesPanes promises that no command of a tape that was made for one pane reaches another strategy.
func TestBenchAllRefusesPanes(t *testing.T) {
	tape := filepath.Join(t.TempDir(), "second.tape")
	for command, want := range map[string]string{
		"switch 2 lockstep -": "tick 60 of the tape: switch 2 lockstep - concerns one pane",
		"open all lockstep -": "concerns one pane",
		"close 2 - -":         "concerns one pane",
	} {
		text := "ghostcube tape 2\nscene plain\nrate 60\nseat client\nseed 1\nnetwork perfect\npane rewind\npane snapshot\n---\n60 W\n! " +
			command + "\n60 S\nend 120\n"
		if err := os.WriteFile(tape, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		refused(t, want, "bench", "--panes", "all", "--tape", tape)
	}
}
