package statesync

import (
	"ghostcube/net/quant"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// predictor predicts a body's state from a baseline, component by component. The components that
// have already been decoded improve the prediction of the next ones.
type predictor struct {
	attached bool     // the body moves with a player's cube; otherwise it moves freely
	baseline sim.Body // known state
	player   sim.Body // attached: present state of the player's cube
	seconds  float32  // since the baseline

	pose            geom.Pose // predicted without motion relative to the player, or moving freely
	relativeLinear  geom.Vec3 // attached: velocity relative to a point fixed to the player's cube at the baseline, m/s
	relativeAngular geom.Vec3 // attached: angular velocity relative to the player's cube at the baseline, rad/s
	outward         geom.Vec3 // attached: direction from the player's cube to the body
}

// freePredictor predicts that nothing touches the body and no force acts on it.
func freePredictor(baseline *sim.Body, seconds float32) predictor {
	b := extrapolate(baseline, seconds)
	return predictor{baseline: *baseline, seconds: seconds, pose: b.Pose}
}

// attachedPredictor predicts that the body moves with a player's cube, whose states at the baseline
// and now are then and now.
func attachedPredictor(baseline, then, now *sim.Body, seconds float32) predictor {
	turn := now.Pose.Rot.Mul(then.Pose.Rot.Inverse())
	armThen := baseline.Pose.Pos.Sub(then.Pose.Pos)
	arm := turn.Rotate(armThen)
	return predictor{
		attached: true, baseline: *baseline, player: *now, seconds: seconds,
		pose:            geom.Pose{Pos: now.Pose.Pos.Add(arm), Rot: turn.Mul(baseline.Pose.Rot).Unit()},
		relativeLinear:  turn.Rotate(baseline.Linear.Sub(then.Linear).Sub(then.Angular.Cross(armThen))),
		relativeAngular: turn.Rotate(baseline.Angular.Sub(then.Angular)),
		outward:         arm.Unit(),
	}
}

// The motion of cubes in a katamari ball, fitted to 36,000 updates of the tape. Their velocity
// relative to the ball decays within a few hundredths of a second, and a cube that rolls over its
// neighbours turns.
const (
	linearDecay         = 0.04  // seconds
	angularDecay        = 0.015 // seconds
	rollRotation        = 1.5   // rad per m
	linearMeanShare     = 0.75  // of the mean velocity since the baseline
	linearBaselineShare = 0.13  // of the velocity at the baseline
	angularMeanShare    = 0.52  // of the mean angular velocity since the baseline
	rollAngularNow      = 1.6   // rad per m, from the present velocity
	rollAngularMean     = 0.85  // rad per m, from the mean velocity since the baseline
)

// pos predicts the position.
func (p *predictor) pos() geom.Vec3 {
	if !p.attached {
		return p.pose.Pos
	}
	return p.pose.Pos.AddScaled(linearDecay, p.relativeLinear)
}

// rot predicts the orientation, given the position.
func (p *predictor) rot(pos geom.Vec3) geom.Quat {
	if !p.attached {
		return p.pose.Rot
	}
	roll := p.outward.Cross(pos.Sub(p.pose.Pos))
	v := roll.Scale(rollRotation/2).AddScaled(angularDecay/2, p.relativeAngular)
	return geom.Quat{X: v.X, Y: v.Y, Z: v.Z, W: 1}.Mul(p.pose.Rot).Unit()
}

// linear predicts the velocity, given the position.
func (p *predictor) linear(pos geom.Vec3) geom.Vec3 {
	moved := pos.Sub(p.pose.Pos).Scale(1 / p.seconds)
	if !p.attached {
		return p.baseline.Linear.AddScaled(2, moved) // if the acceleration is constant
	}
	return pointVelocity(&p.player, pos).AddScaled(linearMeanShare, moved).SubScaled(linearBaselineShare, p.relativeLinear)
}

// angular predicts the angular velocity, given the pose and the velocity.
func (p *predictor) angular(pose geom.Pose, linear geom.Vec3) geom.Vec3 {
	q := pose.Rot.Mul(p.pose.Rot.Inverse())
	if q.W < 0 {
		q = q.Neg()
	}
	turned := geom.Vec3{X: q.X, Y: q.Y, Z: q.Z}.Scale(2 / p.seconds)
	if !p.attached {
		return p.baseline.Angular.Add(turned)
	}
	roll := p.outward.Cross(pose.Pos.Sub(p.pose.Pos))
	return p.player.Angular.AddScaled(angularMeanShare, turned).
		AddScaled(rollAngularNow, p.outward.Cross(linear.Sub(pointVelocity(&p.player, pose.Pos)))).
		SubScaled(rollAngularMean/p.seconds, roll)
}

// pointVelocity returns the velocity of a point fixed to a body.
func pointVelocity(b *sim.Body, at geom.Vec3) geom.Vec3 {
	return b.Linear.Add(b.Angular.Cross(at.Sub(b.Pose.Pos)))
}

// smallestThreeSteps returns the components of a rotation other than i, in steps. They may be out of
// the range of the smallest-three form.
func smallestThreeSteps(q geom.Quat, i uint8, s quant.SmallestThree) (n [3]int) {
	scale := float32(float32(s.MaxComponent()) * 1.4142135)
	if [4]float32{q.X, q.Y, q.Z, q.W}[i] < 0 {
		q = q.Neg()
	}
	k := 0
	for j, x := range [4]float32{q.X, q.Y, q.Z, q.W} {
		if j != int(i) {
			n[k] = int(int32(float32(x*scale)+65536.5) - 65536)
			k++
		}
	}
	return n
}

// largestComponent returns the index of the component with the largest magnitude.
func largestComponent(q geom.Quat) (i uint8) {
	c := [4]float32{geom.Abs(q.X), geom.Abs(q.Y), geom.Abs(q.Z), geom.Abs(q.W)}
	for j := range c {
		if c[j] > c[i] {
			i = uint8(j)
		}
	}
	return i
}
