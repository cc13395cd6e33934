// Package cli is the command line of the program. Its commands run sessions without a
// window; the command run opens one if the caller provides a way to do so.
package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"ghostcube/net/link"
	"ghostcube/ui/plan"
)

// Version is the version of the program. The script that builds releases sets it. Tapes and reports contain it.
var Version = "0.2.0"

// versionText returns what --version prints: the version and, of a program that was built in a repository, its revision.
func versionText() string {
	text := "ghostcube " + Version
	if info, ok := debug.ReadBuildInfo(); ok {
		if revision := shortRevision(info.Settings); revision != "" {
			text += " (" + revision + ")"
		}
	}
	return text
}

// shortRevision returns the first digits of the revision that a build says, and whether its files had changed. It is empty
// if the build says none.
func shortRevision(settings []debug.BuildSetting) string {
	revision, changes := "", ""
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = "+changes"
		}
	}
	if revision == "" {
		return ""
	}
	return revision + changes
}

// Environment is everything that the program takes from outside.
type Environment struct {
	Args           []string  // without the program's name
	Stdin          io.Reader // of serve and join; may be nil
	Stdout, Stderr io.Writer
	Tapes          fs.FS                // tapes/NAME.tape
	Traces         fs.FS                // traces/NAME.csv
	Comparisons    fs.FS                // comparisons/*.toml
	Lessons        fs.FS                // lessons/NN-NAME.toml
	Presets        fs.FS                // presets/NAME.toml
	Claims         fs.FS                // claims/NN-TOPIC.toml
	Terms          []byte               // terms.toml
	Mechanisms     []byte               // mechanisms.toml
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
	Config  string           `help:"Settings file (TOML) with the session's flags as keys, or with those of serve or join. Flags take precedence." placeholder:"FILE.toml"`
	Version kong.VersionFlag `help:"Print the version and exit."`

	Run     runCommand     `cmd:"" default:"withargs" help:"Open the window (default command). Without a display, record the session into files."`
	Open    openCommand    `cmd:"" help:"Open the window with the session of a link."`
	Link    linkCommand    `cmd:"" help:"Print the link to a session."`
	Page    pageCommand    `cmd:"" help:"Write the program as a page for browsers."`
	Serve   serveCommand   `cmd:"" help:"Run the server of a session whose players join over the network."`
	Join    joinCommand    `cmd:"" help:"Join the session of a server, in a window or as a bot."`
	Tour    tourCommand    `cmd:"" help:"Open the window with a lesson of the tour."`
	Bench   benchCommand   `cmd:"" help:"Run a session as fast as possible and print its scores."`
	Sweep   sweepCommand   `cmd:"" help:"Run many panes on many networks with many tapes and seeds, and report on them."`
	Tune    tuneCommand    `cmd:"" help:"Search the settings of a strategy that are best by a measure and keep limits of others."`
	Claims  claimsCommand  `cmd:"" help:"Test what the sources claim, over several seeds, and print the verdicts."`
	Advise  adviseCommand  `cmd:"" help:"Answer which strategies fit a game, from measured sessions."`
	Worker  workerCommand  `cmd:"" help:"Run cells of sweeps that wait on a NATS server."`
	Record  recordCommand  `cmd:"" help:"Render a session as a video."`
	Play    playCommand    `cmd:"" help:"Run a tape and print its scores, or verify its hashes."`
	Hash    hashCommand    `cmd:"" help:"Print the hash of every tick of a scene, to compare machines."`
	List    listCommand    `cmd:"" help:"List scenes, strategies, networks, tapes, comparisons and more."`
	Packets packetsCommand `cmd:"" help:"Print the packets of a session field by field."`
	Score   scoreCommand   `cmd:"" help:"Score the log of another game (docs/gamelog.md), or check it."`
	Export  exportCommand  `cmd:"" help:"Write the cubes of a tape's session as a recording for codec."`
	Codec   codecCommand   `cmd:"" help:"Measure the size of recorded snapshots, or rotations, at every level of compression."`
	Network networkCommand `cmd:"" help:"Send probes over a simulated link and compare it with its conditions."`
	Probe   probeCommand   `cmd:"" help:"Measure the network between two machines, and write it as traces."`

	Completion completionCommand `cmd:"" help:"Print a script that completes the command line in a shell."`
	Man        manCommand        `cmd:"" help:"Print the manual page."`
}

