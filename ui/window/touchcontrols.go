package window

import (
	"image"
	"math"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/ui/stage"
)

// touchControls are the stick and the buttons over the panes. They are shown (screen.touched) from the first touch until a key or the
// mouse is used, and from the beginning on machines whose main pointer is a finger.
type touchControls struct {
	touches
	places  touchPlaces
	actions []*touchAction // of places.buttons
	result  touchResult    // of this Update
	buttons sim.Buttons    // that stick and buttons hold
	tap     image.Point    // the last tap of the picture, until the next touch
	ids     []ebiten.TouchID
	down    []finger
}

// touchAction is what a button on the screen does.
type touchAction struct {
	label, help string
	hold        sim.Buttons      // for as long as a finger is on it
	press       func(g *game)    // once, when a finger touches it; nil: nothing
	corner      bool             // at the upper right of the panes, with those that move no cube; otherwise at the lower right
	absent      func(*game) bool // nil: always there
	alone       bool             // needs all sides in this process
}

// touchActions are the buttons, each group from right to left. It is a function, because pages refer to it.
func touchActions() []touchAction {
	noVehicles := func(g *game) bool { return !g.session.Lab.Panes[0].ServerWorld.Scene().HasActions() }
	return []touchAction{
		{label: "lift", help: "lift and blow", hold: sim.Lift},
		{label: "pull", help: "pull cubes", hold: sim.Pull},
		{label: "shoot", help: "shoot straight ahead", press: func(g *game) { g.shoot(g.session.Controls.LevelShot()) }},
		{label: "use", help: "enter or leave a vehicle", hold: sim.Use, absent: noVehicles},
		{label: "couple", help: "couple or uncouple wagons", hold: sim.Couple, absent: noVehicles},
		{label: "?", help: "this list", corner: true, press: func(g *game) { g.controls.helpShown = true }},
		{label: "panel", help: "show or hide the panel", corner: true, press: func(g *game) { g.screen.panelCollapsed = !g.screen.panelCollapsed },
			absent: func(g *game) bool { return !g.screen.panelCollapsed }},
		{label: "pause", help: "pause", corner: true, alone: true, press: func(g *game) { g.session.Paused = !g.session.Paused },
			absent: func(g *game) bool { return g.session.Paused }},
		{label: "play", help: "go on", corner: true, alone: true, press: func(g *game) { g.session.Paused = false },
			absent: func(g *game) bool { return !g.session.Paused }},
		{label: "nudge", help: "nudge the server's cube by 1 m", corner: true, alone: true, press: func(g *game) {
			if g.session.Controls.NudgeServer() {
				g.session.Notices.Post("nudged the server's cube by 1 m")
			}
		}},
	}
}

// possible reports whether a button has something to do in a session that may have been joined, for a player or a watcher.
func (a *touchAction) possible(joined, watches bool) bool {
	return !(joined && a.alone || watches && !a.corner) // those at the lower right are a player's
}

// allTouchActions are touchActions.
var allTouchActions = touchActions()

// Sizes of the controls, in points.
const (
	touchButtonRadius = 26
	touchCornerRadius = 22
	touchStickRadius  = 48
	touchMargin       = 12
	touchGap          = 6
	touchSlop         = 10
	touchStickShare   = 0.42 // of the panes' width, for the thumb on the stick
	touchStickHeight  = 190
	touchRowGrowth    = 18 // of a row of buttons
)

// readPointer reads mouse and fingers.
func (g *game) readPointer() {
	t := &g.touch
	if g.session.Embed { // its page leaves touches to the browser, which scrolls and clicks
		g.screen.touched = false
	}
	t.ids = ebiten.AppendTouchIDs(t.ids[:0])
	t.down = t.down[:0]
	for _, id := range t.ids {
		x, y := ebiten.TouchPosition(id)
		t.down = append(t.down, finger{int(id), image.Pt(x, y)})
	}
	if len(t.down) == 0 && g.screen.touched {
		g.panel.pressed = inpututil.AppendJustPressedKeys(g.panel.pressed[:0])
		if ebiten.IsMouseButtonPressed(ebiten.MouseButtonLeft) || len(g.panel.pressed) > 0 {
			g.screen.touched = false
		}
	}
	if len(t.down) > 0 || g.screen.touched {
		g.followFingers(t.down)
		return
	}
	x, y := ebiten.CursorPosition()
	t.result, t.buttons, t.tap = touchResult{zoom: 1}, 0, nowhere
	g.pointer = pointer{at: image.Pt(x, y), down: ebiten.IsMouseButtonPressed(ebiten.MouseButtonLeft),
		pressed: inpututil.IsMouseButtonJustPressed(ebiten.MouseButtonLeft), wheel: wheelY()}
}

