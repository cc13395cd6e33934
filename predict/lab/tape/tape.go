package tape

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ghostcube/predict/lab"
	"ghostcube/sim"
)

// Tape is a session that can be run again, and may say what it came to.
type Tape struct {
	Version    string // of the program that made it; empty: not said
	Config     lab.Config
	Panes      []string // specs of the panes
	Entries    []lab.Entry
	HashChecks []HashCheck // in the order of their ticks; none: it says nothing of hashes

	// Truncated says that the file ended before its last line: whoever wrote it was
	// stopped. What was read is whole all the same.
	Truncated bool
	LastLine  int // line of the file that was read last; 0: it was not read
}

// Equal entries are written once, with how often they come:
//
//	ghostcube tape 2
//	version 0.1.0
//	scene zen
//	rate 60
//	seat client
//	seed 1
//	network latency=75ms
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
	magic      = "ghostcube tape 2"
	headerEnd  = "---"
	maxTicks   = 2_000_000 // in a tape: nine hours
	maxLineLen = 64 << 10  // bytes
)

var keyLetters = []struct {
	letter byte
	button sim.Buttons
}{{'W', sim.Forward}, {'A', sim.Left}, {'S', sim.Back}, {'D', sim.Right}, {'U', sim.Lift}, {'Z', sim.Pull}}

// formatInput returns an input as a tape writes it.
func formatInput(in sim.Input) string {
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

// parseShot reads what formatInput wrote behind the star.
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

// parseInput reads what formatInput wrote.
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
	out           *bufio.Writer
	pending       lab.Entry // inputs of the ticks that are not written yet
	pendingTicks  int
	totalTicks    int
	lastCheckTick int // ticks of the last check
	err           error
}

// NewWriter writes the head of a tape. version is the program's, or empty.
func NewWriter(w io.Writer, version string, c lab.Config, open []string) *Writer {
	t := &Writer{out: bufio.NewWriter(w)}
	t.writeLine(magic)
	if version != "" {
		t.writeLine("version " + version)
	}
	t.writeLine("scene " + c.Scene)
	t.writeLine("rate " + strconv.Itoa(c.Rate))
	t.writeLine("seat " + c.Seat.String())
	t.writeLine("seed " + strconv.FormatUint(c.Network.Seed, 10))
	t.writeLine("network " + c.Network.String())
	for _, spec := range open {
		t.writeLine("pane " + spec)
	}
	t.writeLine(headerEnd)
	return t
}

func (t *Writer) writeLine(s string) {
	if t.err == nil {
		_, t.err = t.out.WriteString(s + "\n")
	}
}

// Add appends an entry.
func (t *Writer) Add(e lab.Entry) {
	if t.pendingTicks > 0 && (len(e.Commands) > 0 || !slices.Equal(e.Inputs, t.pending.Inputs) && !(idle(e.Inputs) && idle(t.pending.Inputs))) {
		t.flushTicks()
	}
	for _, c := range e.Commands {
		t.writeLine("! " + c.String())
	}
	if t.pendingTicks == 0 {
		t.pending.Inputs = append(t.pending.Inputs[:0], e.Inputs...)
	}
	t.pendingTicks++
	t.totalTicks++
}

// HashCheck appends what the session is after the ticks added so far. At most one
// for a tick is kept, and none before the first.
func (t *Writer) HashCheck(c *HashCheck) {
	if t.totalTicks == t.lastCheckTick {
		return
	}
	t.flushTicks()
	t.lastCheckTick = t.totalTicks
	t.writeLine(c.String())
}

func (t *Writer) flushTicks() {
	if t.pendingTicks == 0 {
		return
	}
	s := strconv.Itoa(t.pendingTicks)
	if !idle(t.pending.Inputs) {
		for _, in := range t.pending.Inputs {
			s += " " + formatInput(in)
		}
	}
	t.writeLine(s)
	t.pendingTicks = 0
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
	t.flushTicks()
	if t.err == nil {
		t.err = t.out.Flush()
	}
	return t.err
}

// Close writes the last line. It does not close what is below.
func (t *Writer) Close() error {
	t.flushTicks()
	t.writeLine("end " + strconv.Itoa(t.totalTicks))
	return t.Flush()
}

