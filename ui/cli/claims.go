//go:build !js || headless

package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/ui/claim"
	"ghostcube/ui/plan"
)

type claimsCommand struct {
	Only   []string `help:"Claims or topics to test, separated by commas (see list claims)." placeholder:"ID|TOPIC,..."`
	Seeds  *int     `help:"Number of sessions of each claim with consecutive seeds, 2 to 1000; by default 10, or what the claim says." placeholder:"10"`
	Format string   `help:"Output format: text, json or markdown." default:"text" placeholder:"text"`
}

// Help returns the detailed help.
func (c *claimsCommand) Help() string {
	return `
A claim is a statement of an article or a talk, with an experiment and a rule. The rule's
conditions have to hold by the 95 % interval of all sessions (Student's t; differences are those
of each seed). The verdict follows from the rule alone:

  holds                    all conditions hold
  holds with a difference  the direction holds, the interval excludes the figure of the source
  undecided                an interval agrees in part, so more sessions are needed, or a value is missing
  does not hold here       the interval excludes the direction, or the figure if there is no direction

For what is undecided the output says how many sessions would decide it if mean and spread stay.
A network without chance gives equal sessions, with an interval of ±0. Claims share sessions.

Examples:
  ghostcube claims
  ghostcube claims --only snapshot-compression --seeds 20
  ghostcube claims --format json
`
}

// Run tests claims and prints the verdicts.
func (c *claimsCommand) Run(p *program) error {
	if err := checkChoice("format", c.Format, "text", "json", "markdown"); err != nil {
		return err
	}
	if c.Seeds != nil && (*c.Seeds < 2 || *c.Seeds > maxSeeds) {
		return usageError{fmt.Errorf("--seeds=%d: want 2 to %d", *c.Seeds, maxSeeds)}
	}
	all, err := plan.Claims(&p.library)
	if err != nil {
		return err
	}
	list, err := selectClaims(all, c.Only)
	if err != nil {
		return usageError{fmt.Errorf("--only: %w", err)}
	}
	for i := range list {
		if c.Seeds != nil {
			list[i].Seeds = *c.Seeds
		}
	}
	ctx, stop := untilSignal()
	defer stop()
	results, err := testClaims(ctx, p, list)
	if err != nil {
		return err
	}
	switch c.Format {
	case "json":
		return writeJSON(p.Stdout, results)
	case "markdown":
		writeClaimsPage(p.Stdout, results)
	default:
		writeClaimsText(p.Stdout, results)
	}
	return nil
}

// selectClaims returns the claims whose ids or topics are in a list, which means all of them if it is empty.
func selectClaims(all []plan.SourceClaim, only []string) (list []plan.SourceClaim, err error) {
	var known []string
	for i := range all {
		if i == 0 || all[i-1].Topic != all[i].Topic {
			known = append(known, all[i].Topic)
		}
		known = append(known, all[i].ID)
		if len(only) == 0 || slices.Contains(only, all[i].ID) || slices.Contains(only, all[i].Topic) {
			list = append(list, all[i])
		}
	}
	for _, name := range only {
		if !slices.Contains(known, name) {
			return nil, &link.UnknownNameError{Kind: "claim", Name: name, Choices: known}
		}
	}
	return list, nil
}

// cell is a session of one pane with one seed, or a command. Claims share it.
type cell struct {
	trial   plan.Plan // of one pane
	ticks   int
	command string // instead of the session

	pane *paneResult
	text string
	err  error
}

// claimSeeds is the number of sessions of a claim that says none.
const claimSeeds = 10

// claimTest has the cells of a claim.
type claimTest struct {
	claim *plan.SourceClaim
	panes []string  // specs; none of a command
	cells [][]*cell // by session and pane; a command is one session of one pane
}

// testClaims runs the experiments of claims on all cores. The result depends neither on their number nor on the
// other claims.
func testClaims(ctx context.Context, p *program, list []plan.SourceClaim) ([]claimResult, error) {
	var cells []*cell
	found := map[string]*cell{}
	var tests []claimTest
	for i := range list {
		e, err := newClaimTest(p, &list[i], func(key string, x *cell) *cell {
			if found[key] == nil {
				found[key] = x
				cells = append(cells, x)
			}
			return found[key]
		})
		if err != nil {
			return nil, fmt.Errorf("claim %s: %w", list[i].ID, err)
		}
		tests = append(tests, e)
	}
	bar := p.newProgress("claims", len(cells))
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(cells)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(cells) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				cells[i].run(ctx, p)
				bar.increment()
			}
		})
	}
	wait.Wait()
	bar.finish()
	if ctx.Err() != nil {
		return nil, errInterrupted
	}
	var results []claimResult
	for i := range tests {
		r, err := tests[i].result()
		if err != nil {
			return nil, fmt.Errorf("claim %s: %w", tests[i].claim.ID, err)
		}
		results = append(results, r)
	}
	return results, nil
}

