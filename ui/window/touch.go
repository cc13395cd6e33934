package window

import (
	"image"
	"math"
	"slices"

	"ghostcube/sim"
)

// finger is a touch of the screen.
type finger struct {
	id int
	at image.Point // pixels of the window
}

// touchRole says what a finger does from its touch to its release.
type touchRole uint8

const (
	turnsCamera touchRole = iota // with a second such finger: zooms
	movesStick
	holdsButton
	holdsBody
	points // at panel, timeline or card, as the mouse's pointer does
	spare  // nothing: another finger has its role
)

// trackedFinger is a finger that is down.
type trackedFinger struct {
	finger
	role    touchRole
	button  int         // that it holds, index in touchPlaces.buttons
	start   image.Point // where it touched
	moved   bool        // too far for a tap
	updates int         // since it touched
}

// touchPlaces says where on the screen a finger does what. Lengths are in pixels.
type touchPlaces struct {
	stick   image.Rectangle // a finger that touches here moves the stick
	rest    image.Point     // centre of the stick when no finger moves it
	radius  int             // of the stick's range
	buttons []touchPlace
	slop    int // how far a finger may move in a tap

	widgets func(image.Point) bool // the place belongs to panel, timeline or card; nil: none does
	bodies  func(image.Point) bool // the picture shows a body there; nil: nowhere
	scrolls func(image.Point) bool // a vertical drag there scrolls; nil: nowhere
}

// touchPlace is the place of a button.
type touchPlace struct {
	center image.Point
	radius int
}

// pointer is the mouse, or the finger that acts as one.
type pointer struct {
	at      image.Point // pixels of the window
	down    bool
	pressed bool    // in this Update
	wheel   float64 // notches, positive away from the user
	drag    int     // pixels by which a finger has dragged the content down
}

// nowhere is a point outside every window.
var nowhere = image.Pt(-1<<20, -1<<20)

// touchResult is what the fingers did in an Update.
type touchResult struct {
	buttons sim.Buttons // of the stick
	held    uint32      // bit i: a finger is on the button at index i
	pressed uint32      // the same, since this Update
	pointer pointer
	turn    image.Point // pixels by which a finger has dragged the picture
	zoom    float64     // by how many times two fingers have moved apart; 1: not
	hold    bodyHold    // of the finger that holds a body
	tapped  bool        // a finger has tapped the picture
	tap     image.Point // where
}

// bodyHold is what a finger that holds a body does.
type bodyHold struct {
	at            image.Point // pixels of the window
	pressed, down bool        // pressed: in this Update
}

// touches follows the fingers on the screen.
type touches struct {
	fingers []trackedFinger
	origin  image.Point // of the stick that a finger moves
	knob    image.Point // from there, pixels
	gap     float64     // between the two fingers that zoom, pixels; 0: there are not two
	mode    pointerMode // of the finger that points
	last    image.Point // of the finger that points or has tapped the picture
	tapping bool        // the pointer goes up in the next Update
	zoomed  bool        // the fingers on the picture have zoomed: none of them taps
}

// pointerMode is what a finger that points has turned out to do.
type pointerMode uint8

const (
	undecided pointerMode = iota
	dragging
	scrolling
	hovering // it rests: what is under it is explained
)

// hoverUpdates is the number of Updates after which a finger that rests on a control asks what it is, and one that rests on
// a body holds it.
const hoverUpdates = 24

// update follows the fingers by one Update. A finger keeps its role until it leaves the screen.
func (t *touches) update(now []finger, p *touchPlaces) touchResult {
	r := touchResult{zoom: 1, pointer: pointer{at: nowhere}}
	if t.tapping {
		t.tapping, r.pointer.at = false, t.last
	}
	for i := 0; i < len(t.fingers); {
		f := &t.fingers[i]
		at := slices.IndexFunc(now, func(n finger) bool { return n.id == f.id })
		if at < 0 {
			t.release(f, &r)
			t.fingers = slices.Delete(t.fingers, i, i+1)
			continue
		}
		before := f.at
		f.at = now[at].at
		f.updates++
		f.moved = f.moved || distance(f.at, f.start) > float64(p.slop)
		t.move(f, before, p, &r)
		i++
	}
	for _, n := range now {
		if !slices.ContainsFunc(t.fingers, func(f trackedFinger) bool { return f.id == n.id }) {
			t.touch(n, p, &r)
		}
	}
	t.zoom(&r)
	for i := range t.fingers {
		if f := &t.fingers[i]; f.role == holdsButton {
			r.held |= 1 << f.button
		}
	}
	if t.has(movesStick) {
		r.buttons = stickButtons(float64(t.knob.X)/float64(p.radius), float64(t.knob.Y)/float64(p.radius))
	}
	return r
}

