package playback

import (
	"ghostcube/predict/part/playout"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// curve is the Hermite curve from where a body is drawn to its next position. It starts and
// ends with the velocities of the two.
//
// A body that was extrapolated, or has stopped, has less time to get there than the server's
// body took. The shape of the curve is that of the server's motion all the same, so that
// jointed bodies pass through poses that they had together.
type curve struct {
	start        sim.Body
	startMoment  sim.Moment // at which the server had start
	drawnSince   sim.Moment // at which start was drawn
	endTick      sim.Tick   // of the position at the end
	hasEnd       bool       // endTick is set
	extrapolated bool       // the body was extrapolated since start
}

// startAt starts the curve at a position that the body has reached.
func (c *curve) startAt(s *playout.Item[sim.Body]) {
	*c = curve{start: s.Value, startMoment: s.Tick.Moment(), drawnSince: s.Tick.Moment()}
}

// extrapolate returns the pose to which its velocities take a body, some time beyond its last
// position.
func (c *curve) extrapolate(last *playout.Item[sim.Body], beyond sim.Moment, rate int) geom.Pose {
	b := &last.Value
	c.start.Linear, c.start.Angular = b.Linear, b.Angular
	c.startMoment, c.extrapolated, c.hasEnd = last.Tick.Moment()+beyond, true, false
	return smoothing.Extrapolate(b.Pose, b.Linear, b.Angular, beyond.Seconds(rate))
}

// setEnd sets the position at the end. If that was another one before, or if the body was
// extrapolated, the curve starts anew, where the body is drawn.
func (c *curve) setEnd(drawn geom.Pose, at sim.Moment, next *playout.Item[sim.Body]) {
	switch {
	case c.extrapolated:
		c.start.Pose, c.drawnSince, c.extrapolated = drawn, at, false
	case c.hasEnd && c.endTick != next.Tick:
		// A position between the two has arrived. Go on from here at the present speed.
		c.startMoment += (at - c.drawnSince) * (c.endTick.Moment() - c.startMoment) / max(c.endTick.Moment()-c.drawnSince, 1)
		c.startMoment = min(c.startMoment, next.Tick.Moment())
		c.start.Pose, c.drawnSince = drawn, at
	}
	c.endTick, c.hasEnd = next.Tick, true
}

// poseAt returns the pose at a moment.
func (c *curve) poseAt(moment sim.Moment, next *playout.Item[sim.Body], rate int) geom.Pose {
	end := next.Tick.Moment()
	share := float32(float64(moment-c.drawnSince) / float64(end-c.drawnSince))
	return smoothing.HermitePose(&c.start, &next.Value, (end - c.startMoment).Seconds(rate), share)
}
