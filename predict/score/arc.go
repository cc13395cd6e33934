package score

import (
	"math"

	"ghostcube/sim/geom"
)

// The spectral arc length is that of Balasubramanian, Melendez-Calderon and
// Burdet (2012) with the threshold of Balasubramanian et al. (2015): the length of
// the curve of a speed's spectrum, from 0 up to the last frequency at which it has
// a twentieth of what it has at 0, and negative. Theirs is of one movement that
// begins and ends at rest; a session is cut into windows of two seconds here,
// faded in and out (Hann), which makes such movements of them.
const (
	arcOver  = 2    // seconds of a window
	arcFine  = 4    // steps of the spectrum for each that the window resolves
	arcTop   = 10   // Hz
	arcLeast = 0.05 // of the spectrum at 0
	arcMoves = 0.5  // m/s; the mean speed from which on a window counts
)

// arcs takes the arc length of one motion, window by window.
type arcs struct {
	speeds []float64 // of the window up to now
	turn   []float64 // cosines of a whole turn, in as many steps as the spectrum needs; never written again
	sum    float64
	count  int
}

// take adds a speed in m/s.
func (a *arcs) take(speed float64, rate int) {
	n := arcOver * rate
	if a.speeds == nil {
		a.speeds = make([]float64, 0, n)
		a.turn = make([]float64, n*arcFine)
		for i := range a.turn {
			a.turn[i] = float64(geom.Cos(float32(2 * pi * float64(i) / float64(len(a.turn)))))
		}
	}
	a.speeds = append(a.speeds, speed)
	if len(a.speeds) < n {
		return
	}
	mean := 0.0
	for i, v := range a.speeds {
		mean += v / float64(n)
		a.speeds[i] = float64(v * (1 - a.turn[i*arcFine])) // faded
	}
	if mean >= arcMoves {
		a.sum += a.length()
		a.count++
	}
	a.speeds = a.speeds[:0]
}

// length returns the arc length of the speeds, below 0.
func (a *arcs) length() float64 {
	var spectrum [arcTop*arcOver*arcFine + 1]float64
	top := min(len(spectrum), len(a.turn)/2+1) // half the rate
	last := 0
	for k := range top {
		spectrum[k] = a.part(k)
		if spectrum[k] >= arcLeast*spectrum[0] {
			last = k
		}
	}
	length := 0.0
	for k := 1; k <= last; k++ {
		across := 1 / float64(last)
		down := (spectrum[k] - spectrum[k-1]) / spectrum[0]
		length += math.Sqrt(float64(across*across) + float64(down*down))
	}
	return -length
}

// part returns how much of frequency k/(arcFine*arcOver) Hz the speeds have.
func (a *arcs) part(k int) float64 {
	n := len(a.turn)
	re, im := 0.0, 0.0
	at := 0
	for _, v := range a.speeds {
		re += float64(v * a.turn[at])
		quarter := at + n/4
		if quarter >= n {
			quarter -= n
		}
		im += float64(v * a.turn[quarter])
		if at += k; at >= n {
			at -= n
		}
	}
	return math.Sqrt(float64(re*re) + float64(im*im))
}

// mean returns the mean arc length of the windows that count. ok is false if
// there are none.
func (a *arcs) mean() (length float64, ok bool) { return a.sum / float64(max(a.count, 1)), a.count > 0 }

func (a *arcs) copyFrom(o *arcs) {
	speeds := append(a.speeds[:0], o.speeds...)
	*a = *o
	a.speeds = speeds
}
