package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/sim"
	"ghostcube/ui/stage"
)

// SessionFlags are the flags that say what a session is. Empty ones are not given.
type SessionFlags struct {
	Scene      string        `help:"Where it takes place (see list scenes)." placeholder:"NAME"`
	Panes      string        `help:"Strategies side by side, with commas between them and knobs behind colons, such as rewind:snapshot-every=4:smoothing=off,noprediction (see list strategies, list knobs)." placeholder:"SPEC,..."`
	Network    string        `help:"The link: a name (see list networks), numbers such as latency=75ms,jitter=10ms,loss=25%,duplicate=1%, or a name and numbers. Latency is one way; rtt=150ms says the same. trace=FILE.csv lays a measured path under it, from a file or by a name (see list traces)." placeholder:"WEATHER"`
	Seat       string        `help:"Where the player sits: at the client, or at the host, whose client only watches." placeholder:"client|host"`
	Seed       string        `help:"Of all fates of packets: the same seed, the same losses." placeholder:"N"`
	Rate       string        `help:"Ticks per second, 10 to 240." placeholder:"60"`
	FaultEvery time.Duration `help:"Move the server's cube aside by a metre this often." placeholder:"5s"`
	Fault      string        `help:"Forced faults: skew=PPM of the clients' clocks, fps=N at which their programs go round, freeze=TIME for which they stand still, burst=TIME in which all is lost, nudge=METRES of the server's cube; behind @ when, such as fps=20,freeze=2s@10s. 2.skew is that of the second client alone." placeholder:"NAME=VALUE@TIME,..."`
	Seconds    float64       `help:"How long the session lasts." placeholder:"S"`
	Tape       string        `help:"A tape to play: a file, or a name (see list tapes)." placeholder:"FILE|NAME"`
	Compare    string        `help:"A named comparison: scene, tape, weather and panes at once (see list comparisons)." placeholder:"NAME"`
}

// plan is a session made ready: what it starts from and what happens in each
// tick of it.
type plan struct {
	config     lab.Config
	paneSpecs  []string
	entries    []lab.Entry // of the tape, as far as it goes
	tapeName   string      // where the entries come from
	faultEvery int         // ticks from one forced fault to the next; 0: none
	faults     []lab.Fault // and those that come once
	seconds    float64     // 0: not said

	comparison *lab.Comparison // nil: none was asked for
}

// defaultFlags are what is not said by flag, comparison, tape or file. The weather
// is one that makes corrections visible.
var defaultFlags = SessionFlags{Scene: "zen", Panes: "rewind", Network: "bursty", Seat: "client", Seed: "1", Rate: "60"}

// maxSeconds is the longest session that a command makes, in seconds.
const maxSeconds = 36000

// overriddenBy returns s with what o says laid over it.
func (s SessionFlags) overriddenBy(o SessionFlags) SessionFlags {
	pick := func(p *string, v string) {
		if v != "" {
			*p = v
		}
	}
	pick(&s.Scene, o.Scene)
	pick(&s.Panes, o.Panes)
	pick(&s.Network, o.Network)
	pick(&s.Seat, o.Seat)
	pick(&s.Seed, o.Seed)
	pick(&s.Rate, o.Rate)
	pick(&s.Tape, o.Tape)
	pick(&s.Compare, o.Compare)
	pick(&s.Fault, o.Fault)
	if o.FaultEvery != 0 {
		s.FaultEvery = o.FaultEvery
	}
	if o.Seconds != 0 {
		s.Seconds = o.Seconds
	}
	return s
}

