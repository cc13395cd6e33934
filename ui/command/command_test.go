package command

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ghostcube/assets"
)

func outside(args []string, out, err io.Writer) Outside {
	start := time.Now()
	return Outside{Args: args, Stdout: out, Stderr: err, Tapes: assets.Tapes, Traces: assets.Traces, Now: func() time.Duration { return time.Since(start) }}
}

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"ghostcube": func() { os.Exit(Main(outside(os.Args[1:], os.Stdout, os.Stderr))) },
	})
}

// TestScripts runs the program as a user does: testdata/script.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"refuse": refuse,
		},
	})
}

// refuse runs the program with arguments that it must refuse: exit code 2,
// nothing on standard output, and one line on standard error that contains the
// first argument.
func refuse(ts *testscript.TestScript, neg bool, args []string) {
	err := ts.Exec("ghostcube", args[1:]...)
	out, text := ts.ReadFile("stdout"), strings.TrimSuffix(ts.ReadFile("stderr"), "\n")
	var exit *exec.ExitError
	switch {
	case !errors.As(err, &exit) || exit.ExitCode() != 2:
		ts.Fatalf("%v, want exit code 2: %s", err, text)
	case out != "":
		ts.Fatalf("output: %s", out)
	case strings.Contains(text, "\n"):
		ts.Fatalf("more than a line: %s", text)
	case !strings.Contains(text, args[0]):
		ts.Fatalf("%q does not say %q", text, args[0])
	}
}

