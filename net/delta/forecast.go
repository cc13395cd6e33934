package delta

import (
	"math"

	"ghostcube/sim/geom"
)

// forecast is where and how a cube is expected if its motion from the older frame
// to the base goes on until now. Without a motion that is the base.
type forecast struct {
	moving bool
	from   geom.Vec3 // the base's position, in metres
	way    geom.Vec3 // from there to where it is expected
	turn   geom.Vec3 // axis and angle from the base's rotation, in radians
	rot    geom.Quat // the base's
}

// ahead returns the forecast of cube i.
func (p *Past) ahead(i int) (f forecast) {
	b := &p.Base[i]
	f.from, f.rot = b.Position(), b.Rotation()
	if p.Older == nil || p.Older[i] == *b {
		return f
	}
	o := &p.Older[i]
	share := float32(p.Since) / float32(p.Apart)
	f.moving = true
	f.way = f.from.Sub(o.Position()).Scale(share)
	f.turn = turnOf(f.rot.Mul(o.Rotation().Inverse())).Scale(share)
	return f
}

// turnOf returns axis and angle of a rotation, the short way round, as they are
// for small ones: up to a tenth of a turn they are off by 1.6 %.
func turnOf(q geom.Quat) geom.Vec3 {
	if q.W < 0 {
		q = q.Neg()
	}
	return geom.Vec3{X: 2 * q.X, Y: 2 * q.Y, Z: 2 * q.Z}
}

// turnMost is the greatest angle that is forecast, in radians, where its sine
// stands for itself.
const turnMost = 1.8

// rotationOf is turnOf the other way. A turn by more than turnMost, or by what is
// no number, is none.
func rotationOf(turn geom.Vec3) geom.Quat {
	h := turn.Scale(0.5)
	l := h.Len2()
	if !(l <= turnMost*turnMost/4) {
		return geom.Identity
	}
	return geom.Quat{X: h.X, Y: h.Y, Z: h.Z, W: geom.Sqrt(1 - l)}
}

// swarm is what is known of the motion that the cubes in the player's hands
// share: a ball of them rolls, and what one does the others do. What each cube
// does beyond its forecast is fitted, by least squares, with
//
//	a push and a turn that all share, about the player's cube
//	the pull inwards that goes with the ball's turn before
//	how much of its own motion, beyond the ball's, lasts
//	how much of what it did beyond its forecast at the base comes again
//
// and each cube that is coded adds its equations: so the first ones pay for what
// the later ones need not say.
type swarm struct {
	centre geom.Vec3
	ball   fit // the motion from the older frame to the base, continued
	turn   geom.Vec3
	now    fit // what cubes do beyond their forecasts
}

// Weights of least squares: of what is held true before anything was seen, in
// equations of a cube's motion; and how much less a rotation's equations count.
const (
	priorWeight = 2e-3
	keptWeight  = 0.1 // of the coefficients that the base's frame ended with
	turnWeight  = 0.05
)

// begin fits the motion of the past. kept are the coefficients to begin with.
func (s *swarm) begin(p *Past, kept *[terms]float64) {
	s.centre = p.Base[0].Position()
	s.ball, s.now = fit{}, fit{}
	for i := range terms {
		s.ball.expect(i, 0, 1e-3)
		if i < shared {
			s.now.expect(i, 0, priorWeight)
		} else {
			s.now.expect(i, kept[i], priorWeight+keptWeight)
		}
	}
	for i := range p.Base {
		if !p.Base[i].Touched {
			continue
		}
		if f := p.ahead(i); f.moving {
			s.ball.add(places(f.from.Sub(s.centre)), f.way, 1)
			s.ball.add(turns(), f.turn, turnWeight)
		}
	}
	_, s.turn = s.ball.motion()
}

// member is a cube of the swarm: its equations.
type member struct {
	place, turn rows
	stray       float32 // m and rad; how far its forecast is from the ball's motion
	strayTurn   float32
}

// member returns a cube's equations. before is what it did at the base.
func (s *swarm) member(f *forecast, before *missed) (m member) {
	d := f.from.Sub(s.centre)
	own := f.way.Sub(s.ball.of(places(d)))
	spin := f.turn.Sub(s.turn)
	inwards := s.turn.Cross(s.turn.Cross(d)).Scale(0.5)
	m.place = places(d, inwards, own, before.way)
	m.turn = turns(spin, before.turn)
	m.stray, m.strayTurn = own.Len(), spin.Len()
	return m
}

// places are the equations of a motion at a distance from the centre, with what
// else has a part in it.
func places(d geom.Vec3, parts ...geom.Vec3) (r rows) {
	x, y, z := float64(d.X), float64(d.Y), float64(d.Z)
	r = rows{{1, 0, 0, 0, z, -y}, {0, 1, 0, -z, 0, x}, {0, 0, 1, y, -x, 0}}
	r.put(shared, parts)
	return r
}

// turns are those of a turn.
func turns(parts ...geom.Vec3) (r rows) {
	r = rows{{3: 1}, {4: 1}, {5: 1}}
	r.put(shared+3, parts)
	return r
}

func (r *rows) put(first int, parts []geom.Vec3) {
	for k, v := range parts {
		r[0][first+k], r[1][first+k], r[2][first+k] = float64(v.X), float64(v.Y), float64(v.Z)
	}
}

// steps returns a length as whole steps of the grid, at most as many as it has.
func steps(metres float32) int32 {
	n := math.Floor(float64(float64(metres)*StepsPerMetre) + 0.5)
	if !(n >= -1<<18 && n <= 1<<18) {
		return 0
	}
	return int32(n)
}
