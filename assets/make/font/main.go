// Font bakes the fonts into a glyph atlas: an image of the coverage of every glyph of every
// face and size, and a table of their places. Machines rasterise fonts differently, but
// videos must be the same on all of them, so the fonts are rasterised once, here.
package main

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"log"
	"os"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

var sizes = []int{11, 12, 13, 14, 16, 18, 20, 24, 28, 32, 40}

// charset returns the characters that texts may contain.
func charset() []rune {
	var list []rune
	for r := ' '; r <= '~'; r++ {
		list = append(list, r)
	}
	return append(list, []rune("°±²×µ·–—…→←↑↓■●")...)
}

func main() {
	const width = 1024
	atlas := image.NewAlpha(image.Rect(0, 0, width, 2048))
	var table strings.Builder
	x, y, row := 1, 1, 0
	for face, ttf := range [][]byte{goregular.TTF, gobold.TTF} {
		f, err := opentype.Parse(ttf)
		if err != nil {
			log.Fatal(err)
		}
		for _, size := range sizes {
			ff, err := opentype.NewFace(f, &opentype.FaceOptions{Size: float64(size), DPI: 72, Hinting: font.HintingNone})
			if err != nil {
				log.Fatal(err)
			}
			m := ff.Metrics()
			fmt.Fprintf(&table, "face %d %d %d %d\n", face, size, m.Ascent, m.Descent)
			for _, r := range charset() {
				dr, mask, at, advance, ok := ff.Glyph(fixed.P(0, 0), r)
				if !ok {
					continue
				}
				w, h := dr.Dx(), dr.Dy()
				if x+w+1 > width {
					x, y, row = 1, y+row+1, 0
				}
				draw.Draw(atlas, image.Rect(x, y, x+w, y+h), mask, at, draw.Src)
				fmt.Fprintf(&table, "%d %d %d %d %d %d %d %d\n", r, x, y, w, h, dr.Min.X, dr.Min.Y, advance)
				x += w + 1
				row = max(row, h)
			}
		}
	}
	out := image.NewGray(image.Rect(0, 0, width, y+row+1))
	for j := range out.Rect.Dy() {
		for i := range width {
			out.SetGray(i, j, color.Gray{Y: atlas.AlphaAt(i, j).A})
		}
	}
	f, err := os.Create("font/font.png")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	e := png.Encoder{CompressionLevel: png.BestCompression}
	if err := e.Encode(f, out); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("font/font.txt", []byte(table.String()), 0o666); err != nil {
		log.Fatal(err)
	}
}
