//go:build !js || headless

package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/score"
	"ghostcube/ui/plan"
	"ghostcube/ui/tune"
)

type tuneCommand struct {
	Pane      string   `arg:"" optional:"" help:"Strategy or preset, with knobs: where the search starts." placeholder:"SPEC"`
	Objective string   `group:"search" help:"Measure that is to become small, as list measures has it; one that is best near 0 or 1 by its distance." default:"pops_per_minute" placeholder:"pops_per_minute"`
	Limits    []string `group:"search" sep:"none" name:"limit" help:"Limit that has to be kept, as MEASURE<=N, <=default, <=default+5% or <=default+N. May be given several times." placeholder:"LIMIT"`
	Knobs     []string `group:"search" help:"Knobs to search: all that --list has if none is named." placeholder:"NAME"`
	Sessions  int      `group:"search" help:"Sessions of the search." default:"2000" placeholder:"2000"`
	Seeds     int      `group:"search" help:"Seeds that good settings have to pass." default:"10" placeholder:"10"`
	TestSeeds int      `group:"search" help:"Other seeds, with which the result is tested." default:"20" placeholder:"20"`
	TestTapes []string `group:"search" help:"Other tapes, with which the result is tested as well: turns, or else circle, if none is named." placeholder:"NAME"`
	List      bool     `group:"search" help:"Only list the knobs of the pane with the values that are tried, and those that no search changes."`
	Networks  []string `group:"session" sep:";" help:"Networks, as bench takes them and list networks has them, separated by semicolons." placeholder:"NETWORK"`
	Tapes     []string `group:"session" help:"Tapes, by name or file: circle if none is named." placeholder:"NAME"`
	Scenes    []string `group:"session" help:"Scenes to play every tape in, also those of the test, instead of its own." placeholder:"NAME"`
	Seat      string   `group:"session" help:"Where players give input: at the clients, or at the host, whose client is a spectator." placeholder:"client|host"`
	Seed      string   `group:"session" help:"First seed of the network's outcomes, and seed of the search." placeholder:"N"`
	Rate      string   `group:"session" help:"Ticks per second, 10 to 240." placeholder:"60"`
	Seconds   float64  `group:"session" help:"Length of every session in seconds." default:"10" placeholder:"10"`
	Out       string   `group:"output" short:"o" help:"New file for the result, a preset for --panes FILE.toml, --config, and to be dropped onto window or page." placeholder:"FILE.toml"`
	Cells     string   `group:"output" help:"Folder that keeps the sessions: the same command goes on from it." placeholder:"DIR"`
	Format    string   `group:"output" help:"Output format: text, json or csv." default:"text" placeholder:"text"`
	Precision float64  `group:"output" help:"Half of an interval, in percent of the start's mean, for which the seeds are computed." default:"5" placeholder:"5"`

	QueueFlags `embed:""`
}

// Help returns the detailed help.
func (c *tuneCommand) Help() string {
	return `
The search leaves out knobs whose ends change nothing, changes each other one alone, then measures
combinations with more and more seeds, of which the best third goes on, then neighbours of the best. A
knob whose change does not pay goes back. It takes --sessions at most, and says how long. All settings
meet the same outcomes, so they are compared by paired differences. A limit has to hold for the mean in
every network with every tape. default is the mean of the start there, which is as noisy: it holds up to
a standard error of the paired difference, and default+0.5 allows half a unit more.

Seeds and tapes that the search has not used test the result; the output says what was lost there, and
which other measures have changed. The same flags print the same digits on every machine. Knobs of shots, connection and physics are not
searched, nor those that only show what a mechanism is for: --list names them.

Examples:
  ghostcube tune rewind --list
  ghostcube tune snapshot --objective lag_error_rms_m --limit 'down_kbit_per_second<=default' --knobs survive-losses,extrapolate --networks wifi-bad
  ghostcube tune rewind --objective lag_error_rms_m --knobs lead,snapshot-every --networks '4g;wifi-bad' --sessions 300 -o near.toml
`
}

// Bounds of a search.
const (
	maxTuneSessions = 1_000_000
	minTuneSeeds    = 2
)

// tuneMeasure is a measure of a search.
type tuneMeasure struct {
	name, title string
	unit        string // empty: none
	digits      int
	distance    bool // from centre, on either side, counts
	centre      float64
}

