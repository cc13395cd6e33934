//go:build !js || headless

package cli

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"ghostcube/predict/lab"
	"ghostcube/predict/score"
	"ghostcube/sim"
	"ghostcube/ui/gamelog"
	"ghostcube/ui/plan"
)

type scoreCommand struct {
	Log    string `arg:"" help:"Log of the client, or of both sides." placeholder:"FILE.jsonl"`
	Server string `arg:"" optional:"" help:"Log of the server, if it is a file of its own." placeholder:"FILE.jsonl"`
	Format string `group:"output" help:"Output format: table, json or csv." default:"table" placeholder:"table"`
	Check  bool   `group:"output" help:"Only check the logs: print errors of lines, and what cannot be true."`

	Panes    string `help:"Strategies to run beside it, steered by the log's keys, over the delays and losses of its datagrams." placeholder:"SPEC,..."`
	Scene    string `help:"Scene of the panes (see list scenes)." default:"zen" placeholder:"zen"`
	SaveTape string `group:"output" help:"With --panes: also write their session to a tape, for the window or play." placeholder:"FILE"`
}

// Help returns the detailed help.
func (c *scoreCommand) Help() string {
	return `
A game log is JSON lines that any game can write: the server's poses in each tick, the poses that a
client draws and the tick that they claim to show, key presses and datagrams (docs/gamelog.md;
loggers to copy are in docs/examples/loggers). The measures are those of bench; list measures
explains them. What a log does not tell has no value.

With --check the exit code is 1 if a line is broken, score would refuse the log, or its times, ticks
and rate contradict each other.

With --panes strategies get the same key presses over the same network: what the game could have.
They steer the cube of a scene, which is not the game's world, so compare delays; errors, pops and
bandwidth depend on what moves. They run as long as the log has datagrams for, at most 2000 each way.

--tape game.jsonl opens the log in the window, a video (record) or bench: the game in the first pane,
and such strategies in the others. A tape of --save-tape has only those.

Examples:
  ghostcube score game.jsonl
  ghostcube score client.jsonl server.jsonl --format json
  ghostcube score game.jsonl --check
  ghostcube score game.jsonl --panes rewind,snapshot --save-tape beside.tape
  ghostcube --tape game.jsonl --panes rewind,snapshot
`
}

// Run scores or checks a log.
func (c *scoreCommand) Run(p *program) error {
	if err := checkChoice("format", c.Format, "table", "json", "csv"); err != nil {
		return err
	}
	switch {
	case c.Check && c.Panes != "":
		return usageError{errors.New("--check and --panes: a log is checked or compared")}
	case c.SaveTape != "" && c.Panes == "":
		return usageError{errors.New("--save-tape needs --panes")}
	case c.Check:
		return c.check(p)
	}
	var recording *gamelog.Recording
	if c.Panes != "" {
		recording = &gamelog.Recording{}
	}
	card, err := c.score(recording)
	if err != nil {
		return usageError{err}
	}
	r := newCardResult(card)
	if recording != nil {
		if err := c.runPanes(p, r, recording); err != nil {
			return err
		}
	}
	switch c.Format {
	case "json":
		return writeJSON(p.Stdout, r)
	case "csv":
		return r.writeCSV(p.Stdout)
	}
	return r.writeTable(p.Stdout)
}

// open opens the logs.
func (c *scoreCommand) open() (files []io.ReadCloser, names []string, err error) {
	for _, name := range []string{c.Log, c.Server} {
		if name == "" {
			continue
		}
		f, err := plan.OpenFile(name, math.MaxInt64-1)
		if err != nil {
			closeAll(files)
			return nil, nil, err
		}
		files, names = append(files, f), append(names, name)
	}
	return files, names, nil
}

func closeAll(files []io.ReadCloser) {
	for _, f := range files {
		f.Close()
	}
}

// score returns the score of the logs.
func (c *scoreCommand) score(recording *gamelog.Recording) (*gamelog.Card, error) {
	files, names, err := c.open()
	if err != nil {
		return nil, err
	}
	defer closeAll(files)
	var readers [2]*gamelog.Reader
	for i, f := range files {
		if readers[i], err = gamelog.NewReader(names[i], f); err != nil {
			return nil, err
		}
	}
	if len(files) == 1 {
		readers[1] = readers[0]
	}
	return gamelog.Score(readers[0], readers[1], recording)
}

// check prints an error for each broken line of the logs. If there is none, it prints why score refuses them or what makes
// them impossible, and warnings.
func (c *scoreCommand) check(p *program) error {
	files, names, err := c.open()
	if err != nil {
		return usageError{err}
	}
	defer closeAll(files)
	readers := make([]io.Reader, len(files))
	for i, f := range files {
		readers[i] = f
	}
	broken := 0
	lines, card, err := gamelog.CheckScore(names, readers, func(err error) {
		var about *gamelog.LineError
		if broken++; errors.As(err, &about) {
			broken += max(about.Lines, 1) - 1
		}
		fmt.Fprintln(p.Stdout, err)
	})
	if lines == nil {
		return err
	}
	faults := 0
	if broken == 0 {
		for _, text := range faultsOf(card, err) {
			faults++
			fmt.Fprintln(p.Stdout, text)
		}
		if card != nil {
			for _, text := range card.Warnings {
				fmt.Fprintln(p.Stdout, "warning: "+text)
			}
		}
	}
	for i, n := range lines {
		fmt.Fprintf(p.Stdout, "%s: %s\n", names[i], plural(n, "line"))
	}
	switch {
	case broken > 0:
		return errors.New(plural(broken, "line") + " broken")
	case faults > 0:
		return errors.New("the log is wrong")
	}
	return nil
}

