package tape

import (
	"bufio"
	"io"
	"slices"
	"strconv"

	"ghostcube/predict/lab"
	"ghostcube/sim"
)

// Writer writes a tape while its session runs. The first error of the io.Writer is kept;
// Flush and Close return it.
type Writer struct {
	out           *bufio.Writer
	pending       lab.Entry // inputs of the ticks that are not written yet
	pendingTicks  int
	totalTicks    int
	lastCheckTick int // ticks before the last hash check
	err           error
}

// NewWriter writes the header of a tape. version is the program's and may be empty; panes
// are specs.
func NewWriter(w io.Writer, version string, c lab.Config, panes []string) *Writer {
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
	for _, spec := range panes {
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

// HashCheck appends a hash check after the ticks added so far. The first one of a tick is
// written; one before the first tick is not.
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

// idle reports whether all inputs are empty.
func idle(inputs []sim.Input) bool {
	for _, in := range inputs {
		if in != (sim.Input{}) {
			return false
		}
	}
	return true
}

// Flush writes everything that has been added, so that it is readable even if the program
// is stopped.
func (t *Writer) Flush() error {
	t.flushTicks()
	if t.err == nil {
		t.err = t.out.Flush()
	}
	return t.err
}

// Ending returns the lines with which a tape would end here: a hash check, unless the tick has one, and the last line.
// Call it after Flush.
func (t *Writer) Ending(c *HashCheck) string {
	check := ""
	if t.totalTicks != t.lastCheckTick {
		check = c.String() + "\n"
	}
	return check + t.lastLine() + "\n"
}

// lastLine says that the tape is complete.
func (t *Writer) lastLine() string { return "end " + strconv.Itoa(t.totalTicks) }

// Close writes the last line. It does not close the io.Writer.
func (t *Writer) Close() error {
	t.flushTicks()
	t.writeLine(t.lastLine())
	return t.Flush()
}
