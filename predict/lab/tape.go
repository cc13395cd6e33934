package lab

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ghostcube/sim"
)

// Tape is a session that can be run again.
type Tape struct {
	Config  Config
	Open    []string // specs of the panes
	Entries []Entry

	// Cut says that the file ended before its last line: whoever wrote it was
	// stopped. What was read is whole all the same.
	Cut bool
}

// Equal entries are written once, with how often they come:
//
//	ghostcube tape 1
//	scene zen
//	rate 60
//	seat client
//	seed 1
//	weather latency=75ms
//	pane rewind
//	---
//	60
//	30 W
//	! nudge all x 1
//	15 WD@64
//	end 105
//
// A line of ticks is a count and, for each player, the keys held: W A S D along
// the ground, U to lift, Z to pull, - for none; and behind @ the heading if it
// is not 0. A line that begins with ! is a command, carried out before the
// tick that follows. What follows # is a remark.
const (
	tapeHead  = "ghostcube tape 1"
	tapeBreak = "---"
	mostTicks = 2_000_000 // in a tape: nine hours
	mostLine  = 64 << 10  // bytes
)

var keyLetters = []struct {
	letter byte
	button sim.Buttons
}{{'W', sim.Forward}, {'A', sim.Left}, {'S', sim.Back}, {'D', sim.Right}, {'U', sim.Lift}, {'Z', sim.Pull}}

// FormatInput returns an input as a tape writes it.
func FormatInput(in sim.Input) string {
	var b []byte
	for _, k := range keyLetters {
		if in.Buttons&k.button != 0 {
			b = append(b, k.letter)
		}
	}
	if len(b) == 0 {
		b = append(b, '-')
	}
	if in.Heading != 0 {
		b = append(b, '@')
		b = strconv.AppendUint(b, uint64(in.Heading), 10)
	}
	return string(b)
}

// parseInput reads what FormatInput wrote.
func parseInput(s string) (in sim.Input, err error) {
	keys, heading, turned := strings.Cut(s, "@")
	if turned {
		h, err := strconv.ParseUint(heading, 10, 8)
		if err != nil {
			return in, fmt.Errorf("keys %q: heading: want 0 to 255", s)
		}
		in.Heading = uint8(h)
	}
	if keys == "-" {
		return in, nil
	}
next:
	for i := range len(keys) {
		for _, k := range keyLetters {
			if keys[i] == k.letter {
				in.Buttons |= k.button
				continue next
			}
		}
		return in, fmt.Errorf("keys %q: want letters of WASDUZ, or -", s)
	}
	if keys == "" {
		return in, fmt.Errorf("keys %q: want letters of WASDUZ, or -", s)
	}
	return in, nil
}

// Writer writes a tape while its session runs.
type Writer struct {
	out   *bufio.Writer
	run   Entry // inputs of the ticks that are not written yet
	count int
	total int
	err   error
}

// NewWriter writes the head of a tape.
func NewWriter(w io.Writer, c Config, open []string) *Writer {
	t := &Writer{out: bufio.NewWriter(w)}
	t.line(tapeHead)
	t.line("scene " + c.Scene)
	t.line("rate " + strconv.Itoa(c.Rate))
	t.line("seat " + c.Seat.String())
	t.line("seed " + strconv.FormatUint(c.Weather.Seed, 10))
	t.line("weather " + c.Weather.String())
	for _, spec := range open {
		t.line("pane " + spec)
	}
	t.line(tapeBreak)
	return t
}

func (t *Writer) line(s string) {
	if t.err == nil {
		_, t.err = t.out.WriteString(s + "\n")
	}
}

// Add appends an entry.
func (t *Writer) Add(e Entry) {
	if t.count > 0 && (len(e.Commands) > 0 || !slices.Equal(e.Inputs, t.run.Inputs)) {
		t.ticks()
	}
	for _, c := range e.Commands {
		t.line("! " + c.String())
	}
	if t.count == 0 {
		t.run.Inputs = append(t.run.Inputs[:0], e.Inputs...)
	}
	t.count++
	t.total++
}

func (t *Writer) ticks() {
	if t.count == 0 {
		return
	}
	s := strconv.Itoa(t.count)
	idle := true
	for _, in := range t.run.Inputs {
		idle = idle && in == sim.Input{}
	}
	if !idle {
		for _, in := range t.run.Inputs {
			s += " " + FormatInput(in)
		}
	}
	t.line(s)
	t.count = 0
}

// Flush writes all that has been added, so that a reader finds it even if
// nothing more is ever written.
func (t *Writer) Flush() error {
	t.ticks()
	if t.err == nil {
		t.err = t.out.Flush()
	}
	return t.err
}