// followFingers gives the fingers on the screen their roles.
func (g *game) followFingers(down []finger) {
	t := &g.touch
	g.screen.touched = true
	g.placeTouchControls()
	t.result = t.update(down, &t.places)
	g.pointer = t.result.pointer
	t.buttons = t.result.buttons
	for i, a := range t.actions {
		if t.result.held&(1<<i) != 0 {
			t.buttons |= a.hold
		}
	}
	if len(down) > 0 && !t.result.tapped {
		t.tap = nowhere
	}
}

// applyTouch does what buttons and taps ask for.
func (g *game) applyTouch() {
	t := &g.touch
	for i, a := range t.actions {
		if t.result.pressed&(1<<i) != 0 && a.press != nil {
			a.press(g)
		}
	}
	if !t.result.tapped {
		return
	}
	t.tap = t.result.tap
	switch {
	case g.controls.helpShown:
		g.controls.helpShown = false
	case g.screen.compact && !g.screen.panelCollapsed:
		g.screen.panelCollapsed = true
	default:
		g.focusPaneAt(t.tap.X, t.tap.Y)
	}
}

// placeTouchControls places the controls on the panes of the last frame.
func (g *game) placeTouchControls() {
	t, s := &g.touch, &g.screen
	p := &t.places
	px := func(points float64) int { return int(points*float64(s.uiScale()) + 0.5) }
	*p = touchPlaces{
		buttons: p.buttons[:0], radius: px(touchStickRadius), slop: px(touchSlop),
		widgets: g.belongsToWidgets, bodies: g.bodyAt, scrolls: g.scrollsAt,
	}
	t.actions = t.actions[:0]
	if g.controls.helpShown || s.compact && !s.panelCollapsed && !g.screen.hidden {
		return
	}
	picture := g.pictureRect()
	upper, lower := edgesOf(g.screen.frame.Viewports, picture)
	left, right, margin := picture.X, picture.X+picture.W, px(touchMargin)
	p.stick = image.Rect(left, max(lower-px(touchStickHeight), upper), left+int(float64(picture.W)*touchStickShare), lower)
	if g.session.Lab.Watches() {
		p.stick = image.Rectangle{}
	}
	p.rest = image.Pt(left+margin+p.radius, lower-margin-p.radius)
	corner, row, column := 0, 0, 0
	cell := px(2*touchButtonRadius + touchGap)
	columns := max((right-p.stick.Max.X-margin)/cell, 1)
	joined, watches := g.session.Remote != nil, g.session.Lab.Watches()
	for i := range allTouchActions {
		a := &allTouchActions[i]
		if !a.possible(joined, watches) || a.absent != nil && a.absent(g) {
			continue
		}
		var b touchPlace
		if a.corner {
			b.radius = px(touchCornerRadius)
			b.center = image.Pt(right-margin-b.radius-corner*px(2*touchCornerRadius+touchGap), upper+margin/2+b.radius)
			corner++
		} else {
			b.radius = px(touchButtonRadius)
			b.center = image.Pt(right-margin-b.radius-column*cell, lower-margin-b.radius-row*cell)
			if column++; column == columns {
				row, column = row+1, 0
			}
		}
		p.buttons, t.actions = append(p.buttons, b), append(t.actions, a)
	}
}

// edgesOf returns the upper edge of the upmost pictures and the lower edge of the lowest ones.
func edgesOf(list []stage.Viewport, picture stage.Rect) (upper, lower int) {
	if len(list) == 0 {
		return picture.Y, picture.Y + picture.H
	}
	upper = math.MaxInt
	for i := range list {
		v := &list[i]
		upper, lower = min(upper, v.Y), max(lower, v.Y+v.H)
	}
	return upper, lower
}

