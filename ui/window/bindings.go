package window

import (
	"fmt"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/ui/stage"
)

// binding is what a key, a gamepad button or the mouse does.
type binding struct {
	label string // names the keys, as the help and docs/keys.md show them
	help  string

	// press is called once when one of the keys goes down, with its index in keys and whether a Shift key is
	// down. A gamepad button acts as the first key.
	press func(g *game, key int, shift bool)
	keys  []ebiten.Key
	pad   []ebiten.StandardGamepadButton

	// hold are keys that set buttons of the input for as long as they are down.
	hold []heldKeys

	embedded bool // works in the embedded layout, too; hold always does
	alone    bool // needs all sides, or the past, in this process
	plays    bool // is a player's, not a watcher's; hold always is
	ctrl     bool // press is called while Ctrl is down, not without it
}

// heldKeys sets a button of the input. second is the second player's key, and another one of the first player
// where there is only one.
type heldKeys struct {
	key, second ebiten.Key
	pad         []ebiten.StandardGamepadButton // of the first player
	button      sim.Buttons
}

type (
	keys = []ebiten.Key
	pad  = []ebiten.StandardGamepadButton
)

// bindings are all keys in groups, in the order in which the help shows them. The window handles keys by this
// table; the help and docs/keys.md (TestKeyPage) list it. A row without keys documents input that other
// code reads: mouse and sticks.
var bindings = [][]binding{
	{
		{label: "W A S D, arrows, left stick", help: "roll the cube, relative to the camera", hold: []heldKeys{
			{ebiten.KeyW, ebiten.KeyArrowUp, pad{ebiten.StandardGamepadButtonLeftTop}, sim.Forward},
			{ebiten.KeyS, ebiten.KeyArrowDown, pad{ebiten.StandardGamepadButtonLeftBottom}, sim.Back},
			{ebiten.KeyA, ebiten.KeyArrowLeft, pad{ebiten.StandardGamepadButtonLeftLeft}, sim.Left},
			{ebiten.KeyD, ebiten.KeyArrowRight, pad{ebiten.StandardGamepadButtonLeftRight}, sim.Right},
		}},
		{label: "Space, lower pad button", help: "lift and blow", hold: []heldKeys{
			{ebiten.KeySpace, ebiten.KeyShiftRight, pad{ebiten.StandardGamepadButtonRightBottom}, sim.Lift},
		}},
		{label: "Z, left or right pad button", help: "pull cubes", hold: []heldKeys{
			{ebiten.KeyZ, ebiten.KeyEnter, pad{ebiten.StandardGamepadButtonRightLeft, ebiten.StandardGamepadButtonRightRight}, sim.Pull},
		}},
		{label: "Q, comma, pad shoulders", help: "enter or leave a vehicle; couple or uncouple wagons", hold: []heldKeys{
			{ebiten.KeyQ, ebiten.KeySlash, pad{ebiten.StandardGamepadButtonFrontTopLeft}, sim.Use},
			{ebiten.KeyComma, ebiten.KeyPeriod, pad{ebiten.StandardGamepadButtonFrontTopRight}, sim.Couple},
		}},
		{label: "arrows, right Shift, Enter", help: "roll, lift and pull for the second player, if any", alone: true},
		{label: "right click", help: "shoot at the pointer", plays: true},
		{label: "E, right trigger", help: "shoot straight ahead", plays: true, embedded: true, keys: keys{ebiten.KeyE},
			pad:   pad{ebiten.StandardGamepadButtonFrontBottomRight},
			press: func(g *game, _ int, _ bool) { g.shoot(g.session.Controls.LevelShot()) }},
		{label: "Shift drag, middle drag", help: "hold and throw a body: at the right the server's, at the left the client's own", plays: true},
		{label: "drag in the picture, right stick", help: "turn the camera"},
		{label: "wheel", help: "zoom"},
	},
	{
		{label: "1 to 9", help: "strategy of the focused pane", alone: true, keys: digitKeys(),
			press: (*game).strategyKey},
		{label: "0", help: "focus the next pane", alone: true, keys: keys{ebiten.KeyDigit0, ebiten.KeyNumpad0},
			press: func(g *game, _ int, _ bool) { g.session.Controls.FocusNext() }},
		{label: "F10", help: "screen of the next player in the focused pane", keys: keys{ebiten.KeyF10},
			press: func(g *game, _ int, _ bool) { g.session.Controls.NextScreen() }},
		{label: "F, upper pad button", help: "nudge the server's cube by 1 m", alone: true, embedded: true, keys: keys{ebiten.KeyF},
			pad: pad{ebiten.StandardGamepadButtonRightTop},
			press: func(g *game, _ int, _ bool) {
				if g.session.Controls.NudgeServer() {
					g.session.Notices.Post("nudged the server's cube by 1 m")
				}
			}},
		{label: "B, Shift B", help: "drop all packets for 0.25 s, 5 s", alone: true, keys: keys{ebiten.KeyB}, press: func(g *game, _ int, shift bool) {
			duration, words := "250ms", "0.25 s"
			if shift {
				duration, words = "5s", "5 s"
			}
			if g.session.Do(lab.Command{Verb: "blackout", Pane: lab.AllPanes, Value: duration}) {
				g.session.Notices.Post("all packets dropped for " + words)
			}
		}},
		{label: "X, Shift X", help: "freeze the clients for 2 s; kill and revive the first one", alone: true,
			keys: keys{ebiten.KeyX}, press: func(g *game, _ int, shift bool) {
				if shift && g.session.Controls.KillClient() {
					g.session.Notices.Post("the first client was killed and comes back")
				} else if !shift && g.session.Controls.FreezeClients() {
					g.session.Notices.Post("the clients are frozen for 2 s")
				}
			}},
		{label: "M", help: "client clock skew: 500 ppm, -500 ppm, off", alone: true, keys: keys{ebiten.KeyM}, press: func(g *game, _ int, _ bool) {
			if g.session.Controls.CycleClock("skew") {
				g.session.Notices.Post("client clock skew: " + g.session.Controls.ClockSetting("skew") + " ppm")
			}
		}},
		{label: "J", help: "client frame rate: 20, 144, off", keys: keys{ebiten.KeyJ}, press: func(g *game, _ int, _ bool) {
			if g.session.Controls.CycleClock("fps") {
				g.session.Notices.Post("client frame rate: " + g.session.Controls.ClockSetting("fps"))
			}
		}},
		{label: "Backspace", help: "restart the scene", alone: true, keys: keys{ebiten.KeyBackspace},
			press: func(g *game, _ int, _ bool) { g.session.Do(lab.Command{Verb: "restart", Pane: lab.AllPanes}) }},
	},
	{
		{label: "P, start", help: "pause", alone: true, embedded: true, keys: keys{ebiten.KeyP}, pad: pad{ebiten.StandardGamepadButtonCenterRight},
			press: func(g *game, _ int, _ bool) { g.session.Paused = !g.session.Paused }},
		{label: "N, Shift N", help: "step one tick, one back", alone: true, keys: keys{ebiten.KeyN}, press: func(g *game, _ int, shift bool) {
			if shift {
				g.session.Past.StepBack()
			} else {
				g.session.StepOnce()
			}
		}},
		{label: "Page Up, Page Down", help: "one second back, forward", alone: true, keys: keys{ebiten.KeyPageUp, ebiten.KeyPageDown},
			press: func(g *game, key int, _ bool) { g.session.Past.Skip([...]float64{-1, 1}[key]) }},
		{label: "Home, End", help: "start of the session; its end, live", alone: true, keys: keys{ebiten.KeyHome, ebiten.KeyEnd},
			press: func(g *game, key int, _ bool) {
				if key == 0 {
					g.session.Past.Seek(0)
				} else {
					g.session.Past.GoLive()
				}
			}},
		{label: "F5", help: "the last 5 s at an eighth of the speed", alone: true, keys: keys{ebiten.KeyF5},
			press: func(g *game, _ int, _ bool) { g.session.Past.ReplayLast() }},
		{label: "F6", help: "set or remove a bookmark", alone: true, keys: keys{ebiten.KeyF6},
			press: func(g *game, _ int, _ bool) { g.session.Past.Bookmark(); g.bar.Changed() }},
		{label: "F7", help: "the same moment in the next take", alone: true, keys: keys{ebiten.KeyF7},
			press: func(g *game, _ int, _ bool) { g.session.Past.NextTake() }},
		{label: "F8", help: "another take beside this one", alone: true, keys: keys{ebiten.KeyF8}, press: func(g *game, _ int, _ bool) { g.session.Beside.Toggle() }},
		{label: "F9", help: "show or hide the timeline", alone: true, keys: keys{ebiten.KeyF9}, press: func(g *game, _ int, _ bool) { g.bar.hidden = !g.bar.hidden }},
		{label: "drag on the timeline", help: "show any moment; Shift drag: play a span in a loop; wheel: zoom", alone: true},
		{label: "[ ]", help: "slower, faster", alone: true, keys: keys{ebiten.KeyBracketLeft, ebiten.KeyBracketRight},
			press: func(g *game, key int, _ bool) { g.session.Controls.ScaleSpeed([...]float64{0.5, 2}[key]) }},
	},
	displayBindings(),
	{
		{label: "H", help: "hide panel and overlay", keys: keys{ebiten.KeyH}, press: func(g *game, _ int, _ bool) { g.screen.hide() }},
		{label: "Ctrl +, Ctrl -, Ctrl 0", help: "larger, smaller texts; usual size", ctrl: true, keys: keys{ebiten.KeyEqual, ebiten.KeyNumpadAdd,
			ebiten.KeyMinus, ebiten.KeyNumpadSubtract, ebiten.KeyDigit0, ebiten.KeyNumpad0}, press: (*game).zoomKey},
		{label: "Tab, Shift Tab", help: "the panel without a mouse: its next, previous control; Escape: back", keys: keys{ebiten.KeyTab},
			press: func(g *game, _ int, shift bool) { g.focusPanel(shift) }},
		{label: "R, Shift R", help: "start, stop recording a video; type its title first", alone: true, keys: keys{ebiten.KeyR},
			press: func(g *game, _ int, shift bool) { g.record(shift) }},
		{label: "'", help: "say a line to all who have joined", keys: keys{ebiten.KeyQuote}, press: func(g *game, _ int, _ bool) { g.talk() }},
		{label: "F12", help: "save a screenshot", keys: keys{ebiten.KeyF12}, press: func(g *game, _ int, _ bool) { g.controls.screenshotDue = true }},
		{label: "F11", help: "full screen", keys: keys{ebiten.KeyF11}, press: func(*game, int, bool) { ebiten.SetFullscreen(!ebiten.IsFullscreen()) }},
		{label: "F2, Shift F2, F3", help: "tour: start or go on, go back, leave", alone: true, keys: keys{ebiten.KeyF2, ebiten.KeyF3}, press: (*game).tourKey},
		{label: "F1, Escape", help: "this list", keys: keys{ebiten.KeyF1, ebiten.KeyEscape},
			press: func(g *game, key int, _ bool) { g.controls.helpShown = key == 0 && !g.controls.helpShown }},
	},
}