// Close writes the last line. It does not close what is below.
func (t *Writer) Close() error {
	t.ticks()
	t.line("end " + strconv.Itoa(t.total))
	return t.Flush()
}

// Write writes the tape as text that a person can read.
func (t *Tape) Write(w io.Writer) error {
	out := NewWriter(w, t.Config, t.Open)
	for _, e := range t.Entries {
		out.Add(e)
	}
	return out.Close()
}

// ReadTape reads what Write wrote. The error names the line.
func ReadTape(r io.Reader) (*Tape, error) {
	p := &tapeReader{scanner: bufio.NewScanner(r), t: &Tape{Config: Config{Rate: 60}}}
	p.scanner.Buffer(make([]byte, 4096), mostLine)
	if err := p.read(); err != nil {
		return nil, fmt.Errorf("line %d: %w", p.number, err)
	}
	return p.t, nil
}

type tapeReader struct {
	scanner *bufio.Scanner
	number  int
	t       *Tape
	pending []Command
}

// next returns the next line that says something.
func (p *tapeReader) next() (line string, ok bool) {
	for p.scanner.Scan() {
		p.number++
		line, _, _ = strings.Cut(p.scanner.Text(), "#")
		if line = strings.TrimSpace(line); line != "" {
			return line, true
		}
	}
	return "", false
}

func (p *tapeReader) read() error {
	line, ok := p.next()
	if !ok || line != tapeHead {
		if err := p.scanner.Err(); err != nil {
			return err
		}
		p.number = max(p.number, 1)
		return fmt.Errorf("this is no tape: it does not begin with %q", tapeHead)
	}
	if err := p.head(); err != nil {
		return err
	}
	for {
		line, ok := p.next()
		if !ok {
			break
		}
		if total, ok := strings.CutPrefix(line, "end "); ok {
			n, err := strconv.Atoi(total)
			if err != nil || n != len(p.t.Entries) {
				return fmt.Errorf("the tape says that it has %s ticks, and has %d: it is damaged", total, len(p.t.Entries))
			}
			if more, ok := p.next(); ok {
				return fmt.Errorf("%q after the end", more)
			}
			p.t.Cut = false
			return p.scanner.Err()
		}
		if err := p.entry(line); err != nil {
			return err
		}
	}
	p.t.Cut = true
	return p.scanner.Err()
}

// head reads up to the break.
func (p *tapeReader) head() error {
	c := &p.t.Config
	for {
		line, ok := p.next()
		if !ok {
			return fmt.Errorf("the tape ends in its head")
		}
		if line == tapeBreak {
			break
		}
		key, value, _ := strings.Cut(line, " ")
		value = strings.TrimSpace(value)
		var err error
		switch key {
		case "scene":
			c.Scene = value
		case "rate":
			if c.Rate, err = strconv.Atoi(value); err != nil {
				err = fmt.Errorf("rate %q: want %d to %d", value, MinRate, MaxRate)
			}
		case "seat":
			c.Seat, err = SeatNamed(value)
		case "seed":
			if c.Weather.Seed, err = strconv.ParseUint(value, 10, 64); err != nil {
				err = fmt.Errorf("seed %q: want a whole number from 0", value)
			}
		case "weather":
			err = c.Weather.Parse(value)
		case "pane":
			if err = CheckSpec(value); err == nil && len(p.t.Open) == MostPanes {
				err = fmt.Errorf("more than %d panes", MostPanes)
			}
			p.t.Open = append(p.t.Open, value)
		default:
			err = fmt.Errorf("%q: want scene, rate, seat, seed, weather, pane or %s", key, tapeBreak)
		}
		if err != nil {
			return err
		}
	}
	return c.Check()
}

// entry reads a line of ticks or a command.
func (p *tapeReader) entry(line string) error {
	if rest, ok := strings.CutPrefix(line, "!"); ok {
		c, err := parseCommand(rest)
		p.pending = append(p.pending, c)
		return err
	}
	f := strings.Fields(line)
	n, err := strconv.Atoi(f[0])
	if err != nil || n < 1 || n > mostTicks-len(p.t.Entries) {
		return fmt.Errorf("%q: want a count of ticks from 1, %d in all at most", f[0], mostTicks)
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
		e := Entry{Inputs: in}
		if i == 0 {
			e.Commands, p.pending = p.pending, nil
		}
		p.t.Entries = append(p.t.Entries, e)
	}
	return nil
}

// Lab returns a lab as the tape's head says.
func (t *Tape) Lab() (*Lab, error) {
	l := New(t.Config)
	for _, spec := range t.Open {
		if _, err := l.Open(spec); err != nil {
			return nil, err
		}
	}
	return l, nil
}
