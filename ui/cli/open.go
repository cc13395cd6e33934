package cli

import (
	"ghostcube/ui/plan"
)

type openCommand struct {
	Link         string `arg:"" optional:"" help:"Link to a session, or the part of it from the question mark on." placeholder:"LINK"`
	DisplayFlags `embed:""`
	Out          string `group:"output" help:"Folder for videos, screenshots and tapes." default:"ghostcube-out" placeholder:"ghostcube-out"`
	Size         string `group:"output" help:"Size of the window in pixels." default:"1280x720" placeholder:"1280x720"`
	Renderer     string `group:"output" help:"gpu-supersampled, gpu, software, software-half, or auto for the best that keeps up." default:"auto" placeholder:"auto"`
}

// Run opens the window with the session of a link.
func (c *openCommand) Run(p *program) error {
	settings, err := plan.ParseLink(c.Link)
	if err != nil {
		return usageError{err}
	}
	run := runCommand{SessionFlags: SessionFlags(settings), DisplayFlags: c.DisplayFlags, Out: c.Out, Size: c.Size, Renderer: c.Renderer}
	return run.Run(p)
}
