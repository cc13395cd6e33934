package statesync

import (
	"math"
	"time"

	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// Dead reckoning, as in Distributed Interactive Simulation (IEEE 1278): a receiver simulates nothing. It
// extrapolates each body from its last state, by an algorithm that the packets name. The sender extrapolates
// the same states, and so knows what the receiver shows. It sends a body's state when that is wrong by more
// than a threshold, and otherwise once a heartbeat. No inputs are sent, since nobody steps with them.
//
// The sender extrapolates the last state that it sent, not the last acknowledged one: for a round trip no
// state is acknowledged, and all that time a body whose acknowledged state is wrong would be sent in every
// tick. A state that was lost would leave the two with different extrapolations, though, until the heartbeat.
// So a body is also sent again if its last state is not acknowledged in time.
//
// Differences from the standard: it sends single bodies to all, without acknowledgements, and repairs losses by
// the heartbeat alone; its receivers extrapolate to the present, by synchronised clocks, and here, as with all of
// this strategy, to a tick that is as old as the latency and the jitter buffer. Its algorithms 2 and 5, which
// leave out the rotation, and those in the body's own frame are missing.

// The rules for sending.
const (
	sendByPriority = iota
	sendByReckoning
)

var sendRules = []string{"priority", "dead-reckoning"}

// The algorithms of dead reckoning, as on the wire.
const (
	notReckoned        = iota // the receiver simulates
	reckonStatic              // the pose stays; DIS algorithm 1
	reckonVelocity            // constant velocities; DIS algorithm 3, rotation and position in the world's frame
	reckonAcceleration        // constant acceleration and angular velocity; DIS algorithm 4
)

var reckonings = []string{"static", "velocity", "acceleration"}

const (
	reckonedInputCount = maxInputs + 1 // on the wire, instead of a number of inputs

	// A body without news stands still after 2.4 heartbeats of DIS, which removes it then.
	maxReckonSeconds = 12

	maxAcceleration = 64 // m/s2, of a body that nothing hits

	// An update or nothing to say: the client's clock follows packets, and they acknowledge its inputs.
	idleSeconds = 0.1

	initialTimeout = time.Second // until a round trip has been measured (RFC 6298)
)

// accelerationGrid is the grid of accelerations: 33 bits.
var accelerationGrid = quant.Grid{accelerationRange, accelerationRange, accelerationRange}

var accelerationRange = quant.NewRangePerUnit(-maxAcceleration, maxAcceleration, 16) // m/s2

// reckoningPolicy are the knobs of dead reckoning.
type reckoningPolicy struct {
	send      int     // sendByPriority or sendByReckoning
	algorithm int     // index into reckonings
	position  float64 // metres
	rotation  float64 // degrees
	heartbeat float64 // milliseconds
}

func (p *reckoningPolicy) declare(k *predict.Knobs) {
	group := k.In(predict.PriorityKnobs)
	group.Choice(&p.send, "send", sendByPriority, sendRules,
		"send the most important states that fit, or those that receivers extrapolate wrongly")
	group.Choice(&p.algorithm, "dr-algorithm", reckonVelocity-reckonStatic, reckonings,
		"dead-reckoning: extrapolation by nothing, by velocities, or also by acceleration")
	group.Float(&p.position, "dr-threshold", 1, 0.01, 10, "dead-reckoning: position error that causes an update, m")
	group.Float(&p.rotation, "dr-rotation", 3, 0.1, 180, "dead-reckoning: rotation error that causes an update, degrees")
	group.Millis(&p.heartbeat, "heartbeat", 5000, 100, 10_000, "dead-reckoning: longest time between updates of a body, ms")
	for _, name := range []string{"dr-algorithm", "dr-threshold", "dr-rotation", "heartbeat"} {
		k.Needs(name, "send", "dead-reckoning")
	}
}

// format makes f the format of states to extrapolate, if the rule says so.
func (p *reckoningPolicy) format(f *format) {
	if p.send != sendByReckoning {
		return
	}
	f.reckoning = reckonStatic + p.algorithm
	f.velocities = f.velocities && f.reckoning != reckonStatic
	f.relative, f.delta, f.deltaBase = false, false, ackedBase
}

// hasAccelerations reports whether updates of moving bodies carry accelerations.
func (f *format) hasAccelerations() bool { return f.reckoning == reckonAcceleration && f.velocities }

// codeAcceleration reads, writes or measures an acceleration.
func codeAcceleration(c *quant.Coder, v geom.Vec3) geom.Vec3 {
	c.Label("acceleration")
	n := c.CompressedVector([3]float32{v.X, v.Y, v.Z}, &accelerationGrid)
	return geom.Vec3{X: n[0], Y: n[1], Z: n[2]}
}

// reckonedBody is a body that is extrapolated, at its sender and its receiver. It is plain.
type reckonedBody struct {
	known        bool
	tick         sim.Tick  // of the state
	state        sim.Body  // as the receiver decodes it
	acceleration geom.Vec3 // m/s2; 0 unless the packet carried one
}

// at returns the body at tick t by an algorithm, at rate ticks per second.
func (r *reckonedBody) at(t sim.Tick, algorithm, rate int) sim.Body {
	b := r.state
	if b.Asleep || algorithm == reckonStatic || t <= r.tick {
		return b
	}
	seconds := float32(min(t-r.tick, sim.Tick(maxReckonSeconds*rate))) / float32(rate)
	b.Pose = smoothing.Extrapolate(b.Pose, b.Linear, b.Angular, seconds)
	b.Pose.Pos = b.Pose.Pos.AddScaled(float32(seconds*seconds)/2, r.acceleration)
	return b
}

// isWrong reports whether an extrapolated pose differs from the true one by more than the thresholds.
func (p *reckoningPolicy) isWrong(extrapolated, pose geom.Pose) bool {
	return extrapolated.Pos.Sub(pose.Pos).LenSq() > float32(float32(p.position)*float32(p.position)) ||
		extrapolated.Rot.Mul(pose.Rot.Inverse()).Angle() > float32(float32(p.rotation)*(geom.TwoPi/360))
}

// excludeReckoned excludes the bodies that the peer extrapolates well enough. The others have a higher priority the
// more they are off: a body that waits for its share of the budget goes on as it went, and is soon metres away.
func (s *sender) excludeReckoned(w *predict.World, by *policy, f *format, stats *packet.Stats) {
	if s.state.reckoning != f.reckoning {
		s.state.reckoning = f.reckoning
		for i := range s.bodies {
			s.bodies[i].reckoned.known = false
		}
	}
	if f.reckoning == notReckoned {
		return
	}
	attachments, resend := w.Attachments(), resendTicks(stats, w.Rate())
	for i := range s.bodies {
		b := &s.bodies[i]
		if w.IsKinematic(i) || i < w.Scene().Players && attachments.Vehicle[i] != 0 {
			b.reckoned.known = false // its pose follows from the tick, or from that of the vehicle
		} else if s.isDue(i, w, by, resend) {
			if b.priority > 0 {
				b.priority = min(b.priority+int64(by.otherPriority)*s.reckoningError(i, w, by), maxPriority)
			}
			continue
		}
		b.priority, b.changedTick = notSent, 0
	}
}

// isDue reports whether the state of a body is to be sent. An update that has not been acknowledged for resend
// ticks is taken for lost.
func (s *sender) isDue(i int, w *predict.World, by *policy, resend sim.Tick) bool {
	b, body, now := &s.bodies[i], &w.Bodies()[i], w.Tick()
	r := &b.reckoned
	if !r.known || by.reliableRest && body.Asleep && !r.state.Asleep {
		return true
	}
	age := now - r.tick
	if b.baseline.tick < r.tick && age >= resend || age >= ticksOf(by.reckoning.heartbeat, w.Rate()) {
		return true
	}
	return by.reckoning.isWrong(r.at(now, s.state.reckoning, w.Rate()).Pose, body.Pose)
}

// maxReckoningError bounds reckoningError: 100 thresholds squared.
const maxReckoningError = 10_000

// reckoningError returns by how much the extrapolated position of a body is wrong: the square of the error in
// thresholds.
func (s *sender) reckoningError(i int, w *predict.World, by *policy) int64 {
	r := &s.bodies[i].reckoned
	if !r.known {
		return maxReckoningError
	}
	away := r.at(w.Tick(), s.state.reckoning, w.Rate()).Pose.Pos.Sub(w.Bodies()[i].Pose.Pos).LenSq()
	threshold := float32(by.reckoning.position)
	return int64(min(away/float32(threshold*threshold), maxReckoningError))
}

// ticksOf converts milliseconds to ticks, at least one.
func ticksOf(millis float64, rate int) sim.Tick {
	return sim.Tick(max(math.Ceil(float64(millis*float64(rate))/1000), 1))
}

// resendTicks returns the ticks after which an acknowledgement is overdue: TCP's timeout (RFC 6298).
func resendTicks(stats *packet.Stats, rate int) sim.Tick {
	timeout := initialTimeout
	if stats.RTT > 0 {
		timeout = stats.RTT + 4*stats.RTTVariation
	}
	return ticksOf(timeout.Seconds()*1000, rate) + 1
}

// mayStaySilent reports whether no packet needs to be sent to a peer that extrapolates.
func (s *sender) mayStaySilent(m *message) bool {
	last := &s.state.lastPacket
	return m.format.reckoning != notReckoned && m.updateCount == 0 && m.attachments == s.state.attachments &&
		last.bytes > 0 && m.tick-last.tick < ticksOf(idleSeconds*1000, m.rate)
}

// setReckoning makes the client extrapolate by an algorithm from now on, or simulate again. It begins
// with what it shows.
func (c *client) setReckoning(algorithm int) {
	if c.state.reckoning == algorithm {
		return
	}
	if c.state.reckoning == notReckoned {
		for i, b := range c.env.World.Bodies() {
			c.bodies[i].reckoned = reckonedBody{known: true, tick: c.env.World.Tick(), state: b}
		}
	}
	c.state.reckoning = algorithm
}

// reckon extrapolates all bodies to the next tick.
func (c *client) reckon() {
	w := c.env.World
	w.SetTick(w.Tick() + 1)
	for i := range c.bodies {
		if !w.IsKinematic(i) {
			w.SetBody(i, c.bodies[i].reckoned.at(w.Tick(), c.state.reckoning, w.Rate()))
		}
	}
	c.decayOffsets()
}

// applyReckoned applies an update to a body that is extrapolated, unless a newer one has been applied. A late
// update counts: what it says is extrapolated to the present.
func (c *client) applyReckoned(u *update, s *message) {
	w, body := c.env.World, &c.bodies[u.body]
	if c.state.reckoning == notReckoned || s.tick < body.reckoned.tick || w.IsKinematic(u.body) {
		return
	}
	body.appliedTick, body.lastReceived, body.encoding = s.tick, u.state.Pose, u.encodingClass()
	body.recordRest(u.state.Asleep)
	body.reckoned = reckonedBody{known: true, tick: s.tick, state: u.state, acceleration: u.acceleration}
	b := body.reckoned.at(w.Tick(), c.state.reckoning, w.Rate())
	c.countCorrection(u.body, &b)
	c.correctBody(u.body, b)
}
