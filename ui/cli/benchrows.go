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
}

// benchGroups follow the figures that lead every display of a pane.
var benchGroups = []benchGroup{
	{"DELAY", []string{"display_delay_ms"}, []string{"longest_update_gap_ms"}},
	{"MOTION", []string{"path_error_max_m", "path_error_rms_all_m", "largest_pop_m", "longest_freeze_ms", "jerk_ratio"},
		[]string{"overshoot_m", "joint_separation_max_m", "path_error_in_parent_rms_m"}},
	{"SIMULATION", nil, []string{"corrections", "correction_mean_m", "resimulated_ticks_per_minute", "first_divergent_tick", "hash"}},
	{"NETWORK", []string{"rtt_ms", "lost_up_ratio", "lost_down_ratio"}, nil},
}

// benchTable is a report as rows that are found by their names.
type benchTable struct {
	head    []string // specs of the panes
	leading []string // names of the leading rows, in order

	// cell returns a row's title and the text of one of its cells. The title is empty if the pane has
	// no such row, and the text is a dash if it has no value.
	cell func(pane int, name string) (title, text string)
}

// write prints the leading rows and the groups.
func (b *benchTable) write(out io.Writer) error {
	t := newTable(out)
	t.row(append([]string{""}, b.head...)...)
	for _, name := range b.leading {
		b.writeRow(t, name, true)
	}
	blank := make([]string, len(b.head))
	for _, g := range benchGroups {
		if len(g.always) == 0 && !slices.ContainsFunc(g.known, b.isKnown) {
			continue
		}
		t.row(append([]string{""}, blank...)...)
		t.row(append([]string{g.heading}, blank...)...)
		for _, name := range g.always {
			b.writeRow(t, name, true)
		}
		for _, name := range g.known {
			b.writeRow(t, name, false)
		}
	}
	return t.close()
}

// writeRow prints a row, if any pane has a value or if it is to be printed always.
func (b *benchTable) writeRow(t table, name string, always bool) {
	if !always && !b.isKnown(name) {
		return
	}
	cells := []string{""}
	for k := range b.head {
		title, text := b.cell(k, name)
		if title != "" {
			cells[0] = title
		} else {
			text = "-"
		}
		cells = append(cells, text)
	}
	t.row(cells...)
}

// isKnown reports whether any pane has a value of a row.
func (b *benchTable) isKnown(name string) bool {
	for k := range b.head {
		if title, text := b.cell(k, name); title != "" && text != "-" {
			return true
		}
	}
	return false
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
	fmt.Fprint(out, r.heading(fmt.Sprint("seed ", r.Seed)), "\n\n")
	b := benchTable{leading: r.leading}
	for i := range r.Panes {
		b.head = append(b.head, r.Panes[i].Spec)
	}
	b.cell = func(pane int, name string) (title, text string) {
		x := &r.Panes[pane]
		for i := range x.Score {
			if m := &x.Score[i]; m.Name == name {
				return m.Title, m.Text()
			}
		}
		for _, m := range trafficMeasures {
			if m.name == name {
				return m.title, fixed(m.of(&x.Traffic), m.digits)
			}
		}
		if name == "hash" {
			return name, x.Hash
		}
		if v, ok := x.Counters[name]; ok {
			return counterTitle(name), counterText(v)
		}
		return "", ""
	}
	if err := b.write(out); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nbench --all prints all %d measures and the counters of each strategy.\n", len(r.Panes[0].Score))
	return nil
}

// writeBrief prints the leading figures of several sessions and the most important others.
func (s *seedsResult) writeBrief(out io.Writer) error {
	s.writeHeading(out)
	b := benchTable{leading: s.leading}
	for i := range s.Panes {
		b.head = append(b.head, s.Panes[i].Spec)
	}
	b.cell = func(pane int, name string) (title, text string) {
		p := &s.Panes[pane]
		for _, list := range []seedMeasures{p.Score, p.Traffic, p.Counters} {
			for i := range list {
				if m := &list[i]; m.name == name {
					return counterTitle(m.title), m.text()
				}
			}
		}
		return "", ""
	}
	return b.write(out)
}

// counterTitle returns the title of a counter: its name in words, with the unit that ends it.
func counterTitle(name string) string {
	if words, ok := strings.CutSuffix(name, "_m"); ok {
		name = words + ", m"
	}
	return strings.ReplaceAll(name, "_", " ")
}
