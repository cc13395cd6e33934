package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"ghostcube/predict"
)

// checkChoice reports the value of a flag that is none of those allowed.
func checkChoice(flag, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return usageError{fmt.Errorf("--%s: %w", flag, &predict.UnknownNameError{Kind: flag, Name: value, Known: allowed})}
}

// writeJSON prints a value as an indented object.
func writeJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// table prints rows of cells in aligned columns.
type table struct {
	w   *tabwriter.Writer
	end string // of each row: only cells that a tab ends are aligned
}

// newTable returns a table whose columns are aligned to the right, as numbers are.
func newTable(out io.Writer) table {
	return table{tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight), "\t"}
}

// newTextTable returns a table whose columns are aligned to the left.
func newTextTable(out io.Writer) table {
	return table{tabwriter.NewWriter(out, 0, 0, 2, ' ', 0), ""}
}

func (t table) row(cells ...string) { fmt.Fprintln(t.w, strings.Join(cells, "\t")+t.end) }

// close prints the rows.
func (t table) close() error { return t.w.Flush() }

// fixed writes a number with so many digits behind the point.
func fixed(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }

// orDash writes a number that may be unknown.
func orDash(v *float64, digits int) string {
	if v == nil {
		return "-"
	}
	return fixed(*v, digits)
}

// milliseconds is a time in milliseconds.
func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// plural writes a count with its noun.
func plural(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y"):
		return strconv.Itoa(n) + " " + strings.TrimSuffix(noun, "y") + "ies"
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
