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
	u.grab(n.ID, track)
	u.place(n.ID, track)
	knob := u.Px(8)
	if u.active == n.ID {
		share := float64(u.in.Pointer.X-track.Min.X-knob/2) / float64(max(track.Dx()-knob, 1))
		v := n.at(min(max(share, 0), 1))
		if v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'f', n.Digits, 64), 64); v != n.Value {
			value, changed = v, true
		}
	}
	u.drawTrack(n, track, value, knob)
	text, typed := u.Field(field, Field{ID: u.join(n.ID, " number"), Value: formatNumber(value, n.Digits), Help: n.Help, Check: n.check})
	if typed && !changed {
		v, _ := strconv.ParseFloat(text, 64)
		return v, v != n.Value
	}
	return value, changed
}

// at returns the value of the slider at a share of its length, snapped to Step, or to two digits if it is
// logarithmic.
func (n *Number) at(share float64) float64 {
	if !n.Log {
		return min(max(math.Round((n.Low+share*(n.High-n.Low))/n.Step)*n.Step, n.Low), n.High)
	}
	v, _ := strconv.ParseFloat(strconv.FormatFloat(n.Low*math.Pow(n.High/n.Low, share), 'g', 2, 64), 64)
	return min(max(v, n.Low), n.High)
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

// drawTrack draws a slider.
func (u *UI) drawTrack(n Number, track image.Rectangle, value float64, knob int) {
	x := track.Min.X + int(n.share(value)*float64(track.Dx()-knob))
	track.Min.Y += (track.Dy() - u.Px(rowHeight)) / 2 // in the middle of a row for fingers
	track.Max.Y = track.Min.Y + u.Px(rowHeight)
	bar := image.Rect(track.Min.X, track.Min.Y+u.Px(8), track.Max.X, track.Max.Y-u.Px(8))
	u.rect(bar, fieldColor)
	c, filled := dimColor, fillColor
	switch {
	case u.disabled != "":
		c, filled = disabledColor, controlColor
	case u.active == n.ID:
		c = markColor
	case u.over(track):
		c = textColor
	}
	u.rect(image.Rect(bar.Min.X, bar.Min.Y, x+knob/2, bar.Max.Y), filled)
	u.rect(image.Rect(x, track.Min.Y+u.Px(3), x+knob, track.Max.Y-u.Px(3)), c)
}
