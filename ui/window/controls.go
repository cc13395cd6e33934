package window

import (
	"math"
	"strconv"

	"github.com/ebitengine/debugui"
	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"ghostcube/render/video"
	"ghostcube/sim"
	"ghostcube/ui/stage"
)

// controls is where keys, gamepad and mouse are read.
type controls struct {
	dragging            bool // of the camera; whoever owns the press keeps it until the release
	lastX, lastY        int
	gamepads            []ebiten.GamepadID
	helpShown, uiHidden bool
	screenshotDue       bool // a picture of the window is wanted
}

// update reads everything once.
func (h *controls) update(g *game, capture debugui.InputCapturingState) {
	pressed := ebiten.IsMouseButtonPressed(ebiten.MouseButtonLeft)
	// A slider has the focus while it is dragged; with the button up it is a
	// number being typed, and the keys are its own.
	typing := capture&debugui.InputCapturingStateFocus != 0 && !pressed
	if typing {
		g.localInputs = [2]sim.Input{}
	} else {
		h.handleKeys(g)
		h.readMovement(g)
		h.readTrigger(g, capture)
	}
	h.moveCamera(g, capture, pressed)
}

// readMovement reads what moves the cubes, relative to where the camera looks. A
// gamepad is the first player's.
func (h *controls) readMovement(g *game) {
	h.gamepads = ebiten.AppendGamepadIDs(h.gamepads[:0])
	first, second := h.heldButtons()
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

// setButtons is what the two hands on the keyboard ask for.
func (g *game) setButtons(left, right sim.Buttons) {
	h := cameraHeading(g.settings().Yaw)
	if g.lab.Players() < 2 {
		left, right = left|right, 0
	}
	g.localInputs = [2]sim.Input{{Buttons: left, Heading: h}, {Buttons: right, Heading: h}}
}

// stickButtons turns a stick's place into keys: eight directions, and nothing in the
// middle.
func stickButtons(x, y float64) (b sim.Buttons) {
	if math.Hypot(x, y) < 0.5 {
		return 0
	}
	const eighth = 0.38 // sine of half of a sector of 45 degrees
	if x < -eighth {
		b |= sim.Left
	}
	if x > eighth {
		b |= sim.Right
	}
	if y < -eighth {
		b |= sim.Forward
	}
	if y > eighth {
		b |= sim.Back
	}
	return b
}

// cameraHeading is where forward points for a camera turned by yaw degrees.
func cameraHeading(yaw float64) uint8 {
	return uint8(int(math.Round(yaw*sim.HeadingSteps/360)) & (sim.HeadingSteps - 1))
}

// scaleSpeed multiplies the session's speed, from a sixteenth to once.
func (g *game) scaleSpeed(by float64) {
	s := min(max(g.settings().Speed*by, 1./16), 1)
	if s != g.settings().Speed {
		g.execute(stage.Show("speed", strconv.FormatFloat(s, 'g', -1, 64)))
	}
}

// toggleRecording begins a film, or ends it.
func (g *game) toggleRecording() {
	if !g.videos.recording() {
		g.videos.start(g.lab, &g.stage, len(g.newCommands))
		return
	}
	f := video.Format{File: g.unusedFilename("film", ".mp4"), W: 1280, H: 720, FPS: 60}
	if !video.HaveH264() {
		f = video.Format{File: g.unusedFilename("film", ".gif"), W: 960, H: 540, FPS: 25}
	}
	if err := g.videos.stop(f, g.Title, g.controls.uiHidden); err != nil {
		g.notices.post(err.Error())
	}
}

// moveCamera turns the view with the mouse or the right stick. A press on the
// panel belongs to the panel, wherever it goes then; one beside it to the
// camera.
func (h *controls) moveCamera(g *game, capture debugui.InputCapturingState, pressed bool) {
	x, y := ebiten.CursorPosition()
	if inpututil.IsMouseButtonJustPressed(ebiten.MouseButtonLeft) && capture == 0 && g.screen.inPicture(x, y) {
		h.dragging = true
	}
	if !pressed {
		h.dragging = false
	}
	show := g.settings()
	yaw, pitch, distance := show.Yaw, show.Pitch, show.Distance
	if h.dragging {
		scale := 0.35 / g.screen.pixelsPerPoint()
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
	if _, wheel := ebiten.Wheel(); wheel != 0 && capture&debugui.InputCapturingStateHover == 0 && g.screen.inPicture(x, y) {
		distance *= math.Pow(0.9, wheel)
	}
	g.setCamera("yaw", show.Yaw, math.Mod(yaw, 360))
	g.setCamera("pitch", show.Pitch, min(max(pitch, 4), 80))
	g.setCamera("distance", show.Distance, min(max(distance, 4), 50))
}

// setCamera turns one number of the camera, if it has changed.
func (g *game) setCamera(name string, was, is float64) {
	is = math.Round(is*100) / 100
	if is != was {
		g.execute(stage.Show(name, strconv.FormatFloat(is, 'g', -1, 64)))
	}
}
