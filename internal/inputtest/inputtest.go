// Package inputtest gives Ebitengine a pointer where no window runs. debugui reads the mouse by itself, so a test of
// controls that go through it has to move this one.
//
// It writes into a variable of Ebitengine's that no function reaches, whose layout it repeats. The tests fail where
// another version of Ebitengine has another one.
package inputtest

import (
	"image"
	"io/fs"
	"sync"
	_ "unsafe" // for go:linkname

	"github.com/hajimehoshi/ebiten/v2"
)

//go:linkname state github.com/hajimehoshi/ebiten/v2/internal/inputstate.theInputState
var state struct {
	keyPressed, keyReleased     [ebiten.KeyMax + 1]int64
	mousePressed, mouseReleased [ebiten.MouseButtonMax + 1]int64
	cursorX, cursorY            float64
	wheelX, wheelY              float64
	touches                     []touch
	runes                       []rune
	closing                     bool
	dropped                     fs.FS
	capsLock, numLock           byte
	m                           sync.Mutex
}

//go:linkname beforeUpdate github.com/hajimehoshi/ebiten/v2/internal/hook.onBeforeUpdateHooks
var beforeUpdate []func() error

type touch struct {
	id   int
	x, y float64
}

// Touch puts fingers onto the screen at pixels of the window, and no mouse. A finger is the same in the next update if it
// has the same place in the list.
func Touch(fingers ...image.Point) {
	Mouse(image.Point{}, false, false, 0)
	state.m.Lock()
	for i, at := range fingers {
		state.touches = append(state.touches, touch{i + 1, float64(at.X), float64(at.Y)})
	}
	state.m.Unlock()
	for _, update := range beforeUpdate { // inpututil finds out which fingers are new
		if err := update(); err != nil {
			panic("inputtest: " + err.Error())
		}
	}
}

// Mouse sets the pointer, in pixels of the window, its left button and the wheel, in notches. pressed says that the
// button has gone down in this update.
func Mouse(at image.Point, down, pressed bool, wheel float64) {
	const earlier = 1 << 20 // a time in a tick that is not the present one, which is 0 without a window
	state.m.Lock()
	defer state.m.Unlock()
	state.cursorX, state.cursorY, state.wheelY = float64(at.X), float64(at.Y), wheel
	state.touches = nil
	switch {
	case pressed:
		state.mousePressed[0], state.mouseReleased[0] = 1, 0
	case down:
		state.mousePressed[0], state.mouseReleased[0] = earlier, 0
	default:
		state.mousePressed[0], state.mouseReleased[0] = earlier, earlier+1
	}
}
