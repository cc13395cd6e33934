package raster

import (
	"image"
	"math/bits"
)

// Cells divide the shadow map into squares of cellSize texels along a side.
const (
	cellSize     = 4
	cellsPerSide = shadowMapSize / cellSize
	wordsPerRow  = cellsPerSide / 64
)

// cellSet is a set of cells of the shadow map, a bit each. None beyond the map is in it.
type cellSet [cellsPerSide][wordsPerRow]uint64

// rangeMask returns the bits [from, to) of a word, which lie in [0, 64].
func rangeMask(from, to int) uint64 { return ^uint64(0) << from &^ (^uint64(0) << to) }

// add adds the cells [from, to) of a row.
func (s *cellSet) add(row, from, to int) {
	for w := from / 64; w*64 < to; w++ {
		s[row][w] |= rangeMask(max(from-w*64, 0), min(to-w*64, 64))
	}
}

// has reports whether a cell is in s.
func (s *cellSet) has(x, y int) bool { return s[y][x/64]>>(x%64)&1 != 0 }

// count returns the number of cells in a rectangle.
func (s *cellSet) count(r image.Rectangle) (n int) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for w := r.Min.X / 64; w*64 < r.Max.X; w++ {
			n += bits.OnesCount64(s[y][w] & rangeMask(max(r.Min.X-w*64, 0), min(r.Max.X-w*64, 64)))
		}
	}
	return n
}

// spread makes s the cells that are in from or have a neighbour in it.
func (s *cellSet) spread(from *cellSet) {
	s.combine(from, func(a, b, c uint64) uint64 { return a | b | c })
}

// shrink makes s the cells that are in from together with all their neighbours.
func (s *cellSet) shrink(from *cellSet) {
	s.combine(from, func(a, b, c uint64) uint64 { return a & b & c })
}

// combine makes s the combination of each cell of from with its neighbours, first along rows, then across them.
func (s *cellSet) combine(from *cellSet, f func(a, b, c uint64) uint64) {
	var none, above, here, below [wordsPerRow]uint64
	along := func(row *[wordsPerRow]uint64) (r [wordsPerRow]uint64) {
		for w, cells := range row {
			left, right := cells<<1, cells>>1
			if w > 0 {
				left |= row[w-1] >> 63
			}
			if w+1 < wordsPerRow {
				right |= row[w+1] << 63
			}
			r[w] = f(left, cells, right)
		}
		return r
	}
	below = along(&from[0])
	for y := range s {
		above, here, below = here, below, none
		if y+1 < cellsPerSide {
			below = along(&from[y+1])
		}
		for w := range s[y] {
			s[y][w] = f(above[w], here[w], below[w])
		}
	}
}
