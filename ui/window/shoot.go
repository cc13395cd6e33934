package window

import (
	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"ghostcube/sim"
)

// readTrigger shoots at the point under the pointer when the right mouse button is pressed. The key and the
// gamepad button are bindings.
func (c *controls) readTrigger(g *game, capture capture) {
	x, y := ebiten.CursorPosition()
	if inpututil.IsMouseButtonJustPressed(ebiten.MouseButtonRight) && !capture.pointer && g.inPicture(x, y) {
		if s, ok := g.screen.frame.AimAt(float32(x), float32(y), g.session.Lab); ok {
			g.shoot(s)
		}
	}
}

// shoot makes the first player shoot in the next tick. It stops a tape, as a key does.
func (g *game) shoot(s sim.Shot) {
	g.session.TakeOver()
	g.intents.Shot = s
}
