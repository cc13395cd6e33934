package window

import (
	"fmt"
	"math"
	"strconv"

	"github.com/ebitengine/debugui"
	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"ghostcube/predict/lab"
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

// moveBindings are the keys that move the cube. Those on the right are the second
// player's where there is one, and else the first's, too.
var moveBindings = []struct {
	left, right ebiten.Key
	pad         []ebiten.StandardGamepadButton
	button      sim.Buttons
}{
	{ebiten.KeyW, ebiten.KeyArrowUp, []ebiten.StandardGamepadButton{ebiten.StandardGamepadButtonLeftTop}, sim.Forward},
	{ebiten.KeyS, ebiten.KeyArrowDown, []ebiten.StandardGamepadButton{ebiten.StandardGamepadButtonLeftBottom}, sim.Back},
	{ebiten.KeyA, ebiten.KeyArrowLeft, []ebiten.StandardGamepadButton{ebiten.StandardGamepadButtonLeftLeft}, sim.Left},
	{ebiten.KeyD, ebiten.KeyArrowRight, []ebiten.StandardGamepadButton{ebiten.StandardGamepadButtonLeftRight}, sim.Right},
	{ebiten.KeySpace, ebiten.KeyShiftRight, []ebiten.StandardGamepadButton{ebiten.StandardGamepadButtonRightBottom}, sim.Lift},
	{ebiten.KeyZ, ebiten.KeyEnter, []ebiten.StandardGamepadButton{ebiten.StandardGamepadButtonRightLeft, ebiten.StandardGamepadButtonRightRight}, sim.Pull},
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
	var b, second sim.Buttons
	h.gamepads = ebiten.AppendGamepadIDs(h.gamepads[:0])
	for _, s := range moveBindings {
		if ebiten.IsKeyPressed(s.left) {
			b |= s.button
		}
		if ebiten.IsKeyPressed(s.right) {
			second |= s.button
		}
		for _, id := range h.gamepads {
			for _, p := range s.pad {
				if ebiten.IsStandardGamepadButtonPressed(id, p) {
					b |= s.button
				}
			}
		}
	}
	for _, id := range h.gamepads {
		if !ebiten.IsStandardGamepadLayoutAvailable(id) {
			continue
		}
		x := ebiten.StandardGamepadAxisValue(id, ebiten.StandardGamepadAxisLeftStickHorizontal)
		y := ebiten.StandardGamepadAxisValue(id, ebiten.StandardGamepadAxisLeftStickVertical)
		b |= stickButtons(x, y)
	}
	if b|second != 0 {
		g.takeOver()
	}
	g.setButtons(b, second)
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

// handleKeys reads the keys that command.
func (h *controls) handleKeys(g *game) {
	just := inpututil.IsKeyJustPressed
	shift := ebiten.IsKeyPressed(ebiten.KeyShift)
	show := g.settings()
	focus := g.lab.Focus()
	toggle := func(name string, on bool) {
		g.execute(stage.Show(name, stage.OnOff(!on)))
	}
	for i := range min(len(lab.Strategies), 9) {
		if just(ebiten.KeyDigit1+ebiten.Key(i)) || just(ebiten.KeyNumpad1+ebiten.Key(i)) {
			g.execute(lab.Command{Verb: "switch", Pane: focus, Name: lab.Strategies[i].Name})
			g.notices.post(fmt.Sprintf("pane %d: %s", focus+1, lab.Strategies[i].Name))
		}
	}
	switch {
	case just(ebiten.KeyTab) && len(g.lab.Panes) > 1:
		g.execute(lab.Command{Verb: "focus", Pane: (focus + 1) % len(g.lab.Panes)})
	case just(ebiten.KeyP), h.padJustPressed(ebiten.StandardGamepadButtonCenterRight):
		g.paused = !g.paused
	case just(ebiten.KeyN):
		g.paused = true
		g.pendingSteps++
	case just(ebiten.KeyBracketLeft):
		g.scaleSpeed(0.5)
	case just(ebiten.KeyBracketRight):
		g.scaleSpeed(2)
	case just(ebiten.KeyF), h.padJustPressed(ebiten.StandardGamepadButtonRightTop):
		g.nudgeServer()
		g.notices.post("the server's cube was moved aside by a metre")
	case just(ebiten.KeyB):
		d := "250ms"
		if shift {
			d = "5s"
		}
		g.execute(lab.Command{Verb: "blackout", Pane: lab.AllPanes, Value: d})
		g.notices.post("every packet is lost for " + d)
	case just(ebiten.KeyX):
		g.freezeClients()
		g.notices.post("the clients stand still for two seconds")
	case just(ebiten.KeyM):
		g.cycleClock("skew")
		g.notices.post("the clients' clocks: skew " + g.clockSetting("skew") + " ppm")
	case just(ebiten.KeyJ):
		g.cycleClock("fps")
		g.notices.post("the clients' frames a second: " + g.clockSetting("fps"))
	case just(ebiten.KeyG):
		toggle("ghosts", show.Ghosts)
	case just(ebiten.KeyV):
		toggle("split", show.Split)
	case just(ebiten.KeyT):
		toggle("trail", show.Trail)
	case just(ebiten.KeyC):
		by := 1
		if shift {
			by = len(stage.ColoringNames) - 1
		}
		g.setColoring(stage.Coloring((int(show.Coloring) + by) % len(stage.ColoringNames)))
	case just(ebiten.KeyO):
		toggle("simulated", show.Simulated)
	case just(ebiten.KeyK):
		toggle("packet", show.Packet)
	case just(ebiten.KeyL):
		toggle("ages", show.Ages)
	case just(ebiten.KeyU):
		toggle("latency", show.Latency)
	case just(ebiten.KeyY):
		toggle("shots", show.Shots)
	case just(ebiten.KeyI):
		toggle("parents", show.Parents)
	case just(ebiten.KeyH):
		h.uiHidden = !h.uiHidden
	case just(ebiten.KeyR):
		g.toggleRecording()
	case just(ebiten.KeyF1):
		h.helpShown = !h.helpShown
	case just(ebiten.KeyEscape):
		h.helpShown = false
	case just(ebiten.KeyF11):
		ebiten.SetFullscreen(!ebiten.IsFullscreen())
	case just(ebiten.KeyF12):
		h.screenshotDue = true
	case just(ebiten.KeyBackspace):
		g.execute(lab.Command{Verb: "restart", Pane: lab.AllPanes})
	}
}

// setColoring colours the bodies by something.
func (g *game) setColoring(by stage.Coloring) {
	g.execute(stage.Show("color", by.String()))
	g.notices.post("coloured by " + by.Meaning())
}

// padJustPressed reports whether a gamepad's button has just been pressed.
func (h *controls) padJustPressed(b ebiten.StandardGamepadButton) bool {
	for _, id := range h.gamepads {
		if inpututil.IsStandardGamepadButtonJustPressed(id, b) {
			return true
		}
	}
	return false
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