// Help returns the detailed help.
func (a *arguments) Help() string {
	return `
Examples:
  ghostcube
  ghostcube bench --panes rewind,snapshot --network wifi-bad
  ghostcube record --compare csp-smoothing -o smoothing.webm
`
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
	fmt.Fprintln(o.Stderr, "ghostcube: "+plan.ErrorText(err))
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
		Tapes: o.Tapes, Traces: o.Traces, ComparisonFiles: o.Comparisons, LessonFiles: o.Lessons,
		PresetFiles: o.Presets, ClaimFiles: o.Claims, TermFile: o.Terms, MechanismFile: o.Mechanisms,
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
		kong.Vars{"version": versionText()},
		kong.Writers(p.Stdout, p.Stderr),
		kong.Exit(func(int) { panic(parserExit{}) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.ExplicitGroups([]kong.Group{
			{Key: "sweep", Title: "Sweep:"},
			{Key: "search", Title: "Search:"},
			{Key: "game", Title: "Game:"},
			{Key: "session", Title: "Session:"},
			{Key: "workers", Title: "Workers:"},
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
	var commands []string
	for _, c := range parser.Model.Children {
		commands = append(commands, c.Name)
	}
	if p.Args, err = commandOrFlag(p.Args, commands); err != nil {
		return usageError{err}
	}
	p.Args = joinNumbers(p.Args)
	ctx, err := parser.Parse(p.Args)
	if err == nil {
		err = checkFlags(ctx)
	}
	if err != nil {
		return usageError{plainParseError(err)}
	}
	if args.Config != "" {
		p.library.Files = append(p.library.Files, args.Config)
		if command := ctx.Selected(); command.Name == "serve" || command.Name == "join" {
			var all arguments
			if ctx, err = p.addFlags(ctx, args.Config, &all); err != nil {
				return usageError{fmt.Errorf("--config: %w", plainParseError(err))}
			}
			return ctx.Run(p)
		}
		if p.settings, err = p.library.ReadSettingsFile(args.Config); err != nil {
			return usageError{fmt.Errorf("--config: %w", err)}
		}
	}
	return ctx.Run(p)
}

// addFlags parses a command line into args once more, with the flags and arguments that a file has and the line has not.
func (p *program) addFlags(ctx *kong.Context, file string, args *arguments) (*kong.Context, error) {
	given := map[string]bool{}
	for _, at := range ctx.Path {
		switch {
		case at.Flag != nil && !at.Resolved:
			given[at.Flag.Name] = true
		case at.Positional != nil:
			given[at.Positional.Name] = true
		}
	}
	var names, arguments []string
	for _, a := range ctx.Selected().Positional {
		arguments = append(arguments, a.Name)
	}
	names = append(names, arguments...)
	for _, f := range ctx.Selected().Flags {
		names = append(names, f.Name)
	}
	list, err := plan.ReadFlags(file, names)
	if err != nil {
		return nil, err
	}
	line := slices.Clone(p.Args)
	for _, x := range list {
		switch name, value := x[0], x[1]; {
		case given[name]:
		case slices.Contains(arguments, name):
			line = append(line, value)
		default:
			line = append(line, "--"+name+"="+value)
		}
	}
	parser, err := p.newParser(args)
	if err != nil {
		return nil, err
	}
	if ctx, err = parser.Parse(line); err == nil {
		err = checkFlags(ctx)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return ctx, err
}

// commandOrFlag returns the command line in which help and version are the flags that they stand for, as in ghostcube
// help bench. A first word that is no command is an error.
func commandOrFlag(args, commands []string) ([]string, error) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return args, nil
	}
	switch command, rest := args[0], args[1:]; {
	case slices.Contains(commands, command):
		return args, nil
	case command == "version" && len(rest) == 0:
		return []string{"--version"}, nil
	case command == "help" && len(rest) == 0:
		return []string{"--help"}, nil
	case command == "help" && len(rest) == 1 && slices.Contains(commands, rest[0]):
		return []string{rest[0], "--help"}, nil
	case command == "help" && len(rest) == 1:
		args = rest
	case command == "help" || command == "version":
		return nil, fmt.Errorf("%s: unexpected argument %s", command, rest[len(rest)-1])
	}
	if hint := fileHint(args[0]); hint != "" {
		return nil, fmt.Errorf("no command %q: %s", args[0], hint)
	}
	return nil, &link.UnknownNameError{Kind: "command", Name: args[0], Choices: append(commands, "help", "version")}
}

// checkFlags refuses a flag that is given twice, because only the last value would count, and a session of no length.
func checkFlags(ctx *kong.Context) error {
	given := map[*kong.Flag]bool{}
	for _, at := range ctx.Path {
		if at.Flag == nil || at.Resolved || at.Flag.IsCumulative() {
			continue
		}
		if given[at.Flag] {
			return fmt.Errorf("--%s: given twice: want one value", at.Flag.Name)
		}
		given[at.Flag] = true
		if at.Flag.Name == "seconds" && ctx.FlagValue(at.Flag) == 0.0 {
			switch command := ctx.Selected(); {
			case command == nil || at.Flag.Group != nil: // of a session
				return fmt.Errorf("--seconds=0: %w", plan.ErrNoSeconds)
			case command.Name == "serve" || command.Name == "join":
				return errors.New("--seconds=0: want more than 0: without the flag there is no end")
			}
		}
	}
	return nil
}