// has reports whether a finger has a role.
func (t *touches) has(role touchRole) bool {
	return slices.ContainsFunc(t.fingers, func(f trackedFinger) bool { return f.role == role })
}

// touch gives a new finger its role.
func (t *touches) touch(n finger, p *touchPlaces, r *touchResult) {
	f := trackedFinger{finger: n, start: n.at}
	f.button = slices.IndexFunc(p.buttons, func(b touchPlace) bool { return distance(n.at, b.center) <= float64(b.radius) })
	switch {
	case p.widgets != nil && p.widgets(n.at):
		f.role = points
		if t.has(points) {
			f.role = spare
			break
		}
		t.last, t.mode = n.at, undecided
		if p.scrolls == nil || !p.scrolls(n.at) {
			t.mode = dragging
			r.pointer = pointer{at: n.at, down: true, pressed: true}
		}
	case f.button >= 0:
		f.role = holdsButton
		r.pressed |= 1 << f.button
	case n.at.In(p.stick) && !t.has(movesStick):
		f.role = movesStick
		t.origin, t.knob = n.at, image.Point{}
	default:
		f.role = turnsCamera
	}
	t.fingers = append(t.fingers, f)
}

// move follows a finger that is still down.
func (t *touches) move(f *trackedFinger, before image.Point, p *touchPlaces, r *touchResult) {
	switch f.role {
	case movesStick:
		t.knob = f.at.Sub(t.origin)
		if d := math.Hypot(float64(t.knob.X), float64(t.knob.Y)); d > float64(p.radius) {
			k := float64(p.radius) / d // the stick follows a thumb that leaves its range
			t.knob = image.Pt(int(math.Round(float64(t.knob.X)*k)), int(math.Round(float64(t.knob.Y)*k)))
			t.origin = f.at.Sub(t.knob)
		}
	case turnsCamera:
		if f.moved {
			r.turn = r.turn.Add(f.at.Sub(before))
		} else if f.updates >= hoverUpdates && !t.zoomed && !t.has(holdsBody) && p.bodies != nil && p.bodies(f.start) {
			f.role = holdsBody
			r.hold = bodyHold{f.start, true, true}
		}
	case holdsBody:
		r.hold = bodyHold{at: f.at, down: true}
	case points:
		t.point(f, before, r)
	}
}

// point makes the pointer of a finger. Where a vertical drag scrolls, the finger presses only when it is released at
// once or drags to the side.
func (t *touches) point(f *trackedFinger, before image.Point, r *touchResult) {
	r.pointer = pointer{at: f.at}
	by := f.at.Sub(f.start)
	switch {
	case t.mode == undecided && f.moved && abs(by.Y) > abs(by.X):
		t.mode = scrolling
		before = f.start
	case t.mode == undecided && f.moved:
		t.mode = dragging
		r.pointer = pointer{at: f.start, down: true, pressed: true}
		return
	case t.mode == undecided && f.updates >= hoverUpdates:
		t.mode = hovering
	}
	switch t.mode {
	case undecided:
		r.pointer.at = nowhere
	case dragging:
		r.pointer.down = true
	case scrolling:
		r.pointer = pointer{at: f.start, drag: f.at.Y - before.Y}
	}
	t.last = r.pointer.at
}

// release ends the role of a finger that has left the screen.
func (t *touches) release(f *trackedFinger, r *touchResult) {
	switch {
	case f.role == turnsCamera && !f.moved && !t.zoomed:
		r.tapped, r.tap = true, f.at
	case f.role == movesStick:
		t.knob = image.Point{}
	case f.role == points && t.mode == undecided:
		r.pointer = pointer{at: f.start, down: true, pressed: true}
		t.last, t.tapping = f.start, true
	case f.role == points && t.mode == dragging:
		r.pointer.at = f.at
	}
}

// zoom follows the two fingers on the picture. The picture turns with both.
func (t *touches) zoom(r *touchResult) {
	var at []image.Point
	for i := range t.fingers {
		if t.fingers[i].role == turnsCamera {
			at = append(at, t.fingers[i].at)
		}
	}
	switch {
	case len(at) == 0:
		t.zoomed, t.gap = false, 0
	case len(at) != 2:
		t.gap = 0
	default:
		gap := max(distance(at[0], at[1]), 1)
		if t.gap > 0 {
			r.zoom = gap / t.gap
			r.turn = r.turn.Div(2)
		}
		t.gap, t.zoomed = gap, true
	}
}

// distance returns the distance between two points.
func distance(a, b image.Point) float64 { return math.Hypot(float64(a.X-b.X), float64(a.Y-b.Y)) }
