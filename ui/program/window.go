//go:build !headless

package program

import (
	"ghostcube/ui/cli"
	"ghostcube/ui/window"
)

// openWindow opens the lab in a window. With -tags headless the program is built without one, and without Ebitengine.
var openWindow = func(o *cli.WindowOptions) (opened bool, err error) {
	return window.Open(window.Options{
		Session: o.Session, Plan: o.Plan, Display: o.Display, Width: o.Width, Height: o.Height,
		Renderer: window.Renderer(o.Renderer), At: o.At, Report: o.Report,
	})
}
