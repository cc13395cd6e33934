package window

import (
	"fmt"
	"image"
	"strconv"

	"github.com/ebitengine/debugui"

	"ghostcube/predict/lab"
	"ghostcube/ui/stage"
)

// listed is how many corrections the panel lists.
const listed = 40

// marked is a correction that the human looks at while the session stands.
type marked struct {
	pane   *lab.Pane
	number int
	what   lab.Correction
}

// corrections lists those of the framed pane, the newest first. While the
// pointer is on the list it stands still, so that what is pointed at is what is
// clicked.
func (g *game) corrections(ctx *debugui.Context) {
	focus := g.lab.Display().Focus
	pane := g.lab.Panes[focus]
	c, p := &pane.Corrections, &g.panel
	if !p.pointed || p.newest > c.Total() {
		p.newest = c.Total()
	}
	p.pointed = false
	ctx.Header(fmt.Sprintf("Corrections of pane %d: %d", focus+1, c.Total()), false, func() {
		if c.Total() == 0 {
			ctx.SetGridLayout([]int{-1}, []int{22})
			ctx.Text("none since the strategy began")
		}
		for n := p.newest - 1; n >= max(c.First(), p.newest-listed); n-- {
			g.correction(ctx, pane, n)
		}
		if more := p.newest - listed; more > 0 {
			ctx.SetGridLayout([]int{-1}, []int{22})
			ctx.Text(fmt.Sprintf("and %d before; bench --explain lists all", more))
		}
	})
}

// correction is a row of the list.
func (g *game) correction(ctx *debugui.Context, pane *lab.Pane, n int) {
	x, p, rate := pane.Corrections.Number(n), &g.panel, g.lab.Config().Rate
	ctx.SetGridLayout([]int{-1}, []int{rowHeight})
	ctx.IDScope(strconv.Itoa(n), func() {
		ctx.GridCell(func(r image.Rectangle) {
			ctx.SetGridLayout([]int{-1}, []int{rowHeight})
			if p.cursor.In(r) {
				p.pointed = true
				for _, line := range explain(x, rate) {
					p.help += line + ". "
				}
			}
			ctx.Button(fmt.Sprintf("%.2f s  body %d  %s", seconds(x, rate), x.Body, x.Describe())).On(func() { g.mark(pane, n) })
		})
	})
}

// mark stops the session and points at what a correction was about, or takes
// the mark away again.
func (g *game) mark(pane *lab.Pane, n int) {
	if g.marked != nil && g.marked.pane == pane && g.marked.number == n {
		g.marked = nil
		return
	}
	g.paused = true
	g.marked = &marked{pane, n, *pane.Corrections.Number(n)}
}

// picked is what the picture shows of the mark. It goes when the session goes
// on, and with its pane.
func (g *game) picked() *stage.Mark {
	if !g.paused {
		g.marked = nil
	}
	if g.marked == nil {
		return nil
	}
	for i, p := range g.lab.Panes {
		if p == g.marked.pane && g.marked.what.Body < len(p.ServerWorld.Bodies()) {
			return &stage.Mark{Pane: i, Body: g.marked.what.Body, Lines: explain(&g.marked.what, g.lab.Config().Rate)}
		}
	}
	return nil
}

// seconds returns when a correction was made, in the session's seconds.
func seconds(c *lab.Correction, rate int) float64 { return float64(c.At) / float64(rate) }

// whyWords say what a client knows of the cause.
var whyWords = [...]string{
	"not known to the client", "the server did not have the player's input in time",
	"another player did otherwise than was assumed", "the client had fallen behind",
}

// explain says in a few lines what a correction was.
func explain(c *lab.Correction, rate int) []string {
	sent := ""
	if c.Sent >= 0 {
		sent = fmt.Sprintf("sent at %.3f s, ", c.Sent.Seconds())
	}
	off := "off in its " + c.Describe()
	if c.Field.Unit() == "" {
		off = "asleep at the server and not here"
	}
	return []string{
		fmt.Sprintf("Corrected at %.3f s, seat %d: body %d was %s", seconds(c, rate), c.Seat+1, c.Body, off),
		fmt.Sprintf("Told by packet %d of tick %d, %sarrived at %.3f s", c.Packet, c.Tick, sent, c.Received.Seconds()),
		fmt.Sprintf("%d ticks replayed, the player's cube jumped %.3f m", c.Replayed, c.Shift),
		"Why: " + whyWords[c.Cause],
	}
}
