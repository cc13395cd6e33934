package window

import (
	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"ghostcube/ui/widget"
)

// readInput returns the input of pointer and keyboard.
func (p *panel) readInput(at pointer) widget.Input {
	control := ebiten.IsKeyPressed(ebiten.KeyControl) || ebiten.IsKeyPressed(ebiten.KeyMeta)
	in := widget.Input{
		Pointer: at.at, Down: at.down, Pressed: at.pressed, Wheel: at.wheel, Drag: at.drag,
		Left: repeated(ebiten.KeyArrowLeft), Right: repeated(ebiten.KeyArrowRight), Home: repeated(ebiten.KeyHome), End: repeated(ebiten.KeyEnd),
		Backspace: repeated(ebiten.KeyBackspace), Delete: repeated(ebiten.KeyDelete),
		Enter:     inpututil.IsKeyJustPressed(ebiten.KeyEnter) || inpututil.IsKeyJustPressed(ebiten.KeyNumpadEnter),
		Escape:    inpututil.IsKeyJustPressed(ebiten.KeyEscape),
		SelectAll: control && inpututil.IsKeyJustPressed(ebiten.KeyA),
	}
	// A key that is pressed with Control has no character, so these were typed before or after it.
	if p.typed = ebiten.AppendInputChars(p.typed[:0]); len(p.typed) > 0 {
		in.Text = string(p.typed)
	}
	return in
}

// repeated reports whether a key has just gone down, or has been down long enough to repeat. A key that goes down
// and up between two updates has a duration of 0 and counts too.
func repeated(k ebiten.Key) bool {
	const delay, interval = 25, 3 // updates
	d := inpututil.KeyPressDuration(k)
	return inpututil.IsKeyJustPressed(k) || d >= delay && d%interval == 0
}
