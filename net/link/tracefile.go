package link

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// traceColumns are the possible columns of a file, by their name in the header.
var traceColumns = []struct {
	name string
	kind byte          // 't'ime, 'd'elay or 'l'ost
	unit time.Duration // unit of the numbers, one way
}{
	{"time_s", 't', time.Second}, {"time_ms", 't', time.Millisecond}, {"time_us", 't', time.Microsecond},
	{"delay_s", 'd', time.Second}, {"delay_ms", 'd', time.Millisecond}, {"delay_us", 'd', time.Microsecond},
	{"rtt_s", 'd', time.Second / 2}, {"rtt_ms", 'd', time.Millisecond / 2}, {"rtt_us", 'd', time.Microsecond / 2},
	{"lost", 'l', 1},
}

// columnNames returns the names of all columns, for error messages.
func columnNames() (names []string) {
	for _, c := range traceColumns {
		names = append(names, c.name)
	}
	return names
}

const (
	maxTraceLine = 1 << 10
	maxSamples   = maxTraceText / 2 // each takes at least two bytes of text
)

// ReadTrace reads a measured trace from comma-separated values:
//
//	# a comment
//	time_s,delay_ms,lost
//	0.000,25.1,0
//	0.020,25.3,0
//	0.040,,1
//
// The header names the columns with their units, in any order: time (s, ms or us),
// strictly increasing from any start; delay, one way, or rtt, which is halved, both from
// 0 to a minute; and optionally lost, 0 or 1. The delay of a lost
// sample may be empty. Without a header the columns are time_s, delay_ms and, if there
// is a third, lost. All times are rounded to microseconds. The last sample lasts as
// long as the one before it, or a second if it is the only one.
//
// A trace may be an hour long, and its text (see Trace.String) 28 KiB: about 4500
// samples at a regular interval. Errors name the line and the column.
func ReadTrace(r io.Reader) (*Trace, error) {
	p := &traceReader{columns: []int{0, 4, 9}} // time_s, delay_ms, lost
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, maxTraceLine), maxTraceLine)
	for s.Scan() {
		p.line++
		line := s.Text()
		if p.line == 1 {
			line = strings.TrimPrefix(line, "\uFEFF") // byte order mark
		}
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if err := p.readRow(strings.Split(line, ",")); err != nil {
			return nil, fmt.Errorf("line %d%w", p.line, err)
		}
	}
	if err := s.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("longer than %d bytes", maxTraceLine)
		}
		return nil, fmt.Errorf("line %d: %w", p.line+1, err)
	}
	n := len(p.samples)
	if n == 0 {
		return nil, errors.New("no samples")
	}
	duration := time.Second
	if n > 1 {
		duration = p.samples[n-1].at - p.samples[n-2].at
	}
	return newTrace(p.samples, min(p.samples[n-1].at+duration, maxTraceLength))
}

type traceReader struct {
	line      int
	started   bool  // a header or a sample has been read
	columns   []int // indices into traceColumns
	firstTime time.Duration
	samples   []sample
}

// readRow reads a header or a sample. Its error continues the text "line N".
func (t *traceReader) readRow(fields []string) error {
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	if !t.started {
		t.started = true
		if c := fields[0]; c != "" && (c[0] >= 'a' && c[0] <= 'z' || c[0] >= 'A' && c[0] <= 'Z') {
			return t.readHeader(fields)
		}
		t.columns = t.columns[:max(2, min(len(fields), 3))]
	}
	if len(fields) != len(t.columns) {
		return fmt.Errorf(": %d columns, want %d", len(fields), len(t.columns))
	}
	if len(t.samples) == maxSamples {
		return fmt.Errorf(": more than %d samples: thin out the trace", maxSamples)
	}
	var s sample
	empty := 0 // column of an empty delay, from 1
	for i, f := range fields {
		c := traceColumns[t.columns[i]]
		bad := func(want string) error {
			return fmt.Errorf(", column %d (%s): %.20q: want %s", i+1, c.name, f, want)
		}
		switch c.kind {
		case 't':
			at, ok := parseAmount(f, c.unit, 100*365*24*time.Hour)
			if !ok {
				return bad("a number from 0")
			}
			if len(t.samples) == 0 {
				t.firstTime = at
			} else if s.at = at - t.firstTime; s.at <= t.samples[len(t.samples)-1].at {
				return bad("a time at least a microsecond after the previous line")
			} else if s.at >= maxTraceLength {
				return bad(fmt.Sprintf("less than %v after the first", maxTraceLength))
			}
		case 'd':
			if f == "" {
				empty = i + 1
				continue
			}
			var ok bool
			if s.delay, ok = parseAmount(f, c.unit, maxDuration); !ok {
				return bad(fmt.Sprintf("0 to %v one way", maxDuration))
			}
		default:
			if f != "0" && f != "1" {
				return bad("0 or 1")
			}
			s.lost = f == "1"
		}
	}
	if empty > 0 && !s.lost {
		return fmt.Errorf(", column %d (%s): empty, but the sample is not lost", empty, traceColumns[t.columns[empty-1]].name)
	}
	t.samples = append(t.samples, s)
	return nil
}

// readHeader reads the header.
func (t *traceReader) readHeader(fields []string) error {
	t.columns = nil
	seen := map[byte]bool{}
next:
	for i, f := range fields {
		for k, c := range traceColumns {
			if c.name == strings.ToLower(f) {
				if seen[c.kind] {
					return fmt.Errorf(", column %d (%s): a second column of this kind", i+1, c.name)
				}
				seen[c.kind] = true
				t.columns = append(t.columns, k)
				continue next
			}
		}
		return fmt.Errorf(", column %d: %w", i+1, &UnknownNameError{Kind: "trace column", Name: strings.ToValidUTF8(f[:min(len(f), 20)], ""), Choices: columnNames()})
	}
	if !seen['t'] || !seen['d'] {
		return errors.New(": want a time column and a delay or rtt column")
	}
	return nil
}

// parseAmount parses a decimal number of units from 0 to limit, rounded to a
// microsecond.
func parseAmount(text string, unit, limit time.Duration) (time.Duration, bool) {
	f, err := strconv.ParseFloat(text, 64)
	f = float64(f*float64(unit)) / float64(time.Microsecond)
	if err != nil || !(f >= 0 && f <= float64(limit/time.Microsecond)) {
		return 0, false
	}
	return time.Duration(f+0.5) * time.Microsecond, true
}
