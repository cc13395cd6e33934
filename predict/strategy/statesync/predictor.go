package statesync

import (
	"ghostcube/net/quant"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// predictor is what is expected of a body, piece by piece: what has been read of it
// helps to guess the rest.
type predictor struct {
	attached bool     // by a player; else it moves on alone
	baseline sim.Body // the state that is known
	player   sim.Body // carried: the player's
	seconds  float32  // since the base

	pose            geom.Pose // where it is without any motion of its own, or alone
	relativeLinear  geom.Vec3 // carried: its speed against the player's cube as if it were a part of it, m/s
	relativeAngular geom.Vec3 // likewise, rad/s
	outward         geom.Vec3 // carried: from the player to it
}

// freePredictor is the guess that nothing touches a body and nothing pulls.
func freePredictor(base *sim.Body, seconds float32) predictor {
	a := extrapolate(base, seconds)
	return predictor{baseline: *base, seconds: seconds, pose: a.Pose}
}

// attachedPredictor is the guess that a body is carried along with a player's cube, which
// was so then and is so now.
func attachedPredictor(base, then, now *sim.Body, seconds float32) predictor {
	turn := now.Pose.Rot.Mul(then.Pose.Rot.Inverse())
	was := base.Pose.Pos.Sub(then.Pose.Pos)
	arm := turn.Rotate(was)
	return predictor{
		attached: true, baseline: *base, player: *now, seconds: seconds,
		pose:            geom.Pose{Pos: now.Pose.Pos.Add(arm), Rot: turn.Mul(base.Pose.Rot).Unit()},
		relativeLinear:  turn.Rotate(base.Linear.Sub(then.Linear).Sub(then.Angular.Cross(was))),
		relativeAngular: turn.Rotate(base.Angular.Sub(then.Angular)),
		outward:         arm.Unit(),
	}
}

// How the cubes of a katamari ball move in it, found by fitting 36,000 updates of
// the tape. A speed of their own is gone within a few hundredths of a second, and
// what rolls over its neighbours turns.
const (
	linearDecay         = 0.04  // seconds
	angularDecay        = 0.015 // seconds
	rollRotation        = 1.5   // rad per m
	linearMeanShare     = 0.75  // of the mean speed since the base
	linearBaselineShare = 0.13  // of the speed at the base
	angularMeanShare    = 0.52  // of the mean speed since the base
	rollAngularNow      = 1.6   // rad per m, now
	rollAngularMean     = 0.85  // rad per m, since the base
)

func (g *predictor) pos() geom.Vec3 {
	if !g.attached {
		return g.pose.Pos
	}
	return g.pose.Pos.AddScaled(linearDecay, g.relativeLinear)
}

func (g *predictor) rot(pos geom.Vec3) geom.Quat {
	if !g.attached {
		return g.pose.Rot
	}
	roll := g.outward.Cross(pos.Sub(g.pose.Pos))
	v := roll.Scale(rollRotation/2).AddScaled(angularDecay/2, g.relativeAngular)
	return geom.Quat{X: v.X, Y: v.Y, Z: v.Z, W: 1}.Mul(g.pose.Rot).Unit()
}

func (g *predictor) linear(pos geom.Vec3) geom.Vec3 {
	moved := pos.Sub(g.pose.Pos).Scale(1 / g.seconds)
	if !g.attached {
		return g.baseline.Linear.AddScaled(2, moved) // if the acceleration is constant
	}
	return pointVelocity(&g.player, pos).AddScaled(linearMeanShare, moved).SubScaled(linearBaselineShare, g.relativeLinear)
}

func (g *predictor) angular(p geom.Pose, linear geom.Vec3) geom.Vec3 {
	q := p.Rot.Mul(g.pose.Rot.Inverse())
	if q.W < 0 {
		q = q.Neg()
	}
	turned := geom.Vec3{X: q.X, Y: q.Y, Z: q.Z}.Scale(2 / g.seconds)
	if !g.attached {
		return g.baseline.Angular.Add(turned)
	}
	roll := g.outward.Cross(p.Pos.Sub(g.pose.Pos))
	return g.player.Angular.AddScaled(angularMeanShare, turned).AddScaled(rollAngularNow, g.outward.Cross(linear.Sub(pointVelocity(&g.player, p.Pos)))).SubScaled(rollAngularMean/g.seconds, roll)
}

// pointVelocity is the velocity of a place that is fixed to a body.
func pointVelocity(b *sim.Body, at geom.Vec3) geom.Vec3 {
	return b.Linear.Add(b.Angular.Cross(at.Sub(b.Pose.Pos)))
}

// smallestThreeSteps is a rotation in steps, in the form that lacks component i. It may be
// beyond what such a form can hold.
func smallestThreeSteps(q geom.Quat, i uint8, s quant.SmallestThree) (n [3]int) {
	per := float32(float32(s.MaxComponent()) * 1.4142135)
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

// largestComponent is which component of a rotation is.
func largestComponent(q geom.Quat) (i uint8) {
	c := [4]float32{geom.Abs(q.X), geom.Abs(q.Y), geom.Abs(q.Z), geom.Abs(q.W)}
	for j := range c {
		if c[j] > c[i] {
			i = uint8(j)
		}
	}
	return i
}
