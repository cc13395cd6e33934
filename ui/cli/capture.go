//go:build !js || headless

package cli

import (
	"fmt"
	"os"
	"strings"

	"ghostcube/predict/lab/capture"
)

// isCapture reports whether a file is a capture, by its name.
func isCapture(name string) bool { return strings.HasSuffix(name, ".capture") }

// verifyCapture runs a side of a session again from its capture, and compares it with the hashes in it.
func verifyCapture(p *program, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return usageError{err}
	}
	defer file.Close()
	c, err := capture.Read(file)
	if err != nil {
		return usageError{fmt.Errorf("%s: %w", name, err)}
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
