package window

import (
	"fmt"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"ghostcube/sim"
	"ghostcube/ui/widget"
)

// runUpTime is the time for which ticks are made between two frames.
const runUpTime = 80 * time.Millisecond

// updateRunUp makes ticks without a viewer up to the moment at which the session is paused. Escape pauses it earlier.
func (g *game) updateRunUp() error {
	if !g.controls.uiHidden && g.screen.w > 0 {
		g.buildPanel(widget.Input{}) // which takes no input meanwhile
		g.buildCard(widget.Input{})
	}
	start, frame := time.Now(), g.screen.frames
	fresh := frame != g.runUpFrame // a slow machine draws less often than it updates
	g.runUpFrame = frame
	if err := g.makeRunUp(func() bool { return fresh && time.Since(start) < runUpTime }); err != nil {
		g.tickErr = err
		return ebiten.Termination
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyEscape) {
		g.runUp = 0
	}
	g.stage.Refresh(g.lab)
	g.screen.addTicks(0, g.lab.Config().Rate, true, 1)
	return nil
}

// makeRunUp makes ticks up to the moment while there is time, and ends the run-up there.
func (g *game) makeRunUp(more func() bool) error {
	g.paused, g.localInputs = true, [2]sim.Input{}
	for int(g.lab.Ticks()) < g.runUp && more() {
		g.past.wait()
		if err := g.tick(); err != nil {
			return err
		}
		g.past.makeCheckpoint()
	}
	if int(g.lab.Ticks()) >= g.runUp {
		g.runUp = 0
		g.notices.post(fmt.Sprintf("paused at %s, as the link says: P plays on, the timeline goes back", g.timeText()))
	}
	return nil
}

// timeText returns the present moment of the session.
func (g *game) timeText() string {
	return fmt.Sprintf("%.2f s", float64(g.lab.Ticks())/float64(g.lab.Config().Rate))
}

// runUpText says how far the run-up is.
func (g *game) runUpText() string {
	return fmt.Sprintf("running to %.2f s: %d %% (Esc stops)", float64(g.runUp)/float64(g.lab.Config().Rate), 100*int(g.lab.Ticks())/g.runUp)
}
