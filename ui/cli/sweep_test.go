//go:build linux

package cli

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/ui/sweep"
)

// smallSweep is a plan of 12 short sessions.
const smallSweep = `title = "A small sweep"
panes = ["noprediction", "rewind:lead=1|3"]
networks = ["wifi-bad", "latency=50ms,loss=5%"]
tapes = ["circle"]
seeds = 2
seconds = 3
`

// writeSweep writes a plan into a new folder, and returns its name and that of a folder for the results.
func writeSweep(t *testing.T, text string) (planFile, out string) {
	t.Helper()
	dir := t.TempDir()
	planFile, out = filepath.Join(dir, "plan.toml"), filepath.Join(dir, "out")
	need(os.WriteFile(planFile, []byte(text), 0o600))
	return planFile, out
}

// sweepFiles returns the results in a folder, and the names of all files there.
func sweepFiles(t *testing.T, out string) (files map[string]string, names []string) {
	t.Helper()
	files = map[string]string{}
	for _, e := range must(os.ReadDir(out)) {
		names = append(names, e.Name())
		if e.Name() != sweep.CellsFile {
			files[e.Name()] = string(must(os.ReadFile(filepath.Join(out, e.Name()))))
		}
	}
	return files, names
}

// sameSweep reports the first file of results that differs from those of another sweep.
func sameSweep(t *testing.T, got, want map[string]string) {
	t.Helper()
	for _, name := range sweep.Files {
		if want[name] == "" || got[name] != want[name] {
			t.Errorf("%s: %d bytes, which are not the %d bytes of a sweep that nobody has killed", name, len(got[name]), len(want[name]))
		}
	}
}

// TestSweep checks that every row of a sweep has the figures of bench, that both formats agree, and that the results
// depend neither on the number of jobs nor on the order in which cells have ended.
func TestSweep(t *testing.T) {
	t.Parallel()
	planFile, out := writeSweep(t, smallSweep)
	printed(t, "sweep", planFile, "--jobs", "2", "-o", out)
	files, names := sweepFiles(t, out)
	if !slices.Equal(names, []string{"cells.jsonl", "columns.csv", "report.html", "results.csv", "results.jsonl"}) {
		t.Errorf("%v", names)
	}
	rows := must(csv.NewReader(strings.NewReader(files[sweep.ResultsCSV])).ReadAll())
	dictionary := must(csv.NewReader(strings.NewReader(files[sweep.ColumnsCSV])).ReadAll())
	if len(rows) != 13 || len(dictionary) != len(rows[0])+1 {
		t.Fatalf("%d rows, %d of %d columns explained", len(rows)-1, len(dictionary)-1, len(rows[0]))
	}
	for i, d := range dictionary[1:] {
		if d[0] != rows[0][i] || d[4] == "" {
			t.Errorf("column %d, %s: %q", i, rows[0][i], d)
		}
	}
	lines := strings.Split(strings.TrimSuffix(files[sweep.ResultsJSON], "\n"), "\n")
	at := func(row []string, column string) string { return row[slices.Index(rows[0], column)] }
	store := must(sweep.Open(out, programIdentity(), false))
	points := store.Plan().Points
	need(store.Close())
	for i, row := range rows[1:] {
		var object map[string]any
		need(json.Unmarshal([]byte(lines[i]), &object))
		for k, name := range rows[0] {
			v, ok := object[name]
			text := fmt.Sprint(v)
			if !ok || v == nil && row[k] != "" || v != nil && text != row[k] && mustFloat(text) != mustFloat(row[k]) {
				t.Errorf("row %d, %s: %v in JSON, %q in CSV", i+1, name, v, row[k])
			}
		}
		// The command of the report, with one seed instead of all.
		command := strings.Replace(points[i/2].Command, "--seeds 2", "--seed "+at(row, "seed"), 1)
		r := runBench(t, strings.Fields(strings.TrimPrefix(command, "ghostcube bench "))...)
		if !strings.Contains(command, "--panes "+at(row, "spec")+" ") {
			t.Errorf("%s: not of %s", command, at(row, "spec"))
		}
		if p := r.Panes[0]; p.Hash != at(row, "session_hash") || p.Score.value("key_to_screen_ms") != mustFloat(at(row, "key_to_screen_ms")) ||
			p.Traffic.RTT != mustFloat(at(row, "rtt_ms")) || fmt.Sprint(p.Score.value("path_error_rms_m")) != fmt.Sprint(mustFloat(at(row, "path_error_rms_m"))) {
			t.Errorf("row %d, %s: not what bench says: %v", i+1, at(row, "pane"), row)
		}
	}

	for _, text := range []string{"src=", "url(", "http:", "https:", "<script", "@import", "<link"} {
		if strings.Contains(files[sweep.ReportHTML], text) {
			t.Errorf("the report may request something: %s", text)
		}
	}

	// In two parts, on one core.
	again := filepath.Join(filepath.Dir(out), "again")
	printed(t, "sweep", planFile, "--jobs", "1", "--networks", "latency=50ms,loss=5%", "-o", again)
	printed(t, "sweep", planFile, "--jobs", "1", "-o", again)
	got, _ := sweepFiles(t, again)
	sameSweep(t, got, files)
	before := string(must(os.ReadFile(filepath.Join(out, sweep.CellsFile))))
	printed(t, "sweep", "--report", "-o", out)
	got, _ = sweepFiles(t, out)
	sameSweep(t, got, files)
	if after := string(must(os.ReadFile(filepath.Join(out, sweep.CellsFile)))); after != before {
		t.Error("a finished sweep was written again")
	}
	printed(t, "sweep", "--report", "--baseline", "rewind:lead=3", "-o", out)
	if got, _ = sweepFiles(t, out); !strings.Contains(got[sweep.ReportHTML], "difference from <code>rewind:lead=3</code>") {
		t.Error("the report has another baseline")
	}
	refused(t, "no pane of the sweep", "sweep", "--report", "--baseline", "rewind:lead=4", "-o", out)
	refused(t, "--panes: want at least one pane", "sweep", "--report", "--seeds", "3", "-o", out)
}