// digitKeys are 1 to 9 above the letters, then those of the number pad.
func digitKeys() (list keys) {
	for _, first := range [...]ebiten.Key{ebiten.KeyDigit1, ebiten.KeyNumpad1} {
		for i := range ebiten.Key(9) {
			list = append(list, first+i)
		}
	}
	return list
}

// displayBindings are the keys of stage.SettingTable. Each sets the next of the setting's options, with Shift
// the one before.
func displayBindings() (list []binding) {
	for i := range stage.SettingTable {
		d := &stage.SettingTable[i]
		if d.Key == "" {
			continue
		}
		b := binding{label: d.Key, help: d.Help, embedded: true, keys: keys{settingKey(d.Key)}}
		if len(d.Options()) > 2 {
			b.label += ", Shift " + d.Key
		}
		b.press = func(g *game, _ int, shift bool) { g.session.Controls.CycleSetting(d, shift) }
		list = append(list, b)
	}
	return list
}

// settingKey returns the key of a setting's letter, of the semicolon or of F4.
func settingKey(name string) ebiten.Key {
	switch name {
	case ";":
		return ebiten.KeySemicolon
	case "F4":
		return ebiten.KeyF4
	}
	return ebiten.KeyA + ebiten.Key(name[0]-'A')
}

// handleKeys calls the bindings whose keys have just gone down.
func (c *controls) handleKeys(g *game) {
	shift, plain, ctrl := ebiten.IsKeyPressed(ebiten.KeyShift), plainKeys(), ebiten.IsKeyPressed(ebiten.KeyControl)
	for _, group := range bindings {
		for _, b := range group {
			if g.session.Embed && !b.embedded {
				continue
			}
			for i, k := range b.keys {
				if b.ctrl != ctrl || !plain && !ctrl {
					continue
				}
				if inpututil.IsKeyJustPressed(k) {
					b.press(g, i, shift)
				}
			}
			for _, k := range b.pad {
				if c.padJustPressed(k) {
					b.press(g, 0, shift)
				}
			}
		}
	}
}

