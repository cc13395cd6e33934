package sweep

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ghostcube/internal/statistics"
)

// reportColumns are the columns of the tests' reports.
var reportColumns = []Column{
	{Name: responseMeasure, Title: "key to screen, ms", Digits: 1, Leads: true},
	{Name: smoothnessMeasure, Title: "pops per minute", Digits: 0, Leads: true},
	{Name: bandwidthMeasure, Title: "bandwidth down, kbit/s", Digits: 0, Leads: true},
	{Name: "rtt_ms", Title: "RTT, ms"},
}

// newTestReport returns the report of two tapes and three seeds, of panes whose figures values returns.
func newTestReport(t *testing.T, panes []string, values func(pane, tape string, seed uint64) map[string]float64) *report {
	t.Helper()
	p := &Plan{Panes: panes, Baseline: panes[0], FirstSeed: 1, Seeds: 3}
	s := must(Open(t.TempDir(), ours, true))
	for _, tape := range []string{"circle", "turns"} {
		for _, pane := range panes {
			q := Point{Key: pane + tape, Pane: pane, Scene: "zen", Tape: tape, Network: "4g", Command: "ghostcube bench --tape " + tape}
			p.Points = append(p.Points, q)
			for k := range uint64(p.Seeds) {
				if err := s.Add(&Cell{Key: CellKey(q.Key, 1+k), Seed: 1 + k, Values: values(pane, tape, 1+k)}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := s.Reload(); err != nil {
		t.Fatal(err)
	}
	r := must(newReport(s, p, reportColumns, ReportOptions{Program: ours, Precision: 0.05}))
	if err := errors.Join(s.WriteReport(p, reportColumns, ReportOptions{Program: ours, Precision: 0.05}), s.Close()); err != nil {
		t.Fatal(err)
	}
	if text := must(os.ReadFile(filepath.Join(s.dir, ReportHTML))); !bytes.HasSuffix(bytes.TrimSpace(text), []byte("</html>")) {
		t.Error("the report has no end")
	}
	return r
}

// TestReportPairsSeeds checks means over tapes, and that a difference pairs seeds: both panes vary by 100 ms from seed to
// seed, and differ by 10 ms always.
func TestReportPairsSeeds(t *testing.T) {
	r := newTestReport(t, []string{"slow", "quick"}, func(pane, tape string, seed uint64) map[string]float64 {
		v := map[string]float64{responseMeasure: 100 * float64(seed), smoothnessMeasure: 4, bandwidthMeasure: 50}
		if tape == "turns" {
			v[responseMeasure] += 20
		}
		if pane == "quick" {
			v[responseMeasure] -= 10
		}
		return v
	})
	if len(r.Sections) != 1 || len(r.Sections[0].Details) != 2 || len(r.Sections[0].Plots) != 2 || r.Cells != 12 || r.Comparisons != 3 {
		t.Fatalf("%+v", r)
	}
	rows := r.Sections[0].Table.Rows
	if c := rows[0].Cells[0]; c.Mean != "210.0" || c.Half != "248.4" || c.Difference != "" { // 4.303*100/sqrt(3)
		t.Errorf("%+v", c)
	}
	if c := rows[1].Cells[0]; c.Mean != "200.0" || c.Difference != "−10.0 ± 0.0" || !c.Holds {
		t.Errorf("%+v", c)
	}
	if c := rows[1].Cells[1]; c.Mean != "4" || c.Difference != "0 ± 0" || c.Holds {
		t.Errorf("%+v", c)
	}
	if rows[0].Front || !rows[1].Front {
		t.Errorf("the front: %v, %v", rows[0].Front, rows[1].Front)
	}
	if n := len(rows[1].Repeats); n != 2 || !strings.HasSuffix(rows[0].Needed, ", for key to screen") {
		t.Errorf("%d commands, %s", n, rows[0].Needed)
	}
}

// TestReportComparesEqualTapes checks that a mean is of the tapes in which every pane has a value, so that no pane looks
// better because it lacks the hard one.
func TestReportComparesEqualTapes(t *testing.T) {
	r := newTestReport(t, []string{"a", "b"}, func(pane, tape string, _ uint64) map[string]float64 {
		v := map[string]float64{responseMeasure: 10, smoothnessMeasure: 1, bandwidthMeasure: 50}
		if tape == "turns" {
			v[responseMeasure] = 1000
			if pane == "b" {
				delete(v, responseMeasure)
			}
		}
		return v
	})
	table := r.Sections[0].Table
	if a, b := table.Rows[0].Cells[0], table.Rows[1].Cells[0]; a.Mean != "10.0" || b.Mean != "10.0" {
		t.Errorf("%s and %s", a.Mean, b.Mean)
	}
	if len(table.Notes) != 1 || table.Notes[0] != "key to screen, ms: of 1 tape in which every pane has a value" {
		t.Errorf("%q", table.Notes)
	}
	if turns := r.Sections[0].Details[1].Rows; turns[0].Cells[0].Mean != "1000.0" || turns[1].Cells[0].Mean != "" {
		t.Errorf("by tape: %+v", turns)
	}
}

// TestFront checks that a pane which is worse in all is dominated, and that one which is better in one is not.
func TestFront(t *testing.T) {
	figures := map[string][3]float64{"all": {50, 5, 50}, "soon": {0, 100, 50}, "cheap": {100, 100, 1}, "bad": {60, 5, 50}, "same": {50, 5, 50}}
	r := newTestReport(t, []string{"all", "soon", "cheap", "bad", "same"}, func(pane, _ string, _ uint64) map[string]float64 {
		f := figures[pane]
		return map[string]float64{responseMeasure: f[0], smoothnessMeasure: f[1], bandwidthMeasure: f[2]}
	})
	for _, row := range r.Sections[0].Table.Rows {
		if row.Front == (row.Pane == "bad") {
			t.Errorf("%s: on the front: %v", row.Pane, row.Front)
		}
	}
}

// TestIncompleteRows checks that a pane without one of the front's measures has no circle, which would say that another pane is
// better, and that no line of a command ends within a flag.
func TestIncompleteRows(t *testing.T) {
	r := newTestReport(t, []string{"whole", "no-key", "no-pops"}, func(pane, _ string, _ uint64) map[string]float64 {
		v := map[string]float64{responseMeasure: 50, smoothnessMeasure: 5, bandwidthMeasure: 50}
		delete(v, map[string]string{"no-key": responseMeasure, "no-pops": smoothnessMeasure}[pane])
		return v
	})
	details := r.Sections[0].Details[0]
	for _, row := range details.Rows {
		if want := row.Pane == "whole"; row.Compared != want || row.Front != want {
			t.Errorf("%s: compared %t, on the front %t", row.Pane, row.Compared, row.Front)
		}
	}
	var b strings.Builder
	if err := reportTemplate.ExecuteTemplate(&b, "table", tableArguments{r, details}); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); strings.Count(text, `<i class="key`) != 1 || strings.Count(text, "<code>ghostcube bench <span>--tape</span> circle</code>") != 3 {
		t.Error(text)
	}
}

// TestNoPops checks that a report says that there are no pops, instead of drawing an empty front.
func TestNoPops(t *testing.T) {
	r := newTestReport(t, []string{"a", "b"}, func(string, string, uint64) map[string]float64 {
		return map[string]float64{responseMeasure: 50, smoothnessMeasure: 0, bandwidthMeasure: 50}
	})
	if plots := r.Sections[0].Plots; len(plots) != 1 || !strings.Contains(string(plots[0]), "No pops in any pane") {
		t.Errorf("%v", plots)
	}
}

// TestFrontIsOnTop checks that a point of the front which lies below another one in a plot is drawn over it.
func TestFrontIsOnTop(t *testing.T) {
	zero := statistics.Mean([]float64{0, 0})
	h, v := linearAxis("x", plotLeft, plotRight, 1), logAxis("y", plotBottom, plotTop, 1)
	text := string(drawPlot(&h, &v, []dot{{zero, zero, 1, true}, {zero, zero, 2, false}}))
	if front, other := strings.Index(text, `class="front"`), strings.Index(text, `class="dominated"`); other < 0 || front < other {
		t.Errorf("the front is drawn at %d, another point at %d", front, other)
	}
}
