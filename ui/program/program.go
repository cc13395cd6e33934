// Package program puts the program together: the command line, the data that are compiled in, and the window.
package program

import (
	"io"
	"time"

	"ghostcube/assets"
	"ghostcube/ui/cli"
	"ghostcube/ui/platform"
)

// Environment returns what a run of the program needs. Its times begin now.
func Environment(args []string, stdout, stderr io.Writer) cli.Environment {
	start := time.Now()
	return cli.Environment{
		Args: args, Stdout: stdout, Stderr: stderr,
		Tapes:       assets.Tapes,
		Traces:      assets.Traces,
		Comparisons: assets.Comparisons,
		Lessons:     assets.Lessons,
		Presets:     assets.Presets,
		Claims:      assets.Claims,
		Terms:       assets.Terms,
		Mechanisms:  assets.Mechanisms,
		Now:         func() time.Duration { return time.Since(start) },
		Progress:    platform.Progress,
		OpenWindow:  openWindow,
	}
}
