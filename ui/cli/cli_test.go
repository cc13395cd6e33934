//go:build !js || headless

package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"

	"ghostcube/assets"
	"ghostcube/internal/experiment"
	"ghostcube/predict/score"
	"ghostcube/render/video"
	"ghostcube/ui/plan"
)

func testEnvironment(args []string, out, err io.Writer) Environment {
	start := time.Now()
	return Environment{Args: args, Stdout: out, Stderr: err, Tapes: assets.Tapes, Traces: assets.Traces,
		Comparisons: assets.Comparisons, Lessons: assets.Lessons, Presets: assets.Presets, Claims: assets.Claims, Terms: assets.Terms,
		Mechanisms: assets.Mechanisms, Now: func() time.Duration { return time.Since(start) }}
}

// testProgram returns a program without arguments.
func testProgram(t *testing.T) *program {
	return newProgram(testEnvironment(nil, t.Output(), t.Output()))
}

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"ghostcube": func() {
			o := testEnvironment(os.Args[1:], os.Stdout, os.Stderr)
			o.Stdin = os.Stdin
			if os.Getenv("GHOSTCUBE_TEST_PROGRESS") != "" { // for tests that interrupt the program
				out := os.NewFile(3, "progress")
				o.Progress = func(share float64) { fmt.Fprintln(out, share) }
			}
			os.Exit(Main(o))
		},
	})
}

// TestScripts runs the scripts in testdata/script, which call the program as users do: with exec as a program of its own, which
// takes much longer to start, or with run in the test's process.
func TestScripts(t *testing.T) {
	testscript.RunT(scriptTest{t}, testscript.Params{
		Dir: "testdata/script",
		Condition: func(name string) (bool, error) {
			switch name {
			case "ci":
				return !experiment.Brief(), nil
			case "long":
				return experiment.Long(), nil
			case "h264":
				return video.HaveH264(), nil
			}
			return false, fmt.Errorf("no condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"run":    runInScript,
			"refuse": refuse,
		},
	})
}

// scriptTest is a test whose scripts run one after another, because each changes the working directory.
type scriptTest struct{ *testing.T }

func (t scriptTest) Parallel()     {}
func (t scriptTest) Verbose() bool { return testing.Verbose() }

func (t scriptTest) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(scriptTest{t}) })
}

// runInFolder runs the program in the present folder of a script. stdout and stderr of the script are what it prints.
func runInFolder(ts *testscript.TestScript, args []string) (code int, out, errs string) {
	before, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	code, out, errs = runCLI(args...)
	ts.Check(os.Chdir(before))
	io.WriteString(ts.Stdout(), out)
	io.WriteString(ts.Stderr(), errs)
	return code, out, errs
}

// runInScript is a script command: it runs the program with arguments, which has to fail if a ! stands before it.
func runInScript(ts *testscript.TestScript, neg bool, args []string) {
	if code, _, errs := runInFolder(ts, args); (code != 0) != neg {
		ts.Fatalf("exit code %d: %s", code, errs)
	}
}

// refuse is a script command: it runs the program with arguments that must be refused, with
// exit code 2, no standard output, and one line of standard error that contains the first
// argument.
func refuse(ts *testscript.TestScript, neg bool, args []string) {
	code, out, errs := runInFolder(ts, args[1:])
	text := strings.TrimSuffix(errs, "\n")
	switch {
	case code != 2:
		ts.Fatalf("exit code %d, want 2: %s", code, text)
	case out != "":
		ts.Fatalf("output: %s", out)
	case strings.Contains(text, "\n"):
		ts.Fatalf("more than a line: %s", text)
	case !strings.Contains(text, args[0]):
		ts.Fatalf("%q does not say %q", text, args[0])
	}
}

// runBench runs bench with JSON output.
func runBench(t *testing.T, args ...string) *result {
	t.Helper()
	var r result
	need(json.Unmarshal([]byte(printed(t, append([]string{"bench", "--format", "json"}, args...)...)), &r))
	return &r
}

