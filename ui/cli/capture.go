//go:build !js || headless

package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"ghostcube/predict/lab"
	"ghostcube/predict/lab/capture"
	"ghostcube/ui/plan"
)

// isCapture reports whether a file is a capture, by its name.
func isCapture(name string) bool { return strings.HasSuffix(name, ".capture") }

// openCapture reads a capture from its file.
func openCapture(name string) (*capture.Capture, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	c, err := capture.Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// planCaptures plans the session that --tape names by the captures of a server and its clients.
func planCaptures(flags SessionFlags) (*plan.Plan, error) {
	if flags != (SessionFlags{Tape: flags.Tape, Seconds: flags.Seconds}) {
		return nil, fmt.Errorf("--tape=%s: a session that has happened has its own settings: want at most --seconds besides", flags.Tape)
	}
	var list []*capture.Capture
	for _, name := range captureNames(flags.Tape) {
		c, err := openCapture(name)
		if err != nil {
			return nil, fmt.Errorf("--tape: %w", err)
		}
		list = append(list, c)
	}
	m, err := capture.Merge(list)
	if err != nil {
		return nil, fmt.Errorf("--tape=%s: %w", flags.Tape, err)
	}
	planned := plan.Happened("captures", m.Config, m.Panes, flags.Tape, make([]lab.Entry, m.Ticks), m.NewLab)
	planned.Seconds = min(flags.Seconds, float64(m.Ticks)/float64(m.Config.Rate))
	return planned, nil
}

// verifyCapture runs a side of a session again from its capture, and compares it with the hashes in it.
func verifyCapture(p *program, name string) error {
	c, err := openCapture(name)
	if err != nil {
		return usageError{err}
	}
	r, err := c.Replay()
	if err != nil {
		return usageError{fmt.Errorf("%s: %w", name, err)}
	}
	if c.Tape.Truncated {
		fmt.Fprintf(p.Stderr, "ghostcube: %s: the process has not ended its capture; what it has written is verified\n", name)
		c.Tape.Truncated = false
	}
	return p.verifyTape(name, c.Tape, r.Lab, func(int) { r.BeforeTick() })
}

// captureFile is the capture of a session on its way into a file. It is written once a second, so it is there also if the program
// is killed. A nil captureFile is none.
type captureFile struct{ *os.File }

// checkCapture returns why there can be no capture of a name, which is empty for none.
func (p *program) checkCapture(name string) error {
	switch {
	case name == "":
		return nil
	case !isCapture(name):
		return usageError{fmt.Errorf("--capture=%s: want a name that ends in .capture", name)}
	}
	return p.checkOutput("--capture", name)
}

// newCapture starts a capture in a file that there is not yet, or none if the name is empty.
func newCapture(name string) (*capture.Recording, *captureFile, error) {
	if name == "" {
		return nil, nil, nil
	}
	how := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		how = os.O_WRONLY // a pipe or a device
	}
	file, err := os.OpenFile(name, how, 0o666)
	if err != nil {
		return nil, nil, usageError{fmt.Errorf("--capture: %w", err)}
	}
	return capture.NewRecording(file), &captureFile{file}, nil
}

// close closes the file. One in which there is nothing is removed.
func (f *captureFile) close() error {
	if f == nil {
		return nil
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		return f.discard()
	}
	return f.Close()
}

// discard removes the file of a session that has not begun.
func (f *captureFile) discard() error {
	if f == nil {
		return nil
	}
	info, err := f.Stat()
	if err = errors.Join(err, f.Close()); err == nil && info.Mode().IsRegular() {
		err = os.Remove(f.Name())
	}
	return err
}
