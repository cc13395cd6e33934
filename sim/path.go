package sim

import "ghostcube/sim/geom"

// Path is how a carrier moves. Where it is follows from the tick alone, so no
// State holds it, and a world that goes back in time has it back where it was.
// Both motions can be had at once: then the centre is what goes to and fro.
type Path struct {
	RPM           int       // a minute, counter-clockwise seen from above
	Centre        geom.Vec3 // metres; where the vertical is that it turns about
	Travel        geom.Vec3 // metres; from one end to the other, and back
	TravelSeconds int       // seconds from end to end; with 0 it stays at the first
	WaitSeconds   int       // seconds at each end, the first one first
}

// Pose returns where a box of the carrier is that starts at b, at a tick of so
// many a second.
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

// pathTime is a time in whole numbers: a tick and so many parts of it, at so many
// ticks a second.
type pathTime struct {
	tick                   Tick
	numerator, denominator int
	rate                   int
}

// phase returns how many parts of a tick have passed since the last of the
// times that come every so many seconds, and how many there are between two.
func (t pathTime) phase(seconds int) (elapsed, period int64) {
	period = int64(seconds) * int64(t.rate) * int64(t.denominator)
	return (int64(t.tick)*int64(t.denominator) + int64(t.numerator)) % period, period
}

// angle returns the turn in radians, in [-pi, pi].
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

// progress returns the share of the way that has been made, in [0, 1]: a
// polynomial of the time whose speed and acceleration are 0 at both ends. The
// highest speed is 1.875 times the mean, the highest acceleration 5.77 times
// the way by the square of the ride.
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

// duration returns seconds in parts of a tick.
func (t pathTime) duration(seconds int) int64 {
	return int64(seconds) * int64(t.rate) * int64(t.denominator)
}
