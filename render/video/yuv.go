package video

import "image"

// colorMatrix converts colours to luma and chroma in limited range, in 1/65536.
type colorMatrix struct {
	y, u, v [3]int32 // of red, green and blue
}

var (
	bt601 = colorMatrix{y: [3]int32{16829, 33039, 6416}, u: [3]int32{-9714, -19070, 28784}, v: [3]int32{28784, -24103, -4681}}
	bt709 = colorMatrix{y: [3]int32{11966, 40254, 4064}, u: [3]int32{-6596, -22189, 28784}, v: [3]int32{28784, -26145, -2639}}
)

// colorVectors are the factors of red, green, blue and again green of two pixels. The factor of green is split where it does
// not fit into 16 bits.
type colorVectors struct{ y, u, v [8]int16 }

// vectors returns the factors for eight pixels at a time.
func (m *colorMatrix) vectors() (v colorVectors) {
	half := m.y[1] / 2
	for i, c := range [4][3]int32{{m.y[0], m.u[0], m.v[0]}, {half, m.u[1], m.v[1]}, {m.y[2], m.u[2], m.v[2]}, {m.y[1] - half, 0, 0}} {
		for _, k := range [2]int{i, i + 4} {
			v.y[k], v.u[k], v.v[k] = int16(c[0]), int16(c[1]), int16(c[2])
		}
	}
	return v
}

// convert converts a picture with even sides to planes without gaps. Four pixels share the mean of their chroma.
func (m *colorMatrix) convert(y, u, v []byte, im *image.RGBA) {
	w, h := im.Rect.Dx(), im.Rect.Dy()
	groups, factors := 0, m.vectors()
	if hasVectors {
		groups = w / 8
	}
	yr, yg, yb := m.y[0], m.y[1], m.y[2]
	luma := func(p []byte) byte {
		return byte((yr*int32(p[0]) + yg*int32(p[1]) + yb*int32(p[2]) + 16<<16 + 1<<15) >> 16)
	}
	for j := 0; j < h; j += 2 {
		above, below := im.Pix[j*im.Stride:][:4*w], im.Pix[(j+1)*im.Stride:][:4*w]
		y0, y1 := y[j*w:][:w], y[(j+1)*w:][:w]
		u0, v0 := u[j/2*(w/2):][:w/2], v[j/2*(w/2):][:w/2]
		if groups > 0 {
			convertVectors(&y0[0], &y1[0], &u0[0], &v0[0], &above[0], &below[0], groups, &factors)
		}
		for i := 4 * groups; i < len(u0); i++ {
			a, b := above[8*i:][:8:8], below[8*i:][:8:8]
			y0[2*i], y0[2*i+1] = luma(a), luma(a[4:])
			y1[2*i], y1[2*i+1] = luma(b), luma(b[4:])
			r := int32(a[0]) + int32(a[4]) + int32(b[0]) + int32(b[4])
			g := int32(a[1]) + int32(a[5]) + int32(b[1]) + int32(b[5])
			bl := int32(a[2]) + int32(a[6]) + int32(b[2]) + int32(b[6])
			u0[i] = uint8((m.u[0]*r + m.u[1]*g + m.u[2]*bl + 4*128<<16 + 1<<17) >> 18)
			v0[i] = uint8((m.v[0]*r + m.v[1]*g + m.v[2]*bl + 4*128<<16 + 1<<17) >> 18)
		}
	}
}