// mustFloat parses a number.
func mustFloat(text string) (v float64) {
	if _, err := fmt.Sscan(text, &v); err != nil {
		return -1e99
	}
	return v
}

// TestSweepIsKilled kills a sweep with SIGKILL at random moments, also while it writes, until one run comes to its end:
// the results are those of a sweep that nobody has killed, and no cell runs twice.
func TestSweepIsKilled(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	kills, seeds := experiment.Pick(3, 5, 10), experiment.Pick("5", "10", "20")
	planFile, out := writeSweep(t, strings.Replace(smallSweep, "seeds = 2", "seeds = "+seeds, 1))
	reference := filepath.Join(filepath.Dir(out), "reference")
	// The program is the test itself, which testscript starts by this name.
	program := filepath.Join(filepath.Dir(out), "ghostcube")
	need(os.Symlink(must(os.Executable()), program))
	run := func(out string) *exec.Cmd { return exec.Command(program, "sweep", planFile, "--jobs", "2", "-o", out) }
	if text, err := run(reference).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	cells := filepath.Join(out, sweep.CellsFile)
	ended := func() int {
		text, _ := os.ReadFile(cells) // there may be none yet
		return strings.Count(string(text), `"kind":"cell"`)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range kills {
		cmd, before := run(out), ended()
		need(cmd.Start())
		for further, until := 1+random.IntN(3), time.Now().Add(time.Minute); ended() < before+further && time.Now().Before(until); {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(random.IntN(10)) * time.Millisecond)
		need(cmd.Process.Kill())
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("it was to be killed: %v", err)
		}
	}
	// As if killed within the last write.
	need(os.Truncate(cells, must(os.Stat(cells)).Size()-7))
	if text, err := run(out).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	got, _ := sweepFiles(t, out)
	want, _ := sweepFiles(t, reference)
	sameSweep(t, got, want)
	lines := string(must(os.ReadFile(filepath.Join(out, sweep.CellsFile))))
	if n, whole := strings.Count(lines, `"kind":"cell"`), strings.Count(want[sweep.ResultsJSON], "\n"); n != whole+1 {
		t.Errorf("%d lines of cells, want %d and a broken one", n, whole)
	}
}

