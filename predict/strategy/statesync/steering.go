package statesync

import (
	"time"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// Steering corrects a body by its velocity and not by its pose: before each step its velocity is set so that it
// comes to where the server's body is. So it stays a physics body, which pushes others and is pushed. These are
// Unreal's two modes of physics replication (PhysicsReplication.cpp and NetworkPhysicsSettingsComponent.h, 5.x):
//
//   - Default replication, correction=velocity: the target is the received state, extrapolated by half the round
//     trip to the server's present. The velocity is the target's, and the offset by the correction time.
//   - Predictive interpolation: the target is where the server's body was at the tick of the client's world. The
//     offset is corrected over the round trip, at least the correction time, and the velocity so found replaces
//     the body's own over the time between two updates.
//
// Between two updates the target is extrapolated. A body that the physics stops on its way counts as stuck, and
// after a while takes over the server's state.
//
// Differences: Unreal's target is the newest received state, and here one waits in the jitter buffer for its
// tick. The default mode's gentle move of the pose, and the soft snap, are missing: both exist to hide
// snaps, which error offsets do here. A body farther than maxSteered or snap-distance takes over the state at once.
const (
	interpolationIntervals        = 1.1  // mean times between updates over which the velocity is replaced
	angularInterpolationIntervals = 1.25 // of the angular velocity
	intervalSmoothing             = 3    // of the mean time between updates: a new one counts one part in three
	extrapolationIntervals        = 3    // mean times between updates for which the target is extrapolated
	minExtrapolationSeconds       = 0.75
	minCoveredShare               = 0.5 // of the distance that its velocity makes a body is to cover, or it is stuck
	maxStuckSeconds               = 3
	maxSteered                    = 2                        // metres from which a body is not steered but set
	stuckDecrease                 = 0.5                      // seconds of being stuck that are forgotten in each other second
	restDistance                  = 0.01                     // metres
	restAngle                     = 1.5 * (geom.TwoPi / 360) // radians
)

// steered is the steering of one body. It is plain.
type steered struct {
	active   bool
	tick     sim.Tick  // of the target
	target   sim.Body  // the newest applied state
	interval float32   // mean time between two updates, ticks
	from     geom.Vec3 // position before the last step, m
	velocity geom.Vec3 // set before the last step, m/s
	stuck    float32   // seconds
}

func (c *client) steers() bool {
	return c.settings.correction == velocityCorrection || c.settings.correction == predictiveInterpolation
}

// setLead sets by how much bodies are drawn ahead of the client's world: by half of the round trip if the
// server's states are extrapolated to the present.
func (c *client) setLead(rtt time.Duration) {
	c.state.lead, c.state.rttSeconds = 0, float32(rtt.Seconds())
	if c.settings.correction == velocityCorrection && c.state.reckoning == notReckoned {
		c.state.lead = sim.Moment(rtt/2) * sim.Moment(c.env.World.Rate()) * sim.MomentsPerTick / sim.Moment(time.Second)
	}
}

// steerTo makes the state of an update the target of its body.
func (c *client) steerTo(u *update, b sim.Body, t sim.Tick) {
	s := &c.bodies[u.body].steered
	if !s.active {
		*s = steered{interval: 1}
	} else if t > s.tick {
		s.interval += (float32(t-s.tick) - s.interval) / intervalSmoothing
	}
	s.active, s.tick, s.target = true, t, b
}

// at returns the target at a moment, a number of ticks after its tick.
func (s *steered) at(ticks float32, rate int) sim.Body {
	b := s.target
	if b.Asleep {
		return b
	}
	limit := max(float32(extrapolationIntervals*s.interval), minExtrapolationSeconds*float32(rate))
	b.Pose = smoothing.Extrapolate(b.Pose, b.Linear, b.Angular, geom.Clamp(ticks, 0, limit)/float32(rate))
	if ticks > limit {
		b.Linear, b.Angular = geom.Vec3{}, geom.Vec3{} // it waits there
	}
	return b
}

// steer sets the velocities of all steered bodies before a step.
func (c *client) steer() {
	w := c.env.World
	if c.state.steering && !c.steers() {
		for i := range c.bodies {
			c.bodies[i].steered.active = false
		}
	}
	if c.state.steering = c.steers(); !c.state.steering {
		return
	}
	attachments := w.Attachments()
	for i := range c.bodies {
		s := &c.bodies[i].steered
		driver := i < w.Scene().Players && attachments.Vehicle[i] != 0
		if s.active = s.active && !c.bodies[i].claim.active && !driver && !w.IsKinematic(i); s.active {
			c.steerBody(i, s)
		}
	}
}

// steerBody sets the velocities of a body before a step, or its state if it has arrived at rest, is too far away or
// stuck.
func (c *client) steerBody(i int, s *steered) {
	w := c.env.World
	b, rate := w.Bodies()[i], w.Rate()
	target := s.at(float32(int64(w.Tick())-int64(s.tick))+float32(c.state.lead.Ticks()), rate)
	offset := target.Pose.Pos.Sub(b.Pose.Pos).Len()
	rests := target.Asleep && offset < restDistance && target.Pose.Rot.Mul(b.Pose.Rot.Inverse()).Angle() < restAngle
	if s.updateStuck(b.Pose.Pos, rate); rests || s.stuck > maxStuckSeconds || offset >= min(float32(c.settings.smoothing.SnapDistance), maxSteered) {
		c.countCorrection(i, &target)
		c.correctBody(i, target)
		s.active, s.stuck, s.velocity = !target.Asleep, 0, geom.Vec3{}
		return
	}
	seconds, linear, angular := float32(c.settings.correctionTime/1000), float32(1), float32(1)
	if c.settings.correction == predictiveInterpolation {
		seconds = max(seconds, c.state.rttSeconds)
		linear = min(1/float32(interpolationIntervals*s.interval), 1)
		angular = min(1/float32(angularInterpolationIntervals*s.interval), 1)
	}
	b.Linear, b.Angular = smoothing.Steer(&b, &target, seconds, linear, angular)
	b.Asleep = false
	w.SetBody(i, b)
	s.from, s.velocity = b.Pose.Pos, b.Linear
}

// updateStuck counts how long a body, which is at pos now, has not moved as its velocity says.
func (s *steered) updateStuck(pos geom.Vec3, rate int) {
	tick := 1 / float32(rate)
	expected := float32(s.velocity.LenSq() * tick) // times the speed
	if pos.Sub(s.from).Dot(s.velocity) < float32(minCoveredShare*expected) {
		s.stuck += tick
	} else {
		s.stuck = max(s.stuck-float32(stuckDecrease*tick), 0)
	}
}

func declareSteering(k *predict.Knobs, correctionMillis *float64) {
	k.In(predict.CorrectionKnobs).Millis(correctionMillis, "correction-time", 100, 10, 2000,
		"velocity: time to correct an offset, ms; predictive: the least")
	k.Needs("correction-time", "correction", "velocity", "predictive")
}
