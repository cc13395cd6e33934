//go:build !js || headless

package cli

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"ghostcube/internal/atomicfile"
	"ghostcube/ui/diagram"
	"ghostcube/ui/plan"
	"ghostcube/ui/session"
)

// diagramSeconds is the length of a diagram if none is given.
const diagramSeconds = 0.4

// writeDiagram runs a session and draws the packets of a pane after a number of ticks.
func (c *packetsCommand) writeDiagram(p *program, planned *plan.Plan, lead, pane int) error {
	rate := time.Duration(planned.Config.Rate)
	from := time.Duration(lead) * time.Second / rate
	to := from + time.Duration(planned.Seconds*float64(time.Second)).Round(time.Millisecond)
	if to-from < diagram.MinSpan || to-from > diagram.MaxSpan {
		return usageError{fmt.Errorf("--seconds=%v: a diagram shows %v to %v s", planned.Seconds, diagram.MinSpan.Seconds(), diagram.MaxSpan.Seconds())}
	}
	if err := p.checkOutput("--svg", c.SVG); err != nil {
		return err
	}
	l, err := planned.NewLab()
	if err != nil {
		return usageError{err}
	}
	r := diagram.NewRecorder(l, pane, from, to)
	entries := planned.Entries(int((to*rate + time.Second - 1) / time.Second))
	bar := p.newProgress("packets", entries.Count)
	defer bar.finish()
	ctx, stop := untilSignal()
	defer stop()
	err = session.Run(ctx, l, entries, nil, func(made int) error {
		r.AfterTick()
		bar.set(made)
		return nil
	})
	bar.finish()
	switch {
	case err != nil:
		return usageError{err}
	case int(l.Ticks()) < entries.Count:
		return fmt.Errorf("interrupted: %s was not written", c.SVG)
	}
	spec := planned.Panes[pane]
	title, network := planned.Title(), planned.Config.Network
	if title == "" {
		title = fmt.Sprintf("Packets of %s, scene %s", l.Panes[pane].Strategy.Name, planned.Config.Scene)
	}
	subtitle := fmt.Sprintf("%s; network: %s", strings.ReplaceAll(spec, ":", ", "), strings.ReplaceAll(network.Summary(), ",", ", "))
	var svg bytes.Buffer
	if err := r.WriteSVG(&svg, title, subtitle); err != nil {
		return fmt.Errorf("pane %d: %w", pane+1, err)
	}
	if err := atomicfile.WriteFile(c.SVG, svg.Bytes()); err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "%s: packets of pane %d from %.2f to %.2f s\n", c.SVG, pane+1, from.Seconds(), to.Seconds())
	return nil
}