// UnmarshalJSON reads names and values of measures.
func (m *measures) UnmarshalJSON(text []byte) error {
	var values map[string]*float64
	err := json.Unmarshal(text, &values)
	*m = nil
	for _, name := range slices.Sorted(maps.Keys(values)) {
		c := score.Measure{Name: name, OK: values[name] != nil}
		if c.OK {
			c.Value = *values[name]
		}
		*m = append(*m, c)
	}
	return err
}

// value returns the value of a measure, or NaN if it has none.
func (m measures) value(name string) float64 {
	for _, c := range m {
		if c.Name == name && c.OK {
			return c.Value
		}
	}
	return math.NaN()
}

// TestScoreKeepsItsOrder checks that the JSON of a score keeps the order of the measures and
// has null for unknown values.
func TestScoreKeepsItsOrder(t *testing.T) {
	c := measures{{Name: "z", Value: 1.5, OK: true}, {Name: "a", Value: 2}, {Name: "m", Value: 1e-9, OK: true}}
	text, err := json.Marshal(c)
	if err != nil || string(text) != `{"z":1.5,"a":null,"m":1e-9}` {
		t.Errorf("%s, %v", text, err)
	}
}

// claimSeconds returns the length of the sessions that measure a claim.
func claimSeconds() string {
	if experiment.Brief() {
		return "20"
	}
	return "60"
}

// TestLatencyIsHidden checks the purpose of prediction: at 75 ms one way the player's cube
// responds within a tick with rewind and after a round trip without prediction; and without
// loss there are no corrections.
func TestLatencyIsHidden(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	r := runBench(t, "--scene", "zen", "--panes", "noprediction,rewind", "--network", "latency=75ms", "--seconds", claimSeconds())
	a, b := r.Panes[0], r.Panes[1]
	if x, y := b.Score.value("key_to_screen_ms"), a.Score.value("key_to_screen_ms"); !(x <= 17 && y >= 150) {
		t.Errorf("rewind %v ms, noprediction %v ms", x, y)
	}
	if n := b.Counters["corrections"]; n != 0 {
		t.Errorf("%v corrections", n)
	}
	if a.Traffic.RTT < 149.9 || a.Traffic.RTT > 150.1 || a.Traffic.LostUp+a.Traffic.LostDown != 0 || a.CPU["tick_cpu_mean_ms"] <= 0 {
		t.Errorf("%+v %+v", a.Traffic, a.CPU)
	}
}

// TestScoreOfMotion checks the measures of motion where both strategies draw the server's
// motion exactly: the display delay is the downlink latency, or minus the uplink latency and
// the input lead, to a tick; jerk equals the server's; and there are no long freezes.
func TestScoreOfMotion(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	r := runBench(t, "--scene", "zen", "--panes", "noprediction,rewind:lead=5,noprediction:snapshot-every=6", "--network", "latency=75ms", "--seconds", "30")
	for i, want := range []float64{75, -75 - 5000.0/60} {
		c, name := r.Panes[i].Score, r.Panes[i].Strategy
		within := func(measure string, low, high float64) {
			if v := c.value(measure); !(v >= low && v <= high) {
				t.Errorf("%s: %s is %v, want %v to %v", name, measure, v, low, high)
			}
		}
		within("display_delay_ms", want-17, want+17)
		ticks := math.Round(c.value("display_delay_ms") * 0.06)
		within("jerk_ratio", 0.95, 1.05)
		within("jerk_ratio_all", 0.95, 1.05)
		within("path_error_rms_m", 0, 0.001)
		within("path_error_rms_degrees", 0, 0.1)
		within("pops_all_per_minute", 0, 0)
		within("nominal_delay_mean_ms", ticks*1000/60-0.01, ticks*1000/60+0.01)
		within("longest_update_gap_ms", 16, 300)
		within("freeze_percent", 0, 1)
		within("longest_freeze_ms", 0, 100)
		within("overlap_max_m", 0, 2*c.value("overlap_server_max_m"))
	}
	// With a snapshot every six ticks, five of six views are frozen, for 83 ms each, and the
	// sixth pops.
	c := r.Panes[2].Score
	if x := c.value("pops_all_per_minute"); !(x > 500 && x <= 600 && c.value("path_error_rms_m") == 0 && c.value("longest_update_gap_ms") >= 100) {
		t.Errorf("a snapshot every six ticks: %+v", c)
	}
	if x := c.value("freeze_percent"); !(x >= 75 && x <= 500.0/6 && c.value("longest_freeze_ms") == 5000.0/60 && c.value("jerk_ratio") >= 5) {
		t.Errorf("a snapshot every six ticks: %+v", c)
	}
}

