package window

import (
	"math"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// readTrigger shoots at the point under the pointer when the right mouse button is pressed. The key and the
// gamepad button are bindings.
func (h *controls) readTrigger(g *game, capture capture) {
	x, y := ebiten.CursorPosition()
	if inpututil.IsMouseButtonJustPressed(ebiten.MouseButtonRight) && !capture.pointer && g.inPicture(x, y) {
		if s, ok := g.screen.frame.AimAt(float32(x), float32(y), g.lab); ok {
			g.shoot(s)
		}
	}
}

// levelShot returns a horizontal shot in the direction of a camera with a yaw in degrees.
func levelShot(yaw float64) sim.Shot {
	sin, cos := math.Sincos(yaw * math.Pi / 180)
	return sim.Aim(geom.Vec3{X: float32(-sin), Y: float32(cos)})
}

// shoot makes the first player shoot in the next tick. It stops a tape, as a key does.
func (g *game) shoot(s sim.Shot) {
	g.takeOver()
	g.pendingShot = s
}
