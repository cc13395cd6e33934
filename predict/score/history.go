package score

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// historyTicks is for how many ticks it is remembered where the true bodies were:
// 2.1 s at 60 a second, and 1.4 MB of 901 bodies.
const historyTicks = 128

// positionHistory is where all true bodies were in the last ticks.
type positionHistory struct {
	positions []geom.Vec3            // metres, a row for each tick, by the tick modulo pastKept
	ticks     [historyTicks]sim.Tick // of the rows, and one more; 0: there is none
}

// start returns the row of a tick that is over, to be filled with n places.
func (p *positionHistory) start(t sim.Tick, n int) []geom.Vec3 {
	if len(p.positions) != n*historyTicks {
		*p = positionHistory{positions: make([]geom.Vec3, n*historyTicks)}
	}
	p.ticks[t%historyTicks] = t + 1
	return p.slot(t, n)
}

// at returns the row of a tick, or nil if it is not remembered or still to come.
func (p *positionHistory) at(t sim.Tick, n int) []geom.Vec3 {
	if p.ticks[t%historyTicks] != t+1 {
		return nil
	}
	return p.slot(t, n)
}

func (p *positionHistory) slot(t sim.Tick, n int) []geom.Vec3 {
	at := int(t%historyTicks) * n
	return p.positions[at : at+n]
}

func (p *positionHistory) copyFrom(o *positionHistory) {
	places := append(p.positions[:0], o.positions...)
	*p = *o
	p.positions = places
}

// pathErrors is how far the drawn bodies are from where the true ones were at the
// tick that the picture claims to show.
type pathErrors struct {
	count  int
	square float64 // m2, sum
	max    float32 // m2
}

func (l *pathErrors) add(drawn, truth geom.Vec3) {
	d := drawn.Sub(truth).LenSq()
	l.count++
	l.square += float64(d)
	l.max = max(l.max, d)
}