// newClaimTest plans the sessions of a claim. share returns the cell of a key, which may exist.
func newClaimTest(p *program, c *plan.SourceClaim, share func(string, *cell) *cell) (e claimTest, err error) {
	e.claim = c
	if c.Command != "" {
		e.cells = [][]*cell{{share(c.Command, &cell{command: c.Command})}}
		return e, nil
	}
	m, err := p.library.New(c.Settings, plan.Settings{}, "")
	if err != nil {
		return e, err
	}
	if err := checkFigures(c, m); err != nil {
		return e, err
	}
	n := m.Ticks(0)
	fixed := m.Settings
	fixed.Panes, fixed.Compare, fixed.Tape = "", "", m.TapeName
	fixed.Network, fixed.Seed = m.Config.Network.String(), ""
	random := usesSeed(m, n)
	e.panes = m.Panes
	for i := range cmp.Or(c.Seeds, claimSeeds) {
		var session []*cell
		for _, spec := range m.Panes {
			trial := *m
			trial.Panes = []string{spec}
			if random {
				trial.Config.Network.Seed += uint64(i)
			}
			key := fmt.Sprintf("%+v %s %d", fixed, spec, trial.Config.Network.Seed)
			session = append(session, share(key, &cell{trial: trial, ticks: n}))
		}
		e.cells = append(e.cells, session)
	}
	return e, nil
}

// usesSeed reports whether sessions of a plan may differ by their seed: the network has chance in it, or a command may
// bring it.
func usesSeed(m *plan.Plan, ticks int) bool {
	for i := range ticks {
		for _, c := range m.Entry(i).Commands {
			if c.Verb == "condition" || c.Verb == "network" {
				return true
			}
		}
	}
	return m.Config.Network.Up.Random() || m.Config.Network.Down.Random()
}

// checkFigures reports a figure of a claim's rule that no session of its pane has.
func checkFigures(c *plan.SourceClaim, m *plan.Plan) error {
	for _, f := range c.Rule.Figures() {
		s, _, err := lab.ParseSpec(m.Panes[f.Pane])
		if err != nil {
			return err
		}
		if slices.Contains(lab.RejectionKeys(), f.Name) {
			continue
		}
		if err := checkMeasure(s, f.Name); err != nil {
			return err
		}
	}
	return nil
}

// run runs the session or the command of a cell.
func (c *cell) run(ctx context.Context, p *program) {
	if c.command != "" {
		c.text, c.err = runCommands(p.Environment, c.command)
		return
	}
	l, err := c.trial.NewLab()
	if err != nil {
		c.err = err
		return
	}
	latency, err := p.runEntries(ctx, l, c.trial.Entries(c.ticks), func(int) {})
	if c.err = err; err == nil && int(l.Ticks()) == c.ticks {
		r := newPaneResult(l.Panes[0], l, latency[0])
		c.pane = &r
	}
}

// runCommands runs commands with && between them and returns what they print. FOLDER in them is a temporary one.
func runCommands(o Environment, commands string) (text string, err error) {
	if strings.Contains(commands, "FOLDER") {
		folder, err := os.MkdirTemp("", "ghostcube")
		if err != nil {
			return "", err
		}
		defer os.RemoveAll(folder)
		commands = strings.ReplaceAll(commands, "FOLDER", folder)
	}
	for command := range strings.SplitSeq(commands, " && ") {
		var out, errs strings.Builder
		o.Args, o.Stdout, o.Stderr, o.Progress = strings.Fields(command), &out, &errs, nil
		if err := newProgram(o).main(); err != nil {
			return "", fmt.Errorf("%s: %w", command, err)
		}
		text += out.String()
	}
	return text, nil
}

