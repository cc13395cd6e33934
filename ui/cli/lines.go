//go:build !js || headless

package cli

import (
	"bufio"
	"io"
	"os/signal"
	"strings"
	"syscall"
)

// maxTypedLine is the length of the longest line that typedLines reads, in bytes.
const maxTypedLine = 4096

// stopsReader is the signal that stops a program in the background of a terminal which reads from it (SIGTTIN).
const stopsReader = syscall.Signal(21)

// typedLines returns the lines of the standard input as they come, without blanks around them, until it ends or has a
// line that is too long. No other part of the program reads there.
func typedLines(in io.Reader) <-chan string {
	if in == nil {
		return nil
	}
	signal.Ignore(stopsReader)
	lines := make(chan string)
	go func() {
		s := bufio.NewScanner(in)
		for s.Buffer(nil, maxTypedLine); s.Scan(); {
			if text := strings.TrimSpace(s.Text()); text != "" {
				lines <- text
			}
		}
	}()
	return lines
}
