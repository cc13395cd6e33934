package cli

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"time"

	"ghostcube/ui/diagram"
	"ghostcube/ui/plan"
)

// diagramSeconds is the length of a diagram if none is given.
const diagramSeconds = 0.4

// writeDiagram runs a session and draws the packets of a pane after a number of ticks.
func (c *packetsCommand) writeDiagram(p *program, session *plan.Plan, lead, pane int) error {
	rate := time.Duration(session.Config.Rate)
	from := time.Duration(lead) * time.Second / rate
	to := from + time.Duration(session.Seconds*float64(time.Second)).Round(time.Millisecond)
	if to-from < diagram.MinSpan || to-from > diagram.MaxSpan {
		return usageError{fmt.Errorf("--seconds=%v: a diagram shows %v to %v s", session.Seconds, diagram.MinSpan.Seconds(), diagram.MaxSpan.Seconds())}
	}
	l, err := session.NewLab()
	if err != nil {
		return usageError{err}
	}
	r := diagram.NewRecorder(l, pane, from, to)
	for _, e := range session.Entries(int((to*rate + time.Second - 1) / time.Second)) {
		if err := l.Tick(e); err != nil {
			return usageError{err}
		}
		r.AfterTick()
	}
	spec := session.Panes[pane]
	title, network := session.Title(), session.Config.Network
	if title == "" {
		title = fmt.Sprintf("Packets of %s, scene %s", l.Panes[pane].Strategy.Name, session.Config.Scene)
	}
	subtitle := fmt.Sprintf("%s; network: %s", strings.ReplaceAll(spec, ":", ", "), strings.ReplaceAll(network.Summary(), ",", ", "))
	var svg bytes.Buffer
	if err := r.WriteSVG(&svg, title, subtitle); err != nil {
		return fmt.Errorf("pane %d: %w", pane+1, err)
	}
	if err := writeFile(c.SVG, func(w *os.File) error { _, err := w.Write(svg.Bytes()); return err }); err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "%s: packets of pane %d from %.2f to %.2f s\n", c.SVG, pane+1, from.Seconds(), to.Seconds())
	return nil
}
