package window

import (
	"image"
	"testing"

	"ghostcube/render"
)

// TestSplashFits promises that the texts of the splash lie inside a window of any size and scale, centred and apart.
func TestSplashFits(t *testing.T) {
	for _, size := range windowSizes {
		window := image.Rect(0, 0, size.w, size.h)
		var l render.DrawList
		drawSplash(&l, window, float32(size.scale))
		bottom, texts := float32(0), 0
		for _, it := range l.Items {
			if it.Kind != render.TextKind {
				continue
			}
			texts++
			w := it.Font.Width(it.Text)
			if off := it.X + w/2 - float32(size.w)/2; off > 1 || off < -1 || w > float32(size.w) ||
				it.Y-it.Font.Ascent() < bottom || it.Y+it.Font.Height() > float32(size.h) {
				t.Errorf("%+v: %q lies at %v, %v", size, it.Text, it.X, it.Y)
			}
			bottom = it.Y + it.Font.Height() - it.Font.Ascent()
		}
		if texts != 2 {
			t.Errorf("%d texts", texts)
		}
	}
}
