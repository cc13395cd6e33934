package window

import (
	"image"
	"slices"
	"strings"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"ghostcube/ui/platform"
	"ghostcube/ui/widget"
)

// panelInput is what the panel keeps of pointer, keyboard and clipboard between updates.
type panelInput struct {
	typing textInput
	clicks clickCounter
	clip   clipboard
	runes  []rune       // scratch
	keys   []ebiten.Key // scratch
}

// readInput returns the input of pointer and keyboard, and the clipboard's text where a field has asked for it.
func (p *panel) readInput(at pointer) widget.Input {
	x := &p.input
	x.clip.connect(p)
	p.ui.Rate = ebiten.TPS()
	in := widget.Input{
		Pointer: at.at, Down: at.down, Pressed: at.pressed, Wheel: at.wheel, Drag: at.drag,
		Clicks: x.clicks.count(at, p.ui.Rate, p.ui.Px(4)), Pasted: x.clip.pasted(),
	}
	x.runes = ebiten.AppendInputChars(x.runes[:0])
	caret, typing := p.ui.Caret()
	if x.typing.update(&in, typing, caret, x.runes) {
		return in
	}
	down := func(k ebiten.Key) bool { return ebiten.IsKeyPressed(k) }
	k := keyboard{
		control: down(ebiten.KeyControl), alt: down(ebiten.KeyAlt), meta: down(ebiten.KeyMeta), shift: down(ebiten.KeyShift),
		mac: platform.Mac(), repeated: repeated, name: ebiten.KeyName,
	}
	x.keys = inpututil.AppendJustPressedKeys(x.keys[:0])
	k.pressed = x.keys
	k.edit(&in)
	return in
}

// keyboard is the state of the keys in an update.
type keyboard struct {
	control, alt, meta, shift bool
	mac                       bool                      // the machine has the shortcuts of macOS
	pressed                   []ebiten.Key              // have just gone down
	repeated                  func(k ebiten.Key) bool   // have just gone down, or repeat
	name                      func(k ebiten.Key) string // letter in the user's layout; empty: not known
}

// edit sets the keys that edit a text, and those that use the other controls.
func (k *keyboard) edit(in *widget.Input) {
	command, word := k.control && !k.alt, k.control && !k.alt // with Alt it is AltGr, which types characters
	if k.mac {
		command, word = k.meta, k.alt
	}
	line := k.mac && k.meta // the arrows go to the ends of the line
	left, right := k.repeated(ebiten.KeyArrowLeft), k.repeated(ebiten.KeyArrowRight)
	in.Shift, in.Word = k.shift, word
	in.ArrowUp, in.ArrowDown = k.repeated(ebiten.KeyArrowUp), k.repeated(ebiten.KeyArrowDown)
	in.PageUp, in.PageDown = k.repeated(ebiten.KeyPageUp), k.repeated(ebiten.KeyPageDown)
	in.Tab = k.repeated(ebiten.KeyTab) && !k.control && !k.alt && !k.meta
	in.Space = k.has(ebiten.KeySpace)
	in.Left, in.Right = left && !line, right && !line
	in.Home, in.End = k.repeated(ebiten.KeyHome) || left && line, k.repeated(ebiten.KeyEnd) || right && line
	in.Backspace, in.Delete = k.repeated(ebiten.KeyBackspace), k.repeated(ebiten.KeyDelete) && !k.shift
	in.Cut = k.shift && k.has(ebiten.KeyDelete)
	in.Copy = k.control && k.has(ebiten.KeyInsert)
	in.Paste = k.shift && k.has(ebiten.KeyInsert)
	in.Enter = k.has(ebiten.KeyEnter) || k.has(ebiten.KeyNumpadEnter)
	in.Escape = k.has(ebiten.KeyEscape)
	if !command {
		return
	}
	for _, key := range k.pressed {
		switch k.letter(key) {
		case "a":
			in.SelectAll = true
		case "c":
			in.Copy = true
		case "x":
			in.Cut = true
		case "v":
			in.Paste = true
		case "y":
			in.Redo = true
		case "z":
			in.Undo, in.Redo = !k.shift, k.shift
		}
	}
}

// has reports whether a key has just gone down.
func (k *keyboard) has(key ebiten.Key) bool { return slices.Contains(k.pressed, key) }

// letter returns the letter of a key in the user's layout, or where that is not known or not Latin, in the American one.
func (k *keyboard) letter(key ebiten.Key) string {
	name := k.name(key)
	if name == "" || name[0] >= 0x80 {
		name = key.String()
	}
	return strings.ToLower(name)
}

// repeated reports whether a key has just gone down, or has been down long enough to repeat. A key that goes down
// and up between two updates has a duration of 0 and counts too.
func repeated(k ebiten.Key) bool {
	const delay, interval = 25, 3 // updates
	d := inpututil.KeyPressDuration(k)
	return inpututil.IsKeyJustPressed(k) || d >= delay && d%interval == 0
}

// clickCounter counts the presses in quick succession at one place.
type clickCounter struct {
	n     int
	at    image.Point // of the last press
	since int         // updates since it
}

// clickSpan is the longest time between two presses that count together, in shares of a second.
const clickSpan = 0.4

// count returns the number of presses up to this update, from 1 to 3. slop is how far they may be apart, in pixels.
func (c *clickCounter) count(p pointer, rate, slop int) int {
	c.since++
	if p.pressed {
		d := p.at.Sub(c.at)
		if c.n == 3 || float64(c.since) > clickSpan*float64(rate) || abs(d.X) > slop || abs(d.Y) > slop {
			c.n = 0
		}
		c.n++
		c.at, c.since = p.at, 0
	}
	return c.n
}
