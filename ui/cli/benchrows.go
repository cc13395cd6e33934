package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ghostcube/predict/lab"
)

// benchGroup is a group of rows that bench prints without --all.
type benchGroup struct {
	heading string
	always  []string // names of measures, counters or traffic figures
	known   []string // rows that are left out where no pane has a value
	counted []string // those of them that are also left out where all are 0
	counts  string   // counter without which the group is left out; empty: never
}

// benchGroups follow the figures that lead every display of a pane.
var benchGroups = []benchGroup{
	{heading: "DELAY", always: []string{"display_delay_ms"}, known: []string{"longest_update_gap_ms"}},
	{heading: "MOTION", always: []string{"path_error_max_m", "path_error_rms_all_m", "largest_pop_m", "longest_freeze_ms", "jerk_ratio"},
		known: []string{"starved_ticks", "overshoot_m", "joint_separation_max_m", "path_error_in_parent_rms_m"}},
	{heading: "SHOTS", known: lab.ShotCounters, counts: lab.ShotCounters[0]},
	{heading: "SIMULATION", counted: []string{"repredictions"},
		known: []string{"corrections", "repredictions", "correction_mean_m", "resimulated_ticks_per_minute", "first_divergent_tick", "hash"}},
	{heading: "NETWORK", always: []string{"rtt_ms", "lost_up_ratio", "lost_down_ratio"}},
}

// leadingNames returns the names of the figures that lead every display of the panes.
func leadingNames(panes []*lab.Pane) (names []string) {
	for _, p := range panes {
		for _, m := range p.Headline(nil) {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	return names
}

// writeBrief prints the leading figures of a session and the most important others.
func (r *result) writeBrief(out io.Writer) error {
	s := mergeResults([]*result{r})
	s.heading, s.single, s.markdown = r.heading(fmt.Sprint("seed ", r.Seed)), true, r.markdown
	if err := s.writeBrief(out); err != nil {
		return err
	}
	if r.markdown {
		return nil
	}
	fmt.Fprintf(out, "\nbench --all prints all %d measures and the counters of each strategy.\n", len(r.Panes[0].Score))
	return nil
}

// writeBrief prints the leading figures of several sessions and the most important others.
func (s *seedsResult) writeBrief(out io.Writer) error {
	t := s.startTable(out)
	for _, name := range s.leading {
		t.row(s.cells(name)...)
	}
	blank := make([]string, len(s.Panes))
	for _, g := range benchGroups {
		var rows [][]string
		if g.counts != "" && !s.counted(g.counts) {
			continue
		}
		for _, name := range g.always {
			rows = append(rows, s.cells(name))
		}
		for _, name := range g.known {
			if slices.Contains(g.counted, name) && !s.counted(name) {
				continue
			}
			cells := s.cells(name)
			if slices.ContainsFunc(cells[1:], func(text string) bool { return text != "-" }) {
				rows = append(rows, cells)
			}
		}
		if len(rows) == 0 {
			continue
		}
		t.row(append([]string{""}, blank...)...)
		t.row(append([]string{g.heading}, blank...)...)
		for _, cells := range rows {
			t.row(cells...)
		}
	}
	return t.close()
}

// counted reports whether a counter of a pane is above 0.
func (s *seedsResult) counted(name string) bool {
	for i := range s.Panes {
		for _, m := range s.Panes[i].Counters {
			if m.name == name && m.Mean != nil && *m.Mean > 0 {
				return true
			}
		}
	}
	return false
}

// cells returns a row by its name: its title, and the text of each pane, which is a dash if it has no value.
func (s *seedsResult) cells(name string) []string {
	cells := []string{""}
	for i := range s.Panes {
		p, text := &s.Panes[i], "-"
		for _, m := range slices.Concat(p.Score, p.Traffic, p.Counters) {
			if m.name == name {
				cells[0], text = counterTitle(m.title), m.text()
				break
			}
		}
		if name == "hash" && s.single {
			cells[0], text = name, p.Hashes[0]
		}
		cells = append(cells, text)
	}
	return cells
}

// counterTitle returns the title of a counter: its name in words, with the unit that ends it.
func counterTitle(name string) string {
	for _, unit := range []string{"m", "ms"} {
		if words, ok := strings.CutSuffix(name, "_"+unit); ok {
			name = words + ", " + unit
		}
	}
	return strings.ReplaceAll(name, "_", " ")
}
