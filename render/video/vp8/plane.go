package vp8

import (
	"bytes"
	"encoding/binary"
)

// border is the number of pixels around a plane that repeat its edges. A motion vector reaches at most 16
// pixels beyond the edge, and the filter between pixels three more.
const border = 32

// plane is one component of a picture.
type plane struct {
	pix    []byte
	stride int
	w, h   int // pixels without the border; multiples of a macroblock's size
}

func newPlane(w, h int) plane {
	stride := w + 2*border
	return plane{make([]byte, stride*(h+2*border)), stride, w, h}
}

// at returns the index of a pixel, which may lie in the border.
func (p *plane) at(x, y int) int { return (y+border)*p.stride + x + border }

// load copies a component of w times h pixels and repeats its edges up to the size of the plane.
func (p *plane) load(pix []byte, stride, w, h int) {
	for y := range p.h {
		row := p.pix[p.at(0, y):][:p.w]
		copy(row, pix[min(y, h-1)*stride:][:w])
		fill(row[w:], row[w-1])
	}
}

// extend repeats the edges into the border.
func (p *plane) extend() {
	for y := range p.h {
		row := p.pix[(y+border)*p.stride:][:p.stride]
		fill(row[:border], row[border])
		fill(row[border+p.w:], row[border+p.w-1])
	}
	top, bottom := p.pix[border*p.stride:][:p.stride], p.pix[(border+p.h-1)*p.stride:][:p.stride]
	for y := range border {
		copy(p.pix[y*p.stride:], top)
		copy(p.pix[(border+p.h+y)*p.stride:], bottom)
	}
}

func fill(b []byte, value byte) {
	for i := range b {
		b[i] = value
	}
}

// picture is a picture in BT.601 4:2:0, padded to whole macroblocks.
type picture struct{ y, u, v plane }

func newPicture(macroblocksX, macroblocksY int) *picture {
	w, h := 16*macroblocksX, 16*macroblocksY
	return &picture{newPlane(w, h), newPlane(w/2, h/2), newPlane(w/2, h/2)}
}

func (p *picture) extend() {
	p.y.extend()
	p.u.extend()
	p.v.extend()
}

// word returns eight pixels.
func word(pix []byte) uint64 { return binary.LittleEndian.Uint64(pix) }

func putWord(pix []byte, v uint64) { binary.LittleEndian.PutUint64(pix, v) }

// equalPixels reports whether n times n pixels at index i are the same in two planes of one size.
func equalPixels(a, b *plane, i, n int) bool {
	for range n {
		if !bytes.Equal(a.pix[i:i+n], b.pix[i:i+n]) {
			return false
		}
		i += a.stride
	}
	return true
}

// copyPixels copies n times n pixels between places of two planes.
func copyPixels(dst []byte, dstStride int, src []byte, srcStride, n int) {
	for y := range n {
		copy(dst[y*dstStride:][:n], src[y*srcStride:])
	}
}
