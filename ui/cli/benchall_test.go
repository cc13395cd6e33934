//go:build !js || headless

package cli

import (
	"encoding/json"
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
