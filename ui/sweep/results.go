package sweep

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The files beside a store.
const (
	ResultsJSON = "results.jsonl"
	ResultsCSV  = "results.csv"
	ColumnsCSV  = "columns.csv"
	ReportHTML  = "report.html"
)

// Files are the names of all files that WriteResults and a report write.
var Files = []string{ResultsJSON, ResultsCSV, ColumnsCSV, ReportHTML}

// pointColumns are the columns that say which session a row is of.
var pointColumns = []struct {
	Column
	of func(*Point, *Cell) any
}{
	{Column{Name: "cell", Help: "key of the session: a hash of everything that determines it, with the program"}, func(_ *Point, c *Cell) any { return c.Key }},
	{Column{Name: "scene", Help: "scene with its parameters"}, func(p *Point, _ *Cell) any { return p.Scene }},
	{Column{Name: "tape", Help: "tape whose inputs are played"}, func(p *Point, _ *Cell) any { return p.Tape }},
	{Column{Name: "network", Help: "network as the plan names it"}, func(p *Point, _ *Cell) any { return p.Network }},
	{Column{Name: "pane", Help: "pane as the plan names it, with one value for each knob"}, func(p *Point, _ *Cell) any { return p.Pane }},
	{Column{Name: "seed", Help: "seed of the outcomes: rows that differ in pane alone have the same outcomes"}, func(_ *Point, c *Cell) any { return c.Seed }},
	{Column{Name: "strategy", Help: "strategy of the pane"}, func(p *Point, _ *Cell) any { return p.Strategy }},
	{Column{Name: "spec", Help: "strategy with all knobs that the pane or its preset sets"}, func(p *Point, _ *Cell) any { return p.Spec }},
	{Column{Name: "network_conditions", Help: "conditions of the network in full"}, func(p *Point, _ *Cell) any { return p.Conditions }},
	{Column{Name: "seat", Help: "where players give input: client or host"}, func(p *Point, _ *Cell) any { return p.Seat }},
	{Column{Name: "rate_hz", Unit: "Hz", Help: "ticks per second"}, func(p *Point, _ *Cell) any { return p.Rate }},
	{Column{Name: "session_ticks", Unit: "tick", Help: "length of the session"}, func(p *Point, _ *Cell) any { return p.Ticks }},
	{Column{Name: "session_hash", Help: "hash of the pane's session, which bench prints too"}, func(_ *Point, c *Cell) any { return c.Hash }},
}

// knobColumn returns the name of the column of a knob.
func knobColumn(knob string) string { return "knob_" + strings.ReplaceAll(knob, "-", "_") }

// knobs returns the names of all knobs that panes of the plan set.
func (p *Plan) knobs() []string {
	all := map[string]bool{}
	for i := range p.Points {
		for name := range p.Points[i].Knobs {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// eachCell calls a function for every cell of the plan that the store has, in the order of the plan.
func (p *Plan) eachCell(s *Store, call func(*Point, *Cell) error) error {
	for i := range p.Points {
		for k := range p.Seeds {
			c, ok, err := s.Cell(p.CellKey(i, k))
			if err == nil && ok {
				err = call(&p.Points[i], &c)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// WriteResults writes the results of the cells of a plan, one row for each, and the dictionary of their columns. The
// files depend on the cells alone, not on the order in which they ended.
func (s *Store) WriteResults(p *Plan, columns []Column) error {
	knobs := p.knobs()
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{ResultsJSON, func(w io.Writer) error { return writeJSONLines(w, s, p, columns, knobs) }},
		{ResultsCSV, func(w io.Writer) error { return writeCSV(w, s, p, columns, knobs) }},
		{ColumnsCSV, func(w io.Writer) error { return writeDictionary(w, columns, knobs) }},
	} {
		if err := s.WriteFile(f.name, f.write); err != nil {
			return err
		}
	}
	return nil
}

// writeJSONLines writes an object for each cell, whose keys are the columns. Missing values are null.
func writeJSONLines(w io.Writer, s *Store, p *Plan, columns []Column, knobs []string) error {
	return p.eachCell(s, func(at *Point, c *Cell) error {
		row := []byte{'{'}
		add := func(name string, v any) error {
			text, err := json.Marshal(v)
			if len(row) > 1 {
				row = append(row, ',')
			}
			row = append(append(strconv.AppendQuote(row, name), ':'), text...)
			return err
		}
		for _, x := range pointColumns {
			if err := add(x.Name, x.of(at, c)); err != nil {
				return err
			}
		}
		for _, knob := range knobs {
			var v any
			if text, ok := at.Knobs[knob]; ok {
				v = text
			}
			if err := add(knobColumn(knob), v); err != nil {
				return err
			}
		}
		for _, x := range columns {
			var v any
			if number, ok := c.Values[x.Name]; ok {
				v = number
			}
			if err := add(x.Name, v); err != nil {
				return err
			}
		}
		_, err := w.Write(append(row, "}\n"...))
		return err
	})
}

// writeCSV writes the same as comma-separated values. Missing values are empty.
func writeCSV(out io.Writer, s *Store, p *Plan, columns []Column, knobs []string) error {
	w := csv.NewWriter(out)
	var row []string
	for _, x := range pointColumns {
		row = append(row, x.Name)
	}
	for _, knob := range knobs {
		row = append(row, knobColumn(knob))
	}
	for _, x := range columns {
		row = append(row, x.Name)
	}
	_ = w.Write(row) // Error returns the first error
	err := p.eachCell(s, func(at *Point, c *Cell) error {
		row = row[:0]
		for _, x := range pointColumns {
			text, err := json.Marshal(x.of(at, c))
			if err != nil {
				return err
			}
			if v, ok := x.of(at, c).(string); ok {
				text = []byte(v)
			}
			row = append(row, string(text))
		}
		for _, knob := range knobs {
			row = append(row, at.Knobs[knob])
		}
		for _, x := range columns {
			text := ""
			if v, ok := c.Values[x.Name]; ok {
				text = strconv.FormatFloat(v, 'g', -1, 64)
			}
			row = append(row, text)
		}
		return w.Write(row)
	})
	w.Flush()
	if err == nil {
		err = w.Error()
	}
	return err
}

// writeDictionary writes what each column of the results means.
func writeDictionary(out io.Writer, columns []Column, knobs []string) error {
	w := csv.NewWriter(out)
	row := func(kind string, x Column) { _ = w.Write([]string{x.Name, kind, x.Unit, x.Better, x.Help}) }
	_ = w.Write([]string{"column", "kind", "unit", "better", "meaning"})
	for _, x := range pointColumns {
		row("session", x.Column)
	}
	for _, knob := range knobs {
		row("knob", Column{Name: knobColumn(knob), Help: "knob " + knob + " as the pane or its preset sets it; empty: its default, or the strategy has none"})
	}
	for _, x := range columns {
		row("measure", x)
	}
	w.Flush()
	return w.Error()
}
