//go:build !js || headless

package cli

import (
	"fmt"
	"io"
	"math"
	"slices"

	"ghostcube/internal/statistics"
	"ghostcube/ui/plan"
	"ghostcube/ui/tune"
)

// tuneOther is a measure without a limit that differs between the start and the best settings: the price, or a gain.
type tuneOther struct {
	Measure    string       `json:"measure"`
	Better     bool         `json:"better"`
	Start      float64      `json:"start"`
	Best       float64      `json:"best"`
	Difference meanInterval `json:"difference"` // of means over networks, tapes and scenes

	of tuneMeasure
}

// otherMeasures returns the measures that a search neither makes small nor limits.
func (t *tuneTask) otherMeasures() (list []tuneMeasure) {
	for _, column := range sweepColumns() {
		m, err := tuneMeasureNamed(column.Name)
		if err == nil && !slices.ContainsFunc(t.measures, func(x tuneMeasure) bool { return x.name == m.name }) {
			list = append(list, m)
		}
	}
	return list
}

// others compares measures of the start and the best settings, whose values are by seed and setting, and returns those that
// differ, corrected for their number. Sessions in which either has no value are left out.
func others(measures []tuneMeasure, start, best []float64, settings, seeds int) (list []tuneOther) {
	var all []tuneOther
	var chances []float64
	for m := range measures {
		var of [3][]float64 // start, best and difference of each seed
		for seed := range seeds {
			var sums [3]float64
			n := 0.0
			for setting := range settings {
				i := (seed*settings+setting)*len(measures) + m
				if d := best[i] - start[i]; !math.IsNaN(d) {
					n++
					sums[0], sums[1], sums[2] = sums[0]+start[i], sums[1]+best[i], sums[2]+d
				}
			}
			for i := range of {
				if n > 0 {
					of[i] = append(of[i], sums[i]/n)
				}
			}
		}
		d := statistics.Mean(of[2])
		all = append(all, tuneOther{Measure: measures[m].name, Better: d.Mean < 0, Start: statistics.Mean(of[0]).Mean,
			Best: statistics.Mean(of[1]).Mean, Difference: intervalOf(d), of: measures[m]})
		chances = append(chances, d.PValue())
	}
	for i, differs := range statistics.Holm(chances, 0.05) {
		if differs {
			list = append(list, all[i])
		}
	}
	return list
}

// writeOthers prints the measures without a limit that differ in a test.
func (r *tuneReport) writeOthers(out io.Writer, list []tuneOther) error {
	if len(list) == 0 {
		fmt.Fprintln(out, "No other measure differs.")
		return nil
	}
	fmt.Fprint(out, "\nOther measures that differ (by Holm at 5 %)\n\n")
	table := newTextTable(out)
	table.row("MEASURE", "", "START", "BEST", "DIFFERENCE")
	for i := range list {
		x := &list[i]
		verdict := "worse"
		if x.Better {
			verdict = "better"
		}
		row := seedMeasure{digits: x.of.digits, meanInterval: x.Difference}
		table.row(x.of.title, verdict, fixed(x.Start, x.of.digits), fixed(x.Best, x.of.digits), row.text())
	}
	return table.close()
}

// writeSummary prints the best settings, the loss with other seeds, and how to look at them.
func (r *tuneReport) writeSummary(out io.Writer) {
	t := r.task
	if r.Lost != nil {
		fmt.Fprintf(out, "\nBest minus start, %s: %s in the search", t.measures[0].title, r.text(0, intervalOf(r.gains)))
		for i := range r.Test {
			where := "with other seeds"
			if r.Test[i].NewTapes {
				where = "on other tapes"
			}
			fmt.Fprintf(out, ", %s %s", r.text(0, r.Test[i].Gain), where)
		}
		fmt.Fprintf(out, ".\nOther seeds against the search: %s; above 0 is lost.\n", r.text(0, *r.Lost))
	}
	if r.Needed > 0 {
		fmt.Fprintf(out, "For ±%v %% of the start's mean %s are enough.\n", r.Precision, plural(r.Needed, "seed"))
	}
	network, tape, scene := t.place(0, t.tapes)
	both := plan.Settings{Panes: r.Start + "," + r.Best, Network: network, Tape: tape, Scene: scene}
	fmt.Fprintf(out, "Side by side: ghostcube %s\n", both.CommandLine())
	if t.Out == "" {
		fmt.Fprintln(out, "-o FILE.toml writes a preset; with --cells DIR the same command only repeats what is new.")
	}
}

// place returns network, tape and scene of a setting of a search; the scene is empty if the tape's own is meant.
func (t *tuneTask) place(setting int, tapes []string) (network, tape, scene string) {
	if len(t.Scenes) > 0 {
		scene = t.Scenes[setting/(len(t.Networks)*len(tapes))]
	}
	return t.Networks[setting%len(t.Networks)], tapes[setting/len(t.Networks)%len(tapes)], scene
}

// settingsOf returns the number of settings with some tapes.
func (t *tuneTask) settingsOf(tapes []string) int {
	return len(t.Networks) * len(tapes) * max(len(t.Scenes), 1)
}

// test measures the start and the best settings with other seeds, on the tapes of the search and on others.
func (r *tuneRun) test(report *tuneReport, o *tune.Outcome) error {
	rest := r.otherMeasures()
	for _, tapes := range [][]string{r.tapes, r.testTapes} {
		points := []tune.Point{o.Start.Point, o.Best.Point}
		planned, err := r.cells("test", points, tapes, r.testSeed(), r.TestSeeds)
		if err != nil {
			return err
		}
		values, err := r.values(planned, len(points), r.measures)
		if err != nil {
			return err
		}
		more, err := r.values(planned, len(points), rest)
		if err != nil {
			return err
		}
		report.addTest(r.tuneTask, tapes, tune.Measured(points[0], values[0], r.TestSeeds), tune.Measured(points[1], values[1], r.TestSeeds),
			others(rest, more[0], more[1], r.settingsOf(tapes), r.TestSeeds))
	}
	return nil
}