// make turns flags and the settings of a file into a plan. What is said more
// closely wins: a flag over a comparison, that over the tape, that over the
// file, that over the defaults. tape names the tape that is played if none is
// asked for; without one nothing is played.
func (p *program) newPlan(flags SessionFlags, tape string) (*plan, error) {
	if flags.Compare != "" && flags.Tape != "" {
		return nil, errors.New("--compare and --tape: a comparison has a tape of its own; give one of the two")
	}
	settings := p.settings.Session
	asked := settings.overriddenBy(flags)
	if flags.Tape != "" {
		asked.Compare = "" // of the file
	}
	if flags.Compare != "" {
		asked.Tape = ""
	}

	made := &plan{}
	base := defaultFlags.overriddenBy(settings)
	if asked.Compare != "" {
		c, err := lab.ComparisonNamed(asked.Compare)
		if err != nil {
			return nil, err
		}
		base = base.overriddenBy(SessionFlags{
			Scene: c.Scene, Panes: strings.Join(c.Panes, ","), Network: c.Network, Rate: fmt.Sprint(c.Rate), Seat: c.Seat.String(),
			FaultEvery: time.Duration(c.FaultEvery) * time.Second / time.Duration(c.Rate),
		})
		tape, made.comparison = c.Tape, c
	}
	if asked.Tape != "" {
		tape = asked.Tape
	}
	if tape != "" {
		t, err := p.loadTape(tape)
		if err != nil {
			return nil, err
		}
		if asked.Tape != "" { // asked for by name: it brings its own session
			base = base.overriddenBy(SessionFlags{
				Scene: t.Config.Scene, Network: t.Config.Network.String(), Seat: t.Config.Seat.String(),
				Seed: fmt.Sprint(t.Config.Network.Seed), Rate: fmt.Sprint(t.Config.Rate), Panes: strings.Join(t.Panes, ","),
			})
		}
		made.entries, made.tapeName = t.Entries, tape
	}
	s := base.overriddenBy(flags)
	var err error
	if s.Network, err = p.inlineTraces(s.Network); err != nil {
		return nil, fmt.Errorf("--network: %w", err)
	}
	if err := made.applyFlags(s); err != nil {
		return nil, err
	}
	return made, nil
}

// applyFlags checks what a session says and puts it into the plan.
func (m *plan) applyFlags(s SessionFlags) error {
	m.config.Scene = s.Scene
	var err error
	if m.config.Seat, err = lab.SeatNamed(s.Seat); err != nil {
		return fmt.Errorf("--seat: %w", err)
	}
	if m.config.Rate, err = parseIntFlag("--rate", s.Rate, lab.MinRate, lab.MaxRate); err != nil {
		return err
	}
	if m.config.Network.Seed, err = parseSeed(s.Seed); err != nil {
		return err
	}
	if err := m.config.Network.Parse(s.Network); err != nil {
		return fmt.Errorf("--network: %w", err)
	}
	if err := m.config.Validate(); err != nil {
		return fmt.Errorf("--scene: %w", err)
	}
	m.paneSpecs = strings.Split(s.Panes, ",")
	if len(m.paneSpecs) > lab.MaxPanes {
		return fmt.Errorf("--panes: %d panes: want 1 to %d", len(m.paneSpecs), lab.MaxPanes)
	}
	for _, spec := range m.paneSpecs {
		if err := lab.ValidateSpec(strings.TrimSpace(spec)); err != nil {
			return fmt.Errorf("--panes: %w", err)
		}
	}
	tick := time.Second / time.Duration(m.config.Rate)
	if s.FaultEvery < 0 || s.FaultEvery > time.Hour || s.FaultEvery > 0 && s.FaultEvery < tick {
		return fmt.Errorf("--fault-every=%v: want a duration from one tick (%v) to 1h0m0s", s.FaultEvery, tick)
	}
	m.faultEvery = int(s.FaultEvery / tick)
	if m.faults, err = lab.ParseFaults(s.Fault, m.config); err != nil {
		return fmt.Errorf("--fault: %w", err)
	}
	if s.Seconds < 0 || s.Seconds > maxSeconds || s.Seconds != s.Seconds || s.Seconds > 0 && s.Seconds*float64(m.config.Rate) < 1 {
		return fmt.Errorf("--seconds=%v: want one tick to %d seconds", s.Seconds, maxSeconds)
	}
	m.seconds = s.Seconds
	return nil
}

func parseIntFlag(name, text string, low, high int) (int, error) {
	var n int
	if _, err := fmt.Sscanf(text+"\n", "%d\n", &n); err != nil || n < low || n > high {
		return 0, fmt.Errorf("%s=%s: want a whole number from %d to %d", name, text, low, high)
	}
	return n, nil
}

