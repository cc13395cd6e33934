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
)

// hand is where keys, gamepad and mouse are read.
type hand struct {
	dragging     bool // of the camera; whoever owns the press keeps it until the release
	lastX, lastY int
	pads         []ebiten.GamepadID
	help, bare   bool
	shoot        bool // a picture of the window is wanted
}

// steering are the keys that move the cube. Those on the right are the second
// player's where there is one, and else the first's, too.
var steering = []struct {
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
func (h *hand) update(g *game, capture debugui.InputCapturingState) {
	pressed := ebiten.IsMouseButtonPressed(ebiten.MouseButtonLeft)
	// A slider has the focus while it is dragged; with the button up it is a
	// number being typed, and the keys are its own.
	typing := capture&debugui.InputCapturingStateFocus != 0 && !pressed
	if typing {
		g.held = [2]sim.Input{}
	} else {
		h.keys(g)
		h.steer(g)
		h.trigger(g, capture)
	}
	h.camera(g, capture, pressed)
}

// steer reads what moves the cubes, relative to where the camera looks. A
// gamepad is the first player's.
func (h *hand) steer(g *game) {
	var b, second sim.Buttons
	h.pads = ebiten.AppendGamepadIDs(h.pads[:0])
	for _, s := range steering {
		if ebiten.IsKeyPressed(s.left) {
			b |= s.button
		}
		if ebiten.IsKeyPressed(s.right) {
			second |= s.button
		}
		for _, id := range h.pads {
			for _, p := range s.pad {
				if ebiten.IsStandardGamepadButtonPressed(id, p) {
					b |= s.button
				}
			}
		}
	}
	for _, id := range h.pads {
		if !ebiten.IsStandardGamepadLayoutAvailable(id) {
			continue
		}
		x := ebiten.StandardGamepadAxisValue(id, ebiten.StandardGamepadAxisLeftStickHorizontal)
		y := ebiten.StandardGamepadAxisValue(id, ebiten.StandardGamepadAxisLeftStickVertical)
		b |= stick(x, y)
	}
	if b|second != 0 {
		g.takeOver()
	}
	g.hold(b, second)
}

// hold is what the two hands on the keyboard ask for.
func (g *game) hold(left, right sim.Buttons) {
	h := heading(g.lab.Display().Yaw)
	if g.lab.Players() < 2 {
		left, right = left|right, 0
	}
	g.held = [2]sim.Input{{Buttons: left, Heading: h}, {Buttons: right, Heading: h}}
}

// stick turns a stick's place into keys: eight directions, and nothing in the
// middle.
func stick(x, y float64) (b sim.Buttons) {
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

// heading is where forward points for a camera turned by yaw degrees.
func heading(yaw float64) uint8 {
	return uint8(int(math.Round(yaw*sim.Headings/360)) & (sim.Headings - 1))
}

// keys reads the keys that command.
func (h *hand) keys(g *game) {
	just := inpututil.IsKeyJustPressed
	shift := ebiten.IsKeyPressed(ebiten.KeyShift)
	show := g.lab.Display()
	toggle := func(name string, on bool) {
		g.do(lab.Command{Verb: "show", Pane: lab.All, Name: name, Value: onOff(!on)})
	}
	for i := range min(len(lab.Strategies), 9) {
		if just(ebiten.KeyDigit1+ebiten.Key(i)) || just(ebiten.KeyNumpad1+ebiten.Key(i)) {
			g.do(lab.Command{Verb: "switch", Pane: show.Focus, Name: lab.Strategies[i].Name})
			g.notices.say(fmt.Sprintf("pane %d: %s", show.Focus+1, lab.Strategies[i].Name))
		}
	}
	switch {
	case just(ebiten.KeyTab) && len(g.lab.Panes) > 1:
		next := (show.Focus + 1) % len(g.lab.Panes)
		g.do(lab.Command{Verb: "show", Pane: lab.All, Name: "focus", Value: strconv.Itoa(next + 1)})
	case just(ebiten.KeyP), h.pad(ebiten.StandardGamepadButtonCenterRight):
		g.paused = !g.paused
	case just(ebiten.KeyN):
		g.paused = true
		g.steps++
	case just(ebiten.KeyBracketLeft):
		g.speed(0.5)
	case just(ebiten.KeyBracketRight):
		g.speed(2)
	case just(ebiten.KeyF), h.pad(ebiten.StandardGamepadButtonRightTop):
		g.fault()
		g.notices.say("the server's cube was moved aside by a metre")
	case just(ebiten.KeyB):
		d := "250ms"
		if shift {
			d = "5s"
		}
		g.do(lab.Command{Verb: "burst", Pane: lab.All, Value: d})
		g.notices.say("every packet is lost for " + d)
	case just(ebiten.KeyX):
		g.freeze()
		g.notices.say("the clients stand still for two seconds")
	case just(ebiten.KeyM):
		g.nextClock("skew")
		g.notices.say("the clients' clocks: skew " + g.clockNow("skew") + " ppm")
	case just(ebiten.KeyJ):
		g.nextClock("fps")
		g.notices.say("the clients' frames a second: " + g.clockNow("fps"))
	case just(ebiten.KeyG):
		toggle("ghosts", show.Ghosts)
	case just(ebiten.KeyV):
		toggle("split", show.Split)
	case just(ebiten.KeyT):
		toggle("trail", show.Trail)
	case just(ebiten.KeyC):
		by := 1
		if shift {
			by = len(lab.ColoringNames) - 1
		}
		g.tint(lab.Coloring((int(show.Coloring) + by) % len(lab.ColoringNames)))
	case just(ebiten.KeyO):
		toggle("raw", show.Simulated)
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
		h.bare = !h.bare
	case just(ebiten.KeyR):
		g.record()
	case just(ebiten.KeyF1):
		h.help = !h.help
	case just(ebiten.KeyEscape):
		h.help = false
	case just(ebiten.KeyF11):
		ebiten.SetFullscreen(!ebiten.IsFullscreen())
	case just(ebiten.KeyF12):
		h.shoot = true
	case just(ebiten.KeyBackspace):
		g.do(lab.Command{Verb: "restart", Pane: lab.All})
	}
}

// tintWords say what the tints are, for a notice.
var tintWords = [...]string{
	lab.NoColoring: "the colours are those of the players", lab.ByPriority: "coloured by accumulated priority",
	lab.ByAge: "coloured by the age of the server's last word", lab.ByEncoding: "coloured by how the last word was encoded",
	lab.ByAuthority: "coloured by authority", lab.ByJointDepth: "coloured by the joints to the root of a tree",
}

// tint colours the bodies by something.
func (g *game) tint(by lab.Coloring) {
	g.do(lab.Command{Verb: "show", Pane: lab.All, Name: "tint", Value: by.String()})
	g.notices.say(tintWords[by])
}

// pad reports whether a gamepad's button has just been pressed.
func (h *hand) pad(b ebiten.StandardGamepadButton) bool {
	for _, id := range h.pads {
		if inpututil.IsStandardGamepadButtonJustPressed(id, b) {
			return true
		}
	}
	return false
}

// speed multiplies the session's speed, from a sixteenth to once.
func (g *game) speed(by float64) {
	s := min(max(g.lab.Display().Speed*by, 1./16), 1)
	if s != g.lab.Display().Speed {
		g.do(lab.Command{Verb: "show", Pane: lab.All, Name: "speed", Value: strconv.FormatFloat(s, 'g', -1, 64)})
	}
}

// record begins a film, or ends it.
func (g *game) record() {
	if !g.takes.recording() {
		g.takes.begin(g.lab, &g.stage, len(g.done))
		return
	}
	f := video.Format{File: g.unused("film", ".mp4"), W: 1280, H: 720, FPS: 60}
	if !video.HaveH264() {
		f = video.Format{File: g.unused("film", ".gif"), W: 960, H: 540, FPS: 25}
	}
	if err := g.takes.end(f, g.Title, g.hand.bare); err != nil {
		g.notices.say(err.Error())
	}
}

// camera turns the view with the mouse or the right stick. A press on the
// panel belongs to the panel, wherever it goes then; one beside it to the
// camera.
func (h *hand) camera(g *game, capture debugui.InputCapturingState, pressed bool) {
	x, y := ebiten.CursorPosition()
	if inpututil.IsMouseButtonJustPressed(ebiten.MouseButtonLeft) && capture == 0 && g.screen.inPicture(x, y) {
		h.dragging = true
	}
	if !pressed {
		h.dragging = false
	}
	show := g.lab.Display()
	yaw, pitch, distance := show.Yaw, show.Pitch, show.Distance
	if h.dragging {
		scale := 0.35 / g.screen.density()
		yaw -= float64(x-h.lastX) * scale
		pitch += float64(y-h.lastY) * scale * 0.7
	}
	h.lastX, h.lastY = x, y
	for _, id := range h.pads {
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
	g.look("yaw", show.Yaw, math.Mod(yaw, 360))
	g.look("pitch", show.Pitch, min(max(pitch, 4), 80))
	g.look("distance", show.Distance, min(max(distance, 4), 50))
}

// look turns one number of the camera, if it has changed.
func (g *game) look(name string, was, is float64) {
	is = math.Round(is*100) / 100
	if is != was {
		g.do(lab.Command{Verb: "show", Pane: lab.All, Name: name, Value: strconv.FormatFloat(is, 'g', -1, 64)})
	}
}