// TestNothingToScore checks that measures without a value, here of a cube at rest, are null in
// JSON and a dash in the table.
func TestNothingToScore(t *testing.T) {
	args := []string{"bench", "--scene", "plain", "--tape", "idle", "--network", "perfect", "--seconds", "10"}
	report := printed(t, append(args, "--format", "json")...)
	for _, name := range []string{"display_delay_ms", "jerk_ratio", "jerk_ratio_all"} {
		if !strings.Contains(report, `"`+name+`": null`) {
			t.Errorf("%s is known:\n%s", name, report)
		}
	}
	for line := range strings.Lines(printed(t, args...)) {
		if (strings.Contains(line, "display delay") || strings.Contains(line, "jerk")) && !strings.HasSuffix(strings.TrimSpace(line), " -") {
			t.Error(line)
		}
	}
}

// TestRedundantInputs checks the purpose of redundant inputs: at 25 % loss nearly all inputs
// are consumed in their tick, without them three quarters.
func TestRedundantInputs(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	r := runBench(t, "--panes", "rewind,rewind:redundant=off", "--network", "latency=75ms,loss=25%", "--seconds", claimSeconds())
	with, without := r.Panes[0].Counters["inputs_consumed_ratio"], r.Panes[1].Counters["inputs_consumed_ratio"]
	if with < 0.999 || without < 0.70 || without > 0.80 {
		t.Errorf("with redundancy %v, without %v", with, without)
	}
	if l := r.Panes[0].Traffic; l.LostUp < 0.22 || l.LostUp > 0.28 || l.LostDown < 0.22 || l.LostDown > 0.28 {
		t.Errorf("lost: %v up, %v down", l.LostUp, l.LostDown)
	}
}

// TestLostByDirection checks that a loss in one direction is reported for that direction alone.
func TestLostByDirection(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	l := runBench(t, "--panes", "rewind", "--network", "latency=75ms,up.loss=25%", "--seconds", "20").Panes[0].Traffic
	if l.LostUp < 0.2 || l.LostUp > 0.3 || l.LostDown != 0 {
		t.Errorf("lost: %v up, %v down, want 0.25 and 0", l.LostUp, l.LostDown)
	}
}

// TestSmoothingHides checks the purpose of smoothing: nudges of a metre pop by at most a fifth
// of the distance and a tenth of the energy.
func TestSmoothingHides(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, mode := range []string{"single", "two-factor"} {
		r := runBench(t, "--panes", "rewind:smoothing=none,rewind:smoothing="+mode, "--network", "latency=250ms,loss=10%",
			"--fault-every", "5s", "--seconds", claimSeconds())
		largest := func(i int) float64 { return r.Panes[i].Score.value("largest_pop_m") }
		energy := func(i int) float64 { return r.Panes[i].Score.value("pop_energy_all_m2") }
		if !(largest(0) >= 0.9 && largest(1) <= largest(0)/5 && energy(1) <= energy(0)/10) {
			t.Errorf("%s: largest pop %.3f m of %.3f, energy %.4f m2 of %.4f", mode, largest(1), largest(0), energy(1), energy(0))
		}
	}
}

