package widget

import (
	"image"
	"testing"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"ghostcube/internal/inputtest"
)

// TestMouse promises that Ebitengine reports the pointer that Mouse has set, and nothing else.
func TestMouse(t *testing.T) {
	for i, step := range []struct {
		at            image.Point
		down, pressed bool
		wheel         float64
	}{
		{image.Pt(3, 4), false, false, 0},
		{image.Pt(30, 40), true, true, 0},
		{image.Pt(31, 40), true, false, -2},
		{image.Pt(-5, 2000), false, false, 0.5},
	} {
		inputtest.Mouse(step.at, step.down, step.pressed, step.wheel)
		x, y := ebiten.CursorPosition()
		_, wheel := ebiten.Wheel()
		down, pressed := ebiten.IsMouseButtonPressed(ebiten.MouseButtonLeft), inpututil.IsMouseButtonJustPressed(ebiten.MouseButtonLeft)
		if image.Pt(x, y) != step.at || down != step.down || pressed != step.pressed || wheel != step.wheel {
			t.Errorf("step %d: %d, %d, down %v, pressed %v, wheel %g; want %+v", i, x, y, down, pressed, wheel, step)
		}
		if keys := inpututil.AppendPressedKeys(nil); len(keys) > 0 || len(ebiten.AppendInputChars(nil)) > 0 || len(ebiten.AppendTouchIDs(nil)) > 0 {
			t.Errorf("step %d: keys %v, or characters or touches", i, keys)
		}
	}
}

// TestTouch promises that Ebitengine reports the fingers that Touch has put down, and which of them are new.
func TestTouch(t *testing.T) {
	inputtest.Touch()
	for i, step := range []struct {
		fingers   []image.Point
		new, gone int
	}{
		{[]image.Point{{5, 6}}, 1, 0},
		{[]image.Point{{7, 6}}, 0, 0},
		{[]image.Point{{7, 6}, {100, 200}}, 1, 0},
		{nil, 0, 2},
	} {
		inputtest.Touch(step.fingers...)
		ids := ebiten.AppendTouchIDs(nil)
		if len(ids) != len(step.fingers) || len(inpututil.AppendJustPressedTouchIDs(nil)) != step.new || len(inpututil.AppendJustReleasedTouchIDs(nil)) != step.gone {
			t.Errorf("step %d: fingers %v, new %v", i, ids, inpututil.AppendJustPressedTouchIDs(nil))
		}
		for k, id := range ids {
			if x, y := ebiten.TouchPosition(id); image.Pt(x, y) != step.fingers[k] {
				t.Errorf("step %d: finger %d at %d, %d", i, k, x, y)
			}
		}
	}
}
