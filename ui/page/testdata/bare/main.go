// Bare is the least that Ebitengine draws in a page: a rectangle. TestFirstPicture compares the lab with it.
package main

import (
	"image/color"
	"syscall/js"

	"github.com/hajimehoshi/ebiten/v2"
)

type game struct{ ready bool }

func (g *game) Update() error { return nil }

func (g *game) Draw(screen *ebiten.Image) {
	screen.Fill(color.RGBA{200, 40, 40, 255})
	if !g.ready {
		g.ready = true
		js.Global().Get("ghostcube").Call("ready")
	}
}

func (g *game) Layout(w, h int) (int, int) { return w, h }

func main() {
	if err := ebiten.RunGame(&game{}); err != nil {
		panic(err)
	}
}
