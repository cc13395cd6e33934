package window

import (
	"image"
	"math"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/ui/hud"
)

// controls reads keys, gamepads and mouse.
type controls struct {
	dragging       bool // the pointer turns the camera until the button is released
	moved          bool // since the button went down the pointer has moved too far for a click
	pressX, pressY int  // of the pointer when the button went down, pixels
	lastX, lastY   int  // of the pointer, pixels
	gamepads       []ebiten.GamepadID
	grip           hud.Grip           // of the body that the pointer holds
	gripButton     ebiten.MouseButton // with which it does
	helpShown      bool
	screenshotDue  bool // Draw saves the next frame
}

// update handles all input of an Update. capture says what the panel has taken for itself.
func (c *controls) update(g *game, capture capture) {
	if capture.keys {
		g.intents.Inputs = [2]sim.Input{}
	} else {
		c.handleKeys(g)
		c.readMovement(g)
		c.readTrigger(g, capture)
	}
	g.applyTouch()
	c.moveCamera(g, capture, ebiten.IsMouseButtonPressed(ebiten.MouseButtonLeft))
}

// capture says which input belongs to the panel.
type capture struct{ pointer, keys bool }

// readMovement reads the keys and sticks that move the cubes. All gamepads belong to the first player.
func (c *controls) readMovement(g *game) {
	c.gamepads = ebiten.AppendGamepadIDs(c.gamepads[:0])
	first, second := c.heldButtons()
	first |= g.touch.buttons
	for _, id := range c.gamepads {
		if !ebiten.IsStandardGamepadLayoutAvailable(id) {
			continue
		}
		x := ebiten.StandardGamepadAxisValue(id, ebiten.StandardGamepadAxisLeftStickHorizontal)
		y := ebiten.StandardGamepadAxisValue(id, ebiten.StandardGamepadAxisLeftStickVertical)
		first |= stickButtons(x, y)
	}
	if first|second != 0 {
		g.session.TakeOver()
	}
	g.intents.Inputs = g.session.Controls.Inputs(first, second)
}

// stickButtons converts a stick's position, each axis in [-1, 1], to buttons: eight directions, and none near
// the centre.
func stickButtons(x, y float64) (b sim.Buttons) {
	if math.Hypot(x, y) < 0.5 {
		return 0
	}
	const threshold = 0.38 // sine of 22.5 degrees, half of a sector
	if x < -threshold {
		b |= sim.Left
	}
	if x > threshold {
		b |= sim.Right
	}
	if y < -threshold {
		b |= sim.Forward
	}
	if y > threshold {
		b |= sim.Back
	}
	return b
}

// moveCamera turns the camera with the mouse or the right stick, and zooms with the wheel. A drag that starts
// in the picture turns the camera wherever it goes, one that starts on the panel never does. A click in the
// picture focuses the pane under the pointer.
func (c *controls) moveCamera(g *game, capture capture, pressed bool) {
	x, y := ebiten.CursorPosition()
	c.readGrip(g, capture)
	if !g.session.Grab.Held() && inpututil.IsMouseButtonJustPressed(ebiten.MouseButtonLeft) && !capture.pointer && g.inPicture(x, y) {
		c.dragging, c.moved = true, false
		c.pressX, c.pressY = x, y
	}
	if abs(x-c.pressX)+abs(y-c.pressY) > clickRadius*g.screen.panelScale() {
		c.moved = true
	}
	if !pressed {
		if c.dragging && !c.moved {
			g.focusPaneAt(x, y)
		}
		c.dragging = false
	}
	show := g.session.Settings()
	yaw, pitch, distance := show.Yaw, show.Pitch, show.Distance
	if c.dragging && c.moved {
		scale := 0.35 / float64(g.screen.panelScale())
		yaw -= float64(x-c.lastX) * scale
		pitch += float64(y-c.lastY) * scale * 0.7
	}
	c.lastX, c.lastY = x, y
	for _, id := range c.gamepads {
		if !ebiten.IsStandardGamepadLayoutAvailable(id) {
			continue
		}
		rx := ebiten.StandardGamepadAxisValue(id, ebiten.StandardGamepadAxisRightStickHorizontal)
		ry := ebiten.StandardGamepadAxisValue(id, ebiten.StandardGamepadAxisRightStickVertical)
		if math.Hypot(rx, ry) > 0.2 {
			yaw -= rx * 2
			pitch += ry * 1.2
		}
	}
	if _, wheel := ebiten.Wheel(); wheel != 0 && !capture.pointer && g.inPicture(x, y) {
		if s, _ := g.session.Shown(); s.InLane(x, y) {
			g.session.Controls.ZoomLanes(wheel)
		} else {
			distance *= math.Pow(0.9, wheel)
		}
	}
	g.session.Controls.MoveCamera(yaw, pitch, distance)
	c.turnByTouch(g)
}

// turnByTouch turns the camera with a finger, and zooms with two.
func (c *controls) turnByTouch(g *game) {
	r := &g.touch.result
	if r.turn == (image.Point{}) && r.zoom == 1 {
		return
	}
	show, scale := g.session.Settings(), 0.35/float64(g.screen.uiScale())
	g.session.Controls.MoveCamera(show.Yaw-float64(r.turn.X)*scale, show.Pitch+float64(r.turn.Y)*scale*0.7, show.Distance/r.zoom)
}

// readGrip holds a body with the middle mouse button, with the left one and Shift, or with a finger.
func (c *controls) readGrip(g *game, capture capture) {
	if g.screen.touched {
		h := &g.touch.result.hold
		c.holdBody(g, h.at.X, h.at.Y, h.pressed, h.down)
		return
	}
	x, y := ebiten.CursorPosition()
	press := false
	if !capture.pointer && !g.session.Embed && g.inPicture(x, y) && !g.session.Grab.Held() {
		for _, b := range [...]ebiten.MouseButton{ebiten.MouseButtonLeft, ebiten.MouseButtonMiddle} {
			if inpututil.IsMouseButtonJustPressed(b) && (b == ebiten.MouseButtonMiddle || ebiten.IsKeyPressed(ebiten.KeyShift)) {
				press, c.gripButton = true, b
			}
		}
	}
	c.holdBody(g, x, y, press, ebiten.IsMouseButtonPressed(c.gripButton))
}

// holdBody takes hold of the body at a pixel if the pointer is pressed there, moves the one that is held, and lets go of
// it when the pointer is not down any more.
func (c *controls) holdBody(g *game, x, y int, press, down bool) {
	held, f := &g.session.Grab, &g.screen.frame
	if press {
		if grip, ok := f.GripAt(float32(x), float32(y), g.session.Lab); ok {
			c.grip = grip
			held.Take(grip.Drag)
		}
	}
	switch {
	case !held.Held():
	case !down:
		held.Release()
	default:
		c.grip.MoveTo(f, float32(x), float32(y))
		held.MoveTo(c.grip.Drag)
	}
}

// clickRadius is how far the pointer may move between press and release of a click, in points.
const clickRadius = 4

func abs(n int) int { return max(n, -n) }

// focusPaneAt moves the focus to the pane at a pixel of the window.
func (g *game) focusPaneAt(x, y int) {
	for i := range g.screen.frame.Viewports {
		v := &g.screen.frame.Viewports[i]
		if inside := x >= v.X && y >= v.Y && x < v.X+v.W && y < v.Y+v.H; inside && v.Pane != g.session.Lab.Focus() && v.Pane < len(g.session.Lab.Panes) {
			g.session.Do(lab.Command{Verb: "focus", Pane: v.Pane})
			return
		}
	}
}
