package window

import (
	"image"
	"math"
	"strconv"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"ghostcube/predict/lab"
	"ghostcube/render/video"
	"ghostcube/sim"
	"ghostcube/ui/stage"
)

// controls reads keys, gamepads and mouse.
type controls struct {
	dragging            bool // the pointer turns the camera until the button is released
	moved               bool // since the button went down the pointer has moved too far for a click
	pressX, pressY      int  // of the pointer when the button went down, pixels
	lastX, lastY        int  // of the pointer, pixels
	gamepads            []ebiten.GamepadID
	helpShown, uiHidden bool
	screenshotDue       bool // Draw saves the next frame
}

// update handles all input of an Update. capture says what the panel has taken for itself.
func (h *controls) update(g *game, capture capture) {
	if capture.keys {
		g.localInputs = [2]sim.Input{}
	} else {
		h.handleKeys(g)
		h.readMovement(g)
		h.readTrigger(g, capture)
	}
	g.applyTouch()
	h.moveCamera(g, capture, ebiten.IsMouseButtonPressed(ebiten.MouseButtonLeft))
}

// capture says which input belongs to the panel.
type capture struct{ pointer, keys bool }

// readMovement reads the keys and sticks that move the cubes. All gamepads belong to the first player.
func (h *controls) readMovement(g *game) {
	h.gamepads = ebiten.AppendGamepadIDs(h.gamepads[:0])
	first, second := h.heldButtons()
	first |= g.touch.buttons
	for _, id := range h.gamepads {
		if !ebiten.IsStandardGamepadLayoutAvailable(id) {
			continue
		}
		x := ebiten.StandardGamepadAxisValue(id, ebiten.StandardGamepadAxisLeftStickHorizontal)
		y := ebiten.StandardGamepadAxisValue(id, ebiten.StandardGamepadAxisLeftStickVertical)
		first |= stickButtons(x, y)
	}
	if first|second != 0 {
		g.takeOver()
	}
	g.setButtons(first, second)
}

// setButtons makes the inputs of both players, relative to the camera. Where there is one player, the second
// player's keys are the first one's as well. An input without buttons has no heading, so that the camera alone
// changes no session.
func (g *game) setButtons(first, second sim.Buttons) {
	h := cameraHeading(g.settings().Yaw)
	if g.lab.Players() < 2 {
		first, second = first|second, 0
	}
	g.localInputs = [2]sim.Input{}
	for i, b := range [2]sim.Buttons{first, second} {
		if b != 0 {
			g.localInputs[i] = sim.Input{Buttons: b, Heading: h}
		}
	}
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

// cameraHeading returns the heading of a camera with a yaw in degrees.
func cameraHeading(yaw float64) uint8 {
	return uint8(int(math.Round(yaw*sim.HeadingSteps/360)) & (sim.HeadingSteps - 1))
}

// scaleSpeed multiplies the session's speed, within 1/16 and 4.
func (g *game) scaleSpeed(by float64) {
	s := min(max(g.settings().Speed*by, 1./16), 4)
	if s != g.settings().Speed {
		g.execute(stage.Show("speed", strconv.FormatFloat(s, 'g', -1, 64)))
	}
}

// toggleRecording starts a video, or stops it and has it written.
func (g *game) toggleRecording() {
	if !g.videos.recording() {
		if g.inPage && g.beside.take != nil {
			g.notices.post("a page writes no video of two takes: F8 ends the comparison")
			return
		}
		g.videos.start(g.lab, g.past.timeline.Fork(), &g.stage, g.past.timeline.Take(), len(g.newCommands))
		if g.inPage {
			g.videos.run = &videoRun{config: g.plan.Config, panes: g.plan.Panes, version: g.Version}
		}
		if g.beside.take != nil {
			g.videos.startBeside(&g.beside)
		}
		return
	}
	f := video.Format{File: g.unusedFilename("video", ".mp4"), W: 1280, H: 720, FPS: 60, Unnamed: true}
	if !video.HaveH264() {
		f.File = g.unusedFilename("video", ".webm")
	}
	if err := g.videos.stop(f, g.title, g.controls.uiHidden); err != nil {
		g.notices.post(err.Error())
	}
}

// moveCamera turns the camera with the mouse or the right stick, and zooms with the wheel. A drag that starts
// in the picture turns the camera wherever it goes, one that starts on the panel never does. A click in the
// picture focuses the pane under the pointer.
func (h *controls) moveCamera(g *game, capture capture, pressed bool) {
	x, y := ebiten.CursorPosition()
	if inpututil.IsMouseButtonJustPressed(ebiten.MouseButtonLeft) && !capture.pointer && g.inPicture(x, y) {
		h.dragging, h.moved = true, false
		h.pressX, h.pressY = x, y
	}
	if abs(x-h.pressX)+abs(y-h.pressY) > clickRadius*g.screen.panelScale() {
		h.moved = true
	}
	if !pressed {
		if h.dragging && !h.moved {
			g.focusPaneAt(x, y)
		}
		h.dragging = false
	}
	show := g.settings()
	yaw, pitch, distance := show.Yaw, show.Pitch, show.Distance
	if h.dragging && h.moved {
		scale := 0.35 / float64(g.screen.panelScale())
		yaw -= float64(x-h.lastX) * scale
		pitch += float64(y-h.lastY) * scale * 0.7
	}
	h.lastX, h.lastY = x, y
	for _, id := range h.gamepads {
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
		if s, _ := g.shown(); s.InLane(x, y) {
			g.zoomLanes(wheel)
		} else {
			distance *= math.Pow(0.9, wheel)
		}
	}
	g.moveCameraTo(yaw, pitch, distance)
	h.turnByTouch(g)
}

// turnByTouch turns the camera with a finger, and zooms with two.
func (h *controls) turnByTouch(g *game) {
	r := &g.touch.result
	if r.turn == (image.Point{}) && r.zoom == 1 {
		return
	}
	show, scale := g.settings(), 0.35/float64(g.screen.uiScale())
	g.moveCameraTo(show.Yaw-float64(r.turn.X)*scale, show.Pitch+float64(r.turn.Y)*scale*0.7, show.Distance/r.zoom)
}

// moveCameraTo sets the camera's direction, in degrees, and its distance, in metres, within their bounds.
func (g *game) moveCameraTo(yaw, pitch, distance float64) {
	show := g.settings()
	g.setCamera("yaw", show.Yaw, math.Mod(yaw, 360))
	g.setCamera("pitch", show.Pitch, min(max(pitch, 4), 80))
	g.setCamera("distance", show.Distance, min(max(distance, 4), 50))
}

// clickRadius is how far the pointer may move between press and release of a click, in points.
const clickRadius = 4

func abs(n int) int { return max(n, -n) }

// focusPaneAt moves the focus to the pane at a pixel of the window.
func (g *game) focusPaneAt(x, y int) {
	for i := range g.screen.frame.Viewports {
		v := &g.screen.frame.Viewports[i]
		if inside := x >= v.X && y >= v.Y && x < v.X+v.W && y < v.Y+v.H; inside && v.Pane != g.lab.Focus() && v.Pane < len(g.lab.Panes) {
			g.execute(lab.Command{Verb: "focus", Pane: v.Pane})
			return
		}
	}
}

// setCamera sets a display setting of the camera to a rounded value, if that differs from the present one.
func (g *game) setCamera(name string, present, value float64) {
	value = math.Round(value*100) / 100
	if value != present {
		g.execute(stage.Show(name, strconv.FormatFloat(value, 'g', -1, 64)))
	}
}
