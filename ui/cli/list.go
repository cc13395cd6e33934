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
	What string `arg:"" optional:"" help:"scenes, strategies, weathers, traces, tapes, knobs, counts, measures or comparisons; all names without it." placeholder:"WHAT"`
	Of   string `arg:"" optional:"" help:"Of knobs and counts: the strategy whose they are; all without it." placeholder:"STRATEGY"`
}

var listed = []string{"scenes", "strategies", "weathers", "traces", "tapes", "knobs", "counts", "measures", "comparisons"}

// Run lists.
func (c *listCommand) Run(p *program) error {
	of := lab.Strategies
	if c.Of != "" {
		if c.What != "knobs" && c.What != "counts" {
			return usage{fmt.Errorf("list %s %s: a strategy goes with knobs and counts only", c.What, c.Of)}
		}
		s, err := lab.StrategyNamed(c.Of)
		if err != nil {
			return usage{err}
		}
		of = []*predict.Strategy{s}
	}
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	defer w.Flush()
	switch c.What {
	case "scenes":
		for i := range sim.Scenes {
			x := &sim.Scenes[i]
			s := x.Scene()
			fmt.Fprintf(w, "%s\t%s\t%d moving boxes, %d at rest for ever, %d on a path, %s, %s\n", s.Name, s.Doc, len(s.Boxes), len(s.Static), onPaths(&s), count(len(s.Joints), "joint"), count(s.Players, "player"))
			for _, p := range x.Params {
				fmt.Fprintf(w, "  :%s=%d\t%s, %d to %d\n", p.Name, p.Default, p.Help, p.Min, p.Max)
			}
		}
	case "strategies":
		for i, s := range lab.Strategies {
			title, _, _ := strings.Cut(s.Doc, "\n")
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", i+1, s.Name, title, s.Source)
		}
	case "weathers":
		fmt.Fprintln(w, "NAME\tONE WAY\tROUND TRIP\tNUMBERS\tWHAT IT IS\tWHERE IT IS FROM, AND WHAT THE DELAY MEANS THERE")
		for _, x := range link.Profiles {
			weather := link.Network{Up: x.Up, Down: x.Down}
			fmt.Fprintf(w, "%s\t%v\t%v\t%s\t%s\t%s\n", x.Name, x.RoundTrip()/2, x.RoundTrip(), weather.String(), x.Doc, x.Source)
		}
		fmt.Fprintln(w, "\nThe two columns leave jitter out. Numbers that --weather takes, for both ways or after up. or down. for one:")
		for _, s := range link.ParamHelp() {
			fmt.Fprintf(w, "%s\t\t\t\t%s\n", s[0], s[1])
		}
	case "traces":
		for _, name := range p.traceNames() {
			t, err := p.loadTrace(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%s\t%d samples in %v\t%s\n", name, t.Samples(), t.Length(), firstRemark(p.Traces, "traces/"+name+".csv"))
		}
	case "tapes":
		for _, name := range p.tapeNames() {
			t, err := p.loadTape(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%s\t%s\t%v at %d Hz\t%s\n", name, t.Config.Scene, time.Duration(len(t.Entries))*time.Second/time.Duration(t.Config.Rate), t.Config.Rate, firstRemark(p.Tapes, "tapes/"+name+".tape"))
		}
	case "knobs":
		for _, s := range of {
			knobs, _ := lab.Describe(s)
			for _, k := range knobs.All() {
				fmt.Fprintf(w, "%s:%s\t%s\t%s\t%s\n", s.Name, k.Name, k.Default(), k.Range(), k.Help)
			}
		}
	case "counts":
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
		for _, m := range pane.Measures(score.OwnLatency(nil, 0, false, 60)) {
			fmt.Fprintf(w, "%s\t%s\t%s\n", m.Name, m.Better, m.Help)
		}
	case "comparisons":
		for _, x := range lab.Comparisons {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", x.Name, x.Doc, x.Network, strings.Join(x.Panes, " "), x.Source)
		}
	case "":
		fmt.Fprintf(w, "scenes\t%s\n", strings.Join(sim.SceneNames(), " "))
		fmt.Fprintf(w, "strategies\t%s\n", strings.Join(lab.StrategyNames(), " "))
		fmt.Fprintf(w, "weathers\t%s\n", strings.Join(link.ProfileNames(), " "))
		fmt.Fprintf(w, "traces\t%s\n", strings.Join(p.traceNames(), " "))
		fmt.Fprintf(w, "tapes\t%s\n", strings.Join(p.tapeNames(), " "))
		fmt.Fprintf(w, "comparisons\t%s\n", strings.Join(lab.ComparisonNames(), " "))
		fmt.Fprintln(w, "Say list WHAT for more: knobs, counts and measures too.")
	default:
		return usage{&predict.Unknown{Kind: "list", Name: c.What, Known: listed}}
	}
	return nil
}

// firstRemark returns the first remark in an example tape or trace.
func firstRemark(from fs.FS, name string) string {
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

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// onPaths returns how many boxes of a scene move by themselves.
func onPaths(s *sim.Scene) (n int) {
	for i := range s.Carriers {
		n += len(s.Carriers[i].Boxes)
	}
	return n
}
