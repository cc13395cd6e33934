// Package cli is the program in the terminal: run, bench, record, play,
// hash, list, packets, export, codec, weather.
// None of it needs a window; who can open one hands it in.
package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/alecthomas/kong"

	"ghostcube/ui/plan"
	"ghostcube/ui/stage"
)

// Version is the program's.
const Version = "0.1.0"

// Environment is what the program needs of the world around it.
type Environment struct {
	Args           []string // without the program's name
	Stdout, Stderr io.Writer
	Tapes          fs.FS                // tapes/NAME.tape
	Traces         fs.FS                // traces/NAME.csv
	Comparisons    fs.FS                // comparisons/*.toml
	Now            func() time.Duration // since some moment; measures cost, decides nothing

	// OpenWindow opens the lab in a window and returns when it is closed. If none
	// can be opened it says why before anything else has happened, with opened
	// false. It is nil in a program built without one.
	OpenWindow func(*WindowOptions) (opened bool, err error)
}

// program is one call of the program.
type program struct {
	Environment
	library  plan.Library
	settings plan.Settings // of the settings file
}

// arguments is the command line.
type arguments struct {
	Config  string           `help:"A file of settings: scene, panes (a list), weather, seat, seed, rate, fault, fault-every, seconds, tape, compare." placeholder:"FILE.toml"`
	Version kong.VersionFlag `help:"Print the version and stop."`

	Run     runCommand     `cmd:"" default:"withargs" help:"Open the lab (the default). Without a display, make a film and a score of the same session."`
	Bench   benchCommand   `cmd:"" help:"Run a session without a window, as fast as it goes, and print the score."`
	Record  recordCommand  `cmd:"" help:"Make a film of a session."`
	Play    playCommand    `cmd:"" help:"Play a tape without a window and print the score; with --verify, compare it with the hashes on the tape."`
	Hash    hashCommand    `cmd:"" help:"Step a scene without a network and print the hash of every tick, to compare machines."`
	List    listCommand    `cmd:"" help:"List what there is to choose from."`
	Packets packetsCommand `cmd:"" help:"Print every packet of a session field by field, with the bits of each."`
	Export  exportCommand  `cmd:"" help:"Write what the cubes of a tape do, frame by frame, to be compressed."`
	Codec   codecCommand   `cmd:"" help:"Measure what snapshots of a recording, or pairs of rotations, cost at every level of compression."`
	Network networkCommand `cmd:"" help:"Send probes through a link and print what was asked of it next to what it did."`
}

// usageError is an error of the one who called: exit code 2.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// Main runs the program and returns its exit code: 0, 1 if something went
// wrong, 2 if it was asked for what it cannot do.
func Main(o Environment) int {
	p := newProgram(o)
	err := p.main()
	if err == nil {
		return 0
	}
	fmt.Fprintln(o.Stderr, "ghostcube: "+errorText(err))
	var u usageError
	if errors.As(err, &u) {
		return 2
	}
	return 1
}

// newProgram returns a call of the program.
func newProgram(o Environment) *program {
	return &program{Environment: o, library: plan.Library{
		Tapes: o.Tapes, Traces: o.Traces, ComparisonFiles: o.Comparisons,
		Warn: func(text string) { fmt.Fprintln(o.Stderr, "ghostcube: "+text) },
	}}
}

// parserExit is how the parser's wish to end the program early is caught.
type parserExit struct{}

func (p *program) main() (err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(parserExit); !ok {
				panic(r)
			}
			err = nil // help or version has been printed
		}
	}()
	var args arguments
	parser, err := kong.New(&args,
		kong.Name("ghostcube"),
		kong.Description("A laboratory for networked physics: strategies side by side, under one input and one weather."),
		kong.Vars{"version": "ghostcube " + Version, "show": stage.ShowHelp()},
		kong.Writers(p.Stdout, p.Stderr),
		kong.Exit(func(int) { panic(parserExit{}) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		return err
	}
	ctx, err := parser.Parse(p.Args)
	if err != nil {
		return usageError{err}
	}
	if args.Config != "" {
		if err := p.readConfig(args.Config); err != nil {
			return usageError{err}
		}
	}
	return ctx.Run(p)
}

// readConfig reads the settings file.
func (p *program) readConfig(file string) error {
	text, err := os.ReadFile(file)
	if err == nil {
		p.settings, err = p.library.ReadSettings(file, text)
	}
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	return nil
}
