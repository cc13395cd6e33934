package video

import (
	"bytes"
	"compress/lzw"
	"errors"
	"image"
	"sync"

	"ghostcube/internal/atomicfile"
	"ghostcube/render"
)

// gifWriter streams an animated GIF with one fixed palette. Of each picture it writes the smallest rectangle
// that contains all changes, with unchanged pixels transparent. After every picture the file is a whole GIF.
type gifWriter struct {
	file     *atomicfile.File
	size     int64 // of the file without its trailer
	frames   int   // in the file
	fps      int
	w, h     int
	delay    int // hundredths of a second
	previous []uint8
	scratch  []uint8
	first    bool
	err      error
}

// transparent is the index in the palette for an unchanged pixel.
const transparent = 255

func newGIF(f Format) (Writer, error) {
	file, err := f.create(f.File)
	if err != nil {
		return nil, err
	}
	g := &gifWriter{file: file, fps: f.FPS, w: f.W, h: f.H, delay: (100 + f.FPS/2) / f.FPS, first: true}
	g.previous = make([]uint8, f.W*f.H)
	g.scratch = make([]uint8, 0, f.W*f.H)
	head := []byte("GIF89a")
	head = append(head, byte(f.W), byte(f.W>>8), byte(f.H), byte(f.H>>8), 0xf7, 0, 0)
	for _, c := range palette() {
		head = append(head, c[0], c[1], c[2])
	}
	head = append(head, 0x21, 0xff, 11)
	head = append(head, "NETSCAPE2.0"...)
	head = append(head, 3, 1, 0, 0, 0) // repeat without end
	if g.append(head); g.err != nil {
		return nil, errors.Join(g.err, file.Discard())
	}
	return g, nil
}

// gifTrailer ends a GIF.
const gifTrailer = 0x3b

// append appends a part to the file and ends it there, or removes what was written of the part.
func (g *gifWriter) append(b []byte) {
	if _, g.err = g.file.WriteAt(append(b, gifTrailer), g.size); g.err != nil {
		g.file.Truncate(g.size) // if that fails, players ignore the part
		g.file.WriteAt([]byte{gifTrailer}, g.size)
		return
	}
	g.size += int64(len(b))
}

// Add appends a picture.
func (g *gifWriter) Add(im *image.RGBA) error {
	if g.err != nil {
		return g.err
	}
	table := nearestColor()
	x0, y0, x1, y1 := g.w, g.h, 0, 0
	now := g.scratch[:0]
	for y := range g.h {
		row := im.Pix[y*im.Stride:]
		for x := range g.w {
			c := table[uint(row[4*x])>>3<<10|uint(row[4*x+1])>>3<<5|uint(row[4*x+2])>>3]
			if g.first || c != g.previous[y*g.w+x] {
				x0, x1, y0, y1 = min(x0, x), max(x1, x+1), min(y0, y), max(y1, y+1)
			}
			now = append(now, c)
		}
	}
	if x0 >= x1 { // nothing changed, but a frame needs a pixel
		x0, y0, x1, y1 = 0, 0, 1, 1
	}
	// Pack the rectangle into the front of the scratch memory.
	n := 0
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			at := y*g.w + x
			c := now[at]
			if !g.first && c == g.previous[at] {
				now[n] = transparent
			} else {
				now[n], g.previous[at] = c, c
			}
			n++
		}
	}
	g.first = false
	return g.writeFrame(now[:n], x0, y0, x1-x0, y1-y0)
}

// writeFrame writes the blocks of a frame.
func (g *gifWriter) writeFrame(pixels []uint8, x, y, w, h int) error {
	var b bytes.Buffer
	z := lzw.NewWriter(&b, lzw.LSB, 8)
	_, err := z.Write(pixels)
	if g.err = errors.Join(err, z.Close()); g.err != nil {
		return g.err
	}
	out := []byte{0x21, 0xf9, 4, 1<<2 | 1, byte(g.delay), byte(g.delay >> 8), transparent, 0,
		0x2c, byte(x), byte(x >> 8), byte(y), byte(y >> 8), byte(w), byte(w >> 8), byte(h), byte(h >> 8), 0, 8}
	for data := b.Bytes(); len(data) > 0; {
		k := min(len(data), 255)
		out = append(append(out, byte(k)), data[:k]...)
		data = data[k:]
	}
	if g.append(append(out, 0)); g.err != nil {
		return unfinished(g.err, g.file, g.frames, g.fps)
	}
	g.frames++
	return nil
}

