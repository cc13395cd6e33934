//go:build !js || headless

package cli

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"ghostcube/ui/gamelog"
	"ghostcube/ui/plan"
)

type scoreCommand struct {
	Log    string `arg:"" help:"Log of the client, or of both sides." placeholder:"FILE.jsonl"`
	Server string `arg:"" optional:"" help:"Log of the server, if it is a file of its own." placeholder:"FILE.jsonl"`
	Format string `group:"output" help:"Output format: table, json or csv." default:"table" placeholder:"table"`
	Check  bool   `group:"output" help:"Only check the logs: print an error for each broken line."`
}

// Help returns the detailed help.
func (c *scoreCommand) Help() string {
	return `
A game log is JSON lines that any game can write: the server's poses in each tick, the poses that a
client draws and the tick that they claim to show, key presses and datagrams (docs/gamelog.md;
loggers to copy are in docs/examples/loggers). The measures are those of bench; list measures
explains them. What a log does not tell has no value.

With --check the exit code is 1 if a line is broken.

Examples:
  ghostcube score game.jsonl
  ghostcube score client.jsonl server.jsonl --format json
  ghostcube score game.jsonl --check
`
}

// Run scores or checks a log.
func (c *scoreCommand) Run(p *program) error {
	if err := checkChoice("format", c.Format, "table", "json", "csv"); err != nil {
		return err
	}
	if c.Check {
		return c.check(p)
	}
	card, err := c.score()
	if err != nil {
		return usageError{err}
	}
	switch c.Format {
	case "json":
		return writeJSON(p.Stdout, newCardResult(card))
	case "csv":
		return writeCardCSV(p.Stdout, card)
	}
	return writeCard(p.Stdout, card)
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
func (c *scoreCommand) score() (*gamelog.Card, error) {
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
	return gamelog.Score(readers[0], readers[1])
}

// check prints an error for each broken line of the logs.
func (c *scoreCommand) check(p *program) error {
	files, names, err := c.open()
	if err != nil {
		return usageError{err}
	}
	defer closeAll(files)
	broken := 0
	for i, f := range files {
		lines, err := gamelog.Check(names[i], f, func(err error) {
			broken++
			fmt.Fprintln(p.Stdout, err)
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, "%s: %s\n", names[i], plural(lines, "line"))
	}
	if broken > 0 {
		return errors.New(plural(broken, "line") + " broken")
	}
	return nil
}

// cardResult is the score of a log as JSON.
type cardResult struct {
	Version string   `json:"version"`
	Game    string   `json:"game"`
	Rate    int      `json:"rate"`
	Frames  int      `json:"frames_per_second"`
	Seconds float64  `json:"seconds"`
	Scored  int      `json:"scored_frames"`
	Presses int      `json:"measured_key_presses"`
	Score   measures `json:"score"`
	Notes   []string `json:"notes"`
}

func newCardResult(c *gamelog.Card) *cardResult {
	return &cardResult{Version: Version, Game: c.Head.Game, Rate: c.Head.Rate, Frames: c.Head.Frames, Seconds: c.Seconds,
		Scored: c.Views, Presses: c.Presses, Score: c.Measures, Notes: append([]string{}, c.Notes...)}
}

// writeCard prints the score of a log as a table.
func writeCard(out io.Writer, c *gamelog.Card) error {
	game := c.Head.Game
	if game == "" {
		game = "game log"
	}
	fmt.Fprintf(out, "%s, %.1f s, %d frames scored at %d Hz, key presses measured: %d\n\n", game, c.Seconds, c.Views, c.Head.Frames, c.Presses)
	t := newTable(out)
	for i := range c.Measures {
		t.row(c.Measures[i].Title, c.Measures[i].Text())
	}
	if err := t.close(); err != nil {
		return err
	}
	for i, n := range c.Notes {
		if i == 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintln(out, n)
	}
	return nil
}

// writeCardCSV prints the score of a log as comma-separated values. Unknown values are empty.
func writeCardCSV(out io.Writer, c *gamelog.Card) error {
	w := csv.NewWriter(out)
	_ = w.Write([]string{"measure", "value"})
	for i := range c.Measures {
		text := ""
		if m := &c.Measures[i]; m.OK {
			text = strconv.FormatFloat(m.Value, 'g', -1, 64)
		}
		_ = w.Write([]string{c.Measures[i].Name, text})
	}
	w.Flush()
	return w.Error() // the first error of all writes
}
