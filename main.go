// Ghostcube is a laboratory for networked physics: a client's cube and the
// server's ghost, kept together by one strategy or another, live and measured.
package main

import (
	"os"

	"ghostcube/ui/cli"
	"ghostcube/ui/program"
)

func main() {
	os.Exit(cli.Main(program.Environment(os.Args[1:], os.Stdout, os.Stderr)))
}
