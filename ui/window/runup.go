package window

import (
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"ghostcube/ui/session"
	"ghostcube/ui/widget"
)

// runUpTime is the time for which ticks are made between two frames.
const runUpTime = 80 * time.Millisecond

// updateRunUp makes ticks without a viewer up to the moment at which the session is paused. Escape pauses it earlier.
func (g *game) updateRunUp() error {
	if !g.screen.hidden && g.screen.w > 0 {
		g.panel.build(widget.Input{}) // which takes no input meanwhile
		g.card.build(widget.Input{})
	}
	start, frame := time.Now(), g.screen.frames
	fresh := frame != g.runUpFrame // a slow machine draws less often than it updates
	g.runUpFrame = frame
	g.intents = session.Intents{}
	if err := g.session.MakeRunUp(func() bool { return fresh && time.Since(start) < runUpTime }); err != nil {
		g.session.Err = err
		return ebiten.Termination
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyEscape) {
		g.session.RunUp = 0
	}
	g.session.HUD.Refresh(g.session.Lab)
	g.screen.addTicks(0, g.session.Lab.Config().Rate, true, 1)
	return nil
}
