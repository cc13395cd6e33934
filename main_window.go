//go:build !headless

package main

import (
	"ghostcube/ui/cli"
	"ghostcube/ui/window"
)

// openWindow opens the lab in a window. With -tags headless the program is
// built without one, and without Ebitengine.
var openWindow = func(o *cli.Opening) (opened bool, err error) {
	return window.Open(window.Options{
		Config: o.Config, Panes: o.Panes, Entry: o.Entry, Ticks: o.Ticks, Note: o.Note, Title: o.Title, Split: o.Split, Show: o.Show,
		Faults: o.Faults, Forced: o.Forced, Out: o.Out, Width: o.Width, Height: o.Height, Picture: window.Picture(o.Picture), Tape: o.Tape,
		Version: cli.Version,
	})
}