// bench runs bench with JSON output.
func bench(t *testing.T, args ...string) *result {
	t.Helper()
	var out, err strings.Builder
	if code := Main(outside(append([]string{"bench", "--format", "json"}, args...), &out, &err)); code != 0 {
		t.Fatalf("exit code %d: %s", code, err.String())
	}
	var r result
	if err := json.Unmarshal([]byte(out.String()), &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

// TestLatencyIsHidden says what prediction is for: at 75 ms each way the own
// cube answers within a tick with rewind and after a round trip without, and
// where nothing is lost nothing is corrected.
func TestLatencyIsHidden(t *testing.T) {
	r := bench(t, "--scene", "zen", "--panes", "authority,rewind", "--weather", "latency=75ms", "--seconds", "60")
	a, b := r.Panes[0], r.Panes[1]
	if *b.Card.LatencyTicks > 1 || *a.Card.LatencyMS < 150 {
		t.Errorf("rewind %v ticks, authority %v ms", *b.Card.LatencyTicks, *a.Card.LatencyMS)
	}
	if n := b.Meter["corrections"]; n != 0 {
		t.Errorf("%v corrections", n)
	}
	if a.Net.RTT < 149.9 || a.Net.RTT > 150.1 || a.Net.Lost != 0 || a.CPU["tick_ms_mean"] <= 0 {
		t.Errorf("%+v %+v", a.Net, a.CPU)
	}
}

// TestScoreOfMotion says what the card has of the motion, where both strategies
// show the truth unharmed: the own cube later than the server's by the way down,
// or ahead of it by the way up and the lead, to a tick; as smooth as the truth;
// and never standing for long while the truth goes.
func TestScoreOfMotion(t *testing.T) {
	r := bench(t, "--scene", "zen", "--panes", "authority,rewind:lead=5,authority:snapshot-every=6", "--weather", "latency=75ms", "--seconds", "30")
	for i, want := range []float64{75, -75 - 5000.0/60} {
		c := r.Panes[i].Card
		if c.StaleMS == nil || math.Abs(*c.StaleMS-want) > 17 || *c.StaleTicks != int(math.Round(*c.StaleMS*0.06)) {
			t.Errorf("%s: staleness %v ms, %v ticks, want %v ms", r.Panes[i].Strategy, *c.StaleMS, *c.StaleTicks, want)
		}
		if *c.Jerk < 0.95 || *c.Jerk > 1.05 || *c.JerkAll < 0.95 || *c.JerkAll > 1.05 || c.Frozen > 1 || c.LongestFreeze > 100 {
			t.Errorf("%s: %+v", r.Panes[i].Strategy, c)
		}
		if c.FloorTruth <= 0 || c.Floor > 2*c.FloorTruth || c.FloorTrue <= 0 || c.FloorBodies > 2*c.FloorTrue {
			t.Errorf("%s: %v m in the floor, %v bodies; the truth %v m, %v", r.Panes[i].Strategy, c.Floor, c.FloorBodies, c.FloorTruth, c.FloorTrue)
		}
	}
	// A picture every six ticks: five of six stand, each for 83 ms.
	c := r.Panes[2].Card
	if c.Frozen < 75 || c.Frozen > 500.0/6 || c.Freezes < 250 || c.LongestFreeze != 5000.0/60 || *c.Jerk < 5 {
		t.Errorf("a snapshot every six ticks: %+v", c)
	}
}

// TestNothingToScore says that what cannot be known is null, and a dash for a
// reader: a cube that nobody drives.
func TestNothingToScore(t *testing.T) {
	var out, err strings.Builder
	args := []string{"bench", "--scene", "plain", "--tape", "idle", "--weather", "perfect", "--seconds", "10"}
	if code := Main(outside(append(args, "--format", "json"), &out, &err)); code != 0 {
		t.Fatal(err.String())
	}
	for _, name := range []string{"staleness_ticks", "staleness_ms", "jerk_ratio", "jerk_ratio_all"} {
		if !strings.Contains(out.String(), `"`+name+`": null`) {
			t.Errorf("%s is known:\n%s", name, out.String())
		}
	}
	out.Reset()
	if code := Main(outside(args, &out, &err)); code != 0 {
		t.Fatal(err.String())
	}
	for line := range strings.Lines(out.String()) {
		if (strings.Contains(line, "staleness") || strings.Contains(line, "jerk")) && !strings.HasSuffix(strings.TrimSpace(line), " -") {
			t.Error(line)
		}
	}
}

// TestRedundantInputs says what sending inputs again is for: at a quarter of
// all packets lost nearly every input is used in its tick, without it three
// quarters of them.
func TestRedundantInputs(t *testing.T) {
	r := bench(t, "--panes", "rewind,rewind:redundant=off", "--weather", "latency=75ms,loss=25%", "--seconds", "60")
	with, without := r.Panes[0].Meter["inputs_consumed_ratio"], r.Panes[1].Meter["inputs_consumed_ratio"]
	if with < 0.999 || without < 0.70 || without > 0.80 {
		t.Errorf("with redundancy %v, without %v", with, without)
	}
	if l := r.Panes[0].Net.Lost; l < 0.23 || l > 0.27 {
		t.Errorf("loss seen %v", l)
	}
}

// TestSmoothingHides says what smoothing is for: forced faults of a metre pop
// at most a fifth as far and with at most a tenth of the energy.
func TestSmoothingHides(t *testing.T) {
	for _, mode := range []string{"single", "two-factor"} {
		r := bench(t, "--panes", "rewind:smoothing=none,rewind:smoothing="+mode, "--weather", "latency=250ms,loss=10%", "--fault-every", "5s", "--seconds", "60")
		bare, smooth := r.Panes[0].Card, r.Panes[1].Card
		if bare.LargestPop < 0.9 || smooth.LargestPop > bare.LargestPop/5 || smooth.PopEnergy > bare.PopEnergy/10 {
			t.Errorf("%s: largest pop %.3f m of %.3f, energy %.4f m2 of %.4f", mode, smooth.LargestPop, bare.LargestPop, smooth.PopEnergy, bare.PopEnergy)
		}
	}
}

// TestRareSnapshotsHurt says that the rarer the server's word, the larger each
// correction: with physics in another order, at no loss.
func TestRareSnapshotsHurt(t *testing.T) {
	const pane = "rewind:physics=reordered:snapshot-every="
	r := bench(t, "--panes", pane+"1,"+pane+"4,"+pane+"32,rewind:physics=reordered:corrections=off", "--weather", "latency=75ms", "--seconds", "60")
	var mean [3]float64
	for i := range mean {
		mean[i] = r.Panes[i].Meter["correction_mean_m"]
	}
	if !(0 < mean[0] && mean[0] < mean[1] && mean[1] < mean[2]) {
		t.Errorf("mean corrections of %v m", mean)
	}
	if away := r.Panes[3].Card.ErrorMax; away < 3 {
		t.Errorf("without corrections the cubes part by %v m only", away)
	}
}

// TestBenchRepeats says that the same bench prints the same but for the time it
// took.
func TestBenchRepeats(t *testing.T) {
	args := []string{"--panes", "rewind,authority", "--weather", "torture", "--seconds", "10", "--fault-every", "2s"}
	a, b := bench(t, args...), bench(t, args...)
	for i := range a.Panes {
		a.Panes[i].CPU, b.Panes[i].CPU = nil, nil
	}
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	if string(x) != string(y) {
		t.Errorf("%s\n%s", x, y)
	}
}

// TestNearest holds the guesses.
func TestNearest(t *testing.T) {
	known := []string{"authority", "rewind", "snapshot-every", "wifi-bad", "wifi-good", "zen"}
	for name, want := range map[string]string{"rewnid": "rewind", "Rewind": "rewind", "snapshotevery": "snapshot-every", "wifibad": "wifi-bad", "zne": "zen", "xyzzy": "", "q": ""} {
		if got := nearest(name, known); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