// tuneTask is what a search is about.
type tuneTask struct {
	*tuneCommand
	strategy  string
	title     string // of the pane; may be empty
	set       []lab.Setting
	space     *tune.Space
	measures  []tuneMeasure
	limits    []tune.Limit
	tapes     []string
	testTapes []string
	firstSeed uint64
}

// Run searches.
func (c *tuneCommand) Run(p *program) error {
	t, err := c.task(p)
	if err != nil {
		return usageError{err}
	}
	if c.List {
		return t.list(p.Stdout)
	}
	if err := c.checkOut(p); err != nil {
		return usageError{err}
	}
	return t.run(p)
}

// task checks the flags.
func (c *tuneCommand) task(p *program) (t *tuneTask, err error) {
	t = &tuneTask{tuneCommand: c, tapes: c.Tapes, testTapes: c.TestTapes, firstSeed: 1}
	if c.Pane == "" {
		return nil, errors.New("want a strategy or a preset, such as rewind")
	}
	if err := checkChoice("format", c.Format, "text", "json", "csv"); err != nil {
		return nil, err
	}
	spec := p.library.ExpandSpec(c.Pane)
	if _, err := p.library.New(plan.Settings{Panes: spec, Scene: "zen"}, plan.Settings{}, ""); err != nil {
		return nil, err
	}
	strategy, set, err := lab.ParseSpec(spec)
	if err != nil {
		return nil, err
	}
	t.strategy, t.set = strategy.Name, set
	t.title, _ = lab.CutTitle(spec)
	knobs, _ := lab.Describe(strategy)
	for _, x := range set {
		if err := knobs.Set(x.Name, x.Value); err != nil {
			return nil, err
		}
	}
	if t.space, err = tune.NewSpace(knobs, c.Knobs); err != nil {
		var unknown *link.UnknownNameError
		if errors.As(err, &unknown) {
			unknown.List = "tune " + c.Pane + " --list"
		}
		return nil, fmt.Errorf("--knobs: %w", err)
	}
	if len(t.tapes) == 0 {
		t.tapes = []string{"circle"}
	}
	if len(t.testTapes) == 0 {
		t.testTapes = slices.DeleteFunc([]string{"turns", "circle", "figure-eight"}, func(name string) bool { return slices.Contains(t.tapes, name) })[:1]
	}
	if c.Seed != "" {
		if t.firstSeed, err = plan.ParseSeed(c.Seed); err != nil {
			return nil, fmt.Errorf("--seed=%s: %w", c.Seed, err)
		}
	}
	return t, errors.Join(c.QueueFlags.check(), c.checkNumbers(), t.parseMeasures(strategy))
}

// checkNumbers reports a number out of range.
func (c *tuneCommand) checkNumbers() error {
	for _, x := range []struct {
		name       string
		value      int
		least, max int
	}{
		{"sessions", c.Sessions, 1, maxTuneSessions}, {"seeds", c.Seeds, minTuneSeeds, plan.MaxSweepSeeds},
		{"test-seeds", c.TestSeeds, minTuneSeeds, plan.MaxSweepSeeds},
	} {
		if x.value < x.least || x.value > x.max {
			return fmt.Errorf("--%s=%d: want %d to %d", x.name, x.value, x.least, x.max)
		}
	}
	if !(c.Precision > 0 && c.Precision <= 100) {
		return fmt.Errorf("--precision=%v: want a percentage up to 100", c.Precision)
	}
	if len(c.Networks) == 0 && !c.List {
		return errors.New("--networks: want at least one network")
	}
	return nil
}

// parseMeasures parses the objective and the limits.
func (t *tuneTask) parseMeasures(strategy *predict.Strategy) error {
	objective, err := tuneMeasureNamed(t.Objective)
	if err != nil {
		return fmt.Errorf("--objective=%s: %w", t.Objective, err)
	}
	t.measures = []tuneMeasure{objective}
	for _, text := range t.Limits {
		name, value, ok := strings.Cut(text, "<=")
		if !ok {
			return fmt.Errorf("--limit=%s: want MEASURE<=N, MEASURE<=default, MEASURE<=default+5%% or MEASURE<=default+N", text)
		}
		m, err := tuneMeasureNamed(strings.TrimSpace(name))
		if err != nil {
			return fmt.Errorf("--limit=%s: %w", text, err)
		}
		limit, err := m.parseLimit(strings.TrimSpace(value))
		if err != nil {
			return fmt.Errorf("--limit=%s: %w", text, err)
		}
		t.measures, t.limits = append(t.measures, m), append(t.limits, limit)
	}
	return nil
}

