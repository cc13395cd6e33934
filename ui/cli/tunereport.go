//go:build !js || headless

package cli

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"ghostcube/internal/statistics"
	"ghostcube/ui/plan"
	"ghostcube/ui/tune"
)

// tuneReport is what a search has come to.
type tuneReport struct {
	Version   string           `json:"version"`
	Start     string           `json:"start"` // spec
	Networks  []string         `json:"networks"`
	Tapes     []string         `json:"tapes"`
	Scenes    []string         `json:"scenes,omitempty"` // empty: that of each tape
	Objective string           `json:"objective"`
	Limits    []string         `json:"limits"`
	Seeds     int              `json:"seeds"`
	FirstSeed uint64           `json:"first_seed"`
	Sessions  int              `json:"sessions"` // of the search
	Effects   []tuneEffect     `json:"effects"`
	NoEffect  []string         `json:"no_effect"` // knobs that change nothing in any session
	Front     []tuneSettings   `json:"front"`
	Best      string           `json:"best"` // spec
	Kept      bool             `json:"keeps_limits"`
	Changes   []tuneEffect     `json:"changes"` // what each change of the best is worth beside the others
	Search    []tuneDifference `json:"search"`  // best minus start, with the seeds of the search
	Test      []tuneTest       `json:"test"`    // empty: there was none
	Lost      *meanInterval    `json:"lost"`    // of the gain, with other seeds; null: there was no test
	Needed    int              `json:"seeds_for_precision"`
	Precision float64          `json:"precision_percent"`

	Interrupted bool `json:"interrupted"` // Best is the best so far

	task     *tuneTask
	settings []string            // of the best
	gains    statistics.Interval // of the search
}

// tuneEffect is what the change of a knob does to each measure.
type tuneEffect struct {
	Knob        string         `json:"knob"`
	From        string         `json:"from"`
	To          string         `json:"to"`
	Differences []meanInterval `json:"differences"` // of the objective and the measures of the limits
	Clear       bool           `json:"clear"`       // that of the objective, corrected for the number of knobs
}

// tuneSettings is a point of the front.
type tuneSettings struct {
	Settings []string       `json:"settings"`
	Means    []meanInterval `json:"means"`
	Keeps    bool           `json:"keeps_limits"`
}

// tuneDifference is a measure of the start and the best settings.
type tuneDifference struct {
	Network    string       `json:"network"`
	Tape       string       `json:"tape"`
	Scene      string       `json:"scene,omitempty"` // empty: that of the tape
	Measure    string       `json:"measure"`
	Start      *float64     `json:"start"`
	Best       *float64     `json:"best"`
	Difference meanInterval `json:"difference"`
	Limit      *float64     `json:"limit"` // null: there is none
	Verdict    tune.Verdict `json:"limit_verdict,omitempty"`
}

// tuneTest is a test with other seeds.
type tuneTest struct {
	FirstSeed uint64           `json:"first_seed"`
	Seeds     int              `json:"seeds"`
	NewTapes  bool             `json:"new_tapes"`
	Gain      meanInterval     `json:"objective_difference"` // mean of all networks and tapes
	Each      []tuneDifference `json:"each"`
	Others    []tuneOther      `json:"other_measures"` // those that differ
}

