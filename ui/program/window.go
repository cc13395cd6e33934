//go:build !headless

package program

import (
	"ghostcube/ui/cli"
	"ghostcube/ui/window"
)

// openWindow opens the lab in a window. With -tags headless the program is built without one, and without Ebitengine.
var openWindow = func(o *cli.WindowOptions) (opened bool, err error) {
	return window.Open(window.Options{
		Plan: o.Plan, Display: o.Display, OutDir: o.OutDir, Width: o.Width, Height: o.Height,
		Renderer: window.Renderer(o.Renderer), Comparisons: o.Comparisons, Library: o.Library, PlanComparison: o.PlanComparison,
		At: o.At, Embed: o.Embed, Page: o.Page, Version: cli.Version, Report: o.Report,
	})
}
