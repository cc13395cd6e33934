//go:build !js || headless

package cli

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/internal/golden"
	"ghostcube/ui/advise"
	"ghostcube/ui/plan"
	"ghostcube/ui/sweep"
)

// evidenceFolder has the plan and the results that advise knows.
const evidenceFolder = "../advise"

// adviceOf returns the advice for flags.
func adviceOf(t *testing.T, flags ...string) *advice {
	t.Helper()
	x := &advice{}
	need(json.Unmarshal([]byte(printed(t, append([]string{"advise", "--format", "json"}, flags...)...)), x))
	return x
}

// panes returns the recommended panes without the knob that takes determinism away.
func (a *advice) panes() (list []string) {
	for _, c := range a.Best {
		list = append(list, strings.TrimSuffix(c.Pane, ":contact-order=reordered"))
	}
	return list
}

// adviceRow matches a game of the table of advice in choosing.md: its name, its flags and the answer.
var adviceRow = regexp.MustCompile("(?m)^\\| ([a-zA-Z -]+) \\| `(--[^`]+)` \\| (`[^|]+`) \\|$")

// chosenRow matches a game of the table of figures in choosing.md: its name and its pane.
var chosenRow = regexp.MustCompile("(?m)^\\| \\*\\*([a-zA-Z -]+)\\*\\*.* \\| `([a-z-]+)[^`|]*` \\| ")

// TestAdviceForGames checks that docs/choosing.md has the advice for each of its games, and which pane it puts first or says
// that another one is.
func TestAdviceForGames(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	text := string(must(os.ReadFile("../../docs/choosing.md")))
	chosen := map[string]string{}
	for _, m := range chosenRow.FindAllStringSubmatch(text, -1) {
		chosen[m[1]] = m[2]
	}
	rows := adviceRow.FindAllStringSubmatch(text, -1)
	if len(rows) != 10 || len(chosen) != 10 {
		t.Fatalf("advice for %d of %d games, want 10", len(rows), len(chosen))
	}
	for _, m := range rows {
		x := adviceOf(t, strings.Fields(m[2])...)
		if got := "`" + strings.Join(x.panes(), "`, `") + "`"; got != m[3] {
			t.Errorf("%s, %s: the page has %s, want %s", m[1], m[2], m[3], got)
		}
		var first []string // strategies and presets
		for _, pane := range append(x.Best[0].Same, x.Best[0].Pane) {
			name, _, _ := strings.Cut(pane, ":")
			first = append(first, name)
		}
		if !slices.Contains(first, chosen[m[1]]) && chosen[m[1]] != "" && !strings.Contains(text, "**"+m[1]+"**: ") {
			t.Errorf("%s: the page chooses %s, the advice begins with %s, and the page does not say why", m[1], chosen[m[1]], first)
		}
		if chosen[m[1]] == "" {
			t.Errorf("%s is in the table of advice alone", m[1])
		}
	}
}

// TestAdviceOpens checks that the command and the link of each recommendation open it beside another one, on the network that
// was asked for.
func TestAdviceOpens(t *testing.T) {
	t.Parallel()
	x := adviceOf(t, "--players", "4", "--touches", "objects", "--network", "wifi-bad,loss=5%", "--deterministic", "yes")
	if len(x.Best) != 3 {
		t.Fatalf("%d recommendations", len(x.Best))
	}
	for i, c := range x.Best {
		p := testProgram(t)
		session := must(p.planLink(must(plan.ParseLink(c.Link))))
		if len(session.Panes) != 2 || session.Panes[0] != p.library.ExpandSpec(c.Pane) || session.TapeName != "four-players" ||
			session.Settings.Scene != "katamari:cubes=200:players=4" || session.Config.Network.Up.Loss != 0.05 {
			t.Errorf("%d: %v of %s in %s on %s", i, session.Panes, session.TapeName, session.Settings.Scene, session.Settings.Network)
		}
		words := strings.Fields(c.Command)
		var short arguments
		parser := must(p.newParser(&short))
		if _, err := parser.Parse(words[1:]); err != nil {
			t.Errorf("%s: %v", c.Command, err)
		}
		if again := must(p.newPlan(short.Run.SessionFlags, "")); again.Settings != session.Settings {
			t.Errorf("%s opens %+v, %s %+v", c.Command, again.Settings, c.Link, session.Settings)
		}
	}
}

// TestAdviceReproduces checks that the command of a recommendation gives its figures, which the evidence has with four digits.
func TestAdviceReproduces(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	x := adviceOf(t, strings.Fields("--players 1 --bodies 3 --touches ships --network wifi-bad --own-player later")...)
	command, ok := strings.CutPrefix(x.Best[0].Measure, "ghostcube ")
	if !ok || !strings.Contains(command, "--tape jump-off") || !strings.HasSuffix(command, " --seconds 8 --seeds 3") {
		t.Fatal(x.Best[0].Measure)
	}
	var bench struct {
		Panes []struct{ Score map[string]meanInterval }
	}
	need(json.Unmarshal([]byte(printed(t, append(strings.Fields(command), "--format", "json")...)), &bench))
	for _, f := range x.Best[0].Figures {
		if v, ok := bench.Panes[0].Score[f.Name]; ok && f.Seeds > 0 && math.Abs(*v.Mean-f.Mean) > 1e-3*math.Abs(f.Mean) {
			t.Errorf("%s gives %s %v, want %v", command, f.Name, *v.Mean, f.Mean)
		}
	}
}

