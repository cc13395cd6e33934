// Ghostcube is a laboratory for networked physics: a client's cube and the
// server's ghost, kept together by one strategy or another, live and measured.
package main

// go generate . writes all generated pages and pictures of the documentation; with GHOSTCUBE_CI=1 it measures their figures
// anew. It adds new scenes and comparisons to the tables of hashes and changes no line that they have.
//
//go:generate go test -timeout=60m ./internal/texts ./ui/cli -run=^(TestPage|TestDocCommands) -update
//go:generate go test -timeout=60m ./sim ./ui/cli -run=^(TestGolden|TestComparisonsStayTheSame) -add

import (
	"os"

	"ghostcube/ui/cli"
	"ghostcube/ui/program"
)

func main() {
	environment := program.Environment(os.Args[1:], os.Stdout, os.Stderr)
	environment.Stdin = os.Stdin
	os.Exit(cli.Main(environment))
}
