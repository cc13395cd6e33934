package texts

import (
	"flag"
	"go/parser"
	"go/token"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/ui/gamelog"
)

// maxExampleLines is the most that an example has, so that somebody reads it in one go.
const maxExampleLines = 200

// exampleFigure is a run of an example, and the row of a guide's table that has the figure that it prints.
type exampleFigure struct {
	example, args string
	guide, row    string // the page's name, and the beginning of the row
	prints        string // what follows the figure shows that the mechanism works
}

// exampleFigures are all runs. Two pushes cause two corrections, and each change of the other player's keys a rollback, of
// ten ticks as in the guide's text, or fewer with input delay.
var exampleFigures = []exampleFigure{
	{"prediction", "-predict=true", "prediction", "| corrected and smoothed |", "corrections 2, largest pop 0.03 m"},
	{"prediction", "-predict=false", "prediction", "| no prediction |", "largest pop 0.30 m"},
	{"snapshots", "-rate=10", "snapshot-interpolation", "| 10, Hermite |", "path error RMS 0.0"},
	{"snapshots", "-rate=60", "snapshot-interpolation", "| 60, Hermite |", "path error RMS 0.000"},
	{"rollback", "-input-delay=0", "rollback", "| `rollback` |", "rollbacks 20, deepest 10 ticks"},
	{"rollback", "-input-delay=4", "rollback", "| `rollback:input-delay=4` |", "rollbacks 20, deepest 6 ticks"},
	{"rollback", "-input-delay=8", "rollback", "| `rollback:input-delay=8` |", "rollbacks 20, deepest 2 ticks"},
}

// keyToScreen returns a guide's key to screen in milliseconds: the first column of a table after the row's name.
func (f *exampleFigure) keyToScreen(t *testing.T) float64 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("docs", "guides", f.guide+".md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "| key to screen, ms |")
	for line := range strings.Lines(table) {
		if found && strings.HasPrefix(line, f.row) {
			ms, err := strconv.ParseFloat(strings.Fields(strings.Split(line, "|")[2])[0], 64)
			if err != nil {
				t.Fatal(err)
			}
			return ms
		}
	}
	t.Fatalf("%s.md: the tables of key to screen have no row %s", f.guide, f.row)
	return 0
}

// exampleBusy is what an example says when the machine kept it from reading a datagram in time. Nothing is measured then.
const exampleBusy = "this machine is too busy"

// maxExampleTries is how often an example runs on a busy machine.
const maxExampleTries = 20

// logs reports whether the example has a server, and so writes a log of it.
func (f *exampleFigure) logs() bool { return f.example != "rollback" }

// log returns the file of the log of a run in a folder.
func (f *exampleFigure) log(folder string) string {
	return filepath.Join(folder, f.example+f.args+".jsonl")
}

// run runs the example, built in a folder, and returns what it prints, and in how many tries.
func (f *exampleFigure) run(folder string) (output string, tries int) {
	args := []string{f.args}
	if f.logs() {
		args = append(args, "-log="+f.log(folder))
	}
	for tries = 1; ; tries++ {
		out, err := exec.Command(filepath.Join(folder, f.example), args...).CombinedOutput()
		if err == nil || tries == maxExampleTries || !strings.Contains(string(out), exampleBusy) {
			return strings.TrimSpace(string(out)), tries
		}
	}
}

// exampleKeyToScreen matches the figure that an example prints.
var exampleKeyToScreen = regexp.MustCompile(`^key to screen (\d+) ms, `)

