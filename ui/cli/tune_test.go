//go:build !js || headless

package cli

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/ui/tune"
)

// TestBadTune checks that wrong flags name the allowed values, run nothing, and change no file of the user.
func TestBadTune(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	mine := filepath.Join(t.TempDir(), "mine.toml")
	need(os.WriteFile(mine, []byte("mine"), 0o600))
	for _, x := range []struct {
		args []string
		want string
	}{
		{[]string{}, "want a strategy or a preset"},
		{[]string{"rewnd"}, "did you mean rewind?"},
		{[]string{"rewind:lead=99"}, "lead=99: want 0 to 60"},
		{[]string{"rewind"}, "--networks: want at least one network"},
		{[]string{"rewind", "--networks", "wifi-bed"}, "wifi-bad?"},
		{[]string{"rewind", "--networks", "4g", "--tapes", "cirle"}, "circle?"},
		{[]string{"rewind", "--networks", "4g", "--objective", "pops_per_minutes"}, "did you mean pops_per_minute?"},
		{[]string{"rewind", "--networks", "4g", "--objective", "first_divergent_tick"}, "no value of first_divergent_tick is better: want"},
		{[]string{"rewind", "--networks", "4g", "--limit", "pops_per_minute<5"}, "want MEASURE<=N"},
		{[]string{"rewind", "--networks", "4g", "--limit", "key_to_screen<=5"}, "did you mean key_to_screen_ms?"},
		{[]string{"rewind", "--networks", "4g", "--limit", "key_to_screen_ms<=defualt"}, "default+P%, or default+N; N is in ms, without the unit"},
		{[]string{"rewind", "--networks", "4g", "--limit", "key_to_screen_ms<=default+5ms"}, "N is in ms, without the unit"},
		{[]string{"rewind", "--networks", "4g", "--limit", "key_to_screen_ms<=NaN"}, "N is in ms, without the unit"},
		{[]string{"rewind", "--networks", "4g", "--knobs", "laed"}, "did you mean lead?"},
		{[]string{"rewind", "--networks", "4g", "--knobs", "cold-start"}, `"cold-start" is not searched: the world itself`},
		{[]string{"relative", "--networks", "4g", "--knobs", "laed"}, `(see tune relative --list)`},
		{[]string{"rewind", "--networks", "4g", "--sessions", "10", "--knobs", "lead"}, "--sessions=10: want at least 12, or fewer knobs"},
		{[]string{"rewind", "--networks", "4g", "--seeds", "1"}, "--seeds=1: want 2 to 1000"},
		{[]string{"rewind", "--networks", "4g", "--format", "table"}, "text, json, csv"},
		{[]string{"rewind", "--networks", "4g", "-o", "mine"}, "want a name that ends in .toml"},
		{[]string{"rewind", "--networks", "4g", "-o", "rewind.toml"}, "that is the name of a strategy"},
		{[]string{"rewind", "--networks", "4g", "-o", mine}, "there is a file of this name"},
		{[]string{"rewind", "--networks", "4g", "-o", "nowhere/new.toml"}, "there is no folder nowhere"},
	} {
		refused(t, x.want, append([]string{"tune"}, x.args...)...)
	}
	if text := must(os.ReadFile(mine)); string(text) != "mine" {
		t.Errorf("%s", text)
	}
}

// TestListOfTune checks that the list has every knob of a preset once, with its value as the start, or why it is left alone.
func TestListOfTune(t *testing.T) {
	t.Parallel()
	text := printed(t, "tune", "shooter", "--list")
	rows := strings.Split(strings.TrimSpace(text), "\n")[1:]
	knobs := strings.Split(strings.TrimSpace(printed(t, "list", "knobs", "rewind")), "\n")[1:]
	if len(rows) != len(knobs) {
		t.Errorf("%d of %d knobs", len(rows), len(knobs))
	}
	for name, want := range map[string]string{
		"others": "auto predict interpolate extrapolate auto", "handover-time": "300ms", "cold-start": "not searched: the world itself",
		"lag-compensation": "not searched: a rule of the game", "corrections": "not searched: off only",
		"repeat-missing": "not searched: it moves the server's cube", "repeat-time": "not searched: it moves",
	} {
		i := slices.IndexFunc(rows, func(row string) bool { return strings.HasPrefix(row, name+" ") })
		if i < 0 || !strings.HasPrefix(strings.Join(strings.Fields(rows[i])[1:], " "), want) {
			t.Errorf("%s is not %s: %s", name, want, rows[max(i, 0)])
		}
	}
}

