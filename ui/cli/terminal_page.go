//go:build js && !headless

package cli

import (
	"errors"

	"ghostcube/ui/plan"
)

// terminalCommand is a command that prints for a terminal. A page has none, so there the command's code is left out, which
// is a part of what a visitor loads.
type terminalCommand struct{}

// Run returns an error.
func (c *terminalCommand) Run() error {
	return errors.New("a page has no terminal: run the command on a desktop")
}

type (
	listCommand    struct{ terminalCommand }
	codecCommand   struct{ terminalCommand }
	networkCommand struct{ terminalCommand }
	exportCommand  struct{ terminalCommand }
	hashCommand    struct{ terminalCommand }
	packetsCommand struct{ terminalCommand }
	benchCommand   struct{ terminalCommand }
	serveCommand   struct{ terminalCommand }
	probeCommand   struct{ terminalCommand }
	sweepCommand   struct{ terminalCommand }
	scoreCommand   struct{ terminalCommand }
	claimsCommand  struct{ terminalCommand }
	adviseCommand  struct{ terminalCommand }
	workerCommand  struct{ terminalCommand }
	tuneCommand    struct{ terminalCommand }

	completionCommand struct{ terminalCommand }
	manCommand        struct{ terminalCommand }
)

// isCapture reports false: a page has no captures.
func isCapture(string) bool { return false }

// isGameLog reports false: a page has no game logs.
func isGameLog(string) bool { return false }

// planGameLog is never called.
func (p *program) planGameLog(SessionFlags) (*plan.Plan, error) { return nil, nil }

// planCaptures is never called.
func planCaptures(SessionFlags) (*plan.Plan, error) { return nil, nil }

// verifyCapture is never called.
func verifyCapture(*program, string) error { return nil }
