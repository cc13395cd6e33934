package score

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// historyTicks is how many ticks of the server's positions are remembered: 2.1 s at 60 Hz, 1.4 MB
// for 901 bodies.
const historyTicks = 128

// positionHistory is a ring of the positions of all server bodies in the last ticks.
type positionHistory struct {
	positions []geom.Vec3            // metres; one row of bodies a tick, at tick modulo historyTicks
	ticks     [historyTicks]sim.Tick // tick of each row plus one; 0 if the row is empty
}

// start returns the row of a tick that is over, to be filled with n positions.
func (p *positionHistory) start(t sim.Tick, n int) []geom.Vec3 {
	if len(p.positions) != n*historyTicks {
		*p = positionHistory{positions: make([]geom.Vec3, n*historyTicks)}
	}
	p.ticks[t%historyTicks] = t + 1
	return p.slot(t, n)
}

// at returns the row of a tick, or nil if the tick is forgotten or still to come. The row is
// read-only.
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
	positions := append(p.positions[:0], o.positions...)
	*p = *o
	p.positions = positions
}

// pathErrors accumulates distances from drawn bodies to the server's bodies at the tick that the
// view claims to show.
type pathErrors struct {
	count  int
	square float64 // m2, sum
	max    float32 // m2
}

func (l *pathErrors) add(drawn, server geom.Vec3) {
	d := drawn.Sub(server).LenSq()
	l.count++
	l.square += float64(d)
	l.max = max(l.max, d)
}
