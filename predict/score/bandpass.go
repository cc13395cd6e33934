package score

import "ghostcube/sim/geom"

// The band of speed changes that are most visible, around 3 Hz.
const (
	bandLow  = 1 // Hz
	bandHigh = 6 // Hz
)

const (
	pi    = 3.141592653589793
	root2 = 1.4142135623730951
)

// bandPass passes the frequencies from bandLow to bandHigh: a second-order Butterworth high-pass
// followed by a second-order low-pass, both by the bilinear transform with prewarped corner
// frequency (the textbook forms). Both ends of the band are the half-power points. Where the rate
// is too low for the upper end there is no low-pass.
type bandPass struct {
	high, low biquad
}

// biquad is a second-order filter section.
type biquad struct {
	b0, b1, b2, a1, a2 float64
	x1, x2, y1, y2     float64 // inputs and outputs one and two ticks ago
	tuned              bool
}

// filter filters the next sample.
func (b *bandPass) filter(x float64, rate int) float64 {
	if !b.high.tuned {
		b.high.tune(bandLow, rate, true)
		// The signal is assumed constant before its first sample, so the output starts at zero.
		b.high.x1, b.high.x2 = x, x
		if rate > 2*bandHigh {
			b.low.tune(bandHigh, rate, false)
		}
	}
	x = b.high.filter(x)
	if b.low.tuned {
		x = b.low.filter(x)
	}
	return x
}

// tune makes the section a high-pass or a low-pass with a corner frequency in Hz.
func (s *biquad) tune(hz float64, rate int, high bool) {
	angle := float32(float64(hz*pi) / float64(rate))
	k := float64(geom.Sin(angle)) / float64(geom.Cos(angle))
	k2 := float64(k * k)
	norm := 1 / (1 + float64(root2*k) + k2)
	s.b0 = float64(k2 * norm)
	s.b1 = 2 * s.b0
	if high {
		s.b0, s.b1 = norm, -2*norm
	}
	s.b2 = s.b0
	s.a1 = float64(2 * float64((k2-1)*norm))
	s.a2 = float64((1 - float64(root2*k) + k2) * norm)
	s.tuned = true
}

func (s *biquad) filter(x float64) float64 {
	y := float64(s.b0*x) + float64(s.b1*s.x1) + float64(s.b2*s.x2) - float64(s.a1*s.y1) - float64(s.a2*s.y2)
	s.x2, s.x1, s.y2, s.y1 = s.x1, x, s.y1, y
	return y
}
