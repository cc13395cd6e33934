package window

import (
	"fmt"
	"image"
	"strconv"

	"github.com/ebitengine/debugui"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/probe"
	"ghostcube/ui/stage"
)

// maxListed is the largest number of corrections in the panel.
const maxListed = 40

// selection is the correction that the picture points at while the session is paused.
type selection struct {
	pane       *lab.Pane
	index      int // in the pane's corrections
	correction probe.Correction
}

// correctionsSection lists the corrections of the focused pane, newest first. The list does not move while
// the pointer is over it, so that a click hits what the user sees.
func (g *game) correctionsSection(ctx *debugui.Context) {
	focus := g.lab.Focus()
	pane := g.lab.Panes[focus]
	c, p := &pane.Corrections, &g.panel
	if !p.listHovered || p.listEnd > c.Total() {
		p.listEnd = c.Total()
	}
	p.listHovered = false
	ctx.Header(fmt.Sprintf("Corrections, pane %d: %d", focus+1, c.Total()), false, func() {
		if c.Total() == 0 {
			ctx.SetGridLayout([]int{-1}, []int{22})
			ctx.Text("none since the strategy started")
		}
		for n := p.listEnd - 1; n >= max(c.FirstIndex(), p.listEnd-maxListed); n-- {
			g.correctionRow(ctx, pane, n)
		}
		if earlier := p.listEnd - maxListed; earlier > 0 {
			ctx.SetGridLayout([]int{-1}, []int{22})
			ctx.Text(fmt.Sprintf("%d earlier; bench --corrections lists all", earlier))
		}
	})
}

// correctionRow is a row of the list. A click on it toggles the selection.
func (g *game) correctionRow(ctx *debugui.Context, pane *lab.Pane, n int) {
	x, p, rate := pane.Corrections.At(n), &g.panel, g.lab.Config().Rate
	ctx.SetGridLayout([]int{-1}, []int{rowHeight})
	ctx.IDScope(strconv.Itoa(n), func() {
		ctx.GridCell(func(r image.Rectangle) {
			ctx.SetGridLayout([]int{-1}, []int{rowHeight})
			if p.cursor.In(r) {
				p.listHovered = true
				for _, line := range correctionText(x, rate) {
					p.tooltip += line + ". "
				}
			}
			ctx.Button(fmt.Sprintf("%.2f s  body %d  %s", sessionSeconds(x, rate), x.Body, x.Describe())).On(func() { g.toggleSelection(pane, n) })
		})
	})
}

// toggleSelection pauses the session and selects correction n of a pane, or clears the selection if it is
// that one.
func (g *game) toggleSelection(pane *lab.Pane, n int) {
	if g.selected != nil && g.selected.pane == pane && g.selected.index == n {
		g.selected = nil
		return
	}
	g.paused = true
	g.selected = &selection{pane, n, *pane.Corrections.At(n)}
}

// callout returns the callout of the selected correction. The selection ends when the session resumes or its
// pane is closed.
func (g *game) callout() *stage.Callout {
	if !g.paused {
		g.selected = nil
	}
	if g.selected == nil {
		return nil
	}
	for i, p := range g.lab.Panes {
		if p == g.selected.pane && g.selected.correction.Body < len(p.ServerWorld.Bodies()) {
			return &stage.Callout{Pane: i, Body: g.selected.correction.Body, Lines: correctionText(&g.selected.correction, g.lab.Config().Rate)}
		}
	}
	return nil
}

// sessionSeconds returns the session's time of a correction, in seconds.
func sessionSeconds(c *probe.Correction, rate int) float64 {
	return float64(c.SessionTick) / float64(rate)
}

// causeTexts describe each predict.Cause.
var causeTexts = [...]string{
	predict.CauseUnknown: "unknown to the client",
	predict.LocalInput:   "the player's input reached the server late",
	predict.RemoteInput:  "another player's input differed from the predicted one",
	predict.ClockReset:   "the client had fallen behind and adopted the server's state",
}

// correctionText describes a correction in four lines.
func correctionText(c *probe.Correction, rate int) []string {
	sent := ""
	if c.Sent >= 0 {
		sent = fmt.Sprintf("sent at %.3f s, ", c.Sent.Seconds())
	}
	off := "off in its " + c.Describe()
	if c.Field.Unit() == "" {
		off = "asleep on the server, awake on the client"
	}
	return []string{
		fmt.Sprintf("Corrected at %.3f s, client %d: body %d was %s", sessionSeconds(c, rate), c.Client+1, c.Body, off),
		fmt.Sprintf("Received in packet %d of tick %d, %sarrived at %.3f s", c.Packet, c.Tick, sent, c.Received.Seconds()),
		fmt.Sprintf("%d ticks replayed, the player's cube shifted %.3f m", c.ReplayedTicks, c.Shift),
		"Cause: " + causeTexts[c.Cause],
	}
}
