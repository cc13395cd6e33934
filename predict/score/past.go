package score

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// pastKept is for how many ticks it is remembered where the true bodies were:
// 2.1 s at 60 a second, and 1.4 MB of 901 bodies.
const pastKept = 128

// past is where all true bodies were in the last ticks.
type past struct {
	places []geom.Vec3        // metres, a row for each tick, by the tick modulo pastKept
	ticks  [pastKept]sim.Tick // of the rows, and one more; 0: there is none
}

// row returns the row of a tick that is over, to be filled with n places.
func (p *past) row(t sim.Tick, n int) []geom.Vec3 {
	if len(p.places) != n*pastKept {
		*p = past{places: make([]geom.Vec3, n*pastKept)}
	}
	p.ticks[t%pastKept] = t + 1
	return p.slot(t, n)
}

// at returns the row of a tick, or nil if it is not remembered or still to come.
func (p *past) at(t sim.Tick, n int) []geom.Vec3 {
	if p.ticks[t%pastKept] != t+1 {
		return nil
	}
	return p.slot(t, n)
}

func (p *past) slot(t sim.Tick, n int) []geom.Vec3 {
	at := int(t%pastKept) * n
	return p.places[at : at+n]
}

func (p *past) copyFrom(o *past) {
	places := append(p.places[:0], o.places...)
	*p = *o
	p.places = places
}

// labelled is how far the drawn bodies are from where the true ones were at the
// tick that the picture claims to show.
type labelled struct {
	count  int
	square float64 // m2, sum
	most   float32 // m2
}

func (l *labelled) add(drawn, truth geom.Vec3) {
	d := drawn.Sub(truth).Len2()
	l.count++
	l.square += float64(d)
	l.most = max(l.most, d)
}
