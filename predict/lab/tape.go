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

// Tape is a session that can be run again, and may say what it came to.
type Tape struct {
	Version    string // of the program that made it; empty: not said
	Config     Config
	Open       []string // specs of the panes
	Entries    []Entry
	HashChecks []HashCheck // in the order of their ticks; none: it says nothing of hashes

	// Cut says that the file ended before its last line: whoever wrote it was
	// stopped. What was read is whole all the same.
	Cut  bool
	Last int // line of the file that was read last; 0: it was not read
}

// Equal entries are written once, with how often they come:
//
//	ghostcube tape 1
//	version 0.1.0
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
//	1 D@64*2048-30
//	= 4f1f09ffcf86b50e
//	end 106
//
// A line of ticks is a count and, for each player, the keys held: W A S D along
// the ground, U to lift, Z to pull, - for none; and behind @ the heading if it
// is not 0; and behind * a shot that is fired: its yaw, and its pitch with its sign if
// that is not 0. A line that begins with ! is a command, carried out before the
// tick that follows. A line that begins with = is a check: the hash of each pane
// after the ticks so far. What follows # is a remark.
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
	if s := &in.Shot; s.Fired {
		b = append(b, '*')
		b = strconv.AppendUint(b, uint64(s.Yaw), 10)
		if s.Pitch > 0 {
			b = append(b, '+')
		}
		if s.Pitch != 0 {
			b = strconv.AppendInt(b, int64(s.Pitch), 10)
		}
	}
	return string(b)
}

// parseShot reads what FormatInput wrote behind the star.
func parseShot(s string) (shot sim.Shot, err error) {
	yaw, pitch := s, "+0"
	if i := strings.IndexAny(s, "+-"); i >= 0 {
		yaw, pitch = s[:i], s[i:]
	}
	y, err := strconv.ParseUint(yaw, 10, 16)
	if err != nil || y >= sim.AimSteps {
		return shot, fmt.Errorf("shot %q: yaw: want 0 to %d", s, sim.AimSteps-1)
	}
	n, err := strconv.ParseInt(pitch, 10, 16)
	if err != nil || n < -sim.MaxPitch || n > sim.MaxPitch {
		return shot, fmt.Errorf("shot %q: pitch: want -%d to +%d", s, sim.MaxPitch, sim.MaxPitch)
	}
	return sim.Shot{Fired: true, Yaw: uint16(y), Pitch: int16(n)}, nil
}

// parseInput reads what FormatInput wrote.
func parseInput(s string) (in sim.Input, err error) {
	s, aim, fired := strings.Cut(s, "*")
	if fired {
		if in.Shot, err = parseShot(aim); err != nil {
			return in, err
		}
	}
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
	last  int // ticks of the last check
	err   error
}

// NewWriter writes the head of a tape. version is the program's, or empty.
func NewWriter(w io.Writer, version string, c Config, open []string) *Writer {
	t := &Writer{out: bufio.NewWriter(w)}
	t.line(tapeHead)
	if version != "" {
		t.line("version " + version)
	}
	t.line("scene " + c.Scene)
	t.line("rate " + strconv.Itoa(c.Rate))
	t.line("seat " + c.Seat.String())
	t.line("seed " + strconv.FormatUint(c.Network.Seed, 10))
	t.line("weather " + c.Network.String())
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
	if t.count > 0 && (len(e.Commands) > 0 || !slices.Equal(e.Inputs, t.run.Inputs) && !(idle(e.Inputs) && idle(t.run.Inputs))) {
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

// HashCheck appends what the session is after the ticks added so far. At most one
// for a tick is kept, and none before the first.
func (t *Writer) HashCheck(c *HashCheck) {
	if t.total == t.last {
		return
	}
	t.ticks()
	t.last = t.total
	t.line(c.String())
}

func (t *Writer) ticks() {
	if t.count == 0 {
		return
	}
	s := strconv.Itoa(t.count)
	if !idle(t.run.Inputs) {
		for _, in := range t.run.Inputs {
			s += " " + FormatInput(in)
		}
	}
	t.line(s)
	t.count = 0
}

// idle reports whether no player does anything, said or not.
func idle(inputs []sim.Input) bool {
	for _, in := range inputs {
		if in != (sim.Input{}) {
			return false
		}
	}
	return true
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
	out := NewWriter(w, t.Version, t.Config, t.Open)
	checks := t.HashChecks
	for i, e := range t.Entries {
		out.Add(e)
		if len(checks) > 0 && checks[0].Ticks == i+1 {
			out.HashCheck(&checks[0])
			checks = checks[1:]
		}
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
	p.t.Last = p.number
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
		case "version":
			p.t.Version = value
		case "scene":
			c.Scene = value
		case "rate":
			if c.Rate, err = strconv.Atoi(value); err != nil {
				err = fmt.Errorf("rate %q: want %d to %d", value, MinRate, MaxRate)
			}
		case "seat":
			c.Seat, err = SeatNamed(value)
		case "seed":
			if c.Network.Seed, err = strconv.ParseUint(value, 10, 64); err != nil {
				err = fmt.Errorf("seed %q: want a whole number from 0", value)
			}
		case "weather":
			err = c.Network.Parse(value)
		case "pane":
			if err = ValidateSpec(value); err == nil && len(p.t.Open) == MaxPanes {
				err = fmt.Errorf("more than %d panes", MaxPanes)
			}
			p.t.Open = append(p.t.Open, value)
		default:
			err = fmt.Errorf("%q: want version, scene, rate, seat, seed, weather, pane or %s", key, tapeBreak)
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
	if rest, ok := strings.CutPrefix(line, "="); ok {
		return p.check(rest)
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

// check reads a line of hashes.
func (p *tapeReader) check(rest string) error {
	c := HashCheck{Ticks: len(p.t.Entries), Line: p.number}
	switch n := len(p.t.HashChecks); {
	case len(p.pending) > 0:
		return fmt.Errorf("hashes between a command and its tick")
	case c.Ticks == 0:
		return fmt.Errorf("hashes before the first tick")
	case n > 0 && p.t.HashChecks[n-1].Ticks == c.Ticks:
		return fmt.Errorf("hashes of tick %d once more", c.Ticks)
	}
	for _, s := range strings.Fields(rest) {
		h, err := strconv.ParseUint(s, 16, 64)
		if err != nil || len(s) != 16 {
			return fmt.Errorf("hash %q: want 16 digits of 0 to 9 and a to f", s)
		}
		c.Hashes = append(c.Hashes, h)
	}
	if n := len(c.Hashes); n < 1 || n > MaxPanes {
		return fmt.Errorf("%d hashes: want one for each pane, 1 to %d", n, MaxPanes)
	}
	p.t.HashChecks = append(p.t.HashChecks, c)
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