// TestTuneLeavesServerAlone checks that no search changes the grid of a server that rounds its world: cubes drag on it.
func TestTuneLeavesServerAlone(t *testing.T) {
	t.Parallel()
	for _, knob := range []string{"compression", "position-steps", "rotation-bits"} {
		refused(t, "is not searched: ", "tune", "statesync", "--networks", "4g", "--knobs", knob)
	}
}

// TestTune checks that a search finds a better setting under a limit, keeps to it with other seeds, prints the same digits
// whatever runs at once and again from its folder, and that bench runs the preset.
func TestTune(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "quick.toml")
	flags := []string{"tune", "rewind", "--objective", "down_kbit_per_second", "--limit", "path_error_rms_m<=0.05", "--knobs", "lead,snapshot-every,redundant",
		"--networks", "4g;wifi-bad", "--seconds", "3",
		"--seeds", "3", "--test-seeds", "3", "--sessions", "100", "--format", "json", "--cells", filepath.Join(dir, "cells")}
	text := printed(t, append(flags, "--jobs", "1", "-o", file)...)
	var r tuneReport
	need(json.Unmarshal([]byte(text), &r))
	if !strings.HasPrefix(r.Best, "rewind:snapshot-every=") || !r.Kept || len(r.Test) != 2 || r.Lost == nil {
		t.Fatalf("%s", text)
	}
	for _, x := range r.Test {
		if x.Gain.High == nil || *x.Gain.High >= 0 || x.Seeds != 3 || x.FirstSeed != 1001 {
			t.Errorf("%+v", x)
		}
	}
	if !slices.ContainsFunc(r.Test[0].Others, func(o tuneOther) bool { return o.Measure == "longest_update_gap_ms" && !o.Better }) {
		t.Errorf("fewer snapshots cost nothing: %+v", r.Test[0].Others)
	}
	if r.Test[0].Each[0].Tape == r.Test[1].Each[0].Tape {
		t.Error("both tests are on the tapes of the search")
	}
	if *r.Test[0].Each[1].Start == *r.Search[1].Start && *r.Test[0].Each[3].Start == *r.Search[3].Start {
		t.Error("the test has the figures of the search")
	}
	if again := printed(t, append(flags, "--jobs", "2")...); again != text {
		t.Errorf("other digits: %s", again)
	}
	flags[len(flags)-1] = filepath.Join(dir, "other")
	if again := printed(t, append(flags, "--jobs", "3")...); again != text {
		t.Errorf("other digits with other cells: %s", again)
	}
	var b struct{ Panes []struct{ Spec string } }
	need(json.Unmarshal([]byte(printed(t, "bench", "--panes", file+",rewind", "--seconds", "1", "--format", "json")), &b))
	if want := strings.Replace(r.Best, "rewind:", "quick=rewind:", 1); b.Panes[0].Spec != want {
		t.Errorf("%s opens %s, want %s", file, b.Panes[0].Spec, want)
	}
	need(json.Unmarshal([]byte(printed(t, "--config", file, "bench", "--seconds", "1", "--format", "json")), &b))
	if len(b.Panes) != 1 || !strings.HasPrefix(b.Panes[0].Spec, "quick=") {
		t.Errorf("--config opens %+v", b.Panes)
	}
	refused(t, "there is a file of this name", append(flags, "-o", file)...)
	need(json.Unmarshal([]byte(printed(t, "tune", "rewind", "--objective", "down_kbit_per_second", "--knobs", "snapshot-every", "--networks", "4g;wifi-bad",
		"--scenes", "plain,zen", "--seconds", "1", "--seeds", "2", "--test-seeds", "2", "--sessions", "60", "--format", "json")), &r))
	var places []string
	for _, x := range r.Test[1].Each {
		places = append(places, x.Network+" "+tapeIn(x.Tape, x.Scene))
	}
	if got := strings.Join(places, ", "); got != "4g turns in plain, wifi-bad turns in plain, 4g turns in zen, wifi-bad turns in zen" {
		t.Errorf("%s", got)
	}
}