// TestRareSnapshotsHurt checks that corrections grow with the interval between snapshots, with
// another contact order and without loss.
func TestRareSnapshotsHurt(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	const pane = "rewind:contact-order=reordered:snapshot-every="
	r := runBench(t, "--panes", pane+"1,"+pane+"4,"+pane+"32,rewind:contact-order=reordered:corrections=off",
		"--network", "latency=75ms", "--seconds", claimSeconds())
	var mean [3]float64
	for i := range mean {
		mean[i] = r.Panes[i].Counters["correction_mean_m"]
	}
	if !(0 < mean[0] && mean[0] < mean[1] && mean[1] < mean[2]) {
		t.Errorf("mean corrections of %v m", mean)
	}
	if away := r.Panes[3].Score.value("lag_error_rms_m"); !(away >= 1) {
		t.Errorf("without corrections the cubes part by %v m only", away)
	}
}

// TestNearest checks the suggestions for wrong names.
func TestNearest(t *testing.T) {
	known := []string{"noprediction", "rewind", "snapshot-every", "wifi-bad", "wifi-good", "zen"}
	for name, want := range map[string]string{"rewnid": "rewind", "Rewind": "rewind", "snapshotevery": "snapshot-every",
		"wifibad": "wifi-bad", "zne": "zen", "xyzzy": "", "q": ""} {
		if got := plan.NearestName(name, known); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestListFits checks that the list of comparisons has every name and title, and lines of at most 100
// characters.
func TestListFits(t *testing.T) {
	out := printed(t, "list", "comparisons")
	checkWidth(t, out)
	for _, c := range comparisons(t) {
		if !regexp.MustCompile(`(?m)^  ` + regexp.QuoteMeta(c.Name) + ` +` + regexp.QuoteMeta(c.Title) + `$`).MatchString(out) {
			t.Errorf("%s is missing", c.Name)
		}
	}
}

// TestListNamed checks that list finds a counter and a measure by its name alone.
func TestListNamed(t *testing.T) {
	experiment.Skip(t)
	if out := printed(t, "list", "shots_received_behind_cover"); !strings.Contains(out, "hits on a player behind cover on its own screen") ||
		!strings.Contains(out, "rewind, ") {
		t.Errorf("list of a counter:\n%s", out)
	}
	if out := printed(t, "list", "jerk_ratio"); !strings.Contains(out, "jerk") {
		t.Errorf("list of a measure:\n%s", out)
	}
}

// TestListFindsPresetsAndTerms checks that list, with nothing but a name, finds every preset, and every term by the last of
// its words.
func TestListFindsPresetsAndTerms(t *testing.T) {
	if experiment.Brief() {
		t.Skip("a hundred lists")
	}
	library := &plan.Library{PresetFiles: assets.Presets, TermFile: assets.Terms}
	presets, err := library.Presets()
	if err != nil || len(presets) == 0 {
		t.Fatal(err)
	}
	for i := range presets {
		if out := printed(t, "list", presets[i].Name); !strings.Contains(out, presets[i].Title) {
			t.Errorf("list %s:\n%s", presets[i].Name, out)
		}
	}
	terms, err := library.Terms()
	if err != nil || len(terms) < 40 {
		t.Fatal(len(terms), err)
	}
	for i := range terms {
		names := terms[i].Names()
		name := names[len(names)-1]
		if out := printed(t, "list", name); !strings.Contains(out, terms[i].Text) {
			t.Errorf("list %s, of the term %s:\n%s", name, terms[i].Name, out)
		}
	}
}

// TestBenchHasShots checks that the table of a session with shots has what shooters compare, and no other has it.
func TestBenchHasShots(t *testing.T) {
	experiment.Skip(t)
	out := printed(t, "bench", "--compare", "lag-compensation", "--panes", "snapshot", "--seconds", "4")
	for _, want := range []string{"SHOTS", "peekers advantage, ms", "shots received behind cover"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if out := printed(t, "bench", "--panes", "snapshot", "--seconds", "1"); strings.Contains(out, "SHOTS") {
		t.Errorf("shots in a session without any:\n%s", out)
	}
}

// TestListMeasure checks that a measure's definition is printed with its formula and its blind spots, and that a wrong name
// gives the nearest one and not all names.
func TestListMeasure(t *testing.T) {
	out := printed(t, "list", "measures", "jerk_ratio")
	for _, want := range []string{"Jerk: jerk_ratio, jerk_ratio_all\n", "\nFormula: sqrt(",
		"\nUndefined: while the server's jerk is below", "\nSource: our own.\n", "\nBlind to: "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	checkWidth(t, out)
	refused(t, `ghostcube: no measure "jerk_ration" (see list measures); did you mean jerk_ratio?`, "list", "measures", "jerk_ration")
}

// checkWidth checks that lines have at most 100 characters.
func checkWidth(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 100 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
}

// TestBenchLeads checks that the table of a bench leads with key to screen, path error, pops and
// bandwidth, has at most 30 lines, and gives the same figures as with --all, which prints every measure;
// with one session and with several.
func TestBenchLeads(t *testing.T) {
	experiment.Skip(t)
	for _, seeds := range []string{"1", "2"} {
		table := func(more ...string) (rows [][2]string) {
			args := []string{"bench", "--scene", "zen", "--tape", "circle", "--panes", "rewind", "--network", "latency=50ms,loss=2%", "--seconds", "9", "--seeds", seeds}
			out := printed(t, append(args, more...)...)
			for line := range strings.Lines(out) {
				if title, value, ok := strings.Cut(strings.TrimSpace(line), "  "); ok {
					rows = append(rows, [2]string{title, strings.TrimSpace(value)})
				}
			}
			return rows
		}
		brief, all := table(), table("--all")
		values := map[string]string{}
		for _, row := range all {
			values[row[0]] = row[1]
		}
		if len(brief) > 30 || len(all) < 55 {
			t.Errorf("%d rows, with --all %d", len(brief), len(all))
		}
		for i, want := range []string{"key to screen, ms", "path error RMS, m", "pops per minute", "pops, all bodies, per minute",
			"bandwidth down, kbit/s", "bandwidth up, kbit/s"} {
			if i >= len(brief) || brief[i][0] != want || brief[i][1] == "-" {
				t.Errorf("%s seeds: row %d is %v, want %s", seeds, i+1, brief[i], want)
			}
		}
		for _, row := range brief {
			v, ok := values[row[0]]
			if !ok {
				v, ok = values[strings.ReplaceAll(strings.ReplaceAll(row[0], ", m", "_m"), " ", "_")] // a counter
			}
			if lost := strings.HasPrefix(row[0], "lost "); !lost && (!ok || v != row[1]) {
				t.Errorf("%s seeds: %s is %s, with --all %s", seeds, row[0], row[1], v)
			}
		}
	}
}

// TestVersionText promises what --version says of builds with and without a revision.
func TestVersionText(t *testing.T) {
	const hash = "4f1f09ffcf86b50e4f1f09ffcf86b50e4f1f09ff"
	for _, x := range []struct {
		settings []debug.BuildSetting
		want     string
	}{
		{nil, ""},
		{[]debug.BuildSetting{{Key: "vcs.modified", Value: "true"}}, ""},
		{[]debug.BuildSetting{{Key: "vcs.revision", Value: hash}, {Key: "vcs.modified", Value: "false"}}, "4f1f09ffcf86"},
		{[]debug.BuildSetting{{Key: "vcs.modified", Value: "true"}, {Key: "vcs.revision", Value: hash}}, "4f1f09ffcf86+changes"},
	} {
		if got := shortRevision(x.settings); got != x.want {
			t.Errorf("%v: %q, want %q", x.settings, got, x.want)
		}
	}
	if got := versionText(); !strings.HasPrefix(got, "ghostcube "+Version) {
		t.Error(got)
	}
}