// number returns a pointer to a number, nil for NaN.
func number(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

// newTuneReport returns the report of a search, before its test.
func newTuneReport(t *tuneTask, p *tune.Problem, o *tune.Outcome) *tuneReport {
	r := &tuneReport{Version: Version, Start: t.spec(o.Start.Point), Networks: t.Networks, Tapes: t.tapes, Scenes: t.Scenes, Objective: t.Objective,
		Limits: slices.Clone(t.Limits), Seeds: o.Best.Seeds, FirstSeed: t.firstSeed, Sessions: o.Sessions, Best: t.spec(o.Best.Point),
		Kept: p.Excess(o.Best, o.Start, o.Best.Seeds) == 0, Precision: t.Precision, task: t, settings: t.settings(o.Best.Point)}
	var of []tune.Effect
	for _, e := range o.Effects {
		if e.None {
			r.NoEffect = append(r.NoEffect, t.space.Knobs[e.Knob].Name)
		} else {
			of = append(of, e)
		}
	}
	r.Effects, r.Changes = t.effects(p, of), t.effects(p, o.Undone)
	slices.SortStableFunc(r.Effects, func(a, b tuneEffect) int { return cmp.Compare(a.Differences[0].size(), b.Differences[0].size()) })
	slices.Reverse(r.Effects)
	for _, c := range o.Front {
		x := tuneSettings{Settings: t.settings(c.Point), Keeps: p.Excess(c, o.Start, c.Seeds) == 0}
		for m := range t.measures {
			x.Means = append(x.Means, intervalOf(p.Mean(c, m)))
		}
		r.Front = append(r.Front, x)
	}
	r.gains = p.Difference(o.Best, o.Start, 0)
	r.Search = t.differences(p, t.tapes, o.Start, o.Best)
	start := p.Mean(o.Start, 0).Mean
	if r.gains.N >= 2 && start != 0 {
		r.Needed = r.gains.NeededSeeds(math.Abs(start) * t.Precision / 100)
	}
	return r
}

// intervalOf returns an interval for a report.
func intervalOf(i statistics.Interval) meanInterval {
	m := meanInterval{N: i.N}
	if i.N > 0 {
		m.Mean = number(i.Mean)
	}
	if i.N > 1 {
		m.Low, m.High = number(i.Low), number(i.High)
	}
	return m
}

// size returns the distance of the mean from 0, or -1 without a mean.
func (m *meanInterval) size() float64 {
	if m.Mean == nil {
		return -1
	}
	return math.Abs(*m.Mean)
}

// effects returns the effects of knobs for a report.
func (t *tuneTask) effects(p *tune.Problem, list []tune.Effect) (rows []tuneEffect) {
	var chances []float64
	for _, e := range list {
		x := tuneEffect{Knob: t.space.Knobs[e.Knob].Name, From: e.From, To: e.To}
		for m := range t.measures {
			x.Differences = append(x.Differences, intervalOf(p.Difference(e.Of, e.Than, m)))
		}
		chances = append(chances, p.Difference(e.Of, e.Than, 0).PValue())
		rows = append(rows, x)
	}
	for i, refuted := range statistics.Holm(chances, 0.05) {
		rows[i].Clear = refuted
	}
	return rows
}

// differences compares the best settings with the start in every setting of a problem with some tapes.
func (t *tuneTask) differences(p *tune.Problem, tapes []string, start, best *tune.Candidate) (rows []tuneDifference) {
	seeds := min(start.Seeds, best.Seeds)
	for setting := range p.Settings {
		network, tape, scene := t.place(setting, tapes)
		for m := range t.measures {
			x := tuneDifference{Network: network, Tape: plan.TapeTitle(tape), Scene: scene, Measure: t.measures[m].name,
				Start: number(p.MeanIn(start, m, setting, seeds)), Best: number(p.MeanIn(best, m, setting, seeds)),
				Difference: intervalOf(p.DifferenceIn(best, start, m, setting))}
			if m > 0 {
				x.Limit, x.Verdict = number(p.LimitIn(start, m-1, setting, seeds)), p.VerdictIn(best, start, m-1, setting)
			}
			rows = append(rows, x)
		}
	}
	return rows
}

// addTest adds a test with other seeds.
func (r *tuneReport) addTest(t *tuneTask, tapes []string, start, best *tune.Candidate, others []tuneOther) {
	p := t.problem(tapes)
	gain := p.Difference(best, start, 0)
	x := tuneTest{FirstSeed: t.testSeed(), Seeds: start.Seeds, NewTapes: len(r.Test) > 0, Gain: intervalOf(gain),
		Each: t.differences(p, tapes, start, best), Others: others}
	r.Test = append(r.Test, x)
	if !x.NewTapes {
		lost := intervalOf(statistics.MeanDifference(gain, r.gains))
		r.Lost = &lost
	}
}

// write prints the report in a format.
func (r *tuneReport) write(out io.Writer, format string) error {
	switch format {
	case "json":
		return writeJSON(out, r)
	case "csv":
		return r.writeCSV(out)
	}
	return r.writeText(out)
}

// text formats an interval of measure m.
func (r *tuneReport) text(m int, i meanInterval) string {
	x := seedMeasure{digits: r.task.measures[m].digits, meanInterval: i}
	return x.text()
}

// titles returns the titles of the measures.
func (r *tuneReport) titles() (list []string) {
	for _, m := range r.task.measures {
		list = append(list, m.title)
	}
	return list
}

// writeText prints the report for a terminal.
func (r *tuneReport) writeText(out io.Writer) error {
	t := r.task
	tapes := tapeIn(strings.Join(r.Tapes, ", "), strings.Join(r.Scenes, ", "))
	fmt.Fprintf(out, "%s, %s, tape %s: lowest %s", r.Start, strings.Join(r.Networks, "; "), tapes, r.Objective)
	if len(r.Limits) > 0 {
		fmt.Fprintf(out, " with %s", strings.Join(r.Limits, " and "))
	}
	fmt.Fprintf(out, "\n%s; differences are means of paired ones ± half their 95 %% interval\n", plural(r.Sessions, "session"))
	if err := r.writeEffects(out, "\nEach knob alone, at the value with the largest effect (*: significant at 5 % by Holm)\n\n", r.Effects); err != nil {
		return err
	}
	if len(r.NoEffect) > 0 {
		fmt.Fprintf(out, "\n%s\n", wrapText("No effect alone in any session: "+strings.Join(r.NoEffect, ", ")+"."))
	}
	if len(r.Front) > 0 {
		fmt.Fprintf(out, "\nPareto front of the points measured with %d seeds\n\n", t.Seeds)
		table := newTextTable(out)
		table.row(append(upper(r.titles()), "LIMITS", "SETTINGS")...)
		for i := range r.Front {
			x := &r.Front[i]
			var row []string
			for m := range x.Means {
				row = append(row, r.text(m, x.Means[m]))
			}
			table.row(append(row, keptText(x.Keeps), strings.Join(x.Settings, " "))...)
		}
		if err := table.close(); err != nil {
			return err
		}
	}
	if r.Best != r.Start && r.Interrupted && len(r.Test) == 0 {
		fmt.Fprintln(out, "\nBest so far: "+r.Best)
		return nil
	}
	if r.Best == r.Start {
		fmt.Fprintln(out, "\nNothing was found that is better than the start by more than the interval.")
		return r.writeStart(out)
	}
	best := "Best"
	if !r.Kept {
		best = "Nearest to the limits, which nothing that was found keeps"
	}
	if err := r.writeEffects(out, "\n"+best+": "+r.Best+"\nEach change beside the others\n\n", r.Changes); err != nil {
		return err
	}
	if err := r.writeDifferences(out, fmt.Sprintf("\nSearch, seeds %d to %d\n\n", r.FirstSeed, r.FirstSeed+uint64(r.Seeds)-1), r.Search); err != nil {
		return err
	}
	for i := range r.Test {
		x := &r.Test[i]
		kind := "tapes of the search"
		if x.NewTapes {
			kind = "other tapes"
		}
		if err := r.writeDifferences(out, fmt.Sprintf("\nTest, %s, seeds %d to %d\n\n", kind, x.FirstSeed, x.FirstSeed+uint64(x.Seeds)-1), x.Each); err != nil {
			return err
		}
		fmt.Fprintf(out, "\n%s, best minus start: %s\n", t.measures[0].title, r.text(0, x.Gain))
		if err := r.writeOthers(out, x.Others); err != nil {
			return err
		}
	}
	r.writeSummary(out)
	return nil
}

// keptText says whether limits are kept.
func keptText(keeps bool) string {
	if keeps {
		return string(tune.Kept)
	}
	return string(tune.Exceeded)
}

// tapeIn names a tape, and the scene if it is not its own.
func tapeIn(tape, scene string) string {
	if scene == "" {
		return tape
	}
	return tape + " in " + scene
}

// writeEffects prints a table of effects.
func (r *tuneReport) writeEffects(out io.Writer, heading string, list []tuneEffect) error {
	if len(list) == 0 {
		return nil
	}
	fmt.Fprint(out, heading)
	table := newTextTable(out)
	table.row(append([]string{"KNOB", "FROM", "TO"}, upper(r.titles())...)...)
	for i := range list {
		x := &list[i]
		row := []string{x.Knob, x.From, x.To}
		for m := range x.Differences {
			row = append(row, r.text(m, x.Differences[m]))
		}
		if x.Clear {
			row[3] += " *"
		}
		table.row(row...)
	}
	return table.close()
}

// writeDifferences prints a table of differences.
func (r *tuneReport) writeDifferences(out io.Writer, heading string, list []tuneDifference) error {
	fmt.Fprint(out, heading)
	table := newTextTable(out)
	table.row("NETWORK", "TAPE", "MEASURE", "START", "BEST", "DIFFERENCE", "LIMIT")
	for i := range list {
		x := &list[i]
		m := &r.task.measures[i%len(r.task.measures)]
		table.row(x.Network, tapeIn(x.Tape, x.Scene), m.title, orDash(x.Start, m.digits), orDash(x.Best, m.digits),
			r.text(i%len(r.task.measures), x.Difference), x.limitText(m))
	}
	return table.close()
}

// limitText returns a limit and its verdict.
func (d *tuneDifference) limitText(m *tuneMeasure) string {
	if d.Limit == nil {
		return ""
	}
	return fixed(*d.Limit, m.digits) + " " + string(d.Verdict)
}

// writeStart prints the values of the start, if nothing is better.
func (r *tuneReport) writeStart(out io.Writer) error {
	fmt.Fprintf(out, "\nThe start, seeds %d to %d\n\n", r.FirstSeed, r.FirstSeed+uint64(r.Seeds)-1)
	table := newTextTable(out)
	table.row("NETWORK", "TAPE", "MEASURE", "START", "LIMIT")
	for i := range r.Search {
		x, m := &r.Search[i], &r.task.measures[i%len(r.task.measures)]
		table.row(x.Network, tapeIn(x.Tape, x.Scene), m.title, orDash(x.Start, m.digits), x.limitText(m))
	}
	return table.close()
}

// exceeded returns the names of the measures whose limits are exceeded in the search.
func (r *tuneReport) exceeded() (list []string) {
	for i := range r.Search {
		if x := &r.Search[i]; x.Limit != nil && x.Verdict != tune.Kept && !slices.Contains(list, x.Measure) {
			list = append(list, x.Measure)
		}
	}
	return list
}

// writeCSV prints the report as comma-separated values, a row for each measure of each part. Unknown values are empty.
func (r *tuneReport) writeCSV(out io.Writer) error {
	w := csv.NewWriter(out)
	text := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'g', -1, 64)
	}
	row := func(part, settings, network, tape, measure string, i meanInterval, limit string) {
		_ = w.Write([]string{part, settings, network, tape, measure, strconv.Itoa(i.N), text(i.Mean), text(i.Low), text(i.High), limit})
	}
	_ = w.Write([]string{"part", "settings", "network", "tape", "measure", "n", "mean", "low95", "high95", "limit"})
	for _, part := range []struct {
		name string
		list []tuneEffect
	}{{"effect", r.Effects}, {"change", r.Changes}} {
		for _, e := range part.list {
			for m, i := range e.Differences {
				row(part.name, e.Knob+"="+e.To, "", "", r.task.measures[m].name, i, "")
			}
		}
	}
	for _, x := range r.Front {
		for m, i := range x.Means {
			row("front", strings.Join(x.Settings, " "), "", "", r.task.measures[m].name, i, keptText(x.Keeps))
		}
	}
	each := func(part string, list []tuneDifference) {
		for _, x := range list {
			row(part, r.Best, x.Network, tapeIn(x.Tape, x.Scene), x.Measure, x.Difference, string(x.Verdict))
		}
	}
	each("search", r.Search)
	for _, x := range r.Test {
		each("test", x.Each)
		for _, o := range x.Others {
			row("other", r.Best, "", "", o.Measure, o.Difference, "")
		}
	}
	if r.Lost != nil {
		row("lost", r.Best, "", "", r.Objective, *r.Lost, "")
	}
	w.Flush()
	return w.Error() // the first error of all writes
}

