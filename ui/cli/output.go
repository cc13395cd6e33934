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

// table prints rows in aligned columns.
type table struct {
	w   *tabwriter.Writer
	end string // of a row: tabwriter aligns cells that a tab ends
}

// newTable returns a table of numbers, aligned to the right.
func newTable(out io.Writer) table {
	return table{tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight), "\t"}
}

// newTextTable returns a table of text, aligned to the left.
func newTextTable(out io.Writer) table {
	return table{tabwriter.NewWriter(out, 0, 0, 2, ' ', 0), ""}
}

func (t table) row(cells ...string) { fmt.Fprintln(t.w, strings.Join(cells, "\t")+t.end) }

// close prints the rows.
func (t table) close() error { return t.w.Flush() }

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
