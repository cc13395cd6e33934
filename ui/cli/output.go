package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"ghostcube/net/link"
)

// checkChoice reports a flag whose value is not allowed.
func checkChoice(flag, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return usageError{fmt.Errorf("--%s: %w", flag, &link.UnknownNameError{Kind: flag, Name: value, Choices: allowed})}
}

// writeJSON prints a value as indented JSON.
func writeJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// orderedObject returns a list as a JSON object of names and values in its order.
func orderedObject[T any](list []T, of func(*T) (name string, value any)) ([]byte, error) {
	b := []byte{'{'}
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		name, value := of(&list[i])
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		b = append(append(strconv.AppendQuote(b, name), ':'), text...)
	}
	return append(b, '}'), nil
}

// scanError returns why a scanner of lines with a limit in bytes has stopped after a number of lines,
// or nil if the text has ended.
func scanError(in *bufio.Scanner, lines, limit int) error {
	switch err := in.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("line %d: longer than %d bytes", lines+1, limit-1)
	case err != nil:
		return fmt.Errorf("after line %d: %w", lines, err)
	}
	return nil
}

// table prints rows in aligned columns, or as a table in Markdown.
type table struct {
	w   *tabwriter.Writer
	end string // of a row: tabwriter aligns cells that a tab ends

	markdown io.Writer   // nil: aligned columns
	cells    *[][]string // in Markdown: the rows so far, the first of which is the heading
}

// newTable returns a table of numbers, aligned to the right.
func newTable(out io.Writer) table {
	return table{w: tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight), end: "\t"}
}

// newTextTable returns a table of text, aligned to the left.
func newTextTable(out io.Writer) table {
	return table{w: tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)}
}

// newMarkdownTable returns a table of numbers in Markdown. Rows without a title are left out, and one without a number is bold.
func newMarkdownTable(out io.Writer) table { return table{markdown: out, cells: &[][]string{}} }

func (t table) row(cells ...string) {
	if t.markdown == nil {
		fmt.Fprintln(t.w, strings.Join(cells, "\t")+t.end)
		return
	}
	empty := !slices.ContainsFunc(cells[1:], func(s string) bool { return s != "" })
	switch {
	case cells[0] == "" && empty:
		return
	case empty:
		cells = slices.Clone(cells)
		cells[0] = "**" + cells[0] + "**"
	}
	*t.cells = append(*t.cells, cells)
}

// textRow is a row of one column.
type textRow struct{ title, text string }

// addRows adds rows with a column for each pane, in the order in which their titles first appear. none stands where a pane
// lacks a row.
func addRows[P any](t table, panes []P, none string, of func(*P) []textRow) {
	columns := make([][]textRow, len(panes))
	for i := range panes {
		columns[i] = of(&panes[i])
	}
	titles := map[string]bool{}
	for _, row := range slices.Concat(columns...) {
		if titles[row.title] {
			continue
		}
		titles[row.title] = true
		cells := []string{row.title}
		for _, column := range columns {
			text := none
			if i := slices.IndexFunc(column, func(x textRow) bool { return x.title == row.title }); i >= 0 {
				text = column[i].text
			}
			cells = append(cells, text)
		}
		t.row(cells...)
	}
}

// close prints the rows.
func (t table) close() error {
	switch {
	case t.markdown == nil:
		return t.w.Flush()
	case len(*t.cells) > 0:
		writeMarkdown(t.markdown, (*t.cells)[0], (*t.cells)[1:], "---:|")
	}
	return nil
}

// writeMarkdown prints a table in Markdown, with the line below the heading of further columns than the first.
func writeMarkdown(out io.Writer, heading []string, rows [][]string, further string) {
	line := func(cells []string) {
		text := strings.Join(cells, "\x00")
		text = strings.NewReplacer("|", `\|`, "\n", " ", "\x00", " | ").Replace(text)
		fmt.Fprintf(out, "| %s |\n", text)
	}
	line(heading)
	fmt.Fprintf(out, "|---|%s\n", strings.Repeat(further, len(heading)-1))
	for _, r := range rows {
		line(r)
	}
}

// fixed formats a number with a fixed number of decimals.
func fixed(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }

// orDash formats a number, or a dash for nil.
func orDash(v *float64, digits int) string {
	if v == nil {
		return "-"
	}
	return fixed(*v, digits)
}

// milliseconds returns a duration in milliseconds.
func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// plural formats a count with its noun.
func plural(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y"):
		return strconv.Itoa(n) + " " + strings.TrimSuffix(noun, "y") + "ies"
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
