package capture

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"time"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
)

// Recording writes the capture of a session while it runs, once a second. A nil Recording records nothing.
type Recording struct {
	out    io.Writer
	lab    *lab.Lab
	tape   *tape.Writer
	events []byte          // lines that are not written yet
	text   bytes.Buffer    // lines of the tape after those
	final  *tape.HashCheck // of the last tick, if commands have been applied since
	err    error           // the first one
}

// NewRecording returns a recording that writes to out. Wrap the wires of the session, make its lab with them, and call
// Start before its first tick.
func NewRecording(out io.Writer) *Recording { return &Recording{out: out} }

// Wire returns a wire that records what w delivers. i is its index.
func (r *Recording) Wire(i int, w link.Wire) link.Wire {
	if r == nil {
		return w
	}
	return &recordedWire{w, r, i}
}

// Start writes the header. player is that of the client, or Server; version is the program's.
func (r *Recording) Start(l *lab.Lab, version string, player int, spec string) {
	if r == nil {
		return
	}
	side := "server"
	if player != Server {
		side = "client " + strconv.Itoa(player+1)
	}
	r.lab = l
	fmt.Fprintf(&r.text, "%s\nside %s\n", magic, side)
	r.tape = tape.NewWriter(&r.text, version, l.Config(), []string{spec})
	r.write(r.tape.Flush())
}

// Reset records that the server is about to forget the client of a seat.
func (r *Recording) Reset(client int) {
	if r != nil {
		r.events = fmt.Appendf(r.events, "~ %d %d\n", r.lab.Ticks(), client+1)
	}
}

// Applying has to be called before a command changes the lab between two ticks. The next entry has the command.
func (r *Recording) Applying() {
	if r != nil && r.final == nil {
		r.final = tape.NewHashCheck(r.lab)
	}
}

// Ticked adds the entry of the tick that the lab has just made. It returns the first error of writing.
func (r *Recording) Ticked(e lab.Entry) error {
	if r == nil {
		return nil
	}
	r.tape.Add(e)
	r.final = nil
	if tape.HashCheckDue(int(r.lab.Ticks()), r.lab.Config().Rate) {
		r.tape.HashCheck(tape.NewHashCheck(r.lab))
		r.write(r.tape.Flush())
	}
	return r.err
}

// Close writes the last hash and the last line. It does not close the io.Writer.
func (r *Recording) Close() error {
	if r == nil || r.tape == nil {
		return nil
	}
	r.Applying() // the lab may have more than the last entry
	r.tape.HashCheck(r.final)
	r.write(r.tape.Close())
	return r.err
}

// write writes all that has been collected in one call: the file of a killed process has the datagrams of all its ticks.
func (r *Recording) write(err error) {
	if r.err == nil {
		r.err = err
	}
	if r.err == nil {
		_, r.err = r.out.Write(append(r.events, r.text.Bytes()...))
	}
	r.events = r.events[:0]
	r.text.Reset()
}

// recordedWire records what a wire delivers.
type recordedWire struct {
	link.Wire
	recording *Recording
	index     int
}

// Receive implements link.Wire.
func (w *recordedWire) Receive(now time.Duration) (link.Datagram, bool) {
	d, ok := w.Wire.Receive(now)
	if r := w.recording; ok {
		r.events = fmt.Appendf(r.events, "> %d %d %d ", r.lab.Ticks(), w.index+1, int64(d.ReceivedAt))
		r.events = append(encoding.AppendEncode(r.events, d.Bytes), '\n')
	}
	return d, ok
}