// strategyKey gives the focused pane the strategy of a digit, unless the digit has missed a field of the panel.
func (g *game) strategyKey(key int, _ bool) {
	if g.panel.beside {
		g.session.Notices.Post("no field has the digit: click one, or the picture to choose a strategy")
		return
	}
	g.session.Controls.SwitchStrategy(key % 9)
}

// record starts or stops a video. One with a title begins when its title has been typed.
func (g *game) record(titled bool) {
	if !titled || g.session.Videos.Recording() || g.session.Embed || g.session.Remote != nil {
		g.session.Videos.Toggle()
		return
	}
	g.screen.hidden, g.screen.panelCollapsed = false, false
	g.panel.openPage("Session")
	g.panel.sessions.titling = titleAsked
}

// talk lets the user type a line to all players.
func (g *game) talk() {
	if g.session.Remote == nil {
		g.session.Notices.Post("no one else is here: say something in a session that you have joined")
		return
	}
	g.screen.hidden, g.screen.panelCollapsed = false, false
	g.panel.openPage("Score")
	g.panel.score.talking = true
}

// zoomKey makes texts larger, smaller, or as large as usual. A page leaves that to its browser.
func (g *game) zoomKey(key int, _ bool) {
	if g.session.Platform.InPage {
		return
	}
	g.screen.zoomText([...]int{1, -1, -g.screen.zoomSteps}[key/2])
	g.session.Notices.Post(fmt.Sprintf("texts at %.0f %%", 100*g.screen.textZoom()))
}

