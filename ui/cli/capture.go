//go:build !js || headless

package cli

import (
	"fmt"
	"os"
	"strings"

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
	for _, name := range strings.Split(flags.Tape, ",") {
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
	planned := plan.Happened(m.Config, m.Panes, flags.Tape, m.Ticks, m.NewLab)
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

// newCapture starts the capture of a session in a file, or none if the name is empty. It is written once a second, so it is
// there also if the program is killed.
func newCapture(name string) (*capture.Recording, func() error, error) {
	if name == "" {
		return nil, func() error { return nil }, nil
	}
	if !isCapture(name) {
		return nil, nil, usageError{fmt.Errorf("--capture=%s: want a name that ends in .capture", name)}
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, nil, usageError{fmt.Errorf("--capture: %w", err)}
	}
	return capture.NewRecording(file), file.Close, nil
}
