package window

import (
	"fmt"
	"image"
	"strconv"

	"github.com/ebitengine/debugui"

	"ghostcube/predict/lab"
	"ghostcube/ui/stage"
)

// maxListed is how many corrections the panel lists.
const maxListed = 40

// selection is a correction that the human looks at while the session stands.
type selection struct {
	pane       *lab.Pane
	index      int
	correction lab.Correction
}

// correctionsSection lists those of the framed pane, the newest first. While the
// pointer is on the list it stands still, so that what is pointed at is what is
// clicked.
func (g *game) correctionsSection(ctx *debugui.Context) {
	focus := g.lab.Focus()
	pane := g.lab.Panes[focus]
	c, p := &pane.Corrections, &g.panel
	if !p.listHovered || p.listEnd > c.Total() {
		p.listEnd = c.Total()
	}
	p.listHovered = false
	ctx.Header(fmt.Sprintf("Corrections of pane %d: %d", focus+1, c.Total()), false, func() {
		if c.Total() == 0 {
			ctx.SetGridLayout([]int{-1}, []int{22})
			ctx.Text("none since the strategy began")
		}
		for n := p.listEnd - 1; n >= max(c.FirstIndex(), p.listEnd-maxListed); n-- {
			g.correctionRow(ctx, pane, n)
		}
		if more := p.listEnd - maxListed; more > 0 {
			ctx.SetGridLayout([]int{-1}, []int{22})
			ctx.Text(fmt.Sprintf("and %d before; bench --corrections lists all", more))
		}
	})
}

// correctionRow is a row of the list.
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

// toggleSelection stops the session and points at what a correction was about, or takes
// the mark away again.
func (g *game) toggleSelection(pane *lab.Pane, n int) {
	if g.selected != nil && g.selected.pane == pane && g.selected.index == n {
		g.selected = nil
		return
	}
	g.paused = true
	g.selected = &selection{pane, n, *pane.Corrections.At(n)}
}

// callout is what the picture shows of the mark. It goes when the session goes
// on, and with its pane.
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

// sessionSeconds returns when a correction was made, in the session's seconds.
func sessionSeconds(c *lab.Correction, rate int) float64 {
	return float64(c.SessionTick) / float64(rate)
}

// causeTexts say what a client knows of the cause.
var causeTexts = [...]string{
	"not known to the client", "the server did not have the player's input in time",
	"another player did otherwise than was assumed", "the client had fallen behind",
}

// correctionText says in a few lines what a correction was.
func correctionText(c *lab.Correction, rate int) []string {
	sent := ""
	if c.Sent >= 0 {
		sent = fmt.Sprintf("sent at %.3f s, ", c.Sent.Seconds())
	}
	off := "off in its " + c.Describe()
	if c.Field.Unit() == "" {
		off = "asleep at the server and not here"
	}
	return []string{
		fmt.Sprintf("Corrected at %.3f s, seat %d: body %d was %s", sessionSeconds(c, rate), c.Client+1, c.Body, off),
		fmt.Sprintf("Told by packet %d of tick %d, %sarrived at %.3f s", c.Packet, c.Tick, sent, c.Received.Seconds()),
		fmt.Sprintf("%d ticks replayed, the player's cube jumped %.3f m", c.ReplayedTicks, c.Shift),
		"Why: " + causeTexts[c.Cause],
	}
}
