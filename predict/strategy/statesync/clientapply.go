package statesync

import (
	"ghostcube/sim"
	"ghostcube/smoothing"
)

// applyPacket applies the attachments and all updates of a packet.
func (c *client) applyPacket(s *message) {
	c.setReckoning(s.format.reckoning)
	c.applyAttachments(s)
	for i := range s.updates[:s.updateCount] {
		if u := &s.updates[i]; !u.missingBaseline {
			c.applyUpdate(u, s)
		} else {
			c.counters.missingBaselines.Inc()
		}
	}
}

// applyAttachments applies the attachments of a packet. A client with authority keeps its own vehicle until
// the server has used the input that entered or left it.
func (c *client) applyAttachments(s *message) {
	w := c.env.World
	a := s.attachments
	if p := c.env.Player; c.mayClaim() && c.authority.consumedTick <= c.authority.enteredTick {
		a.Vehicle[p] = w.Attachments().Vehicle[p]
		if !a.Valid(w.Scene()) {
			a = s.attachments // another player has entered it first
		}
	}
	w.SetAttachments(a)
	if n := s.inputCount; n > 0 && !c.mayClaim() {
		for p := range c.lastInputs {
			c.scratch.held[p] = s.inputs[p][n-1]
		}
		w.SetHeldActions(c.scratch.held[:len(c.lastInputs)])
	}
}

// applyLate applies the updates in a late packet that are still valid: those of sleeping bodies, and all that are
// to be extrapolated, unless a newer state has arrived.
func (c *client) applyLate(s *message) {
	for i := range s.updates[:s.updateCount] {
		u := &s.updates[i]
		valid := !u.missingBaseline && (u.state.Asleep || s.format.reckoning != notReckoned)
		if valid && s.tick > c.bodies[u.body].appliedTick {
			c.applyUpdate(u, s)
		}
	}
}

// applyUpdate applies an update to the simulated or extrapolated body.
func (c *client) applyUpdate(u *update, s *message) {
	if s.format.reckoning != notReckoned {
		c.applyReckoned(u, s)
		return
	}
	if !c.acceptsUpdate(u, s) {
		return
	}
	w, body := c.env.World, &c.bodies[u.body]
	simulated, b := &w.Bodies()[u.body], u.state
	body.appliedTick, body.lastReceived, body.encoding = s.tick, b.Pose, u.encodingClass()
	body.recordRest(b.Asleep)
	if c.authority.claimedIslands[w.Island(u.body)] && staysAsleep(&b, simulated) {
		// Put to sleep here beside a claimed body that is about to fall asleep, it would be woken
		// again in the next tick.
		return
	}
	if !s.format.velocities && !b.Asleep {
		b.Linear, b.Angular = simulated.Linear, simulated.Angular
	}
	if c.steers() {
		c.steerTo(u, b, s.tick)
		return
	}
	body.steered.active = false
	if c.settings.correction == blend && !b.Asleep {
		b = smoothing.LerpBody(simulated, &b, float32(c.settings.blendShare))
	}
	c.countCorrection(u.body, &b)
	c.correctBody(u.body, b)
}

// countCorrection counts that an update is about to set a body to another state.
func (c *client) countCorrection(i int, b *sim.Body) {
	before := &c.env.World.Bodies()[i]
	if b.Asleep || *before == *b {
		return
	}
	c.state.correctionCount++
	distance := float64(b.Pose.Pos.Sub(before.Pose.Pos).Len())
	c.state.correctionSum += distance
	c.counters.correctionMean.Set(c.state.correctionSum / float64(c.state.correctionCount))
	c.counters.correctionMax.Max(distance)
}

// correctBody sets a simulated body. Its error offset absorbs the jump of the drawn pose.
func (c *client) correctBody(i int, b sim.Body) {
	w, body := c.env.World, &c.bodies[i]
	if w.Bodies()[i] == b {
		return
	}
	drawn := c.drawnPose(i)
	w.SetBody(i, b)
	c.settings.smoothing.Absorb(&body.errorOffset, drawn, b.Pose)
	body.recordCorrection(drawn.Pos.Sub(b.Pose.Pos).Len(), &c.settings.smoothing, c.state.localTick, &c.counters.offsets)
}