// Close ends the video.
func (g *gifWriter) Close() ([]*atomicfile.File, error) {
	if g.err == nil {
		return []*atomicfile.File{g.file}, nil
	}
	keep(g.file, g.frames > 0)
	return nil, nil // Add has returned the error
}

// palette returns 255 colours: long ramps for the colours of the scene, where shades lie close together, and
// a coarse cube for all others. The last entry is transparent.
func palette() (p [256][3]uint8) {
	n := 0
	add := func(r, g, b float32) {
		if n < transparent {
			c := render.RGB(r, g, b)
			p[n] = [3]uint8{c.R, c.G, c.B}
			n++
		}
	}
	ramp := func(count int, from, to [3]float32) {
		for i := range count {
			t := float32(i) / float32(count-1)
			add(from[0]+float32((to[0]-from[0])*t), from[1]+float32((to[1]-from[1])*t), from[2]+float32((to[2]-from[2])*t))
		}
	}
	// over is a ramp behind a ghost of a colour, at the ghost's centre and at its edges.
	over := func(count int, from, to, ghost [3]float32) {
		for _, share := range [...]float32{0.27, 0.46} {
			mix := func(c [3]float32) (m [3]float32) {
				for i := range m {
					m[i] = c[i] + float32((ghost[i]-c[i])*share)
				}
				return m
			}
			ramp(count, mix(from), mix(to))
		}
	}
	ground, horizon := [3]float32{0.20, 0.23, 0.27}, [3]float32{0.83, 0.88, 0.93}
	client, clientDark := [3]float32{1, 0.02, 0.02}, [3]float32{0.25, 0, 0}
	server, serverDark := [3]float32{1, 0.84, 0.20}, [3]float32{0.35, 0.28, 0.04}
	received := [3]float32{0.20, 0.50, 1}
	ramp(46, ground, horizon)
	ramp(12, render.HorizonColor, render.ZenithColor)
	ramp(16, [3]float32{0.30, 0.30, 0.33}, [3]float32{1, 1, 1}) // untouched cubes
	ramp(20, clientDark, client)
	ramp(16, serverDark, server)
	ramp(10, [3]float32{0.24, 0.10, 0.11}, [3]float32{0.95, 0.45, 0.46}) // cubes touched by the player, as the client draws them
	ramp(10, [3]float32{0.26, 0.23, 0.12}, [3]float32{1, 0.88, 0.52})    // and as the server does
	over(10, clientDark, client, server)
	over(10, clientDark, client, received)
	over(10, ground, horizon, server)
	over(10, ground, horizon, received)
	ramp(10, [3]float32{0.06, 0.07, 0.09}, [3]float32{0.24, 0.27, 0.31}) // panels
	for i := range 27 {
		add(float32(i%3)/2, float32(i/3%3)/2, float32(i/9)/2)
	}
	return p
}

// nearestColor maps a colour of five bits per component to the index of the nearest one in the palette.
var nearestColor = sync.OnceValue(func() *[1 << 15]uint8 {
	t := new([1 << 15]uint8)
	p := palette()
	for i := range t {
		r, g, b := i>>10<<3|4, i>>5&31<<3|4, i&31<<3|4
		nearest, minDistance := 0, 1<<30
		for k := range transparent {
			dr, dg, db := r-int(p[k][0]), g-int(p[k][1]), b-int(p[k][2])
			if d := 3*dr*dr + 4*dg*dg + 2*db*db; d < minDistance {
				nearest, minDistance = k, d
			}
		}
		t[i] = uint8(nearest)
	}
	return t
})
