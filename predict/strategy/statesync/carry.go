package statesync

import (
	"ghostcube/net/quant"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// guess is what is expected of a body, piece by piece: what has been read of it
// helps to guess the rest.
type guess struct {
	carried bool     // by a player; else it moves on alone
	base    sim.Body // the state that is known
	now     sim.Body // carried: the player's
	seconds float32  // since the base

	pose  geom.Pose // where it is without any motion of its own, or alone
	drift geom.Vec3 // carried: its speed against the player's cube as if it were a part of it, m/s
	spin  geom.Vec3 // likewise, rad/s
	up    geom.Vec3 // carried: from the player to it
}

// alone is the guess that nothing touches a body and nothing pulls.
func alone(base *sim.Body, seconds float32) guess {
	a := ahead(base, seconds)
	return guess{base: *base, seconds: seconds, pose: a.Pose}
}

// carriedBy is the guess that a body is carried along with a player's cube, which
// was so then and is so now.
func carriedBy(base, then, now *sim.Body, seconds float32) guess {
	turn := now.Pose.Rot.Mul(then.Pose.Rot.Inverse())
	was := base.Pose.Pos.Sub(then.Pose.Pos)
	arm := turn.Rotate(was)
	return guess{
		carried: true, base: *base, now: *now, seconds: seconds,
		pose:  geom.Pose{Pos: now.Pose.Pos.Add(arm), Rot: turn.Mul(base.Pose.Rot).Unit()},
		drift: turn.Rotate(base.Linear.Sub(then.Linear).Sub(then.Angular.Cross(was))),
		spin:  turn.Rotate(base.Angular.Sub(then.Angular)),
		up:    arm.Unit(),
	}
}

// How the cubes of a katamari ball move in it, found by fitting 36,000 updates of
// the tape. A speed of their own is gone within a few hundredths of a second, and
// what rolls over its neighbours turns.
const (
	driftLasts = 0.04  // seconds
	spinLasts  = 0.015 // seconds
	rollTurns  = 1.5   // rad per m
	linShare   = 0.75  // of the mean speed since the base
	linBack    = 0.13  // of the speed at the base
	angShare   = 0.52  // of the mean speed since the base
	angRoll    = 1.6   // rad per m, now
	angMean    = 0.85  // rad per m, since the base
)

func (g *guess) pos() geom.Vec3 {
	if !g.carried {
		return g.pose.Pos
	}
	return g.pose.Pos.Plus(driftLasts, g.drift)
}

func (g *guess) rot(pos geom.Vec3) geom.Quat {
	if !g.carried {
		return g.pose.Rot
	}
	roll := g.up.Cross(pos.Sub(g.pose.Pos))
	v := roll.Scale(rollTurns/2).Plus(spinLasts/2, g.spin)
	return geom.Quat{X: v.X, Y: v.Y, Z: v.Z, W: 1}.Mul(g.pose.Rot).Unit()
}

func (g *guess) linear(pos geom.Vec3) geom.Vec3 {
	moved := pos.Sub(g.pose.Pos).Scale(1 / g.seconds)
	if !g.carried {
		return g.base.Linear.Plus(2, moved) // if the acceleration is constant
	}
	return fixed(&g.now, pos).Plus(linShare, moved).Minus(linBack, g.drift)
}

func (g *guess) angular(p geom.Pose, linear geom.Vec3) geom.Vec3 {
	q := p.Rot.Mul(g.pose.Rot.Inverse())
	if q.W < 0 {
		q = q.Neg()
	}
	turned := geom.Vec3{X: q.X, Y: q.Y, Z: q.Z}.Scale(2 / g.seconds)
	if !g.carried {
		return g.base.Angular.Add(turned)
	}
	roll := g.up.Cross(p.Pos.Sub(g.pose.Pos))
	return g.now.Angular.Plus(angShare, turned).Plus(angRoll, g.up.Cross(linear.Sub(fixed(&g.now, p.Pos)))).Minus(angMean/g.seconds, roll)
}

// fixed is the velocity of a place that is fixed to a body.
func fixed(b *sim.Body, at geom.Vec3) geom.Vec3 {
	return b.Linear.Add(b.Angular.Cross(at.Sub(b.Pose.Pos)))
}

// rest is a rotation in steps, in the form that lacks component i. It may be
// beyond what such a form can hold.
func rest(q geom.Quat, i uint8, s quant.SmallestThree) (n [3]int) {
	per := float32(float32(s.Most()) * 1.4142135)
	if [4]float32{q.X, q.Y, q.Z, q.W}[i] < 0 {
		q = q.Neg()
	}
	k := 0
	for j, x := range [4]float32{q.X, q.Y, q.Z, q.W} {
		if j != int(i) {
			n[k] = int(int32(float32(x*per)+65536.5) - 65536)
			k++
		}
	}
	return n
}

// largest is which component of a rotation is.
func largest(q geom.Quat) (i uint8) {
	c := [4]float32{geom.Abs(q.X), geom.Abs(q.Y), geom.Abs(q.Z), geom.Abs(q.W)}
	for j := range c {
		if c[j] > c[i] {
			i = uint8(j)
		}
	}
	return i
}