// parseLimit parses the bound of a limit.
func (m *tuneMeasure) parseLimit(text string) (tune.Limit, error) {
	unit := ""
	if m.unit != "" {
		unit = "; N is in " + m.unit + ", without the unit"
	}
	bad := fmt.Errorf("%q: want a number N from 0, default, default+P%%, or default+N%s", text, unit)
	rest, ofStart := strings.CutPrefix(text, "default")
	if ofStart && rest == "" {
		return tune.Limit{Most: 1, OfStart: true}, nil
	}
	if ofStart {
		sign := strings.HasPrefix(rest, "+") || strings.HasPrefix(rest, "-")
		number, share := strings.CutSuffix(rest, "%")
		more, err := strconv.ParseFloat(number, 64)
		switch {
		case !sign || err != nil || math.IsNaN(more) || math.IsInf(more, 0) || share && !(more > -100 && more <= 1000):
			return tune.Limit{}, bad
		case share:
			return tune.Limit{Most: 1 + more/100, OfStart: true}, nil
		}
		return tune.Limit{Most: 1, OfStart: true, Margin: more}, nil
	}
	most, err := strconv.ParseFloat(text, 64)
	if err != nil || !(most >= 0) || math.IsInf(most, 0) {
		return tune.Limit{}, bad
	}
	return tune.Limit{Most: most}, nil
}

// tuneMeasureNamed returns a measure that can be small, or near a value.
func tuneMeasureNamed(name string) (tuneMeasure, error) {
	var known []string
	for _, column := range sweepColumns() {
		m := tuneMeasure{name: column.Name, title: column.Title, unit: column.Unit, digits: column.Digits}
		switch column.Better {
		case score.Lower.String():
		case score.NearZero.String():
			m.distance, m.title = true, m.title+", distance from 0"
		case score.NearOne.String():
			m.distance, m.centre, m.title = true, 1, m.title+", distance from 1"
		default:
			if column.Name == name {
				return tuneMeasure{}, fmt.Errorf("no value of %s is better: want a measure that list measures does not call informational", name)
			}
			continue
		}
		if known = append(known, column.Name); column.Name == name {
			return m, nil
		}
	}
	return tuneMeasure{}, &link.UnknownNameError{Kind: "measure", Name: name, Choices: known}
}

// checkOut reports a file that exists, or whose name cannot be that of a preset, before the search begins.
func (c *tuneCommand) checkOut(p *program) error {
	if c.Out == "" {
		return nil
	}
	name, toml := strings.CutSuffix(filepath.Base(c.Out), ".toml")
	if !toml {
		return fmt.Errorf("-o %s: want a name that ends in .toml", c.Out)
	}
	if _, _, err := lab.ParseSpec(name + "=" + lab.DefaultSpec); err != nil {
		return fmt.Errorf("-o %s: %w", c.Out, err)
	}
	if err := p.checkOutput("-o", c.Out); err != nil {
		return err
	}
	if info, err := os.Stat(filepath.Dir(c.Out)); err != nil || !info.IsDir() {
		return fmt.Errorf("-o %s: there is no folder %s", c.Out, filepath.Dir(c.Out))
	}
	return nil
}

// spec returns the spec of a point, with the title of the pane.
func (t *tuneTask) spec(point tune.Point) string {
	spec := t.strategy
	if t.title != "" {
		spec = t.title + "=" + spec
	}
	for _, x := range t.settings(point) {
		spec += ":" + x
	}
	return spec
}

// settings returns the knobs of a point, as name=value: those of the pane, then those that are changed.
func (t *tuneTask) settings(point tune.Point) (list []string) {
	changes := t.space.Changes(point)
	for _, x := range t.set {
		if !slices.ContainsFunc(changes, func(c [2]string) bool { return c[0] == x.Name }) {
			list = append(list, x.Name+"="+x.Value)
		}
	}
	for _, x := range changes {
		list = append(list, x[0]+"="+x[1])
	}
	return list
}

// list prints the knobs of the pane.
func (t *tuneTask) list(out io.Writer) error {
	table := newTextTable(out)
	table.row("KNOB", "START", "VALUES THAT ARE TRIED")
	for i := range t.space.Knobs {
		k := &t.space.Knobs[i]
		table.row(k.Name, k.Levels[k.Start], strings.Join(k.Levels, " "))
	}
	for _, x := range t.space.Excluded {
		table.row(x.Name, "", "not searched: "+x.Why)
	}
	return table.close()
}