// TestSweepRefuses checks that an error in a plan names file, line, key, what is allowed and the nearest name, and that
// nothing is written then.
func TestSweepRefuses(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for change, want := range map[string]string{
		`"noprediction"->"nopredicton"`:           `plan.toml: line 2: panes: no strategy or preset "nopredicton"`,
		`"noprediction"->"rewind:leed=1"`:         "did you mean lead?",
		`lead=1|3->lead=1|300`:                    "plan.toml: line 2: panes: ",
		`"latency=50ms,loss=5%"]->` + "\n\"4h\"]": `plan.toml: line 4: networks: no network profile "4h"`,
		`"circle"->"cirle"`:                       "did you mean circle?",
		"seeds = 2->seeds = 2000":                 "plan.toml: line 5: seeds=2000: want 1 to 1000",
		"seeds = 2->seads = 2":                    "did you mean seeds?",
		"seeds = 2->seeds = \"2\"":                "plan.toml: line 5, column 9: seeds: want a whole number, not a text in quotes",
		"seeds = 2->seed = -3":                    "plan.toml: line 5, column 8: seed: want a whole number from 0 on",
		"\"wifi-bad\", ->\"4g,wifi-bad\", ":       "networks: \"wifi-bad\": want a parameter such as loss=5% (a profile's name comes first); several networks",
		"seconds = 3->seconds = -1":               "plan.toml: line 6: seconds",
		"title->baseline = \"rewind\"\ntitle": "plan.toml: line 1: " +
			`baseline: no pane of the sweep "rewind" (there are noprediction, rewind:lead=1, rewind:lead=3)`,
		"tapes = [\"circle\"]->scenes = [\"zenn\"]":   "plan.toml: line 4: scenes: ",
		"\"wifi-bad\", ->\"wifi-bad\", \"wifi-bad\",": "plan.toml: line 3: networks: wifi-bad is there twice",
	} {
		from, to, _ := strings.Cut(change, "->")
		text := strings.Replace(smallSweep, from, to, 1)
		if text == smallSweep {
			t.Fatalf("%s: the plan has none", from)
		}
		planFile, out := writeSweep(t, text)
		refused(t, want, "sweep", planFile, "-o", out)
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: a folder was made", change)
		}
	}
	_, out := writeSweep(t, "")
	for args, want := range map[string]string{
		"sweep --panes rewind --networks perfect":                                "--out",
		"sweep -o " + out:                                                        "--panes: want at least one pane",
		"sweep --panes rewind -o " + out:                                         "--networks: want at least one network",
		"sweep --panes rewnd --networks perfect -o " + out:                       "--panes: no strategy",
		"sweep --panes rewind --networks perfect --jobs=-1 -o " + out:            "want 1 to 1024",
		"sweep --panes rewind --networks perfect --page x -o " + out:             "https://",
		"sweep --panes rewind --networks perfect --precision 0 -o " + out:        "percentage",
		"sweep --panes rewind --networks perfect --rate 5 -o " + out:             "--rate=5",
		"sweep --report -o " + out:                                               "no sweep",
		"sweep --panes noprediction --networks perfect --scenes fleet -o " + out: "runs in none of the scenes",
	} {
		refused(t, want, strings.Fields(args)...)
	}
}