// TestTextOfTune checks that the report of a search that was interrupted has the best settings so far, and does not say that
// none are better; nor does one whose sessions did not suffice to measure what each change is worth.
func TestTextOfTune(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		best        string
		interrupted bool
		want        string
	}{
		{"rewind:lead=3", true, "Best so far: rewind:lead=3"},
		{"rewind:lead=3", false, "Side by side: ghostcube --panes rewind,rewind:lead=3 --network 4g --tape circle"},
		{"rewind:lead=3", false, "\nNearest to the limits, which nothing that was found keeps: rewind:lead=3\n"},
		{"rewind", true, "Nothing was found"}, {"rewind", false, "Nothing was found"},
		{"rewind", false, "\n4g       circle  pops     3.0    2.0 exceeded\n"},
	} {
		three, two := 3.0, 2.0
		r := &tuneReport{Start: "rewind", Best: x.best, Interrupted: x.interrupted, Kept: !strings.Contains(x.want, "Nearest"),
			Changes: []tuneEffect{{Knob: "lead"}}, Search: []tuneDifference{{Network: "4g", Tape: "circle", Measure: "pops_per_minute",
				Start: &three, Best: &three, Limit: &two, Verdict: tune.Exceeded}},
			task: &tuneTask{tuneCommand: &tuneCommand{Networks: []string{"4g"}}, tapes: []string{"circle"},
				measures: []tuneMeasure{{name: "pops_per_minute", title: "pops", digits: 1}}}}
		if got := strings.Join(r.exceeded(), " "); got != "pops_per_minute" {
			t.Errorf("exceeded: %s", got)
		}
		var b strings.Builder
		need(r.writeText(&b))
		if text := b.String(); !strings.Contains(text, x.want) || strings.Contains(text, "Nothing was found") != (x.best == r.Start) {
			t.Errorf("%+v: %s", x, text)
		}
	}
}

// TestOthersOfTune checks, by hand, the measures without a limit that differ: seed by seed, over the sessions in which both
// settings have a value.
func TestOthersOfTune(t *testing.T) {
	t.Parallel()
	none := math.NaN()
	measures := []tuneMeasure{{name: "noisy"}, {name: "worse"}, {name: "better"}, {name: "unknown"}}
	start := []float64{1, 5, 9, none, 2, 5, 9, none, 3, 6, 8, none, 1, 7, 8, none, 2, 5, 9, none, 3, 5, 9, none}
	best := []float64{2, 7, 7, none, 2, 7, 7, 1, 1, 8, 6, none, 2, none, 6, none, 1, 7, 7, none, 3, 7, 7, none}
	list := others(measures, start, best, 2, 3)
	if len(list) != 2 || list[0].Measure != "worse" || list[0].Better || list[1].Measure != "better" || !list[1].Better {
		t.Fatalf("%+v", list)
	}
	if x := list[0]; *x.Difference.Mean != 2 || x.Difference.N != 3 || math.Abs(x.Start-16.0/3) > 1e-9 {
		t.Errorf("%+v", x)
	}
}

// TestTimeLeftOfTune checks that sessions of an interrupted search, which take no time, are not counted as those to come.
func TestTimeLeftOfTune(t *testing.T) {
	t.Parallel()
	c := &tuneCommand{Networks: []string{"4g"}, Sessions: 20, TestSeeds: 3}
	r := &tuneRun{tuneTask: &tuneTask{tuneCommand: c, tapes: []string{"circle"}, testTapes: []string{"turns"}}, ran: 2, known: map[string]bool{}}
	for _, key := range strings.Fields("a b c d e f g h i j k l") {
		r.known[key] = true
	}
	if got := r.left(6 * time.Second); got != 60*time.Second {
		t.Errorf("%v", got)
	}
}