// score returns the measures of the log of a run in a folder, by their names.
func (f *exampleFigure) score(t *testing.T, folder string) map[string]float64 {
	t.Helper()
	file, err := os.Open(f.log(folder))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := gamelog.NewReader(f.example, file)
	if err != nil {
		t.Fatal(err)
	}
	card, err := gamelog.Score(r, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, m := range card.Measures {
		if m.OK {
			values[m.Name] = m.Value
		}
	}
	return values
}

// examplePathError matches the path error that an example prints.
var examplePathError = regexp.MustCompile(`path error RMS ([0-9.]+) m`)

// compareLog compares what an example prints of itself with the score of its log: key to screen within a tick, and the path
// error, of which it leaves out other frames.
func (f *exampleFigure) compareLog(t *testing.T, folder, output string, keyToScreen float64) {
	t.Helper()
	values := f.score(t, folder)
	const tick = 1000.0 / 60
	if got, ok := values["key_to_screen_ms"]; !ok || math.Abs(got-keyToScreen) > tick {
		t.Errorf("%s %s: key to screen %v ms, by its log %v", f.example, f.args, keyToScreen, got)
	}
	if m := examplePathError.FindStringSubmatch(output); m != nil {
		want, _ := strconv.ParseFloat(m[1], 64)
		if got, ok := values["path_error_rms_m"]; !ok || math.Abs(got-want) > 0.1*want+1e-4 {
			t.Errorf("%s %s: path error %v m, by its log %v", f.example, f.args, want, got)
		}
	}
}

// TestExamplesMeetTheirGuides runs the examples, which have nothing of the lab, and compares their key to screen with
// that of their guides, and with the score of their logs, within a tick. They run in real time; a run in which the machine was too busy is repeated.
func TestExamplesMeetTheirGuides(t *testing.T) {
	if !strings.Contains(flag.Lookup("test.run").Value.String(), "TestExamples") { // asked for by name
		experiment.Skip(t) // they run in real time, for six seconds
	}
	folder := t.TempDir()
	out, err := exec.Command("go", "build", "-o", folder+string(filepath.Separator), "./docs/examples/...").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	outputs, tries := make([]string, len(exampleFigures)), make([]int, len(exampleFigures))
	var runs sync.WaitGroup
	for i := range exampleFigures {
		runs.Go(func() { outputs[i], tries[i] = exampleFigures[i].run(folder) })
	}
	runs.Wait()
	for i, f := range exampleFigures {
		t.Logf("%s %s: %s (try %d)", f.example, f.args, outputs[i], tries[i])
		m := exampleKeyToScreen.FindStringSubmatch(outputs[i])
		if m == nil || !strings.Contains(outputs[i], f.prints) {
			t.Errorf("%s %s prints %q, want key to screen, and %q", f.example, f.args, outputs[i], f.prints)
			continue
		}
		const tick = 1000.0 / 60
		got, _ := strconv.ParseFloat(m[1], 64)
		if math.Abs(got-f.keyToScreen(t)) > tick {
			t.Errorf("%s %s: key to screen %v ms, in the guide %v", f.example, f.args, got, f.keyToScreen(t))
		}
		if f.logs() {
			f.compareLog(t, folder, outputs[i], got)
		}
	}
}

// TestExamplesAreShort checks that an example is one file that a reader can copy: few lines, and of imports the standard
// library alone. The guide of its technique links to it.
func TestExamplesAreShort(t *testing.T) {
	files, err := filepath.Glob("docs/examples/*/*")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		if filepath.Base(filepath.Dir(file)) == "loggers" { // which ui/gamelog tests
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, filepath.Base(filepath.Dir(file)))
		if n := strings.Count(string(text), "\n"); n > maxExampleLines {
			t.Errorf("%s has %d lines, more than %d", file, n, maxExampleLines)
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range parsed.Imports {
			if path := strings.Trim(i.Path.Value, `"`); strings.HasPrefix(path, "ghostcube/") || strings.Contains(path, ".") {
				t.Errorf("%s imports %s", file, path)
			}
		}
	}
	var want []string
	for _, f := range exampleFigures {
		guide, err := os.ReadFile(filepath.Join("docs", "guides", f.guide+".md"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(guide), "](../examples/"+f.example+"/main.go)") {
			t.Errorf("%s.md does not link to its example", f.guide)
		}
		want = append(want, f.example)
	}
	slices.Sort(want)
	if want = slices.Compact(want); !slices.Equal(found, want) {
		t.Errorf("files of examples are in %q, and figures of %q are compared", found, want)
	}
}