// plainKeys reports whether keys have the meanings of the bindings: with Ctrl, Alt or Meta they belong to the system, the
// browser or a text.
func plainKeys() bool {
	return !ebiten.IsKeyPressed(ebiten.KeyControl) && !ebiten.IsKeyPressed(ebiten.KeyAlt) && !ebiten.IsKeyPressed(ebiten.KeyMeta)
}

// heldButtons returns the buttons of the keys that are down: the first player's with those of gamepads, and
// the second player's.
func (c *controls) heldButtons() (first, second sim.Buttons) {
	plain := plainKeys()
	for _, group := range bindings {
		for _, b := range group {
			for _, k := range b.hold {
				if plain && ebiten.IsKeyPressed(k.key) || c.padPressed(k.pad) {
					first |= k.button
				}
				if plain && ebiten.IsKeyPressed(k.second) {
					second |= k.button
				}
			}
		}
	}
	return first, second
}

// padPressed reports whether one of the buttons is down on any gamepad.
func (c *controls) padPressed(buttons pad) bool {
	for _, id := range c.gamepads {
		for _, b := range buttons {
			if ebiten.IsStandardGamepadButtonPressed(id, b) {
				return true
			}
		}
	}
	return false
}

// padJustPressed reports whether the button has just gone down on any gamepad.
func (c *controls) padJustPressed(b ebiten.StandardGamepadButton) bool {
	for _, id := range c.gamepads {
		if inpututil.IsStandardGamepadButtonJustPressed(id, b) {
			return true
		}
	}
	return false
}

// focusPanel gives the keys to a control of the panel, and shows the panel.
func (g *game) focusPanel(back bool) {
	g.screen.hidden, g.screen.panelCollapsed = false, false
	g.panel.ui.Focus(back)
}
