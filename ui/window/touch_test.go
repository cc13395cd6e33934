package window

import (
	"image"
	"math"
	"testing"

	"ghostcube/sim"
)

// hand drives touches on a screen of 400 by 800 pixels: the stick at the lower left, two buttons at the lower right, a
// timeline below 760, and a panel above 100 that scrolls.
type hand struct {
	touches
	places touchPlaces
	down   []finger
}

func newHand() *hand {
	return &hand{places: touchPlaces{
		stick: image.Rect(0, 500, 200, 760), rest: image.Pt(70, 690), radius: 50, slop: 10,
		buttons: []touchPlace{{image.Pt(350, 700), 40}, {image.Pt(270, 720), 30}},
		widgets: func(p image.Point) bool { return p.Y < 100 || p.Y >= 760 },
		scrolls: func(p image.Point) bool { return p.Y < 100 },
	}}
}

// at moves a finger, which may be new, and returns what the fingers did.
func (h *hand) at(id, x, y int) touchResult {
	for i := range h.down {
		if h.down[i].id == id {
			h.down[i].at = image.Pt(x, y)
			return h.update(h.down, &h.places)
		}
	}
	h.down = append(h.down, finger{id, image.Pt(x, y)})
	return h.update(h.down, &h.places)
}

// up lifts a finger.
func (h *hand) up(id int) touchResult {
	for i := range h.down {
		if h.down[i].id == id {
			h.down = append(h.down[:i:i], h.down[i+1:]...)
			break
		}
	}
	return h.update(h.down, &h.places)
}

// TestTouchStick promises eight directions around the place where the thumb touches, none near it, that the stick
// follows a thumb that leaves its range, so that turning back takes effect at once, and none after the release.
func TestTouchStick(t *testing.T) {
	for i, want := range []sim.Buttons{sim.Right, sim.Right | sim.Back, sim.Back, sim.Back | sim.Left, sim.Left,
		sim.Left | sim.Forward, sim.Forward, sim.Forward | sim.Right} {
		h := newHand()
		h.at(7, 90, 600)
		sin, cos := math.Sincos(float64(i) * math.Pi / 4)
		if r := h.at(7, 90+int(10*cos), 600+int(10*sin)); r.buttons != 0 {
			t.Errorf("direction %d: near the centre the stick has %v", i, r.buttons)
		}
		if r := h.at(7, 90+int(40*cos), 600+int(40*sin)); r.buttons != want {
			t.Errorf("direction %d: %v, want %v", i, r.buttons, want)
		}
		far := image.Pt(90+int(200*cos), 600+int(200*sin))
		h.at(7, far.X, far.Y)
		if r := h.at(7, far.X-int(90*cos), far.Y-int(90*sin)); r.buttons&want != 0 {
			t.Errorf("direction %d: back by 90 pixels of 50, and it has %v", i, r.buttons)
		}
		if r := h.up(7); r.buttons != 0 || r.tapped || r.turn != (image.Point{}) {
			t.Errorf("direction %d: after the release %+v", i, r)
		}
	}
}

// TestTouchButtons promises that a button counts as pressed once and as held until its finger is released, wherever
// that goes, beside a thumb on the stick, and that neither turns the camera.
func TestTouchButtons(t *testing.T) {
	h := newHand()
	h.at(1, 60, 600)
	h.at(1, 60, 560)
	r := h.at(2, 340, 690)
	if r.pressed != 1 || r.held != 1 || r.buttons != sim.Forward {
		t.Errorf("a touch of the first button: %+v", r)
	}
	r = h.at(2, 200, 300)
	if r.pressed != 0 || r.held != 1 || r.turn != (image.Point{}) || r.buttons != sim.Forward {
		t.Errorf("the finger has gone elsewhere: %+v", r)
	}
	if r = h.at(3, 270, 720); r.pressed != 2 || r.held != 3 {
		t.Errorf("a third finger touches the second button: %+v", r)
	}
	if r = h.up(2); r.held != 2 || r.tapped {
		t.Errorf("the first button is released: %+v", r)
	}
}

