package widget

import (
	"fmt"
	"image"
	"math"
	"strconv"
)

// Number describes a number that can be dragged and typed.
type Number struct {
	ID        string
	Value     float64
	Low, High float64 // of the slider, which snaps to Step
	Step      float64
	Min, Max  float64 // allowed for a typed number
	Whole     bool    // only whole numbers
	Log       bool    // the slider is logarithmic; Low is above 0
	Digits    int     // most digits after the decimal point
	Help      string
}

// Number is a slider with a field for the number beside it. It returns the value and whether it has changed.
func (u *UI) Number(r image.Rectangle, n Number) (value float64, changed bool) {
	width := max(u.Px(58), int(u.Font(false).Width(formatNumber(n.Value, n.Digits)))+u.Px(12))
	track := image.Rect(r.Min.X, r.Min.Y, r.Max.X-width-u.Px(4), r.Max.Y)
	field := image.Rect(track.Max.X+u.Px(4), r.Min.Y, r.Max.X, r.Max.Y)
	value = n.Value
	u.place(n.ID, track)
	slider := slider{u, &n, track}
	if share, moved := slider.slide(); moved {
		if v := n.at(share); v != n.Value {
			value, changed = v, true
		}
	}
	slider.draw(value)
	u.ring(n.ID, track)
	text, typed := u.Field(field, Field{ID: u.memory.join(n.ID, " number"), Value: formatNumber(value, n.Digits), Help: n.Help, Check: n.check})
	if typed && !changed {
		v, _ := strconv.ParseFloat(text, 64)
		return v, v != n.Value
	}
	return value, changed
}

// slider is the slider of a number.
type slider struct {
	u     *UI
	n     *Number
	track image.Rectangle
}

// slide lets debugui drag the slider, or the keys move it, and returns its new place.
func (s slider) slide() (share float64, moved bool) {
	u, n, track := s.u, s.n, s.track
	if u.disabled != "" || n.High <= n.Low {
		return 0, false
	}
	x := &u.cell
	x.share, x.moved = n.share(n.Value), false
	cells{u}.put(n.ID, track, u.controls.slider)
	share, moved = x.share, x.moved
	if u.in.Pressed && u.over(track) {
		u.active = n.ID
		if !moved && u.slid.id == n.ID { // a finger that has left
			share, moved = u.slid.share, true
		}
	}
	if x.moved {
		u.slid.id, u.slid.share = n.ID, share
		moved = u.in.Down && u.active == n.ID // otherwise a finger that may come to scroll
	}
	if u.keyboard.use(n.ID) {
		return s.step()
	}
	return share, moved
}

// step returns the place to which the keys move the slider: by a step, or ten with Page Up and Page Down, and with
// Shift by the smallest one.
func (s slider) step() (share float64, moved bool) {
	u, n := s.u, s.n
	steps := 0.0
	switch in := &u.in; {
	case in.Home:
		return 0, true
	case in.End:
		return 1, true
	case in.Left, in.ArrowDown:
		steps = -1
	case in.Right, in.ArrowUp:
		steps = 1
	case in.PageDown:
		steps = -10
	case in.PageUp:
		steps = 10
	default:
		return 0, false
	}
	size := 0.02 // a fiftieth of the length
	if u.in.Shift {
		size = 0
	}
	from := n.share(n.Value)
	if size = max(size, n.Step/(n.High-n.Low)); n.Log {
		size = max(size, 0.002)
	}
	share = min(max(from+steps*size, 0), 1)
	for n.Log && n.at(share) == n.Value && share > 0 && share < 1 { // two digits are further apart
		share = min(max(share+math.Copysign(size, steps), 0), 1)
	}
	return share, true
}

// at returns the value of the slider at a share of its length, snapped to Step, or to two digits if it is
// logarithmic, and with no more than Digits.
func (n *Number) at(share float64) float64 {
	v := 0.0
	if n.Log {
		v, _ = strconv.ParseFloat(strconv.FormatFloat(n.Low*math.Pow(n.High/n.Low, share), 'g', 2, 64), 64)
	} else {
		v = math.Round((n.Low+share*(n.High-n.Low))/n.Step) * n.Step
	}
	v, _ = strconv.ParseFloat(strconv.FormatFloat(min(max(v, n.Low), n.High), 'f', n.Digits, 64), 64)
	return v
}

// share returns the place of a value on the slider.
func (n *Number) share(v float64) float64 {
	v = min(max(v, n.Low), n.High)
	switch {
	case n.High <= n.Low:
		return 0
	case n.Log:
		return math.Log(v/n.Low) / math.Log(n.High/n.Low)
	}
	return (v - n.Low) / (n.High - n.Low)
}

// check returns why a typed number is refused.
func (n *Number) check(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	kind := "a number"
	if n.Whole {
		kind = "a whole number"
	}
	if err != nil || math.IsNaN(v) || v < n.Min || v > n.Max || n.Whole && v != math.Trunc(v) {
		return fmt.Errorf("%q: want %s from %s to %s", text, kind, formatNumber(n.Min, 6), formatNumber(n.Max, 6))
	}
	return nil
}

// formatNumber returns a number with at most some digits after the decimal point.
func formatNumber(v float64, digits int) string {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'f', digits, 64), 64)
	return strconv.FormatFloat(r, 'f', -1, 64)
}

// draw draws the slider.
func (s slider) draw(value float64) {
	u, n, track := s.u, s.n, s.track
	knob := u.Px(knobWidth)
	x := track.Min.X + knobWidth/2 + int(n.share(value)*float64(track.Dx()-knobWidth)) - knob/2 // as debugui has it
	x = max(min(x, track.Max.X-knob), track.Min.X)
	track.Min.Y += (track.Dy() - u.Px(rowHeight)) / 2 // in the middle of a row for fingers
	track.Max.Y = track.Min.Y + u.Px(rowHeight)
	bar := image.Rect(track.Min.X, track.Min.Y+u.Px(8), track.Max.X, track.Max.Y-u.Px(8))
	fill(u.list, bar, fieldColor)
	c, filled := dimColor, fillColor
	switch {
	case u.disabled != "":
		c, filled = disabledColor, controlColor
	case u.active == n.ID:
		c = markColor
	case u.over(track):
		c = textColor
	}
	fill(u.list, image.Rect(bar.Min.X, bar.Min.Y, x+knob/2, bar.Max.Y), filled)
	fill(u.list, image.Rect(x, track.Min.Y+u.Px(3), x+knob, track.Max.Y-u.Px(3)), c)
}
