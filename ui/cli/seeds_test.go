//go:build !js || headless

package cli

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
)

// TestMeanInterval checks which ends an interval of few values has.
func TestMeanInterval(t *testing.T) {
	if s := newMeanInterval([]float64{1, 3}); *s.Mean != 2 || *s.Low >= 1 || *s.High <= 3 || s.N != 2 {
		t.Errorf("%v %v %v %v", *s.Mean, *s.Low, *s.High, s.N)
	}
	if s := newMeanInterval(nil); s.Mean != nil || s.Low != nil || s.High != nil {
		t.Error("no values have a mean")
	}
	if s := newMeanInterval([]float64{7}); *s.Mean != 7 || s.Low != nil {
		t.Error("one value has an interval")
	}
}

// benchSeeds runs a session that differs by its seed, and returns its output.
func benchSeeds(t *testing.T, more string) string {
	seconds := "12"
	if experiment.Brief() {
		seconds = "5"
	}
	args := "bench --tape circle --panes noprediction,rewind,snapshot --network wifi-bad --seconds " + seconds + more
	return printed(t, strings.Fields(args)...)
}

// TestSeeds checks the report over several seeds against the sessions one by one: every
// measure of every pane has its mean and its interval, and the report does not depend on the
// number of cores.
func TestSeeds(t *testing.T) {
	experiment.Skip(t)
	type one struct {
		Panes []struct {
			Hash     string
			Score    map[string]*float64
			Counters map[string]float64
		}
	}
	var alone []one
	for seed := 5; seed < 9; seed++ {
		var r one
		need(json.Unmarshal([]byte(benchSeeds(t, " --format json --seed "+strconv.Itoa(seed))), &r))
		alone = append(alone, r)
	}
	var many struct {
		Seeds []uint64
		Panes []struct {
			Hashes   []string
			Score    map[string]meanInterval
			Traffic  map[string]meanInterval
			Counters map[string]meanInterval
		}
	}
	text := benchSeeds(t, " --format json --seed 5 --seeds 4")
	need(json.Unmarshal([]byte(text), &many))
	if len(many.Seeds) != 4 || many.Seeds[3] != 8 || len(many.Panes) != 3 {
		t.Fatalf("%v, %d panes", many.Seeds, len(many.Panes))
	}
	intervals := 0
	for k, p := range many.Panes {
		if len(p.Score) != len(alone[0].Panes[k].Score) || len(p.Traffic) != 7 || len(p.Counters) != len(alone[0].Panes[k].Counters) {
			t.Errorf("pane %d: %d, %d, %d measures", k+1, len(p.Score), len(p.Traffic), len(p.Counters))
		}
		for i := range alone {
			if p.Hashes[i] != alone[i].Panes[k].Hash {
				t.Errorf("pane %d, seed %d: another session", k+1, many.Seeds[i])
			}
		}
		for name, s := range p.Score {
			var values []float64
			for _, r := range alone {
				if v := r.Panes[k].Score[name]; v != nil {
					values = append(values, *v)
				}
			}
			want := newMeanInterval(values)
			if s.N != want.N || (s.Mean == nil) != (want.Mean == nil) || s.Mean != nil && *s.Mean != *want.Mean || s.Low != nil && *s.Low != *want.Low {
				t.Errorf("pane %d, %s: %+v of %v", k+1, name, s, values)
			}
			if s.Low != nil && *s.Low < *s.High {
				intervals++
			}
		}
	}
	if intervals < 40 {
		t.Errorf("%d intervals with two ends, want at least 40", intervals)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if again := benchSeeds(t, " --format json --seed 5 --seeds 4"); withoutCPU(again) != withoutCPU(text) {
		t.Error("the report depends on the number of cores")
	}
}

// withoutCPU removes the CPU figures from a report.
func withoutCPU(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "_cpu_mean_ms") && !strings.Contains(line, "_cpu_max_ms") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// TestSeedsFormats checks that the table and the comma-separated values agree, for one session
// and for several, and that wrong combinations of flags are refused.
func TestSeedsFormats(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, seeds := range []string{"", " --seeds 3"} {
		rows, err := csv.NewReader(strings.NewReader(benchSeeds(t, " --format csv"+seeds))).ReadAll()
		if err != nil || len(rows) < 150 || len(rows[0]) != 8 {
			t.Fatal(len(rows), err)
		}
		table := benchSeeds(t, " --all"+seeds)
		found := 0
		for _, r := range rows[1:] {
			if r[0] != "1" || r[2] != "score" || r[5] == "" {
				continue
			}
			v := must(strconv.ParseFloat(r[5], 64))
			if (r[6] == "") != (seeds == "") {
				t.Errorf("%v: an interval of one session, or none of three", r)
			}
			if r[3] == "lag_error_rms_m" && strings.Contains(table, strconv.FormatFloat(v, 'f', 3, 64)) {
				found++
			}
		}
		if found != 1 {
			t.Errorf("the table lacks the error of the values%s", seeds)
		}
	}
	for args, want := range map[string]string{
		"bench --seeds 0":                  "1 to 1000",
		"bench --seeds 2000":               "1 to 1000",
		"bench --seeds 2 --corrections":    "one session",
		"bench --seeds 2 --latency":        "one session",
		"bench --format csv --corrections": "table or json",
		"bench --format csv --latency":     "table or json",
		"bench --format cvs":               "csv",
	} {
		refused(t, want, strings.Fields(args+" --seconds 1")...)
	}
}

// TestProgressShowsTimeLeft checks the bar when a quarter is done after ten seconds.
func TestProgressShowsTimeLeft(t *testing.T) {
	now := time.Duration(0)
	p := &program{}
	p.Stderr = os.Stderr
	p.Now = func() time.Duration { return now }
	b := p.newProgress("bench", 400)
	b.terminal, b.completed, now = true, 100, 10*time.Second
	if got := b.line(); !strings.HasSuffix(got, " 25 %, 30s left") {
		t.Errorf("%q", got)
	}
	now = 500 * time.Millisecond
	if got := b.line(); !strings.HasSuffix(got, " 25 %") {
		t.Errorf("too early: %q", got)
	}
}
