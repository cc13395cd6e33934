package cli

import (
	"bufio"
	"fmt"
	"io/fs"
	"strings"
	"text/tabwriter"
	"time"

	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/score"
	"ghostcube/sim"
)

type listCommand struct {
	Kind     string `arg:"" optional:"" help:"scenes, strategies, weathers, traces, tapes, knobs, counts, measures or comparisons; all names without it." placeholder:"WHAT"`
	Strategy string `arg:"" optional:"" help:"For knobs and counters: only those of this strategy." placeholder:"STRATEGY"`
}

var listKinds = []string{"scenes", "strategies", "networks", "traces", "tapes", "knobs", "counters", "measures", "comparisons"}

// Run lists.
func (c *listCommand) Run(p *program) error {
	of := lab.Strategies
	if c.Strategy != "" {
		if c.Kind != "knobs" && c.Kind != "counters" {
			return usageError{fmt.Errorf("list %s %s: a strategy goes with knobs and counters only", c.Kind, c.Strategy)}
		}
		s, err := lab.StrategyNamed(c.Strategy)
		if err != nil {
			return usageError{err}
		}
		of = []*predict.Strategy{s}
	}
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	defer w.Flush()
	switch c.Kind {
	case "scenes":
		for i := range sim.Scenes {
			x := &sim.Scenes[i]
			s := x.Build()
			fmt.Fprintf(w, "%s\t%s\t%d moving boxes, %d at rest for ever, %d on a path, %s, %s\n", s.Name, s.Doc, len(s.Boxes), len(s.Static), kinematicCount(&s), plural(len(s.Joints), "joint"), plural(s.Players, "player"))
			for _, p := range x.Params {
				fmt.Fprintf(w, "  :%s=%d\t%s, %d to %d\n", p.Name, p.Default, p.Help, p.Min, p.Max)
			}
		}
	case "strategies":
		for i, s := range lab.Strategies {
			title, _, _ := strings.Cut(s.Doc, "\n")
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", i+1, s.Name, title, s.Source)
		}
	case "networks":
		fmt.Fprintln(w, "NAME\tONE WAY\tROUND TRIP\tNUMBERS\tWHAT IT IS\tWHERE IT IS FROM, AND WHAT THE DELAY MEANS THERE")
		for _, x := range link.Profiles {
			weather := link.Network{Up: x.Up, Down: x.Down}
			fmt.Fprintf(w, "%s\t%v\t%v\t%s\t%s\t%s\n", x.Name, x.RTT()/2, x.RTT(), weather.String(), x.Doc, x.Source)
		}
		fmt.Fprintln(w, "\nThe two columns leave jitter out. Numbers that --network takes, for both ways or after up. or down. for one:")
		for _, s := range link.ParamHelp() {
			fmt.Fprintf(w, "%s\t\t\t\t%s\n", s[0], s[1])
		}
	case "traces":
		for _, name := range p.library.TraceNames() {
			t, err := p.library.LoadTrace(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%s\t%d samples in %v\t%s\n", name, t.Samples(), t.Length(), firstComment(p.Traces, "traces/"+name+".csv"))
		}
	case "tapes":
		for _, name := range p.library.TapeNames() {
			t, err := p.library.LoadTape(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%s\t%s\t%v at %d Hz\t%s\n", name, t.Config.Scene, time.Duration(len(t.Entries))*time.Second/time.Duration(t.Config.Rate), t.Config.Rate, firstComment(p.Tapes, "tapes/"+name+".tape"))
		}
	case "knobs":
		for _, s := range of {
			knobs, _ := lab.Describe(s)
			for _, k := range knobs.All() {
				fmt.Fprintf(w, "%s:%s\t%s\t%s\t%s\n", s.Name, k.Name, k.Default(), k.Range(), k.Help)
			}
		}
	case "counters":
		for _, s := range of {
			_, meter := lab.Describe(s)
			for _, k := range meter.All() {
				fmt.Fprintf(w, "%s\t%s\t%s\n", s.Name, k.Name, k.Help)
			}
		}
	case "measures":
		l := lab.New(lab.Config{Scene: "plain", Rate: 60}) // any session has the same ones
		pane, err := l.Open(lab.Strategies[0].Name)
		if err != nil {
			return err
		}
		for _, m := range pane.Measures(score.KeyToScreen(nil, 0, false, 60)) {
			fmt.Fprintf(w, "%s\t%s\t%s\n", m.Name, m.Better, m.Help)
		}
	case "comparisons":
		list, err := p.library.Comparisons()
		if err != nil {
			return err
		}
		for _, x := range list {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", x.Name, x.Title, x.Settings.Network, strings.ReplaceAll(x.Settings.Panes, ",", " "), x.Source)
		}
	case "":
		fmt.Fprintf(w, "scenes\t%s\n", strings.Join(sim.SceneNames(), " "))
		fmt.Fprintf(w, "strategies\t%s\n", strings.Join(lab.StrategyNames(), " "))
		fmt.Fprintf(w, "weathers\t%s\n", strings.Join(link.ProfileNames(), " "))
		fmt.Fprintf(w, "traces\t%s\n", strings.Join(p.library.TraceNames(), " "))
		fmt.Fprintf(w, "tapes\t%s\n", strings.Join(p.library.TapeNames(), " "))
		list, err := p.library.Comparisons()
		if err != nil {
			return err
		}
		var comparisons []string
		for _, x := range list {
			comparisons = append(comparisons, x.Name)
		}
		fmt.Fprintf(w, "comparisons\t%s\n", strings.Join(comparisons, " "))
		fmt.Fprintln(w, "Say list WHAT for more: knobs, counts and measures too.")
	default:
		return usageError{&predict.UnknownNameError{Kind: "list", Name: c.Kind, Known: listKinds}}
	}
	return nil
}

// firstComment returns the first remark in an example tape or trace.
func firstComment(from fs.FS, name string) string {
	f, err := from.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for s.Scan() {
		if doc, ok := strings.CutPrefix(s.Text(), "# "); ok {
			return doc
		}
	}
	return ""
}

// kinematicCount returns how many boxes of a scene move by themselves.
func kinematicCount(s *sim.Scene) (n int) {
	for i := range s.Carriers {
		n += len(s.Carriers[i].Boxes)
	}
	return n
}