// TestTouchCamera promises that one finger turns the camera by the way that it goes, that two zoom by their distance,
// that a short touch is a tap, and that neither a drag nor a pinch ends with one.
func TestTouchCamera(t *testing.T) {
	h := newHand()
	h.at(1, 300, 300)
	h.at(1, 304, 300)
	if r := h.up(1); !r.tapped || r.tap != image.Pt(304, 300) {
		t.Errorf("a tap: %+v", r)
	}
	h.at(1, 300, 300)
	h.at(1, 330, 300)
	if r := h.at(1, 337, 310); r.turn != image.Pt(7, 10) || r.zoom != 1 {
		t.Errorf("a drag: %+v", r)
	}
	if r := h.up(1); r.tapped {
		t.Error("a drag ends with a tap")
	}
	h.at(1, 250, 300)
	h.at(2, 350, 300)
	if r := h.at(2, 375, 300); math.Abs(r.zoom-1.25) > 1e-9 {
		t.Errorf("a pinch from 100 to 125 pixels: %+v", r)
	}
	if r := h.up(2); r.tapped || r.zoom != 1 {
		t.Errorf("the end of a pinch: %+v", r)
	}
	if r := h.up(1); r.tapped {
		t.Errorf("the end of a pinch: %+v", r)
	}
}

// TestTouchPointer promises what a finger does on the panel: a tap presses and releases, a vertical drag scrolls by its
// whole way and presses nothing, a drag to the side presses where it began, a finger that rests explains and presses
// nothing; and that on the timeline, which does not scroll, a finger presses at once.
func TestTouchPointer(t *testing.T) {
	h := newHand()
	if r := h.at(1, 200, 50); r.pointer.pressed || r.pointer.down {
		t.Errorf("a touch of the panel: %+v", r.pointer)
	}
	if r := h.up(1); r.pointer != (pointer{at: image.Pt(200, 50), down: true, pressed: true}) {
		t.Errorf("a tap: %+v", r.pointer)
	}
	if r := h.update(nil, &h.places); r.pointer != (pointer{at: image.Pt(200, 50)}) {
		t.Errorf("after a tap: %+v", r.pointer)
	}
	if r := h.update(nil, &h.places); r.pointer.at != nowhere {
		t.Errorf("later: %+v", r.pointer)
	}

	h.at(1, 200, 90)
	way := 0
	for _, y := range []int{85, 60, 20, 45} {
		r := h.at(1, 201, y)
		if way += r.pointer.drag; r.pointer.down {
			t.Errorf("a vertical drag presses: %+v", r.pointer)
		}
	}
	if r := h.up(1); way != 45-90 || r.pointer.pressed {
		t.Errorf("a vertical drag by -45 scrolls by %d and ends with %+v", way, r.pointer)
	}

	h.at(1, 200, 50)
	if r := h.at(1, 230, 52); r.pointer != (pointer{at: image.Pt(200, 50), down: true, pressed: true}) {
		t.Errorf("a drag to the side begins with %+v", r.pointer)
	}
	if r := h.at(1, 260, 90); r.pointer != (pointer{at: image.Pt(260, 90), down: true}) {
		t.Errorf("it goes on with %+v", r.pointer)
	}
	if r := h.up(1); r.pointer.down {
		t.Errorf("it ends with %+v", r.pointer)
	}

	for range hoverUpdates + 1 {
		h.at(1, 200, 50)
	}
	if r := h.at(1, 202, 50); r.pointer != (pointer{at: image.Pt(202, 50)}) {
		t.Errorf("a finger that rests: %+v", r.pointer)
	}
	if r := h.up(1); r.pointer.pressed {
		t.Errorf("its end: %+v", r.pointer)
	}

	if r := h.at(1, 200, 780); r.pointer != (pointer{at: image.Pt(200, 780), down: true, pressed: true}) {
		t.Errorf("a touch of the timeline: %+v", r.pointer)
	}
	if r := h.at(2, 250, 780); r.pointer.at != image.Pt(200, 780) || r.pointer.pressed {
		t.Errorf("a second finger there: %+v", r.pointer)
	}
	if r := h.at(1, 220, 400); r.pointer != (pointer{at: image.Pt(220, 400), down: true}) || r.turn != (image.Point{}) {
		t.Errorf("a drag of the timeline: %+v", r)
	}
}

// TestTouchRandomFingers promises that no sequence of touches leaves anything behind: when all fingers are up, the next
// finger does what the first one did.
func TestTouchRandomFingers(t *testing.T) {
	state := uint32(1)
	random := func(n int) int {
		state = state*1664525 + 1013904223
		return int(state>>8) % n
	}
	for range 300 {
		h := newHand()
		for range 40 {
			if id := random(4); random(3) == 0 {
				h.up(id)
			} else {
				h.at(id, random(400), random(800))
			}
		}
		for id := range 4 {
			h.up(id)
		}
		h.update(nil, &h.places)
		if r := h.update(nil, &h.places); r != (touchResult{zoom: 1, pointer: pointer{at: nowhere}}) {
			t.Fatalf("without a finger: %+v", r)
		}
		h.at(9, 300, 300)
		if r := h.up(9); !r.tapped {
			t.Fatalf("a tap afterwards: %+v, %+v", r, h.touches)
		}
	}
}
