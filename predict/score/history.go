package score

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// historyTicksMin and historySeconds are how many ticks of the server's positions are remembered,
// whichever is more: 2.1 s at 60 Hz, 1.4 MB for 901 bodies.
const (
	historyTicksMin = 128 // ticks
	historySeconds  = 2
)

// positionHistory is a ring of the positions of all server bodies in the last ticks.
type positionHistory struct {
	positions []geom.Vec3 // metres; one row of bodies a tick, at tick modulo the number of rows
	ticks     []sim.Tick  // tick of each row plus one; 0 if the row is empty
}

// start returns the row of a tick that is over, to be filled with n positions.
func (p *positionHistory) start(t sim.Tick, n, rate int) []geom.Vec3 {
	if rows := max(historyTicksMin, historySeconds*rate); len(p.ticks) != rows || len(p.positions) != n*rows {
		*p = positionHistory{positions: make([]geom.Vec3, n*rows), ticks: make([]sim.Tick, rows)}
	}
	p.ticks[t%sim.Tick(len(p.ticks))] = t + 1
	return p.row(t, n)
}

// at returns the row of a tick, or nil if the tick is forgotten or still to come. The row is
// read-only.
func (p *positionHistory) at(t sim.Tick, n int) []geom.Vec3 {
	if len(p.ticks) == 0 || p.ticks[t%sim.Tick(len(p.ticks))] != t+1 {
		return nil
	}
	return p.row(t, n)
}

func (p *positionHistory) row(t sim.Tick, n int) []geom.Vec3 {
	at := int(t%sim.Tick(len(p.ticks))) * n
	return p.positions[at : at+n]
}

// positionsAt are the positions at a moment. Between two ticks they are interpolated.
type positionsAt struct {
	known         bool
	before, after []geom.Vec3 // rows of the ticks around the moment; after is unused at a tick
	share         float32     // of the tick that is over, in [0, 1)
}

// moment returns the positions at a moment. They are not known if a tick around it is forgotten or
// still to come.
func (p *positionHistory) moment(m sim.Moment, n int) (s positionsAt) {
	if m < 0 {
		return s
	}
	s.share, s.before = shareOfTick(m), p.at(m.Tick(), n)
	s.known = s.before != nil
	if s.share > 0 {
		s.after = p.at(m.Tick()+1, n)
		s.known = s.known && s.after != nil
	}
	return s
}

// ServerPositions are the server's positions of all bodies at a moment of the last two seconds, at least 128 ticks.
type ServerPositions struct{ at positionsAt }

// ServerPositions returns the server's positions at a moment, interpolated between two ticks. ok is false for a
// moment that is forgotten or still to come. They are valid until the next Add.
func (s *Score) ServerPositions(m sim.Moment) (p ServerPositions, ok bool) {
	p.at = s.bodies.history.moment(m, len(s.bodies.tracks))
	return p, p.at.known
}

// Len returns the number of bodies.
func (p *ServerPositions) Len() int { return len(p.at.before) }

// Of returns the position of a body in [0, Len()), in metres.
func (p *ServerPositions) Of(body int) geom.Vec3 { return p.at.position(body) }

// shareOfTick returns the share of its tick that is over at a moment of a tick or later.
func shareOfTick(m sim.Moment) float32 {
	return float32(m-m.Tick().Moment()) / sim.MomentsPerTick
}

// position returns the position of a body in metres.
func (p *positionsAt) position(body int) geom.Vec3 {
	at := p.before[body]
	if p.share == 0 {
		return at
	}
	return at.AddScaled(p.share, p.after[body].Sub(at))
}

func (p *positionHistory) copyFrom(o *positionHistory) {
	p.positions, p.ticks = append(p.positions[:0], o.positions...), append(p.ticks[:0], o.ticks...)
}