// belongsToWidgets reports whether a finger that touches there points at the panel, the timeline or the card.
func (g *game) belongsToWidgets(at image.Point) bool {
	if g.controls.helpShown {
		return false
	}
	return g.scrollsAt(at) || g.bar.height() > 0 && g.bar.Contains(at.X, at.Y)
}

// bodyAt reports whether the picture shows a body there.
func (g *game) bodyAt(at image.Point) bool {
	_, ok := g.screen.frame.GripAt(float32(at.X), float32(at.Y), g.session.Lab)
	return ok && !g.controls.helpShown
}

// scrollsAt reports whether a vertical drag scrolls there.
func (g *game) scrollsAt(at image.Point) bool {
	if g.screen.hidden {
		return false
	}
	return g.panel.ui.Open() || at.In(g.screen.panelBounds()) || at.In(g.card.bounds())
}

// The colours of the controls over the panes.
var (
	touchFill  = render.Color{R: 16, G: 20, B: 26, A: 120}
	touchHeld  = render.Color{R: 126, G: 186, B: 246, A: 190}
	touchRing  = render.Color{R: 240, G: 244, B: 248, A: 170}
	touchLabel = render.Color{R: 255, G: 255, B: 255, A: 235}
)

// drawTouch draws the stick and the buttons.
func (g *game) drawTouch(l *render.DrawList) {
	t := &g.touch
	if !g.screen.touched || g.screen.hidden {
		return
	}
	g.placeTouchControls()
	p, scale := &t.places, g.screen.uiScale()
	if p.radius > 0 && !p.stick.Empty() {
		center, c := p.rest, touchFill
		if t.has(movesStick) {
			center, c = t.origin, touchHeld
		}
		disc(l, center, p.radius, touchFill, scale)
		disc(l, center.Add(t.knob), p.radius*2/5, c, scale)
	}
	for i, a := range t.actions {
		b, c := p.buttons[i], touchFill
		if t.result.held&(1<<i) != 0 {
			c = touchHeld
		}
		disc(l, b.center, b.radius, c, scale)
		f := render.Font{Size: int(13*scale + 0.5), Bold: true}
		l.Text(float32(b.center.X)-float32(int(f.Width(a.label)/2)), float32(b.center.Y)+float32(int(float32(f.Size)*0.36)), f, touchLabel, a.label)
	}
}

// ringPoints is the number of points of a circle.
const ringPoints = 48

// disc draws a filled circle with a ring around it.
func disc(l *render.DrawList, center image.Point, radius int, c render.Color, scale float32) {
	step := max(int(scale), 1)
	for y := -radius; y < radius; y += step {
		h := min(step, radius-y)
		half := math.Sqrt(float64(radius*radius) - math.Pow(float64(y)+float64(h)/2, 2))
		l.Rect(float32(center.X)-float32(half), float32(center.Y+y), float32(2*half), float32(h), c)
	}
	var ring [ringPoints + 1]render.Point
	for i := range ring {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / ringPoints)
		ring[i] = render.Point{X: float32(center.X) + float32(float64(radius)*cos), Y: float32(center.Y) + float32(float64(radius)*sin)}
	}
	l.Line(ring[:], 1.5*scale, touchRing)
}

// touchHelp are the rows of the list that a finger opens: what touches do, in a session as keyHelp has it.
func touchHelp(joined, watches bool) (rows [][2]string) {
	add := func(possible bool, touch, does string) {
		if possible {
			rows = append(rows, [2]string{touch, does})
		}
	}
	add(!watches, "thumb, lower left", "roll the cube, relative to the camera")
	add(true, "drag in the picture", "turn the camera")
	add(!watches, "rest on a body, then drag", "hold and throw it")
	add(true, "two fingers", "zoom")
	add(!joined, "tap a pane", "focus it")
	add(!joined, "drag on the timeline", "show any moment")
	add(true, "rest on a control", "an explanation of it")
	rows = append(rows, [2]string{})
	for i := range allTouchActions {
		a := &allTouchActions[i]
		add(a.possible(joined, watches), a.label, a.help)
	}
	return append(rows, [2]string{}, [2]string{"tap", "close this list"})
}
