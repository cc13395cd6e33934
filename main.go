// Ghostcube is a laboratory for networked physics: a client's cube and the
// server's ghost, kept together by one strategy or another, live and measured.
package main

import (
	"os"
	"time"

	"ghostcube/assets"
	"ghostcube/ui/cli"
	"ghostcube/ui/host"
)

func main() {
	start := time.Now()
	os.Exit(cli.Main(cli.Environment{
		Args: os.Args[1:], Stdout: os.Stdout, Stderr: os.Stderr,
		Tapes:       assets.Tapes,
		Traces:      assets.Traces,
		Comparisons: assets.Comparisons,
		Lessons:     assets.Lessons,
		Mechanisms:  assets.Mechanisms,
		Now:         func() time.Duration { return time.Since(start) },
		Progress:    host.Progress,
		OpenWindow:  openWindow,
	}))
}