// TestEvidenceLengths checks that the evidence knows how long its sessions were, as the plans have it.
func TestEvidenceLengths(t *testing.T) {
	t.Parallel()
	p := testProgram(t)
	e := must(advise.ReadBuiltIn(&p.library))
	for _, name := range []string{"evidence.toml", "alone.toml", "ships.toml"} {
		s := must(plan.ReadSweep(&p.library, filepath.Join(evidenceFolder, name)))
		for i := range e.Settings {
			at := &e.Settings[i]
			alone := strings.HasPrefix(at.Scene, "katamari:cubes=0") // the scenes of alone.toml, which names some
			if slices.Contains(s.Tapes, at.Tape) && alone == (len(s.Scenes) > 0) && at.Seconds != s.Session.Seconds {
				t.Errorf("%s in %s: %g s, %s has %g", at.Tape, at.Scene, at.Seconds, name, s.Session.Seconds)
			}
		}
	}
}

// TestAdviceFormats checks what each format has, and which answers are assumed.
func TestAdviceFormats(t *testing.T) {
	t.Parallel()
	flags := []string{"advise", "--players", "200", "--network", "latency=400ms", "--bandwidth", "300"}
	x := adviceOf(t, flags[1:]...)
	if len(x.Assumed) != 5 || !strings.Contains(x.Command, "--players 200") || !strings.Contains(x.Command, "--cheating yes") {
		t.Errorf("%q, %s", x.Assumed, x.Command)
	}
	for format, marks := range map[string][]string{
		"text":     {"Assumed", "Rules that exclude", "Order of the others", "Excluded", "Where the evidence ends", "Nothing was measured with 200"},
		"markdown": {"# Advice", x.Command, "## Rules that exclude", "## Where the evidence ends", "Nothing was measured with 200"},
	} {
		out := printed(t, append(flags, "--format", format)...)
		for _, mark := range marks {
			if !strings.Contains(out, mark) {
				t.Errorf("%s lacks %s:\n%s", format, mark, out)
			}
		}
		for _, c := range x.Best {
			if !strings.Contains(out, c.Command) || !strings.Contains(out, c.Link) || !strings.Contains(out, c.Figures[0].Name[:3]) && format == "json" {
				t.Errorf("%s lacks command or link of %s", format, c.Pane)
			}
		}
	}
	if out := printed(t, "advise", "--bandwidth", "1"); !strings.Contains(out, "Nothing that was measured keeps to all rules") ||
		!strings.Contains(out, "kbit/s down: want at most 1") || !strings.Contains(out, "\n  ghostcube sweep --panes ") {
		t.Error(out)
	}
}

// TestAdviceErrors checks that a bad answer gives exit code 2, the allowed values and the nearest name.
func TestAdviceErrors(t *testing.T) {
	t.Parallel()
	refused(t, "--touches: no answer \"ship\" (there are own, objects, one-thing, ships); did you mean ships?", "advise", "--touches", "ship")
	refused(t, "did you mean soon?", "advise", "--own-player", "son")
	refused(t, "(there are yes, no)", "advise", "--deterministic", "perhaps")
	refused(t, "did you mean wifi-bad?", "advise", "--network", "wifi-bda")
	refused(t, "--players: want a whole number from 1 to 10000", "advise", "--players", "0")
	refused(t, "--bandwidth: want a number", "advise", "--bandwidth", "NaN")
	refused(t, "did you mean markdown?", "advise", "--format", "markdwn", "--players", "2")
	refused(t, "--results: open", "advise", "--players", "2", "--results", t.TempDir())
	refused(t, "want the game as flags", "advise")
}

// TestAsksForGame checks that the questions come one by one, that a bad answer is asked for again, and that an empty one is
// the fallback.
func TestAsksForGame(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	g, answers, err := askGame(strings.NewReader("4\n200\nobject\nobjects\n\n3g\n\nno\nno\n"), &out)
	if err != nil || g.Players != 4 || g.Touches != advise.Objects || g.Network != "3g" || g.OwnPlayer != advise.AtOnce || g.Cheating ||
		len(answers) != len(advise.Questions) || answers[3] != "" {
		t.Errorf("%+v, %q, %v", g, answers, err)
	}
	if text := out.String(); !strings.Contains(text, "did you mean objects?") || strings.Count(text, "--touches") != 2 {
		t.Error(text)
	}
	if _, _, err := askGame(strings.NewReader("4\n"), &out); err == nil {
		t.Error("the answers end early")
	}
}

