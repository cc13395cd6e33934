package sim

import "ghostcube/sim/geom"

// Path is the motion of a carrier: rotation about a vertical axis, travel between two ends, or
// both, in which case the axis travels. The pose is a function of the tick alone. So no State
// contains it, and a world that returns to an earlier tick has the same poses again.
type Path struct {
	RPM           int       // turns per minute, counter-clockwise seen from above
	Centre        geom.Vec3 // metres; a point on the rotation axis
	Travel        geom.Vec3 // metres; from the first end to the second
	TravelSeconds int       // from end to end; 0: no travel
	WaitSeconds   int       // at each end, beginning with the first
}

// Pose returns the pose of a carrier box with start pose b, at a tick. rate is in ticks per second.
func (p *Path) Pose(b geom.Pose, tick Tick, rate int) geom.Pose {
	return p.pose(b, pathTime{tick, 0, 1, rate})
}

// PoseAt is Pose at a moment.
func (p *Path) PoseAt(b geom.Pose, m Moment, rate int) geom.Pose { return p.pose(b, m.pathTime(rate)) }

func (p *Path) pose(b geom.Pose, t pathTime) geom.Pose {
	if p.RPM != 0 {
		turn := geom.AxisAngle(geom.Vec3{Z: 1}, p.angle(t))
		b.Pos = p.Centre.Add(turn.Rotate(b.Pos.Sub(p.Centre)))
		b.Rot = turn.Mul(b.Rot).Unit()
	}
	b.Pos = b.Pos.AddScaled(float32(p.progress(t)), p.Travel)
	return b
}

// pathTime is a time in integers: a tick and a fraction of a tick, at rate ticks per second.
type pathTime struct {
	tick                   Tick
	numerator, denominator int
	rate                   int
}

// phase returns the time since the beginning of the current period, and the length of a period,
// both in 1/denominator tick. seconds is the length of a period.
func (t pathTime) phase(seconds int) (elapsed, period int64) {
	period = int64(seconds) * int64(t.rate) * int64(t.denominator)
	return (int64(t.tick)*int64(t.denominator) + int64(t.numerator)) % period, period
}

// angle returns the rotation in radians, in [-pi, pi]. It is reduced as an integer first, so it
// does not lose precision with time.
func (p *Path) angle(t pathTime) float32 {
	elapsed, period := t.phase(60)
	turned := float64(elapsed*int64(p.RPM)%period) / float64(period)
	if turned > 0.5 {
		turned--
	} else if turned < -0.5 {
		turned++
	}
	return float32(turned * 6.28318530717958647692)
}

// progress returns the share of the travel, in [0, 1]: a polynomial of time whose first and second
// derivatives are 0 at both ends. The highest speed is 1.875 times the mean, the highest
// acceleration 5.77 times the distance divided by the squared travel time.
func (p *Path) progress(t pathTime) float64 {
	if p.TravelSeconds == 0 {
		return 0
	}
	elapsed, period := t.phase(2 * (p.WaitSeconds + p.TravelSeconds))
	returning := elapsed >= period/2
	if returning {
		elapsed -= period / 2
	}
	wait, travel := t.duration(p.WaitSeconds), t.duration(p.TravelSeconds)
	if elapsed < wait {
		elapsed = wait
	}
	u := float64(elapsed-wait) / float64(travel)
	if returning {
		u = 1 - u
	}
	polynomial := 10 - float64(u*(15-float64(6*u)))
	return float64(float64(float64(u*u)*u) * polynomial)
}

// duration returns a number of seconds in 1/denominator tick.
func (t pathTime) duration(seconds int) int64 {
	return int64(seconds) * int64(t.rate) * int64(t.denominator)
}
