package vp8

// Modes of prediction from the pixels above and to the left.
const (
	predictDC = iota
	predictVertical
	predictHorizontal
	predictTrueMotion
	intraModes
)

// intraAllowed reports whether a mode is used at a macroblock. Beyond the picture's edge, true motion would
// depend on constants alone.
func intraAllowed(mode uint8, mbX, mbY int) bool {
	return mode != predictTrueMotion || mbX > 0 && mbY > 0
}

// predictIntra predicts n times n pixels at x, y of a plane from those around them. Beyond the picture's edge these
// are 127 above and 129 to the left.
func predictIntra(p *plane, x, y, n int, mode uint8, dst []byte, stride int) {
	at := p.at(x, y)
	above := p.pix[at-p.stride:][:n]
	switch mode {
	case predictDC:
		sum, count := 0, 0
		if y > 0 {
			for _, v := range above {
				sum += int(v)
			}
			count += n
		}
		if x > 0 {
			for j := range n {
				sum += int(p.pix[at+j*p.stride-1])
			}
			count += n
		}
		value := byte(128)
		if count > 0 {
			value = byte((sum + count/2) / count)
		}
		for j := range n {
			fill(dst[j*stride:][:n], value)
		}
	case predictVertical:
		for j := range n {
			if y > 0 {
				copy(dst[j*stride:][:n], above)
			} else {
				fill(dst[j*stride:][:n], 127)
			}
		}
	case predictHorizontal:
		for j := range n {
			value := byte(129)
			if x > 0 {
				value = p.pix[at+j*p.stride-1]
			}
			fill(dst[j*stride:][:n], value)
		}
	case predictTrueMotion:
		corner := int32(p.pix[at-p.stride-1])
		for j := range n {
			left := int32(p.pix[at+j*p.stride-1]) - corner
			d := dst[j*stride:][:n]
			for i := range d {
				d[i] = clamp8(left + int32(above[i]))
			}
		}
	}
}
