package window

import (
	"math"

	"github.com/ebitengine/debugui"
	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// readTrigger reads what fires: the mouse's right button at what is under the pointer, a
// key and a gamepad's trigger straight ahead.
func (h *controls) readTrigger(g *game, capture debugui.InputCapturingState) {
	x, y := ebiten.CursorPosition()
	if inpututil.IsMouseButtonJustPressed(ebiten.MouseButtonRight) && capture == 0 && g.screen.inPicture(x, y) {
		if s, ok := g.screen.frame.AimAt(float32(x), float32(y), g.lab); ok {
			g.shoot(s)
		}
	}
}

// levelShot is the shot along the ground that a camera looks along which is turned by yaw
// degrees.
func levelShot(yaw float64) sim.Shot {
	sin, cos := math.Sincos(yaw * math.Pi / 180)
	return sim.Aim(geom.Vec3{X: float32(-sin), Y: float32(cos)})
}

// shoot has the first player shoot in the next tick.
func (g *game) shoot(s sim.Shot) {
	g.takeOver()
	g.pendingShot = s
}