// TestAdviceFromResults checks that the results of another sweep count, and that a changed figure changes the order.
func TestAdviceFromResults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(text string) []string {
		need(os.WriteFile(filepath.Join(dir, sweep.ResultsCSV), []byte(text), 0o600))
		return adviceOf(t, "--results", dir, "--players", "2", "--deterministic", "yes").panes()
	}
	rows := must(advise.Rows(advise.BuiltIn))
	before := write(csvText(rows))
	if want := adviceOf(t, "--players", "2", "--deterministic", "yes").panes(); !slices.Equal(before, want) {
		t.Errorf("%v of a copy, want %v", before, want)
	}
	pane, pops := slices.Index(rows[0], "pane"), slices.Index(rows[0], string(advise.Pops))
	for _, row := range rows[1:] {
		if row[pane] == before[0] {
			row[pops] = "500"
		}
	}
	if after := write(csvText(rows)); after[0] != before[1] {
		t.Errorf("%v after %s pops: it was %v", after, before[0], before)
	}
}

// csvText returns rows as a results.csv has them.
func csvText(rows [][]string) string {
	var b strings.Builder
	need(csv.NewWriter(&b).WriteAll(rows))
	return b.String()
}

// reduceResults returns the columns of results that the evidence has, with four digits.
func reduceResults(text string) (reduced [][]string) {
	rows := must(csv.NewReader(strings.NewReader(text)).ReadAll())
	for i, row := range rows {
		var out []string
		for _, name := range advise.SessionColumns {
			out = append(out, row[slices.Index(rows[0], name)])
		}
		for _, m := range advise.Measures {
			cell := row[slices.Index(rows[0], string(m))]
			if v, err := strconv.ParseFloat(cell, 64); err == nil && i > 0 {
				cell = strconv.FormatFloat(must(strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)), 'f', -1, 64)
			}
			out = append(out, cell)
		}
		reduced = append(reduced, out)
	}
	return reduced
}

// byColumn returns rows as advise.Rows reads them. They have every pane in every setting, on every network and with every
// seed, in this order of the columns.
func byColumn(rows [][]string) string {
	var b strings.Builder
	names := func(kind string, from, to int) (list []string) {
		for _, row := range rows[1:] {
			if text := strings.Join(row[from:to], " "); !slices.Contains(list, text) {
				list = append(list, text)
				fmt.Fprintf(&b, "%s %s\n", kind, text)
			}
		}
		return list
	}
	settings, networks, panes, seeds := names("setting", 0, 2), names("network", 2, 3), names("pane", 3, 4), names("seed", 4, 5)
	for i, m := range advise.Measures {
		b.WriteString(string(m) + "\n")
		for s := range settings {
			for p := range panes {
				var line []string
				for n := range networks {
					for k := range seeds {
						value := rows[1+((s*len(networks)+n)*len(panes)+p)*len(seeds)+k][len(advise.SessionColumns)+i]
						line = append(line, cmp.Or(value, "-"))
					}
				}
				b.WriteString(strings.Join(line, " ") + "\n")
			}
		}
	}
	return b.String()
}

// TestEvidence checks that the evidence is what its plans give: all of it with GHOSTCUBE_LONG, else the sessions on the moving
// floor with one network and seed. With GHOSTCUBE_LONG and -update it writes the evidence.
func TestEvidence(t *testing.T) {
	t.Parallel()
	if experiment.Brief() {
		t.Skip("runs sessions of all strategies")
	}
	run := func(planFile string, flags ...string) [][]string {
		out := filepath.Join(t.TempDir(), "out")
		printed(t, append([]string{"sweep", filepath.Join(evidenceFolder, planFile), "-o", out}, flags...)...)
		return reduceResults(string(must(os.ReadFile(filepath.Join(out, sweep.ResultsCSV)))))
	}
	if experiment.Long() {
		all := byColumn(slices.Concat(run("evidence.toml"), run("alone.toml")[1:], run("ships.toml")[1:]))
		if golden.Updating() {
			need(os.WriteFile(filepath.Join(evidenceFolder, "evidence.txt"), []byte(all), 0o600))
		} else if all != advise.BuiltIn {
			t.Errorf("the evidence has %d bytes, and its plans give %d others", len(advise.BuiltIn), len(all))
		}
		return
	}
	known := must(advise.Rows(advise.BuiltIn))
	for _, row := range run("evidence.toml", "--tapes", "jump-off", "--networks", "wifi-bad", "--seeds", "1") {
		if !slices.ContainsFunc(known, func(k []string) bool { return slices.Equal(k, row) }) {
			t.Errorf("the evidence lacks %s", row)
		}
	}
}

// TestEvidenceByColumn checks that the evidence is what TestEvidence writes of its rows.
func TestEvidenceByColumn(t *testing.T) {
	t.Parallel()
	if byColumn(must(advise.Rows(advise.BuiltIn))) != advise.BuiltIn {
		t.Error("other text")
	}
}
