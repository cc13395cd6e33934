//go:build !js || headless

package cli

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"ghostcube/internal/experiment"
	"ghostcube/internal/golden"
	"ghostcube/ui/plan"
)

// The page of all claims with measured figures.
const claimsPage = "../../docs/reference/claims.md"

// TestClaimFiles checks that every claim can be tested, and that the claims cover what the articles describe.
func TestClaimFiles(t *testing.T) {
	experiment.Skip(t)
	p := testProgram(t)
	list, count := must(plan.Claims(&p.library)), len(mechanisms(t))
	covered, sources, wider := map[int]bool{}, map[string]bool{}, 0
	for i := range list {
		c := &list[i]
		for _, m := range c.Mechanisms {
			covered[m] = true
			if m < 1 || m > count {
				t.Errorf("%s: there is no mechanism %d", c.ID, m)
			}
		}
		sources[c.Source.Title] = true
		if len(c.Mechanisms) == 0 {
			wider++
		}
		if _, err := newClaimTest(p, c, func(_ string, x *cell) *cell { return x }); err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
	}
	if len(list) < 70 || len(covered) < 60 || wider < 10 {
		t.Errorf("%d claims about %d mechanisms, %d of the wider field: want 70, 60 and 10", len(list), len(covered), wider)
	}
	for _, title := range []string{"Deterministic Lockstep", "Snapshot Interpolation", "Snapshot Compression", "State Synchronization",
		"Reading and Writing Packets", "Serialization Strategies", "Packet Fragmentation and Reassembly", "Sending Large Blocks of Data",
		"Reliable Ordered Messages", "Client-Side Prediction With Physics In Unity", "Physics-based prediction in Space Engineers, after its GDC talk"} {
		if !sources[title] {
			t.Errorf("no claim of %s", title)
		}
	}
}

