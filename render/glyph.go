package render

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"
	"sync"

	"ghostcube/assets"
)

// Font is a face and a size of the baked letters.
type Font struct {
	Bold bool
	Size int // pixels per em; the nearest baked size is taken
}

// Glyph is one letter in the atlas.
type Glyph struct {
	Box     image.Rectangle // in the atlas
	Dx, Dy  int             // from the pen to the box's top left corner, pixels
	Advance int             // to the next letter, 1/64 pixels
}

// face is the letters of one font, by code for the usual ones.
type face struct {
	size, ascent, descent int // of which the last two in 1/64 pixels
	usual                 [128]Glyph
	others                []rune
	rare                  []Glyph
}

// letters is all that is baked.
type letters struct {
	atlas *image.Gray
	faces [2][]face // by size
}

// baked reads the assets once.
var baked = sync.OnceValue(func() *letters {
	l := &letters{}
	im, err := png.Decode(bytes.NewReader(assets.FontImage))
	if err != nil {
		panic("render: the baked letters: " + err.Error())
	}
	l.atlas = im.(*image.Gray)
	var f *face
	for line := range strings.Lines(assets.FontTable) {
		if rest, ok := strings.CutPrefix(line, "face "); ok {
			var n face
			var which int
			fmt.Sscan(rest, &which, &n.size, &n.ascent, &n.descent)
			l.faces[which] = append(l.faces[which], n)
			f = &l.faces[which][len(l.faces[which])-1]
			continue
		}
		var r rune
		var x, y, w, h int
		var g Glyph
		if _, err := fmt.Sscan(line, &r, &x, &y, &w, &h, &g.Dx, &g.Dy, &g.Advance); err != nil {
			panic("render: the table of letters: " + err.Error())
		}
		g.Box = image.Rect(x, y, x+w, y+h)
		if r < 128 {
			f.usual[r] = g
		} else {
			f.others, f.rare = append(f.others, r), append(f.rare, g)
		}
	}
	return l
})

// Atlas returns the picture of all letters: how much each pixel is covered.
func Atlas() *image.Gray { return baked().atlas }

// find returns the letters of the size nearest to the font's.
func (f Font) find() *face {
	which := 0
	if f.Bold {
		which = 1
	}
	faces := baked().faces[which]
	best := &faces[0]
	for i := range faces {
		if abs(faces[i].size-f.Size) < abs(best.size-f.Size) {
			best = &faces[i]
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// glyph returns the letter for r, or a question mark.
func (f *face) glyph(r rune) *Glyph {
	if r >= ' ' && r < 127 {
		return &f.usual[r]
	}
	for i, o := range f.others {
		if o == r {
			return &f.rare[i]
		}
	}
	return &f.usual['?']
}

// Width returns how wide a text is, in pixels.
func (f Font) Width(s string) float32 {
	face, w := f.find(), 0
	for _, r := range s {
		w += face.glyph(r).Advance
	}
	return float32(w) / 64
}

// Ascent returns how far a capital's cell reaches above the baseline, Height
// the distance from one line to the next, in pixels.
func (f Font) Ascent() float32 { return float32(f.find().ascent) / 64 }

// Height returns the distance from one line to the next, in pixels.
func (f Font) Height() float32 {
	face := f.find()
	return float32(face.ascent+face.descent) / 64
}

// Lay calls put for each letter of s with where its box's top left corner
// goes, in whole pixels, for a text whose baseline begins at x, y.
func (f Font) Lay(x, y float32, s string, put func(g *Glyph, x, y int)) {
	face := f.find()
	pen, base := int(x*64), int(y+0.5)
	for _, r := range s {
		g := face.glyph(r)
		if !g.Box.Empty() {
			put(g, (pen+32)>>6+g.Dx, base+g.Dy)
		}
		pen += g.Advance
	}
}

// Fit returns s, or as much of its beginning as is at most width pixels wide
// with three dots after it.
func (f Font) Fit(s string, width float32) string {
	if f.Width(s) <= width {
		return s
	}
	r := []rune(s)
	for n := len(r) - 1; n > 0; n-- {
		if t := strings.TrimRight(string(r[:n]), " ") + "…"; f.Width(t) <= width {
			return t
		}
	}
	return ""
}
