package video

import (
	"image"
	"testing"
)

// TestConvert compares converted pixels with the plain formula, in pictures of which no side is a multiple of eight.
func TestConvert(t *testing.T) {
	const w, h = 38, 6
	im := image.NewRGBA(image.Rect(0, 0, w, h))
	seed := uint32(1)
	for round := range 40 {
		for i := range im.Pix {
			seed = seed*1664525 + 1013904223
			if im.Pix[i] = byte(seed >> 24); round%2 == 0 { // extremes
				im.Pix[i] = byte(int32(seed) >> 31)
			}
		}
		for _, m := range []*colorMatrix{&bt601, &bt709} {
			var y [w * h]byte
			var u, v [w * h / 4]byte
			m.convert(y[:], u[:], v[:], im)
			for j := range h {
				for i := range w {
					var one, four [3]int32
					for k := range one {
						one[k] = int32(im.Pix[im.PixOffset(i, j)+k])
						for _, p := range [4]image.Point{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
							four[k] += int32(im.Pix[im.PixOffset(i&^1+p.X, j&^1+p.Y)+k])
						}
					}
					dot := func(a, b [3]int32) int32 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
					got := [3]byte{y[j*w+i], u[j/2*w/2+i/2], v[j/2*w/2+i/2]}
					want := [3]byte{
						byte((dot(m.y, one) + 16<<16 + 1<<15) >> 16),
						byte((dot(m.u, four) + 512<<16 + 1<<17) >> 18), byte((dot(m.v, four) + 512<<16 + 1<<17) >> 18),
					}
					if got != want {
						t.Fatalf("pixel %d, %d becomes %d, want %d", i, j, got, want)
					}
				}
			}
		}
	}
}