// faultsOf returns why a log has no score, or what cannot be true in it.
func faultsOf(card *gamelog.Card, err error) []string {
	if err != nil {
		return []string{err.Error()}
	}
	return card.Faults
}

// cardResult is the score of a log, and of panes that its keys steer.
type cardResult struct {
	Version string       `json:"version"`
	Game    string       `json:"game"`
	Rate    int          `json:"rate"`
	Frames  int          `json:"frames_per_second"`
	Seconds float64      `json:"seconds"`
	Scored  int          `json:"scored_frames"`
	Presses int          `json:"measured_key_presses"`
	Score   measures     `json:"score"`
	Notes   []string     `json:"notes"`
	Panes   []besideGame `json:"panes,omitempty"`
}

// besideGame is the score of a pane beside a log.
type besideGame struct {
	Spec  string   `json:"spec"`
	Score measures `json:"score"`
}

func newCardResult(c *gamelog.Card) *cardResult {
	return &cardResult{Version: Version, Game: cmp.Or(c.Head.Game, "game log"), Rate: c.Head.Rate, Frames: c.Head.Frames, Seconds: c.Seconds,
		Scored: c.Views, Presses: c.Presses, Score: c.Measures, Notes: slices.Concat([]string{}, c.Faults, c.Warnings, c.Notes)}
}

// runPanes runs the panes with the keys and the network of the log, and adds their scores.
func (c *scoreCommand) runPanes(p *program, r *cardResult, recording *gamelog.Recording) error {
	p.library.Files = append(p.library.Files, c.Log, c.Server)
	planned, err := p.newPlan(SessionFlags{Panes: c.Panes, Scene: c.Scene, Rate: strconv.Itoa(r.Rate), Seat: lab.AtClient.String()}, "")
	if err != nil {
		return usageError{err}
	}
	network, err := recording.Network()
	if err != nil {
		return usageError{fmt.Errorf("--panes: %w", err)}
	}
	network.Seed = planned.Config.Network.Seed
	planned.Config.Network = network
	l, err := planned.NewLab()
	if err != nil {
		return usageError{err}
	}
	held, more := recording.Inputs()
	entries := lab.Entries{Count: len(held), At: func(i int) lab.Entry {
		return lab.Entry{Inputs: []sim.Input{{Buttons: held[i]}}}
	}}
	files, err := (&benchCommand{SaveTape: c.SaveTape}).createFiles(p, planned, l)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal()
	defer stop()
	bar := p.newProgress("score", entries.Count)
	latency, err := p.runEntries(ctx, l, entries, func(made int) {
		bar.set(made)
		files.add(entries.At(made - 1))
	})
	bar.finish()
	if err != nil || l.Ticks() == 0 {
		return errors.Join(err, files.discard())
	}
	for i, pane := range l.Panes {
		list := newPaneResult(pane, l, latency[i]).Score
		r.Panes = append(r.Panes, besideGame{pane.Spec(), slices.DeleteFunc(list, func(m score.Measure) bool {
			return !slices.ContainsFunc(r.Score, func(x score.Measure) bool { return x.Name == m.Name })
		})})
	}
	r.Notes = append(r.Notes, fmt.Sprintf("The strategies steer a cube in the scene %s, not the game's world, with the log's keys over its network: "+
		"compare delays. Errors, pops and bandwidth depend on what moves.", c.Scene))
	if c.SaveTape != "" {
		r.Notes = append(r.Notes, fmt.Sprintf("%s has the strategies alone; --tape with the log itself shows the game beside them.", c.SaveTape))
	}
	if more {
		r.Notes = append(r.Notes, fmt.Sprintf("They run for the first %.1f s.", float64(len(held))/float64(r.Rate)))
	}
	return errors.Join(files.close(), cutShort(l, entries.Count))
}

// writeTable prints the scores as a table.
func (r *cardResult) writeTable(out io.Writer) error {
	fmt.Fprintf(out, "%s, %.1f s, %d frames scored at %d Hz, key presses measured: %d\n\n", r.Game, r.Seconds, r.Scored, r.Frames, r.Presses)
	t := newTable(out)
	if len(r.Panes) > 0 {
		head := []string{"", r.Game}
		for i := range r.Panes {
			head = append(head, r.Panes[i].Spec)
		}
		t.row(head...)
	}
	for i := range r.Score {
		cells := []string{r.Score[i].Title, r.Score[i].Text()}
		for k := range r.Panes {
			cells = append(cells, r.Panes[k].Score[i].Text())
		}
		t.row(cells...)
	}
	if err := t.close(); err != nil {
		return err
	}
	for i, n := range r.Notes {
		if i == 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintln(out, n)
	}
	return nil
}

// writeCSV prints the scores as comma-separated values. Unknown values are empty.
func (r *cardResult) writeCSV(out io.Writer) error {
	w := csv.NewWriter(out)
	head := []string{"measure", "value"}
	for i := range r.Panes {
		head = append(head, r.Panes[i].Spec)
	}
	_ = w.Write(head)
	for i := range r.Score {
		cells := []string{r.Score[i].Name, exactText(&r.Score[i])}
		for k := range r.Panes {
			cells = append(cells, exactText(&r.Panes[k].Score[i]))
		}
		_ = w.Write(cells)
	}
	w.Flush()
	return w.Error() // the first error of all writes
}

// exactText returns a value with all its digits, and an empty text if it is unknown.
func exactText(m *score.Measure) string {
	if !m.OK {
		return ""
	}
	return strconv.FormatFloat(m.Value, 'g', -1, 64)
}