// figure returns a measure, a counter, a figure of the traffic, or a number of rejected datagrams of a pane.
func (p *paneResult) figure(name string) (float64, bool) {
	for i := range p.Score {
		if p.Score[i].Name == name {
			return p.Score[i].Value, p.Score[i].OK
		}
	}
	for _, m := range trafficMeasures {
		if m.name == name {
			return m.of(&p.Traffic), true
		}
	}
	if slices.Contains(lab.RejectionKeys(), name) {
		return float64(p.Traffic.Rejected[name]), true
	}
	v, ok := p.Counters[name]
	return v, ok
}

// claimResult is a claim with its verdict.
type claimResult struct {
	ID         string             `json:"id"`
	Topic      string             `json:"topic"`
	Claim      string             `json:"claim"`
	Source     string             `json:"source"`
	Experiment string             `json:"experiment"` // arguments of ghostcube that run the first session
	Panes      []string           `json:"panes"`      // specs, as the conditions number them; none of a command
	Sessions   int                `json:"sessions"`
	Conditions []conditionOutcome `json:"conditions"`
	Verdict    string             `json:"verdict"`
	Why        string             `json:"why"` // empty if the claim holds, or its file gives no reason
}

// conditionOutcome is what the sessions say of a condition.
type conditionOutcome struct {
	Expected    string             `json:"expected"`
	Holds       bool               `json:"holds"`
	Excluded    bool               `json:"excluded"`        // by the interval; if it neither holds nor is excluded, it is undecided
	Needed      int                `json:"sessions_needed"` // that decide it if mean and spread stay; 0: it is decided, or a value is missing
	Missing     int                `json:"missing"`         // sessions without a value
	Measured    []measuredOperand  `json:"measured"`
	Differences []measuredInterval `json:"differences"` // of each operand from the next
}

type measuredOperand struct {
	Figure string `json:"figure"`
	measuredInterval
}

type measuredInterval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low95"`
	High float64 `json:"high95"`
}

// result judges the claim by its cells.
func (c *claimTest) result() (r claimResult, err error) {
	of := c.claim
	for _, session := range c.cells {
		for _, x := range session {
			if x.err != nil {
				return r, x.err
			}
		}
	}
	verdict, outcomes := of.Rule.Judge(len(c.cells), func(session int, f claim.Figure) (float64, bool) {
		if f.Pane >= 0 {
			return c.cells[session][f.Pane].pane.figure(f.Name)
		}
		i := slices.IndexFunc(of.Values, func(v plan.TextValue) bool { return v.Name == f.Name })
		return textValue(c.cells[session][0].text, of.Values[i].Pattern)
	})
	r = claimResult{ID: of.ID, Topic: of.Topic, Claim: of.Says, Source: of.Source.String(), Experiment: experimentText(of),
		Panes: append([]string{}, c.panes...), Sessions: len(c.cells), Verdict: verdict.String()}
	if verdict != claim.Holds {
		r.Why = of.Why
	}
	for _, o := range outcomes {
		x := conditionOutcome{Expected: o.Condition.String(), Holds: o.Answer == claim.Yes, Excluded: o.Answer == claim.No,
			Needed: o.Needed, Missing: o.Missing,
			Measured: []measuredOperand{}, Differences: []measuredInterval{}}
		for _, v := range o.Operands {
			x.Measured = append(x.Measured, measuredOperand{v.Text, measuredInterval{v.Mean, v.Low, v.High}})
		}
		for _, d := range o.Differences {
			x.Differences = append(x.Differences, measuredInterval{d.Mean, d.Low, d.High})
		}
		r.Conditions = append(r.Conditions, x)
	}
	return r, nil
}

// textValue returns the number that a pattern finds first.
func textValue(text string, pattern *regexp.Regexp) (float64, bool) {
	m := pattern.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(m[1], 64)
	return v, err == nil
}

// experimentText returns the arguments that run a claim's first session, or its command.
func experimentText(c *plan.SourceClaim) string {
	if c.Command != "" {
		return c.Command
	}
	s := &c.Settings
	text := "bench"
	for _, f := range []struct{ flag, value string }{
		{"compare", s.Compare}, {"scene", s.Scene}, {"tape", s.Tape}, {"network", s.Network}, {"seat", s.Seat}, {"rate", s.Rate},
		{"fault", s.Fault}, {"fault-every", everyText(s.FaultEvery)}, {"panes", s.Panes}, {"seconds", strconv.FormatFloat(s.Seconds, 'g', -1, 64)},
	} {
		if f.value != "" {
			text += " --" + f.flag + " " + f.value
		}
	}
	return text
}

func everyText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}
