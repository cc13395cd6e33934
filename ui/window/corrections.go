package window

import (
	"fmt"
	"strconv"
	"strings"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/probe"
	"ghostcube/ui/hud"
	"ghostcube/ui/widget"
)

// maxListed is the largest number of corrections in the panel.
const maxListed = 40

// selection is the correction that the picture points at while the session is paused.
type selection struct {
	pane       *lab.Pane
	index      int // in the pane's corrections
	correction probe.Correction
}

// correctionsPage lists the corrections of the focused pane, newest first. The list does not move while the
// pointer is over it, so that a click hits what the user sees.
func (g *game) correctionsPage() {
	focus := g.lab.Focus()
	pane := g.lab.Panes[focus]
	c, p := &pane.Corrections, &g.panel
	ui := &p.ui
	if !p.listHovered || p.listEnd > c.Total() {
		p.listEnd = c.Total()
	}
	p.listHovered = false
	ui.Heading(fmt.Sprintf("Corrections, pane %d: %d", focus+1, c.Total()))
	if c.Total() == 0 {
		ui.Paragraph("None since "+pane.Strategy.Name+" started. "+noCorrections(pane), true)
		return
	}
	ui.Paragraph("A click shows the moment of the correction and points at it in the picture.", true)
	if g.past.timeline.Reviewing() {
		ui.Paragraph("The session shows its past, and the list ends there. The key End returns.", false)
	}
	for n := p.listEnd - 1; n >= max(c.FirstIndex(), p.listEnd-maxListed); n-- {
		g.correctionRow(pane, n)
	}
	if earlier := p.listEnd - maxListed; earlier > 0 {
		ui.Paragraph(fmt.Sprintf("%d earlier ones; ghostcube bench --corrections lists all.", earlier), true)
	}
}

// noCorrections says why a pane may have no corrections.
func noCorrections(pane *lab.Pane) string {
	if m := pane.Strategy.Motion; m == predict.FromStates || m == predict.FromInputs {
		return "This strategy predicts nothing that the server could correct."
	}
	return "Nudge the server's cube (F), or drop packets (B)."
}

// correctionRow is a row of the list. A click on it toggles the selection.
func (g *game) correctionRow(pane *lab.Pane, n int) {
	x, rate := pane.Corrections.At(n), g.lab.Config().Rate
	var help strings.Builder
	for _, line := range correctionText(x, rate) {
		help.WriteString(line + ".\n")
	}
	clicked, hovered := g.panel.ui.Entry(widget.Entry{
		ID: "correction " + strconv.Itoa(n), Title: fmt.Sprintf("%.2f s   body %d   %s", sessionSeconds(x, rate), x.Body, x.Describe()),
		Chosen: g.selected != nil && g.selected.pane == pane && g.selected.index == n, Help: strings.TrimSpace(help.String()),
	})
	if clicked {
		g.toggleSelection(pane, n)
	}
	g.panel.listHovered = g.panel.listHovered || hovered
}

// toggleSelection goes to the moment of correction n of a pane and selects it, or clears the selection if it is
// that one.
func (g *game) toggleSelection(pane *lab.Pane, n int) {
	if g.selected != nil && g.selected.pane == pane && g.selected.index == n {
		g.selected = nil
		return
	}
	x := *pane.Corrections.At(n)
	g.paused = true
	g.seekFully(int(x.SessionTick) + 1)
	g.selected = &selection{pane, n, x}
}

// callout returns the callout of the selected correction. The selection ends when the session resumes or its
// pane is closed.
func (g *game) callout() *hud.Callout {
	if !g.paused {
		g.selected = nil
	}
	if g.selected == nil {
		return nil
	}
	for i, p := range g.lab.Panes {
		if p == g.selected.pane && g.selected.correction.Body < len(p.ServerWorld.Bodies()) {
			x := &g.selected.correction
			m := &hud.Callout{Pane: i, Body: x.Body, Lines: correctionText(x, g.lab.Config().Rate)}
			if m.Corrected = x.SessionTick+1 == g.lab.Ticks() && x.Client == 0; m.Corrected {
				m.Lines = append(m.Lines, fmt.Sprintf("Pale: drawn one tick before. Magenta: simulated now, %.3f m away", g.stage.CorrectionOffset(i, x.Body)))
			}
			return m
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

// ticksText returns a number of ticks with its noun.
func ticksText(n int) string {
	if n == 1 {
		return "1 tick"
	}
	return strconv.Itoa(n) + " ticks"
}

// causeText returns why a correction was made, as far as the client and the laboratory know: the client compares
// inputs, the laboratory knows the forced faults and the packets that did not arrive.
func causeText(c *probe.Correction) string {
	text := causeTexts[c.Cause]
	if c.Fault != "" {
		if text = "forced fault: " + c.Fault; c.Cause != predict.CauseUnknown {
			text += "; " + causeTexts[c.Cause]
		}
	}
	switch {
	case c.LostBefore == 1:
		text += "; the packet before it did not arrive"
	case c.LostBefore > 1:
		text += fmt.Sprintf("; %d packets before it did not arrive", c.LostBefore)
	}
	return text
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
		fmt.Sprintf("%s replayed, the player's cube shifted %.3f m", ticksText(c.ReplayedTicks), c.Shift),
		"Cause: " + causeText(c),
	}
}
