//go:build !js || headless

package cli

import (
	"encoding/csv"
	"io"
	"slices"
	"strings"
)

// listingFormats are the formats of a listing.
var listingFormats = []string{"table", "json", "csv", "markdown"}

// listing prints rows as an aligned table, or as records for other programs and documents: as a JSON array of objects, as
// CSV, or as a table in Markdown. All values are texts. Records have the columns of the first row; if that is no heading in
// capitals they are pairs of a name and a value, where a row without a name goes on with the last one. Rows that are not
// records, such as notes and headings of groups, are in the aligned table alone.
type listing struct {
	table
	out     io.Writer
	format  string
	records [][]string
}

// newListing returns a listing in one of listingFormats, aligned by t.
func newListing(out io.Writer, format string, t table) (*listing, error) {
	if err := checkChoice("format", format, listingFormats...); err != nil {
		return nil, err
	}
	return &listing{table: t, out: out, format: format}, nil
}

func (l *listing) row(cells ...string) {
	if l.format == "table" {
		l.table.row(cells...)
		return
	}
	l.records = append(l.records, cells)
}

// note prints a row that is not a record.
func (l *listing) note(cells ...string) {
	if l.format == "table" {
		l.table.row(cells...)
	}
}

// close prints the rows.
func (l *listing) close() error {
	if l.format == "table" {
		return l.table.close()
	}
	columns, rows := columnsOf(l.records)
	switch l.format {
	case "json":
		return writeRecords(l.out, columns, rows)
	case "csv":
		w := csv.NewWriter(l.out)
		return w.WriteAll(append([][]string{columns}, rows...)) // which flushes
	}
	writeMarkdown(l.out, columns, rows, "---|")
	return nil
}

// columnsOf returns the names of the columns of rows, and the records below them.
func columnsOf(rows [][]string) (columns []string, records [][]string) {
	if len(rows) == 0 {
		return []string{"name"}, nil
	}
	heading := rows[0]
	if len(heading) < 2 || slices.ContainsFunc(heading, func(s string) bool { return s != strings.ToUpper(s) }) {
		return []string{"name", "value"}, pairsOf(rows)
	}
	for _, s := range heading {
		s, _, _ = strings.Cut(s, ",")
		columns = append(columns, strings.ReplaceAll(strings.ToLower(strings.Trim(s, ".")), " ", "_"))
	}
	for _, r := range rows[1:] {
		record := make([]string, len(columns))
		for i := range min(len(r), len(record)) {
			record[i] = strings.TrimSpace(r[i])
		}
		records = append(records, record)
	}
	return columns, records
}

// pairsOf returns rows of a name and a value as records.
func pairsOf(rows [][]string) (records [][]string) {
	for _, r := range rows {
		name, value := r[0], strings.TrimSpace(strings.Join(r[1:], " "))
		if last := len(records) - 1; name == "" && last >= 0 {
			records[last][1] = strings.TrimSpace(records[last][1] + " " + value)
			continue
		}
		records = append(records, []string{name, value})
	}
	return records
}

// writeRecords prints records as a JSON array of objects with their columns in order.
func writeRecords(out io.Writer, columns []string, records [][]string) error {
	list := make([]jsonRecord, len(records))
	for i, r := range records {
		list[i] = jsonRecord{columns, r}
	}
	return writeJSON(out, list)
}

// jsonRecord is a record as a JSON object.
type jsonRecord struct{ columns, values []string }

// MarshalJSON returns the object.
func (r jsonRecord) MarshalJSON() ([]byte, error) {
	at := make([]int, len(r.columns))
	for i := range at {
		at[i] = i
	}
	return orderedObject(at, func(i *int) (string, any) { return r.columns[*i], r.values[*i] })
}
