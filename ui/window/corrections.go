package window

import (
	"fmt"
	"strconv"
	"strings"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/ui/session"
	"ghostcube/ui/widget"
)

// maxListed is the largest number of corrections in the panel.
const maxListed = 40

// correctionsPage lists the corrections of the focused pane.
type correctionsPage struct {
	*panel
	listEnd     int  // index after the correction at the top of the list
	listHovered bool // the pointer is over that list
}

// build lists the corrections of the focused pane, newest first. The list does not move while the
// pointer is over it, so that a click hits what the user sees.
func (p *correctionsPage) build() {
	focus := p.session.Lab.Focus()
	pane := p.session.Lab.Panes[focus]
	c := p.session.Past.Corrections(pane)
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
	if p.session.Past.Timeline.Reviewing() {
		ui.Paragraph("The session shows its past: what comes later is grey. The key End returns.", false)
	}
	for n := p.listEnd - 1; n >= max(c.FirstIndex(), p.listEnd-maxListed); n-- {
		p.correctionRow(pane, n)
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

// correctionRow is a row of the list, grey for one that comes later. A click on it toggles the selection.
func (p *correctionsPage) correctionRow(pane *lab.Pane, n int) {
	x, rate := p.session.Past.Corrections(pane).At(n), p.session.Lab.Config().Rate
	var help strings.Builder
	for _, line := range session.CorrectionText(x, rate) {
		help.WriteString(line + ".\n")
	}
	clicked, hovered := p.ui.Entry(widget.Entry{
		ID: "correction " + strconv.Itoa(n), Title: fmt.Sprintf("%.2f s   body %d   %s", session.CorrectionSeconds(x, rate), x.Body, x.Describe()),
		Chosen: p.session.Selection.Chosen(pane, n), Help: strings.TrimSpace(help.String()), Dim: n >= pane.Corrections.Total(),
	})
	if clicked {
		p.session.Selection.Toggle(pane, n)
	}
	p.listHovered = p.listHovered || hovered
}