// TestClaimsRepeat tests three claims twice, on all cores and on one, and compares every digit. The figures are those of
// bench with the same panes and seeds.
func TestClaimsRepeat(t *testing.T) {
	experiment.Skip(t)
	args := strings.Fields("claims --only snapshot-jitter-buffer,prediction-redundant-inputs,protocol-relative-indices --seeds 3 --format json")
	text := printed(t, args...)
	var list []claimResult
	need(json.Unmarshal([]byte(text), &list))
	if len(list) != 3 || list[0].Sessions != 3 || list[1].Conditions[0].Measured[0].Mean != 2540 || list[1].Verdict != "holds" {
		t.Fatal(text)
	}
	var bench struct {
		Panes []struct{ Score map[string]meanInterval }
	}
	need(json.Unmarshal([]byte(printed(t, strings.Fields(list[0].Experiment+" --seeds 3 --format json")...)), &bench))
	for i, v := range list[0].Conditions[0].Measured {
		want := bench.Panes[1-i].Score["pops_per_minute"]
		if v.Mean != *want.Mean || v.Low != *want.Low || v.High != *want.High {
			t.Errorf("%s: %+v, bench has %v", v.Figure, v, *want.Mean)
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if printed(t, args...) != text {
		t.Error("a second run on one core prints other digits")
	}
}

// lies are claims that contradict what the lab measures: in direction, in figure, and in order.
const lies = `
topic = "lies"
source = {author = "Nobody", title = "Lies", year = 2026}

[[claim]]
id = "prediction-is-slower"
says = "A predicted cube answers later than one that waits for the server."
compare = "prediction"
seconds = 3
direction = ["2.key_to_screen_ms > 1.key_to_screen_ms"]
why = "It does not."

[[claim]]
id = "rotation-in-20-bits"
says = "The smallest three components take 20 bits."
tape = "circle"
scene = "zen"
network = "wifi-good"
seconds = 2
panes = ["snapshot:compression=smallest-three"]
figure = ["1.rotation_bits in 19..21"]

[[claim]]
id = "redundancy-loses"
says = "Redundant inputs lose more inputs, and corrections grow with them."
compare = "csp-redundancy"
seconds = 6
direction = ["1.inputs_consumed_ratio > 0", "1.corrections < 2.corrections"]
`

// runLies runs the command on the planted lies.
func runLies(files string, args ...string) (code int, out, errs string) {
	var o, e strings.Builder
	environment := testEnvironment(append([]string{"claims"}, args...), &o, &e)
	environment.Claims = fstest.MapFS{"claims/01-lies.toml": {Data: []byte(files)}}
	code = Main(environment)
	return code, o.String(), e.String()
}

// TestPlantedLies checks that claims that contradict the measurement do not hold, and that an impossible one is an error.
func TestPlantedLies(t *testing.T) {
	experiment.Skip(t)
	code, out, errs := runLies(lies, "--seeds", "3")
	if code != 0 || strings.Count(out, ": does not hold here\n") != 3 || !strings.Contains(out, "why  It does not.") ||
		!strings.HasSuffix(out, "3 claims: 0 hold, 0 hold with a difference, 0 are undecided, 3 do not hold here.\n") {
		t.Errorf("exit code %d, %s%s", code, errs, out)
	}
	code, out, _ = runLies(lies, "--seeds", "2", "--format", "markdown", "--only", "rotation-in-20-bits")
	if code != 0 || !strings.Contains(out, " Rotation bits: 29 (2 sessions). **Does not hold here**: the interval excludes rotation bits in 19..21.\n") {
		t.Errorf("exit code %d, %s", code, out)
	}
	code, _, errs = runLies(strings.ReplaceAll(lies, "1.rotation_bits", "1.rotatoin_bits"), "--seeds", "2")
	if code != 1 || !strings.Contains(errs, "claim rotation-in-20-bits") || !strings.Contains(errs, "rotation_bits?") {
		t.Errorf("exit code %d, %s", code, errs)
	}
}

// TestClaimsMissingValue checks that a claim about a figure without a value is undecided, and says so.
func TestClaimsMissingValue(t *testing.T) {
	experiment.Skip(t)
	text := strings.ReplaceAll(lies, "1.rotation_bits in 19..21", "1.pops_per_minute in 0..1000")
	code, out, errs := runLies(text, "--seeds", "2", "--only", "rotation-in-20-bits")
	if code != 0 || !strings.Contains(out, "no value in 2 sessions") || !strings.Contains(out, "\n1 claim: 0 hold, 0 hold with a difference, 1 is undecided, 0") {
		t.Errorf("exit code %d, %s%s", code, errs, out)
	}
}

// TestClaimsUndecided checks that a claim which chance hides with few seeds is called undecided, with the number of seeds
// that would decide it, and not refuted; its file can have it tested with more.
func TestClaimsUndecided(t *testing.T) {
	experiment.Skip(t)
	text := `topic = "chance"
source = {author = "Nobody", title = "Chance", year = 2026}

[[claim]]
id = "few"
says = "With redundant inputs there are fewer corrections."
tape = "circle"
scene = "zen"
network = "latency=50ms,loss=25%"
seconds = 3
panes = ["rewind", "rewind:redundant=off"]
direction = ["1.corrections < 2.corrections"]
`
	code, out, errs := runLies(text, "--seeds", "3")
	if code != 0 || !strings.Contains(out, "few: undecided\n") || !strings.Contains(out, "\n  ?    ") || !strings.Contains(out, "  why  about ") ||
		!strings.Contains(out, " sessions would decide it.\n") || !strings.Contains(out, "  pane 2  rewind:redundant=off\n") {
		t.Errorf("exit code %d, %s%s", code, errs, out)
	}
	text = strings.Replace(text, "seconds = 3", "seconds = 3\nseeds = 4", 1)
	if code, out, errs = runLies(text, "--format", "markdown"); code != 0 || !strings.Contains(out, " (4 sessions).") {
		t.Errorf("exit code %d, %s%s", code, errs, out)
	}
}

// TestClaimsFlags checks that mistakes in the flags are refused.
func TestClaimsFlags(t *testing.T) {
	experiment.Skip(t)
	for args, want := range map[string]string{
		"claims --only lockstep-bit-exakt":          "did you mean lockstep-bit-exact?",
		"claims --only wider-feild":                 "did you mean wider-field?",
		"claims --only lockstep-bit-exact,nonsense": `no claim "nonsense"`,
		"claims --seeds 1":                          "want 2 to 1000",
		"list claims lockstep-bit-exakt":            "did you mean lockstep-bit-exact?",
		"claims --format csv":                       "text, json, markdown",
	} {
		refused(t, want, strings.Fields(args)...)
	}
	if out := printed(t, "list", "claims"); !strings.Contains(out, "\n  lockstep-bit-exact ") || !strings.Contains(out, "\nwider-field") {
		t.Error(out)
	}
	if out := printed(t, "list", "claims", "lockstep-cost"); !strings.Contains(out, "1.up_kbit_per_second < 0.01*2.down_kbit_per_second") ||
		!strings.Contains(out, "snapshot\n") || !strings.Contains(out, "why") {
		t.Error(out)
	}
}

// sampledClaims are claims of cheap sessions, about figures of all kinds and on all kinds of networks.
const sampledClaims = "lockstep-tcp-two-round-trips,lockstep-playout,lockstep-udp-half,snapshot-jitter-buffer,statesync-last-input," +
	"protocol-abort,protocol-checksum,prediction-redundant-inputs,playout-repeat-last,relative-parent,valve-interpolation,overwatch-redundancy"

// TestSampledClaims tests some claims with all their seeds, and checks that the page has their verdicts and figures to the digit.
func TestSampledClaims(t *testing.T) {
	experiment.Skip(t)
	page := string(must(os.ReadFile(claimsPage)))
	var list []claimResult
	need(json.Unmarshal([]byte(printed(t, "claims", "--only", sampledClaims, "--format", "json")), &list))
	for i := range list {
		if row := claimRow(&list[i]) + " " + claimFigures(&list[i]) + "\n"; !strings.Contains(page, row) {
			t.Errorf("%s lacks %s", claimsPage, row)
		}
	}
}

// TestPageOfClaims checks that the page has a row for each claim, and a reason for each that does not hold or holds with a
// difference. With GHOSTCUBE_LONG it runs all of them and compares the figures; -update with GHOSTCUBE_CI writes them.
func TestPageOfClaims(t *testing.T) {
	if experiment.Long() || experiment.Enabled() && golden.Updating() {
		golden.Page(t, claimsPage, printed(t, "claims", "--format", "markdown"))
	}
	page := string(must(os.ReadFile(claimsPage)))
	list := must(plan.Claims(&testProgram(t).library))
	if rows := strings.Count(page, "\n- `"); rows != len(list) {
		t.Errorf("%d rows of %d claims", rows, len(list))
	}
	rules := fnv.New32a()
	for i := range list {
		r := claimResult{ID: list[i].ID, Claim: list[i].Says}
		for _, x := range slices.Concat(list[i].Rule.Direction, list[i].Rule.Figure) {
			r.Conditions = append(r.Conditions, conditionOutcome{Expected: x.String()})
		}
		r.writeRule(rules)
		_, row, ok := strings.Cut(page, "\n"+claimRow(&r)+" ")
		row, _, _ = strings.Cut(row, "\n")
		if !ok || row == "" {
			t.Errorf("%s lacks claim %s, or has another text: GHOSTCUBE_CI=1 go test -run PageOfClaims -update writes it", claimsPage, r.ID)
		} else if _, why, ok := strings.Cut(row, ". **"); ok && (!strings.HasSuffix(why, list[i].Why) || strings.HasSuffix(why, "**")) {
			t.Errorf("%s: %s: another reason is given: %s", r.ID, row, list[i].Why)
		}
	}
	if !strings.HasSuffix(page, fmt.Sprintf(claimsEnd, rules.Sum32())) {
		t.Error("a rule has changed since the page was written: GHOSTCUBE_CI=1 go test -run PageOfClaims -update writes it")
	}
}
