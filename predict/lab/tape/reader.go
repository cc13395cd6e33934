package tape

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ghostcube/predict/lab"
	"ghostcube/sim"
)

// Read reads a tape. Errors name the line.
func Read(r io.Reader) (*Tape, error) {
	end := &endReader{r: r}
	p := &reader{scanner: bufio.NewScanner(end), tape: &Tape{Config: lab.Config{Rate: 60}}}
	p.scanner.Buffer(make([]byte, 4096), maxLineLen)
	if err := p.read(); err != nil {
		if p.lineNumber > 1 && p.scanner.Err() == nil && end.cut() && !p.scanner.Scan() {
			err = fmt.Errorf("%w; the line has no end: the tape may be cut off", err)
		}
		return nil, fmt.Errorf("line %d: %w", p.lineNumber, err)
	}
	p.tape.LastLine = p.lineNumber
	return p.tape, nil
}

// endReader remembers the last byte that was read.
type endReader struct {
	r    io.Reader
	last byte
}

func (e *endReader) Read(b []byte) (int, error) {
	n, err := e.r.Read(b)
	if n > 0 {
		e.last = b[n-1]
	}
	return n, err
}

// cut reports whether the last line is incomplete.
func (e *endReader) cut() bool { return e.last != '\n' }

type reader struct {
	scanner         *bufio.Scanner
	lineNumber      int
	tape            *Tape
	pendingCommands []lab.Command
	specs           lab.SpecValidator
}

// nextLine returns the next line that is not empty, without its comment.
func (r *reader) nextLine() (line string, ok bool) {
	for r.scanner.Scan() {
		r.lineNumber++
		line, _, _ = strings.Cut(r.scanner.Text(), "#")
		if line = strings.TrimSpace(line); line != "" {
			return line, true
		}
	}
	return "", false
}

// scanError returns why no further line could be read, or nil at the end of the tape.
func (r *reader) scanError() error {
	err := r.scanner.Err()
	if err == nil {
		return nil
	}
	r.lineNumber++ // the scanner did not return it
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("longer than %d bytes, the longest line of a tape", maxLineLen-1)
	}
	return err
}

func (r *reader) read() error {
	line, ok := r.nextLine()
	if !ok || line != magic {
		if err := r.scanError(); err != nil {
			return err
		}
		r.lineNumber = max(r.lineNumber, 1)
		if line == magicOf010 {
			return fmt.Errorf("the tape begins with %.60q: only Ghostcube 0.1.0 reads it; this version reads tapes that begin with %q", magicOf010, magic)
		}
		if strings.HasPrefix(line, "{") {
			return fmt.Errorf("not a tape: the first line is not %q; ghostcube score and --tape read game logs", magic)
		}
		return fmt.Errorf("not a tape: the first line is not %q", magic)
	}
	if err := r.readHeader(); err != nil {
		return err
	}
	for {
		line, ok := r.nextLine()
		if !ok {
			break
		}
		if total, ok := strings.CutPrefix(line, "end "); ok {
			if n, err := strconv.Atoi(total); err != nil {
				return fmt.Errorf("the last line is %.60q: want %.60q: it is damaged", line, fmt.Sprint("end ", len(r.tape.Entries)))
			} else if n != len(r.tape.Entries) {
				return fmt.Errorf("the tape has %d ticks, but its last line says %d: it is damaged", len(r.tape.Entries), n)
			}
			if more, ok := r.nextLine(); ok {
				return fmt.Errorf("%.60q after the last line", more)
			}
			r.tape.Truncated = false
			return r.scanError()
		}
		if err := r.readEntry(line); err != nil {
			return err
		}
	}
	r.tape.Truncated = true
	return r.scanError()
}

// readHeader reads up to the end of the header.
func (r *reader) readHeader() error {
	c := &r.tape.Config
	for {
		line, ok := r.nextLine()
		if !ok {
			if err := r.scanError(); err != nil {
				return err
			}
			return fmt.Errorf("the tape ends before its header does")
		}
		if line == headerEnd {
			break
		}
		key, value, _ := strings.Cut(line, " ")
		value = strings.TrimSpace(value)
		var err error
		switch key {
		case "version":
			r.tape.Version = value
		case "scene":
			c.Scene = value
		case "rate":
			if c.Rate, err = strconv.Atoi(value); err != nil {
				err = fmt.Errorf("rate %.60q: want a whole number from %d to %d", value, lab.MinRate, lab.MaxRate)
			}
		case "seat":
			c.Seat, err = lab.SeatNamed(value)
		case "seed":
			if c.Network.Seed, err = strconv.ParseUint(value, 10, 64); err != nil {
				err = fmt.Errorf("seed %.60q: want a whole number from 0", value)
			}
		case "network":
			err = c.Network.Parse(value)
		case "pane":
			if err = r.specs.Validate(value); err == nil && len(r.tape.Panes) == lab.MaxPanes {
				err = fmt.Errorf("more than %d panes", lab.MaxPanes)
			}
			r.tape.Panes = append(r.tape.Panes, value)
		default:
			err = fmt.Errorf("%.60q: want version, scene, rate, seat, seed, network, pane or %s", key, headerEnd)
		}
		if err != nil {
			return err
		}
	}
	return c.Validate()
}

// readEntry reads a line of ticks or a command.
func (r *reader) readEntry(line string) error {
	if rest, ok := strings.CutPrefix(line, "!"); ok {
		c, err := lab.ParseCommand(rest)
		r.pendingCommands = append(r.pendingCommands, c)
		return err
	}
	if rest, ok := strings.CutPrefix(line, "="); ok {
		return r.readHashes(rest)
	}
	f := strings.Fields(line)
	n, err := strconv.Atoi(f[0])
	if err != nil || n < 1 || n > maxTicks-len(r.tape.Entries) {
		return fmt.Errorf("%.60q: want a number of ticks from 1; a tape has at most %d", f[0], maxTicks)
	}
	var in []sim.Input
	for _, s := range f[1:] {
		x, err := parseInput(s)
		if err != nil {
			return err
		}
		in = append(in, x)
	}
	for i := range n {
		e := lab.Entry{Inputs: in}
		if i == 0 {
			e.Commands, r.pendingCommands = r.pendingCommands, nil
		}
		r.tape.Entries = append(r.tape.Entries, e)
	}
	return nil
}

// readHashes reads a hash check.
func (r *reader) readHashes(rest string) error {
	c := HashCheck{Ticks: len(r.tape.Entries), Line: r.lineNumber}
	switch n := len(r.tape.HashChecks); {
	case len(r.pendingCommands) > 0:
		return fmt.Errorf("a hash check between a command and its tick")
	case c.Ticks == 0:
		return fmt.Errorf("a hash check before the first tick")
	case n > 0 && r.tape.HashChecks[n-1].Ticks == c.Ticks:
		return fmt.Errorf("a second hash check of tick %d", c.Ticks)
	}
	for _, s := range strings.Fields(rest) {
		h, err := strconv.ParseUint(s, 16, 64)
		if err != nil || len(s) != 16 {
			return fmt.Errorf("hash %.60q: want 16 hexadecimal digits", s)
		}
		c.Hashes = append(c.Hashes, h)
	}
	if n := len(c.Hashes); n < 1 || n > lab.MaxPanes {
		return fmt.Errorf("%d hashes: want one for each pane, 1 to %d", n, lab.MaxPanes)
	}
	r.tape.HashChecks = append(r.tape.HashChecks, c)
	return nil
}
