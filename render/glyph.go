package render

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"
	"sync"
	"unicode/utf8"

	"ghostcube/assets"
)

// Font selects a face and a size of the font atlas, which is the same on every machine.
type Font struct {
	Bold bool
	Size int // pixels per em; the nearest size in the atlas is used
}

// Glyph is a letter in the font atlas.
type Glyph struct {
	Bounds           image.Rectangle // in the atlas
	OffsetX, OffsetY int             // from the pen to the top left corner of the letter's rectangle, pixels
	Advance          int             // from this pen position to the next, 1/64 pixels
}

// face is the letters of one font.
type face struct {
	size            int // pixels per em
	ascent, descent int // 1/64 pixels
	ascii           [128]Glyph
	otherRunes      []rune
	otherGlyphs     []Glyph // by index in otherRunes
}

// fontAtlas is all faces and the picture of their letters.
type fontAtlas struct {
	pixels *image.Gray
	faces  [2][]face // plain and bold, by size
}

// loadFontAtlas reads the font assets once. They are built in, so a mistake in them is a panic.
var loadFontAtlas = sync.OnceValue(func() *fontAtlas {
	l := &fontAtlas{}
	im, err := png.Decode(bytes.NewReader(assets.FontImage))
	if err != nil {
		panic("render: font image: " + err.Error())
	}
	l.pixels = im.(*image.Gray)
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
		if _, err := fmt.Sscan(line, &r, &x, &y, &w, &h, &g.OffsetX, &g.OffsetY, &g.Advance); err != nil {
			panic("render: font table: " + err.Error())
		}
		g.Bounds = image.Rect(x, y, x+w, y+h)
		if r < 128 {
			f.ascii[r] = g
		} else {
			f.otherRunes, f.otherGlyphs = append(f.otherRunes, r), append(f.otherGlyphs, g)
		}
	}
	return l
})

// Atlas returns the coverage of every pixel by the letter in it.
func Atlas() *image.Gray { return loadFontAtlas().pixels }

// face returns the face of the nearest size.
func (f Font) face() *face {
	which := 0
	if f.Bold {
		which = 1
	}
	faces := loadFontAtlas().faces[which]
	best := &faces[0]
	for i := range faces {
		if abs(faces[i].size-f.Size) < abs(best.size-f.Size) {
			best = &faces[i]
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// glyph returns the letter for r, or a question mark where the atlas has none.
func (f *face) glyph(r rune) *Glyph {
	if r >= ' ' && r < 127 {
		return &f.ascii[r]
	}
	for i, o := range f.otherRunes {
		if o == r {
			return &f.otherGlyphs[i]
		}
	}
	return &f.ascii['?']
}

// Width returns the width of a text in pixels.
func (f Font) Width(s string) float32 {
	face, w := f.face(), 0
	for _, r := range s {
		w += face.glyph(r).Advance
	}
	return float32(w) / 64
}

// Ascent returns the distance from the baseline to the top of a line, in pixels.
func (f Font) Ascent() float32 { return float32(f.face().ascent) / 64 }

// Height returns the distance between two lines, in pixels.
func (f Font) Height() float32 {
	face := f.face()
	return float32(face.ascent+face.descent) / 64
}

// Layout calls put for each visible letter of a text whose baseline begins at x, y, with the place of
// the letter's top left corner in whole pixels.
func (f Font) Layout(x, y float32, s string, put func(g *Glyph, x, y int)) {
	face := f.face()
	pen, base := int(x*64), int(y+0.5)
	for _, r := range s {
		g := face.glyph(r)
		if !g.Bounds.Empty() {
			put(g, (pen+32)>>6+g.OffsetX, base+g.OffsetY)
		}
		pen += g.Advance
	}
}

// Wrap joins words to lines of at most a width in pixels, with a separator between two words of a line. A
// word that is wider has its own line.
func (f Font) Wrap(words []string, separator string, width float32) (lines []string) {
	for _, w := range words {
		if last := len(lines) - 1; last >= 0 {
			if line := lines[last] + separator + w; f.Width(line) <= width {
				lines[last] = line
				continue
			}
		}
		lines = append(lines, w)
	}
	return lines
}

// Truncate returns s, or its longest beginning that fits into width pixels with an ellipsis. Where not
// even one letter fits it returns an empty text.
func (f Font) Truncate(s string, width float32) string {
	kept := f.Fit(s, width)
	if kept == s || kept == "" {
		return kept
	}
	return kept + Ellipsis
}

// Ellipsis ends a text that was cut.
const Ellipsis = "…"

// Fit returns s, or its longest beginning that fits into width pixels together with an ellipsis. Where not even one
// letter fits it returns an empty text.
func (f Font) Fit(s string, width float32) string {
	if f.Width(s) <= width {
		return s
	}
	face, end, pen := f.face(), 0, 0
	limit := float32(width*64) - float32(f.Width(Ellipsis)*64)
	for i, r := range s {
		if pen += face.glyph(r).Advance; float32(pen) > limit {
			break
		}
		if r != ' ' {
			end = i + utf8.RuneLen(r)
		}
	}
	return s[:end]
}

// Break returns the words of a text that fit into a line of a width in pixels, at least one, and the rest. Words are
// separated by a text, such as a space.
func (f Font) Break(s, separator string, width float32) (line, rest string) {
	end := -1 // of the words that fit
	for from := 0; ; {
		k := strings.Index(s[from:], separator)
		if k < 0 {
			if end < 0 || f.Width(s) <= width {
				return s, ""
			}
			break
		}
		if end >= 0 && f.Width(s[:from+k]) > width {
			break
		}
		end = from + k
		from = end + len(separator)
	}
	return s[:end], s[end+len(separator):]
}
