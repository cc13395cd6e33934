package cli

import (
	"fmt"

	"ghostcube/ui/page"
)

type pageCommand struct {
	Out string `short:"o" required:"" help:"Folder for the page." placeholder:"DIR"`
}

// Help returns the detailed help.
func (c *pageCommand) Help() string {
	return `
The folder can be served by any server of static files. The command compiles the program for
browsers, so it needs Go and has to run in the folder of the source.

Examples:
  ghostcube page -o page
  python3 -m http.server --directory page
`
}

// Run writes the page.
func (c *pageCommand) Run(p *program) error {
	if err := page.Write(c.Out, "."); err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "page    %s (serve it, as in: python3 -m http.server --directory %s)\n", c.Out, c.Out)
	return nil
}
