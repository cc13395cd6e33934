package score

import (
	"math"

	"ghostcube/sim/geom"
)

// The spectral arc length is that of Balasubramanian, Melendez-Calderon and Burdet (2012) with the
// threshold of Balasubramanian et al. (2015): minus the length of the curve of the normalised speed
// spectrum, from 0 Hz to the last frequency whose magnitude is at least a twentieth of that at 0
// Hz. They measure one movement that begins and ends at rest. Here a session is cut into windows of
// two seconds, each faded in and out (Hann), which makes such movements of them.
const (
	arcWindow       = 2    // seconds of a window
	arcPadding      = 4    // zero padding: spectrum samples per frequency that the window resolves
	arcMaxHz        = 10   // Hz
	arcMagnitudeMin = 0.05 // magnitude relative to that at 0 Hz
	arcSpeedMin     = 0.5  // m/s; a window with a smaller mean speed does not count
)

// spectralArc measures one motion, window by window.
type spectralArc struct {
	speeds  []float64 // m/s, of the current window
	cosines []float64 // one period at the resolution of the spectrum; immutable once set
	sum     float64   // arc lengths of the windows that count
	count   int       // windows that count
}

// add adds a speed in m/s.
func (a *spectralArc) add(speed float64, rate int) {
	n := arcWindow * rate
	if a.speeds == nil {
		a.speeds = make([]float64, 0, n)
		a.cosines = make([]float64, n*arcPadding)
		for i := range a.cosines {
			a.cosines[i] = float64(geom.Cos(float32(2 * pi * float64(i) / float64(len(a.cosines)))))
		}
	}
	a.speeds = append(a.speeds, speed)
	if len(a.speeds) < n {
		return
	}
	mean := 0.0
	for i, v := range a.speeds {
		mean += v / float64(n)
		a.speeds[i] = float64(v * (1 - a.cosines[i*arcPadding])) // Hann window
	}
	if mean >= arcSpeedMin {
		a.sum += a.length()
		a.count++
	}
	a.speeds = a.speeds[:0]
}

// length returns the arc length of the speeds, negative.
func (a *spectralArc) length() float64 {
	var spectrum [arcMaxHz*arcWindow*arcPadding + 1]float64
	top := min(len(spectrum), len(a.cosines)/2+1) // up to half the rate
	last := 0
	for k := range top {
		spectrum[k] = a.magnitude(k)
		if spectrum[k] >= arcMagnitudeMin*spectrum[0] {
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

// magnitude returns the magnitude of the speeds' spectrum at k/(arcWindow*arcPadding) Hz.
func (a *spectralArc) magnitude(k int) float64 {
	n := len(a.cosines)
	re, im := 0.0, 0.0
	phase := 0
	for _, v := range a.speeds {
		re += float64(v * a.cosines[phase])
		quarter := phase + n/4
		if quarter >= n {
			quarter -= n
		}
		im += float64(v * a.cosines[quarter])
		if phase += k; phase >= n {
			phase -= n
		}
	}
	return math.Sqrt(float64(re*re) + float64(im*im))
}

// mean returns the mean arc length of the windows that count. ok is false if there are none.
func (a *spectralArc) mean() (length float64, ok bool) {
	return a.sum / float64(max(a.count, 1)), a.count > 0
}

func (a *spectralArc) copyFrom(o *spectralArc) {
	speeds := append(a.speeds[:0], o.speeds...)
	*a = *o
	a.speeds = speeds
}
