// Peers measures the rigid-body engine beside others, on one core, and prints the tables of docs/notebook/engine.md.
//
//	go run ./internal/peers [-engines box3d,bullet,ode] [-rounds 9] [-box3d ADDRESS] [-update]
//
// It needs compilers of C and C++. Box3D is fetched with git and compiled; Bullet and ODE are those that pkg-config finds
// (Debian: g++ git pkg-config libbullet-dev libode-dev). If a tool or library is missing, the exit code is 2.
//
// Every engine steps the same scene files with the same input. Only its step is timed. The engines take turns, on one core
// where taskset pins them, and the smallest time of each tick in all rounds counts: that is the same work each time, which
// is checked. -update writes the tables, if all engines have run.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

const page = "docs/notebook/engine.md"

func main() {
	names := flag.String("engines", strings.Join(peerNames(), ","), "the engines beside ours, by comma")
	rounds := flag.Int("rounds", 9, "how often every engine steps every scene")
	address := flag.String("box3d", "https://github.com/erincatto/box3d", "where git fetches Box3D")
	update := flag.Bool("update", false, "write the tables to "+page)
	flag.Parse()
	err := run(strings.Split(*names, ","), *rounds, *address, *update)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "peers:", err)
	if errors.As(err, new(missing)) {
		os.Exit(2)
	}
	os.Exit(1)
}

// missing is an error of something that has to be installed, reached or asked for in another way.
type missing string

func (m missing) Error() string { return string(m) }

func run(names []string, rounds int, address string, update bool) error {
	switch {
	case rounds < 1:
		return missing(fmt.Sprintf("-rounds %d: want at least 1", rounds))
	case update && slices.ContainsFunc(peerNames(), func(n string) bool { return !slices.Contains(names, n) }):
		return missing("-update needs all engines")
	}
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	engines, err := build(dir, names, address)
	if err != nil {
		return err
	}
	results, err := measure(dir, engines, rounds)
	if err != nil {
		return err
	}
	text := tables(engines, results, fmt.Sprintf("on %s, rounds: %d", time.Now().Format("2 January 2006"), rounds))
	fmt.Print(text)
	if !update {
		return nil
	}
	old, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	written, err := replaceTables(string(old), text)
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	return os.WriteFile(page, []byte(written), 0o666)
}
