package advise

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// rows are results: pane, key to screen, pops, pops of all bodies, path error, kbit/s down and resimulated ticks; x is no value.
type rows []string

// plain are figures that no rule minds.
const plain = "0 0 0 0 100 0"

// describe takes the name of a pane as its spec.
func describe(pane string) Pane {
	strategy, _, _ := strings.Cut(pane, ":")
	if _, named, ok := strings.Cut(strategy, "="); ok {
		strategy = named
	}
	return Pane{pane, pane, strategy, slices.Contains([]string{"lockstep", "rollback"}, strategy)}
}

// evidence returns the evidence of rows, each with two seeds, in the setting of own avatars.
func evidence(t *testing.T, list rows) *Evidence {
	t.Helper()
	return read(t, "two-players,firefight,wifi-bad", list)
}

// read returns the evidence of rows in a setting, as scene, tape and network.
func read(t *testing.T, setting string, list rows) *Evidence {
	t.Helper()
	var b strings.Builder
	b.WriteString(strings.Join(SessionColumns, ","))
	for _, m := range Measures {
		b.WriteString("," + string(m))
	}
	for _, r := range list {
		f := strings.Fields(strings.ReplaceAll(r, " x", " \"\"")) // no value
		for seed := range 2 {
			fmt.Fprintf(&b, "\n%s,%s,%d,%s,%s,%s,%s,%s,%s,%s", setting, f[0], seed, f[1], f[2], f[3], f[4], f[4], f[5], f[6])
		}
	}
	e, err := Read(strings.NewReader(b.String()), describe)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// game returns a game with answers, as --flag answer, and fallbacks.
func game(t *testing.T, answers string) *Game {
	t.Helper()
	g := &Game{}
	f := strings.Fields(answers)
	for i := range Questions {
		q, answer := &Questions[i], ""
		if k := slices.Index(f, "--"+q.Flag); k >= 0 {
			answer = f[k+1]
		}
		if err := q.Answer(g, answer); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// advised returns the advice for a game.
func advised(t *testing.T, e *Evidence, answers string) *Advice {
	t.Helper()
	a, err := e.Advise(game(t, answers))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// order returns the panes within the rules, in their order.
func (a *Advice) order() string {
	var list []string
	for _, c := range a.Best {
		list = append(list, c.Pane)
		list = append(list, c.Same...)
	}
	return strings.Join(append(list, a.Others...), " ")
}

// TestHardRules checks that each hard rule excludes what breaks it, says so, and excludes nothing if its answer is the other
// one.
func TestHardRules(t *testing.T) {
	for _, x := range []struct {
		pane, figures, with, without, rule string
	}{
		{"lockstep", plain, "--deterministic no", "--deterministic yes", "deterministic physics"},
		{"rollback:input-delay=3", plain, "--deterministic no", "--deterministic yes", "deterministic physics"},
		{"fighting=rollback:input-delay=3", plain, "--deterministic no", "--deterministic yes", "deterministic physics"},
		{"statesync:authority=client", plain, "--cheating yes", "--cheating no", "clients decide"},
		{"snapshot", "18 0 0 0 100 0", "--own-player at-once", "--own-player soon", "after 18 ms: want at most 17 ms"},
		{"snapshot", "101 0 0 0 100 0", "--own-player soon", "--own-player later", "after 101 ms: want at most 100 ms"},
		{"rewind", "0 0 0 0 101 0", "--bandwidth 100.5", "--bandwidth 101", "101 ± 0 kbit/s down: want at most 100.5 kbit/s"},
	} {
		e := evidence(t, rows{"historyoffset " + plain, x.pane + " " + x.figures})
		a := advised(t, e, x.with)
		if len(a.Excluded) != 1 || a.Excluded[0].Pane != x.pane || !strings.Contains(a.Excluded[0].Rule, x.rule) || a.order() != "historyoffset" {
			t.Errorf("%s, %s: %v are excluded, and %s is left", x.pane, x.with, a.Excluded, a.order())
		}
		if a := advised(t, e, x.without); len(a.Excluded) != 0 {
			t.Errorf("%s, %s: %v are excluded", x.pane, x.without, a.Excluded)
		}
	}
}

// TestBandwidthInterval checks that a limit of bandwidth holds for the mean with its interval.
func TestBandwidthInterval(t *testing.T) {
	e := evidence(t, rows{"rewind " + plain})
	for _, cell := range e.cells {
		cell[Down][1] = 101 // 100.5 with an interval of 6.4
	}
	for limit, excluded := range map[string]int{"106": 1, "108": 0} {
		if a := advised(t, e, "--bandwidth "+limit); len(a.Excluded) != excluded {
			t.Errorf("%s kbit/s: %v", limit, a.Excluded)
		}
	}
}

// TestNoAnswerMeasured checks that a pane in which no key showed is no answer at once.
func TestNoAnswerMeasured(t *testing.T) {
	e := evidence(t, rows{"rewind " + plain})
	for name := range e.cells {
		e.cells[name][KeyToScreen] = nil
	}
	if a := advised(t, e, ""); len(a.Best) != 0 || len(a.Excluded) != 1 {
		t.Errorf("%s", a.order())
	}
}

// TestRanking checks the criteria one by one: each decides only if those before it see no difference.
func TestRanking(t *testing.T) {
	for _, x := range []struct {
		answers string
		rows    rows
		want    string
	}{
		{"", rows{"rewind 0 6 0 0 10 0", "relative 0 0 500 1 900 9"}, "relative rewind"},
		{"", rows{"rewind 0 5 31 0 10 0", "relative 0 0 0 1 900 9"}, "relative rewind"},
		{"", rows{"rewind 0 5 30 0.021 10 0", "relative 0 0 0 0 900 9"}, "relative rewind"},
		{"", rows{"rewind 0 5 30 0.02 900 0", "relative 0 0 0 0 10 9"}, "relative rewind"},
		{"", rows{"rewind 0 5 30 0.02 102 9", "relative 0 0 0 0 100 3"}, "relative rewind"},
		{"", rows{"rewind 0 5 30 0.02 102 3", "relative 0 0 0 0 100 3"}, "rewind relative"},
		{"", rows{"rewind 0 1 1 0 100 3", "relative 0 1 1 0 100 3"}, "rewind relative"},
	} {
		if got := advised(t, evidence(t, x.rows), x.answers).order(); got != x.want {
			t.Errorf("%s %q: %s, want %s", x.answers, x.rows, got, x.want)
		}
	}
}

// TestMissingValue promises that a pane of which a measure has no value is not the best by it, but that one without resimulated
// ticks is.
func TestMissingValue(t *testing.T) {
	e := evidence(t, rows{"snapshot 30 0 0 0 100 x", "rewind 10 x x x 80 7", "statesync 10 20 20 0.5 90 7"})
	a := advised(t, e, "--own-player later")
	if got, want := a.order(), "snapshot statesync rewind"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := a.Best[1].Reason, "before rewind, which has no pops per minute"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestPlantedEvidence checks that another figure in the evidence is another order and another reason.
func TestPlantedEvidence(t *testing.T) {
	before := advised(t, evidence(t, rows{"rewind 0 0 0 0 100 0", "historyoffset 0 9 0 0 100 0"}), "")
	after := advised(t, evidence(t, rows{"rewind 0 20 0 0 100 0", "historyoffset 0 9 0 0 100 0"}), "")
	if before.order() != "rewind historyoffset" || after.order() != "historyoffset rewind" {
		t.Errorf("%s, then %s", before.order(), after.order())
	}
	if want := "before rewind by pops per minute, 9 ± 0 against 20 ± 0"; after.Best[0].Reason != want {
		t.Errorf("%s, want %s", after.Best[0].Reason, want)
	}
	e := evidence(t, rows{"rewind 0 20 0 0 100 0", "historyoffset 0 9 0 0 100 0"})
	for name, cell := range e.cells {
		if name.pane == "rewind" {
			cell[Pops][0] = 90 // 20 with the other seed
		}
	}
	if a := advised(t, e, ""); !strings.HasSuffix(a.Best[0].Reason, ", which may be chance: 46 ± 445 more, seed by seed, with 2 seeds") {
		t.Errorf("seeds differ widely: %s", a.Best[0].Reason)
	}
}

// TestWithoutDeterminism checks that figures with another order of contacts count for a game without determinism, and that a
// strategy that simulates but was not measured so is excluded.
func TestWithoutDeterminism(t *testing.T) {
	e := evidence(t, rows{"rewind 0 0 0 0 100 0", "historyoffset 0 9 0 0 100 0", "rewind:contact-order=reordered 0 50 0 0 100 0",
		"rewind:lead=3 0 0 0 0 90 0", "snapshot 0 2 0 0 100 0"})
	if got := advised(t, e, "--deterministic yes").order(); got != "rewind:lead=3 rewind snapshot historyoffset" {
		t.Error(got)
	}
	a := advised(t, e, "--deterministic no")
	if got := a.order(); got != "snapshot historyoffset rewind:contact-order=reordered" || len(a.Excluded) != 1 || a.Excluded[0].Pane != "rewind:lead=3" {
		t.Errorf("%s, without %v", got, a.Excluded)
	}
}

// TestLimits checks that the advice says where the evidence ends.
func TestLimits(t *testing.T) {
	for answers, want := range map[string]string{
		"--players 9":   "These figures are of 2 players. Nothing was measured with 9: at most 2",
		"--players 1":   "The nearest scene has 2 players: you have 1",
		"--bodies 5000": "You have 5000 bodies, the scene 67",
		"--network 3g": "The measured one has 85ms less latency, 30.7ms less jitter, 1 % more loss: the figures may promise too much or too little.\n" +
			"Besides, yours has shape=gamma,burst=4,up.bandwidth=330000,down.bandwidth=780000,queue=1s, " +
			"the measured one shape=long-tail,burst=8,reorder=0.01,reorder-delay=40ms,spike-chance=0.01,spike=150ms.\n" +
			"Beyond every measured network: its latency, jitter.",
	} {
		a := advised(t, evidence(t, rows{"rewind " + plain}), answers)
		if text := strings.Join(append(a.Measured, a.Limits...), "\n"); !strings.Contains(text, want) {
			t.Errorf("%s: no %q in\n%s", answers, want, text)
		}
	}
	a := advised(t, evidence(t, rows{"rewind " + plain}), "--network wifi-bad --bodies 67 --deterministic yes")
	if len(a.Measured) != 1 || len(a.Limits) != 0 {
		t.Errorf("all was measured, and yet: %q, %q", a.Measured, a.Limits)
	}
}

// TestNearest checks that the nearest network and setting count.
func TestNearest(t *testing.T) {
	e := evidence(t, rows{"rewind " + plain})
	for _, s := range []string{"katamari:cubes=200:players=4,four-players,3g", "billiards,billiards-break,3g", "zen,mine,3g"} {
		o := read(t, s, rows{"rewind " + plain})
		e.Settings = append(e.Settings, o.Settings...)
		if len(e.Networks) == 1 {
			e.Networks = append(e.Networks, o.Networks...)
		}
	}
	for _, x := range []struct{ answers, tape, network string }{
		{"--players 2 --bodies 60 --network latency=20ms", "firefight", "wifi-bad"},
		{"--players 2 --bodies 60 --network latency=70ms,jitter=30ms", "firefight", "3g"},
		{"--players 3 --bodies 30 --touches objects --network latency=90ms", "four-players", "3g"},
		{"--players 1 --bodies 22 --touches objects --network 3g", "billiards-break", "3g"},
		{"--players 1 --bodies 25 --touches ships", "mine", "wifi-bad"},
	} {
		g := game(t, x.answers)
		if s, n := e.nearestSetting(g), e.nearestNetwork(g); s.Tape != x.tape || n.Name != x.network {
			t.Errorf("%s: %s and %s, want %s and %s", x.answers, s.Tape, n.Name, x.tape, x.network)
		}
	}
	if _, err := evidence(t, rows{"rewind " + plain}).Advise(game(t, "--touches ships")); err == nil || !strings.Contains(err.Error(), "firefight") {
		t.Error(err)
	}
}

// TestBadResults checks that results that are damaged give an error that says where.
func TestBadResults(t *testing.T) {
	head := strings.Join(SessionColumns, ",")
	for _, m := range Measures {
		head += "," + string(m)
	}
	for _, x := range [][2]string{
		{"", "no results.csv"}, {"a,b\n", "column scene is missing"}, {strings.Join(SessionColumns, ",") + "\n", "column key_to_screen_ms is missing"},
		{head + "\n", "no results"}, {head + "\nzen,circle,wifi-bad\n", "line 2"},
		{head + "\nnowhere,circle,wifi-bad,rewind,1,0,0,0,0,0,0,0\n", "line 2: no scene"},
		{head + "\nzen,circle,wifi-bad,rewind,x,0,0,0,0,0,0,0\n", "line 2: seed"},
		{head + "\nzen,circle,nowhere,rewind,1,0,0,0,0,0,0,0\n", "line 2: network nowhere"},
		{head + "\nzen,circle,wifi-bad,rewind,1,NaN,0,0,0,0,0,0\n", "line 2: key_to_screen_ms"},
	} {
		if _, err := Read(strings.NewReader(x[0]), describe); err == nil || !strings.Contains(err.Error(), x[1]) {
			t.Errorf("%q: %v, want %s", x[0], err, x[1])
		}
	}
}

// TestNetworkDifferences checks that all differences of the measured network are said, not only where it is better.
func TestNetworkDifferences(t *testing.T) {
	e := evidence(t, rows{"rewind " + plain})
	n := &e.Networks[0].Conditions
	n.Up.Jitter, n.Down.Jitter = n.Up.Jitter-1e6, n.Down.Jitter-1e6
	text := strings.Join(advised(t, e, "--network wifi-bad,bandwidth=1mbit").Measured, "\n")
	for _, want := range []string{"The measured one has 1ms less jitter: the figures may promise too much.",
		"spike=150ms,bandwidth=1000000, the measured one shape="} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}

// TestNothingFits checks that an advice without recommendations says which rules exclude, what misses least and by how much,
// and how to measure the game itself.
func TestNothingFits(t *testing.T) {
	e := evidence(t, rows{"rewind 0 0 0 0 512 0", "historyoffset 0 0 0 0 300 0", "snapshot 34 0 0 0 10 0", "lockstep 0 0 0 0 999 0"})
	a := advised(t, e, "--bandwidth 256 --players 30 --bodies 30 --network wifi-bad")
	got := strings.Join(append(a.Nearest, a.Own...), "\n")
	want := `Of 4 panes, the answer to a key in time alone excludes 1, the limit of bandwidth alone excludes 2.
Nearest is historyoffset: 300 ± 0 kbit/s down, 1.17 times the limit of 256 kbit/s.
Then rewind: 512 ± 0 kbit/s down, 2 times the limit of 256 kbit/s.
Then snapshot: keys show after 34 ms, 2 times the limit of 17 ms.
ghostcube sweep --panes 'historyoffset:snapshot-every=1|2|4,rewind:snapshot-every=1|2|4,snapshot' --networks 'wifi-bad' ` +
		`--scenes crowd:walkers=29 --tapes circle --seconds 8 --seeds 5 -o own
ghostcube advise --players 30 --bodies 30 --touches own --bandwidth 256 --network wifi-bad --own-player at-once --deterministic no ` +
		`--cheating yes --results own`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if a := advised(t, e, "--bandwidth 256 --players 2 --bodies 67 --network wifi-bad"); a.Own != nil {
		t.Errorf("it was measured, and yet %q", a.Own)
	}
}