// TestSweepKeepsFiles checks that a sweep refuses a folder with results of another program or with files of the user, and
// leaves them as they are.
func TestSweepKeepsFiles(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	short := strings.NewReplacer("rewind:lead=1|3", "rewind", `"wifi-bad", `, "", "seeds = 2", "seeds = 1", "seconds = 3", "seconds = 1")
	planFile, out := writeSweep(t, short.Replace(smallSweep))
	results, cells := filepath.Join(out, sweep.ResultsCSV), filepath.Join(out, sweep.CellsFile)
	need(os.Mkdir(out, 0o777))
	need(os.WriteFile(results, []byte("mine\n"), 0o600))
	refused(t, "has not written results.csv", "sweep", planFile, "-o", out)
	if string(must(os.ReadFile(results))) != "mine\n" {
		t.Error("the user's file was replaced")
	}
	need(os.Remove(results))
	printed(t, "sweep", planFile, "-o", out)
	before := must(os.ReadFile(results))
	refused(t, "this plan lacks", "sweep", planFile, "-o", out, "--networks", "lan")
	if string(must(os.ReadFile(results))) != string(before) {
		t.Error("another plan replaced the results")
	}
	need(os.WriteFile(results, append(before, "and mine\n"...), 0o600))
	refused(t, "has not written results.csv", "sweep", planFile, "-o", out)
	need(os.WriteFile(results, before, 0o600))

	store := string(must(os.ReadFile(cells)))
	other := must(sweep.Open(filepath.Join(out, "other"), "ghostcube 0.1.0 (0123456789ab)", true))
	need(other.Close())
	refused(t, "results of ghostcube 0.1.0 (0123456789ab), and this is ghostcube "+Version, "sweep", planFile, "-o", filepath.Join(out, "other"))
	need(os.WriteFile(cells, []byte("time,x\n0,1\n"), 0o600))
	refused(t, "not a file of a sweep", "sweep", planFile, "-o", out)
	if string(must(os.ReadFile(cells))) != "time,x\n0,1\n" {
		t.Error("the user's file was changed")
	}
	// A changed digit in a result costs this cell alone.
	need(os.WriteFile(cells, []byte(strings.Replace(store, `"rtt_ms":1`, `"rtt_ms":2`, 1)), 0o600))
	printed(t, "sweep", planFile, "-o", out)
	if string(must(os.ReadFile(results))) != string(before) {
		t.Error("a damaged result was used")
	}
}

// TestSweepPage runs the plan of docs/sweep.md with short sessions, and the line by which pandas reads the results.
func TestSweepPage(t *testing.T) {
	experiment.Skip(t)
	page := string(must(os.ReadFile("../../docs/sweep.md")))
	_, rest, _ := strings.Cut(page, "```toml\n")
	text, _, found := strings.Cut(rest, "```")
	_, rest, _ = strings.Cut(page, "python3 -c '")
	line, _, also := strings.Cut(rest, "'\n")
	if !found || !also {
		t.Fatal("the page has no plan, or no line for pandas")
	}
	planFile, _ := writeSweep(t, text)
	t.Chdir(filepath.Dir(planFile))
	if out := printed(t, "sweep", "plan.toml", "-o", "leads", "--seconds", "2", "--seeds", "2"); !strings.HasPrefix(out, "84 of 84 cells in leads") {
		t.Error(out)
	}
	python := ""
	for _, name := range []string{"python3", "/usr/bin/python3"} { // Debian's has python3-pandas, one before it in the path may not
		if exec.Command(name, "-c", "import pandas").Run() == nil {
			python = name
			break
		}
	}
	if python == "" {
		t.Skip("no python3 with pandas here")
	}
	out, err := exec.Command(python, "-c", line).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "4g") || !strings.Contains(string(out), "rewind:lead=3") || !strings.Contains(string(out), "mean") {
		t.Errorf("%v: %s", err, out)
	}
	types := `import pandas
a, b = pandas.read_csv("leads/results.csv"), pandas.read_json("leads/results.jsonl", lines=True)
assert list(a.columns) == list(b.columns) and len(a) == len(b) == 84
units = pandas.read_csv("leads/columns.csv").set_index("column")
assert list(units.index) == list(a.columns)
for name in units.index[units.kind == "measure"]:
    assert a[name].dtype.kind in "if", name
    assert (a[name] - b[name].astype(float)).abs().max() < 1e-9 or a[name].isna().all(), name
`
	if out, err := exec.Command(python, "-c", types).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