// writePreset writes the best settings as a preset into a new file.
func (r *tuneReport) writePreset(name string) error {
	t := r.task
	var b strings.Builder
	fmt.Fprintf(&b, "# Found by ghostcube tune (%s), from %s.\n# Networks: %s. Tapes: %s.\n", Version, r.Start,
		strings.Join(r.Networks, "; "), strings.Join(r.Tapes, ", "))
	if len(r.Test) == 0 {
		b.WriteString("# Not tested with other seeds.\n")
	}
	for _, x := range r.Test {
		fmt.Fprintf(&b, "# Other seeds (%d), new tapes %t: %s, best minus start, %s.\n", x.Seeds, x.NewTapes, t.measures[0].title, r.text(0, x.Gain))
	}
	goal := r.Objective
	if len(r.Limits) > 0 {
		goal += " with " + strings.Join(r.Limits, ", ")
	}
	title := []rune(t.strategy + ", tuned: " + r.Objective)
	doc := []rune("Settings of " + t.strategy + " that a search has found for the lowest " + goal + ".")
	fmt.Fprintf(&b, "title = %q\ndoc = %q\nstrategy = %q\nknobs = [", string(title[:min(len(title), plan.MaxTitle)]),
		string(doc[:min(len(doc), plan.MaxPresetDoc)]), t.strategy)
	for i, knob := range r.settings {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", knob)
	}
	b.WriteString("]\n")
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	_, err = io.WriteString(f, b.String())
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}