func parseSeed(text string) (n uint64, err error) {
	if _, err := fmt.Sscanf(text+"\n", "%d\n", &n); err != nil {
		return 0, fmt.Errorf("--seed=%s: want a whole number from 0 to 18446744073709551615", text)
	}
	return n, nil
}

// newLab returns a lab with the plan's panes.
func (m *plan) newLab() (*lab.Lab, error) {
	l := lab.New(m.config)
	for _, spec := range m.paneSpecs {
		if _, err := l.Open(strings.TrimSpace(spec)); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// tickCount returns how many ticks the session has: as long as was said, or the
// tape, or else standard seconds.
func (m *plan) tickCount(standard float64) int {
	switch {
	case m.seconds > 0:
		return int(m.seconds * float64(m.config.Rate))
	case len(m.entries) > 0:
		return len(m.entries)
	}
	return int(standard * float64(m.config.Rate))
}

// entryAt returns what happens in tick i. A tape that is too short begins again,
// its keys only; forced faults come on top of it.
func (m *plan) entryAt(i int) lab.Entry {
	var e lab.Entry
	if n := len(m.entries); n > 0 {
		e = m.entries[i%n]
		if i >= n {
			e.Commands = nil
		}
	}
	if m.faultEvery > 0 && i > 0 && i%m.faultEvery == 0 {
		e.Commands = append(append([]lab.Command(nil), e.Commands...), lab.Command{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "1"})
	}
	if c := m.faultCommands(i); c != nil {
		e.Commands = append(append([]lab.Command(nil), e.Commands...), c...)
	}
	if e.Inputs == nil {
		e.Inputs = make([]sim.Input, 1)
	}
	return e
}

// faultCommands returns the forced faults that come once, in tick i: the first one at or
// after their time.
func (m *plan) faultCommands(i int) (list []lab.Command) {
	tick := func(f lab.Fault) int {
		return int((f.At*time.Duration(m.config.Rate) + time.Second - 1) / time.Second)
	}
	for _, f := range m.faults {
		if tick(f) == i {
			list = append(list, f.Command)
		}
	}
	return list
}

// firstEntries returns the entries of the first n ticks.
func (m *plan) firstEntries(n int) []lab.Entry {
	list := make([]lab.Entry, n)
	for i := range list {
		list[i] = m.entryAt(i)
	}
	return list
}

// tapeNames returns the names of the example tapes.
func (p *program) tapeNames() []string { return fileNames(p.Tapes, "tapes", ".tape") }

// fileNames returns the names of the files in a folder of ours.
func fileNames(from fs.FS, folder, ending string) []string {
	var names []string
	files, err := fs.Glob(from, folder+"/*"+ending)
	if err != nil {
		panic(err) // the pattern is ours
	}
	for _, f := range files {
		names = append(names, strings.TrimSuffix(path.Base(f), ending))
	}
	return names
}

// loadTape reads the tape that --tape names.
func (p *program) loadTape(name string) (*tape.Tape, error) {
	t, err := p.readTape(name)
	if err != nil {
		return nil, fmt.Errorf("--tape: %w", err)
	}
	if t.Truncated {
		fmt.Fprintf(p.Stderr, "ghostcube: %s was cut short; its %d ticks are played\n", name, len(t.Entries))
	}
	return t, nil
}

// readTape reads a tape by its name or from a file. A name with a dot or a
// slash in it is a file.
func (p *program) readTape(name string) (*tape.Tape, error) {
	var file fs.File
	var err error
	if strings.ContainsAny(name, "./\\") {
		file, err = os.Open(name)
		if err != nil {
			return nil, err
		}
	} else if file, err = p.Tapes.Open("tapes/" + name + ".tape"); err != nil {
		return nil, &predict.UnknownNameError{Kind: "tape", Name: name, Known: p.tapeNames()}
	}
	defer file.Close()
	t, err := tape.Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(t.Entries) == 0 {
		return nil, fmt.Errorf("%s: it has no ticks", name)
	}
	if err := stage.CheckEntries(t.Entries); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}
