// Package cli is the command line of the program. Its commands run sessions without a
// window; the command run opens one if the caller provides a way to do so.
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
)

// Version is the version of the program. The script that builds releases sets it.
var Version = "0.1.0"

// Environment is everything that the program takes from outside.
type Environment struct {
	Args           []string // without the program's name
	Stdout, Stderr io.Writer
	Tapes          fs.FS                // tapes/NAME.tape
	Traces         fs.FS                // traces/NAME.csv
	Comparisons    fs.FS                // comparisons/*.toml
	Lessons        fs.FS                // lessons/NN-NAME.toml
	Mechanisms     []byte               // mechanisms.toml
	Measures       []byte               // measures.toml
	Now            func() time.Duration // time since an arbitrary moment, for CPU figures and progress bars

	// Progress receives the share of a command that is done, in [0, 1], for whoever waits for the program. It may be nil.
	Progress func(share float64)

	// OpenWindow opens the window and returns when it is closed. If it cannot, it returns
	// opened false and the reason, and has had no effect. It is nil in a build without a
	// window.
	OpenWindow func(*WindowOptions) (opened bool, err error)
}

// program is one run of the program.
type program struct {
	Environment
	library  plan.Library
	settings plan.Settings // of the settings file
}

// arguments is the command line.
type arguments struct {
	Config  string           `help:"Settings file (TOML) with the session's flags as keys. Flags take precedence." placeholder:"FILE.toml"`
	Version kong.VersionFlag `help:"Print the version and exit."`

	Run     runCommand     `cmd:"" default:"withargs" help:"Open the window (default command). Without a display, record the session into files."`
	Open    openCommand    `cmd:"" help:"Open the window with the session of a link."`
	Link    linkCommand    `cmd:"" help:"Print the link to a session."`
	Page    pageCommand    `cmd:"" help:"Write the program as a page for browsers."`
	Tour    tourCommand    `cmd:"" help:"Open the window with a lesson of the tour."`
	Bench   benchCommand   `cmd:"" help:"Run a session as fast as possible and print its scores."`
	Record  recordCommand  `cmd:"" help:"Render a session as a video."`
	Play    playCommand    `cmd:"" help:"Run a tape and print its scores, or verify its hashes."`
	Hash    hashCommand    `cmd:"" help:"Print the hash of every tick of a scene, to compare machines."`
	List    listCommand    `cmd:"" help:"List scenes, strategies, networks, tapes, comparisons and more."`
	Packets packetsCommand `cmd:"" help:"Print the packets of a session field by field."`
	Export  exportCommand  `cmd:"" help:"Write the cubes of a tape's session as a recording for codec."`
	Codec   codecCommand   `cmd:"" help:"Measure the size of recorded snapshots, or rotations, at every level of compression."`
	Network networkCommand `cmd:"" help:"Send probes over a simulated link and compare it with its conditions."`
}

// usageError is an error in how the program was called. Its exit code is 2.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// Main runs the program and returns its exit code: 0 for success, 2 for a usage error, 1 for
// any other error, also if Ctrl-C or SIGTERM has ended the command early.
func Main(o Environment) int {
	out := &outputWriter{w: o.Stdout}
	o.Stdout = out
	err := newProgram(o).main()
	if out.err != nil {
		fmt.Fprintln(o.Stderr, "ghostcube: the output is incomplete: "+out.err.Error())
		return 1
	}
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

// outputWriter remembers the first error of writing the output, which no printer has to check then.
type outputWriter struct {
	w   io.Writer
	err error
}

func (o *outputWriter) Write(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(b)
	o.err = err
	return n, err
}

func newProgram(o Environment) *program {
	return &program{Environment: o, library: plan.Library{
		Tapes: o.Tapes, Traces: o.Traces, ComparisonFiles: o.Comparisons, MechanismFile: o.Mechanisms, MeasureFile: o.Measures, LessonFiles: o.Lessons,
		Warn: func(text string) { fmt.Fprintln(o.Stderr, "ghostcube: "+text) },
	}}
}

// parserExit is the panic by which the parser's exit hook unwinds.
type parserExit struct{}

// newParser returns a parser of the command line into args.
func (p *program) newParser(args *arguments) (*kong.Kong, error) {
	return kong.New(args,
		kong.Name("ghostcube"),
		kong.Description("A laboratory for networked physics: strategies run side by side under the same input and network."),
		kong.Vars{"version": "ghostcube " + Version},
		kong.Writers(p.Stdout, p.Stderr),
		kong.Exit(func(int) { panic(parserExit{}) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.ExplicitGroups([]kong.Group{
			{Key: "session", Title: "Session:"},
			{Key: "output", Title: "Output:"},
		}),
	)
}

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
	parser, err := p.newParser(&args)
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
	p.library.Files = append(p.library.Files, file)
	text, err := os.ReadFile(file)
	if err == nil {
		p.settings, err = p.library.ReadSettings(file, text)
	}
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	return nil
}
