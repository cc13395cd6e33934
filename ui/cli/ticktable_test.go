//go:build !js || headless

package cli

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
)

// tickColumn returns the numbers of a column of a table of ticks, of one pane and from a tick on, without the empty ones.
func tickColumn(t *testing.T, rows [][]string, name string, pane, from int) (list []float64) {
	t.Helper()
	k := slices.Index(tickColumns, name)
	for _, r := range rows[1:] {
		if tick := must(strconv.Atoi(r[0])); tick >= from && r[2] == strconv.Itoa(pane) && r[k] != "" {
			list = append(list, must(strconv.ParseFloat(r[k], 64)))
		}
	}
	return list
}

func readTicks(file string) [][]string {
	f := must(os.Open(file))
	defer f.Close()
	return must(csv.NewReader(f).ReadAll())
}

func rms(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x * x
	}
	return math.Sqrt(sum / float64(len(list)))
}

func sum(list []float64) (all float64) {
	for _, x := range list {
		all += x
	}
	return all
}

// TestTicksAgreeWithScore writes the ticks of sessions of many strategies, and checks that there is a row for each tick
// and pane, and that errors, corrections, replays and bytes of the rows add up to those of the score.
func TestTicksAgreeWithScore(t *testing.T) {
	experiment.Skip(t)
	for _, args := range []string{
		"--panes noprediction,rewind:smooth-speed=3:redundant=off,snapshot,historyoffset --network wifi-bad,loss=10%",
		"--panes rollback,lockstep,statesync,animated --network latency=50ms,jitter=20ms,loss=2%",
		"--panes noprediction,rewind --rate 20 --network wifi-bad --fault 1.freeze=1s@2s,nudge=1@4s,fps=25",
		"--panes rewind,rollback --scene two-players --tape two-players --network wifi-bad",
		"--panes rewind,snapshot --seat host --network wifi-bad",
	} {
		file := filepath.Join(t.TempDir(), "ticks.csv")
		out := printed(t, append(strings.Fields("bench --seconds 8 --format json --ticks "+file), strings.Fields(args)...)...)
		var r result
		need(json.Unmarshal([]byte(out), &r))
		rows := readTicks(file)
		if want := 1 + r.Ticks*len(r.Panes); len(rows) != want || !slices.Equal(rows[0], tickColumns) {
			t.Errorf("%s: %d rows, want %d; the first is %q", args, len(rows), want, rows[0])
		}
		for i := range rows[1:] {
			tick, pane := 1+i/len(r.Panes), 1+i%len(r.Panes)
			seconds := must(strconv.ParseFloat(rows[i+1][1], 64))
			if got := rows[i+1]; got[0] != strconv.Itoa(tick) || math.Abs(seconds-float64(tick)/float64(r.Rate)) > 1e-6 ||
				got[2] != strconv.Itoa(pane) || got[3] != r.Panes[pane-1].Strategy {
				t.Fatalf("%s: row %d is %q", args, i+1, got)
			}
		}
		for i := range r.Panes {
			p := &r.Panes[i]
			seconds := float64(r.Ticks) / float64(r.Rate)
			same := func(name string, got, want float64) {
				if !(math.Abs(got-want) <= 1e-6*math.Abs(want)) {
					t.Errorf("%s: pane %d, %s: %s of the rows is %v, the score says %v", args, i+1, p.Spec, name, got, want)
				}
			}
			score := map[string]float64{}
			for _, m := range p.Score {
				score[m.Name] = m.Value
			}
			path := tickColumn(t, rows, "path_error_m", i+1, 1)
			if len(tickColumn(t, rows, "path_error_m", i+1, r.Rate+1)) != len(path) {
				t.Errorf("%s: pane %d has path errors in the first second, which is not scored", args, i+1)
			}
			same("path error", rms(path), score["path_error_rms_m"])
			same("largest path error", slices.Max(path), score["path_error_max_m"])
			same("lag error", rms(tickColumn(t, rows, "lag_error_m", i+1, r.Rate+1)), score["lag_error_rms_m"])
			same("bytes down", sum(tickColumn(t, rows, "down_bytes", i+1, 1))*8/seconds, p.Traffic.Down)
			same("bytes up", sum(tickColumn(t, rows, "up_bytes", i+1, 1))*8/seconds, p.Traffic.Up)
			same("replayed ticks", sum(tickColumn(t, rows, "replayed_ticks", i+1, 1))*60/seconds, score["resimulated_ticks_per_minute"])
			if n, ok := p.Counters["corrections"]; ok {
				same("corrections", sum(tickColumn(t, rows, "corrections", i+1, 1)), n)
			}
			if depth := tickColumn(t, rows, "waiting_inputs", i+1, 1); len(depth) > 0 {
				if n, ok := p.Counters["buffer_depth"]; ok {
					same("waiting inputs", depth[len(depth)-1], n)
				}
			}
			var distances []float64 // by the positions
			drawn := [3][]float64{}
			for k, axis := range []string{"x", "y", "z"} {
				drawn[k] = tickColumn(t, rows, "drawn_"+axis+"_m", i+1, r.Rate+1)
				for j, s := range tickColumn(t, rows, "server_"+axis+"_m", i+1, r.Rate+1) {
					if k == 0 {
						distances = append(distances, 0)
					}
					distances[j] = math.Hypot(distances[j], drawn[k][j]-s)
				}
			}
			if got := rms(distances); math.Abs(got-score["lag_error_rms_m"]) > 1e-4 {
				t.Errorf("%s: pane %d: the positions are %v m apart, the lag error is %v", args, i+1, got, score["lag_error_rms_m"])
			}
		}
	}
}

// TestTicksOfChangingPanes checks the rows of a session in which a pane is opened, restarted with another strategy and
// closed: sums begin again with the strategy.
func TestTicksOfChangingPanes(t *testing.T) {
	dir := t.TempDir()
	tape := filepath.Join(dir, "changes.tape")
	need(os.WriteFile(tape, []byte("ghostcube tape 2\nscene plain\nnetwork latency=33ms\npane rewind\n---\n100 W\n"+
		"! open all noprediction -\n100 WA\n! switch 1 rollback -\n100 D\n! close 1 - -\n100 S\nend 400\n"), 0o666))
	file := filepath.Join(dir, "ticks.csv")
	printed(t, "bench", "--tape", tape, "--ticks", file)
	rows := readTicks(file)
	if want := 1 + 100 + 200 + 200 + 100; len(rows) != want {
		t.Errorf("%d rows, want %d", len(rows), want)
	}
	strategies := map[string]int{}
	for _, r := range rows[1:] {
		strategies[r[2]+" "+r[3]]++
		for _, name := range []string{"corrections", "replayed_ticks", "down_bytes", "up_bytes"} {
			if n := must(strconv.Atoi(r[slices.Index(tickColumns, name)])); n < 0 || n > 3000 {
				t.Errorf("%s %d: %q", name, n, r)
			}
		}
	}
	want := map[string]int{"1 rewind": 200, "2 noprediction": 200, "1 rollback": 100, "1 noprediction": 100}
	for name, n := range want {
		if strategies[name] != n || len(strategies) != len(want) {
			t.Fatalf("rows by pane and strategy: %v, want %v", strategies, want)
		}
	}
}