// Write writes the tape as text that a person can read.
func (t *Tape) Write(w io.Writer) error {
	out := NewWriter(w, t.Version, t.Config, t.Panes)
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

// Read reads what Write wrote. The error names the line.
func Read(r io.Reader) (*Tape, error) {
	p := &reader{scanner: bufio.NewScanner(r), tape: &Tape{Config: lab.Config{Rate: 60}}}
	p.scanner.Buffer(make([]byte, 4096), maxLineLen)
	if err := p.read(); err != nil {
		return nil, fmt.Errorf("line %d: %w", p.lineNumber, err)
	}
	p.tape.LastLine = p.lineNumber
	return p.tape, nil
}

type reader struct {
	scanner         *bufio.Scanner
	lineNumber      int
	tape            *Tape
	pendingCommands []lab.Command
}

// nextLine returns the next line that says something.
func (p *reader) nextLine() (line string, ok bool) {
	for p.scanner.Scan() {
		p.lineNumber++
		line, _, _ = strings.Cut(p.scanner.Text(), "#")
		if line = strings.TrimSpace(line); line != "" {
			return line, true
		}
	}
	return "", false
}

func (p *reader) read() error {
	line, ok := p.nextLine()
	if !ok || line != magic {
		if err := p.scanner.Err(); err != nil {
			return err
		}
		p.lineNumber = max(p.lineNumber, 1)
		return fmt.Errorf("this is no tape: it does not begin with %q", magic)
	}
	if err := p.readHeader(); err != nil {
		return err
	}
	for {
		line, ok := p.nextLine()
		if !ok {
			break
		}
		if total, ok := strings.CutPrefix(line, "end "); ok {
			n, err := strconv.Atoi(total)
			if err != nil || n != len(p.tape.Entries) {
				return fmt.Errorf("the tape says that it has %s ticks, and has %d: it is damaged", total, len(p.tape.Entries))
			}
			if more, ok := p.nextLine(); ok {
				return fmt.Errorf("%q after the end", more)
			}
			p.tape.Truncated = false
			return p.scanner.Err()
		}
		if err := p.readEntry(line); err != nil {
			return err
		}
	}
	p.tape.Truncated = true
	return p.scanner.Err()
}

// readHeader reads up to the break.
func (p *reader) readHeader() error {
	c := &p.tape.Config
	for {
		line, ok := p.nextLine()
		if !ok {
			return fmt.Errorf("the tape ends in its head")
		}
		if line == headerEnd {
			break
		}
		key, value, _ := strings.Cut(line, " ")
		value = strings.TrimSpace(value)
		var err error
		switch key {
		case "version":
			p.tape.Version = value
		case "scene":
			c.Scene = value
		case "rate":
			if c.Rate, err = strconv.Atoi(value); err != nil {
				err = fmt.Errorf("rate %q: want %d to %d", value, lab.MinRate, lab.MaxRate)
			}
		case "seat":
			c.Seat, err = lab.SeatNamed(value)
		case "seed":
			if c.Network.Seed, err = strconv.ParseUint(value, 10, 64); err != nil {
				err = fmt.Errorf("seed %q: want a whole number from 0", value)
			}
		case "network":
			err = c.Network.Parse(value)
		case "pane":
			if err = lab.ValidateSpec(value); err == nil && len(p.tape.Panes) == lab.MaxPanes {
				err = fmt.Errorf("more than %d panes", lab.MaxPanes)
			}
			p.tape.Panes = append(p.tape.Panes, value)
		default:
			err = fmt.Errorf("%q: want version, scene, rate, seat, seed, network, pane or %s", key, headerEnd)
		}
		if err != nil {
			return err
		}
	}
	return c.Validate()
}

// readEntry reads a line of ticks or a command.
func (p *reader) readEntry(line string) error {
	if rest, ok := strings.CutPrefix(line, "!"); ok {
		c, err := lab.ParseCommand(rest)
		p.pendingCommands = append(p.pendingCommands, c)
		return err
	}
	if rest, ok := strings.CutPrefix(line, "="); ok {
		return p.readHashes(rest)
	}
	f := strings.Fields(line)
	n, err := strconv.Atoi(f[0])
	if err != nil || n < 1 || n > maxTicks-len(p.tape.Entries) {
		return fmt.Errorf("%q: want a count of ticks from 1, %d in all at most", f[0], maxTicks)
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
			e.Commands, p.pendingCommands = p.pendingCommands, nil
		}
		p.tape.Entries = append(p.tape.Entries, e)
	}
	return nil
}

// readHashes reads a line of hashes.
func (p *reader) readHashes(rest string) error {
	c := HashCheck{Ticks: len(p.tape.Entries), Line: p.lineNumber}
	switch n := len(p.tape.HashChecks); {
	case len(p.pendingCommands) > 0:
		return fmt.Errorf("hashes between a command and its tick")
	case c.Ticks == 0:
		return fmt.Errorf("hashes before the first tick")
	case n > 0 && p.tape.HashChecks[n-1].Ticks == c.Ticks:
		return fmt.Errorf("hashes of tick %d once more", c.Ticks)
	}
	for _, s := range strings.Fields(rest) {
		h, err := strconv.ParseUint(s, 16, 64)
		if err != nil || len(s) != 16 {
			return fmt.Errorf("hash %q: want 16 digits of 0 to 9 and a to f", s)
		}
		c.Hashes = append(c.Hashes, h)
	}
	if n := len(c.Hashes); n < 1 || n > lab.MaxPanes {
		return fmt.Errorf("%d hashes: want one for each pane, 1 to %d", n, lab.MaxPanes)
	}
	p.tape.HashChecks = append(p.tape.HashChecks, c)
	return nil
}

// NewLab returns a lab as the tape's head says.
func (t *Tape) NewLab() (*lab.Lab, error) {
	l := lab.New(t.Config)
	for _, spec := range t.Panes {
		if _, err := l.Open(spec); err != nil {
			return nil, err
		}
	}
	return l, nil
}
