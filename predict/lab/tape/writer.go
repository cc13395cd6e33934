package tape

import (
	"io"
	"slices"
	"strconv"

	"ghostcube/predict/lab"
	"ghostcube/sim"
)

// Writer writes a tape while its session runs. The first error of the io.Writer is kept;
// Flush and Close return it.
type Writer struct {
	out           io.Writer
	lines         []byte    // whole ones that are not written yet
	pending       lab.Entry // inputs of the ticks that are not written yet
	pendingTicks  int
	totalTicks    int
	lastCheckTick int // ticks before the last hash check
	err           error
}

// NewWriter writes the header of a tape. version is the program's and may be empty; panes
// are specs.
func NewWriter(w io.Writer, version string, c lab.Config, panes []string) *Writer {
	t := &Writer{out: w}
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

// maxUnwritten is the length in bytes from which lines are written before Flush asks for it.
const maxUnwritten = 4096

func (w *Writer) writeLine(s string) {
	w.lines = append(append(w.lines, s...), '\n')
	if len(w.lines) >= maxUnwritten {
		w.writeLines()
	}
}

// writeLines writes the lines so far.
func (w *Writer) writeLines() {
	if w.err == nil && len(w.lines) > 0 {
		_, w.err = w.out.Write(w.lines)
	}
	w.lines = w.lines[:0]
}

// Add appends an entry.
func (w *Writer) Add(e lab.Entry) {
	if w.pendingTicks > 0 && (len(e.Commands) > 0 || !slices.Equal(e.Inputs, w.pending.Inputs) && !(idle(e.Inputs) && idle(w.pending.Inputs))) {
		w.flushTicks()
	}
	for _, c := range e.Commands {
		w.writeLine("! " + c.String())
	}
	if w.pendingTicks == 0 {
		w.pending.Inputs = append(w.pending.Inputs[:0], e.Inputs...)
	}
	w.pendingTicks++
	w.totalTicks++
}

// HashCheck appends a hash check after the ticks added so far. The first one of a tick is
// written; one before the first tick is not.
func (w *Writer) HashCheck(c *HashCheck) {
	if w.totalTicks == w.lastCheckTick {
		return
	}
	w.flushTicks()
	w.lastCheckTick = w.totalTicks
	w.writeLine(c.String())
}

func (w *Writer) flushTicks() {
	if w.pendingTicks == 0 {
		return
	}
	w.writeLine(w.pendingLine())
	w.pendingTicks = 0
}

// pendingLine is the line of the ticks that have none yet.
func (w *Writer) pendingLine() string {
	s := strconv.Itoa(w.pendingTicks)
	if !idle(w.pending.Inputs) {
		for _, in := range w.pending.Inputs {
			s += " " + formatInput(in)
		}
	}
	return s
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
func (w *Writer) Flush() error {
	w.flushTicks()
	w.writeLines()
	return w.err
}

// Rest returns the lines not yet written, as if the tape ended here: the written part plus Rest is a complete tape. It
// changes nothing.
func (w *Writer) Rest() string {
	s := string(w.lines)
	if w.pendingTicks > 0 {
		s += w.pendingLine() + "\n"
	}
	return s + w.lastLine() + "\n"
}

// Ending returns the lines with which a tape would end here: a hash check, unless the tick has one, and the last line.
// Call it after Flush.
func (w *Writer) Ending(c *HashCheck) string {
	check := ""
	if w.totalTicks != w.lastCheckTick {
		check = c.String() + "\n"
	}
	return check + w.lastLine() + "\n"
}

// lastLine says that the tape is complete.
func (w *Writer) lastLine() string { return "end " + strconv.Itoa(w.totalTicks) }

// Close writes the last line. It does not close the io.Writer.
func (w *Writer) Close() error {
	w.flushTicks()
	w.writeLine(w.lastLine())
	return w.Flush()
}
