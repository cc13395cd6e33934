package statesync

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// declareReliableRest declares the knob that both halves look at.
func declareReliableRest(k *predict.Knobs, p *bool) {
	k.Bool(p, "reliable-rest", true, "a body that has come to rest has a higher priority until the client is known to have it at rest, and the client brings back one that only it has pushed away since")
}

// recordRest takes in whether the server says that a body rests.
func (b *clientBody) recordRest(rests bool) { b.atRest, b.divergedTicks = rests, 0 }

// restoreResting finds the bodies that rest at the client where they do not rest at the
// server, and puts them where the server has them. The server sees to it that its last word
// of a resting body arrives; so one that rests elsewhere has been pushed by the client's
// world alone, or news of it are on their way. Those have a second.
func (c *client) restoreResting() {
	w := c.env.World
	if !c.settings.reliableRest {
		return
	}
	for i := range w.Bodies() {
		b, s := &w.Bodies()[i], &c.bodies[i]
		if !s.atRest || !b.Asleep || b.Pose == s.lastReceived {
			s.divergedTicks = 0
			continue
		}
		if s.divergedTicks++; int(s.divergedTicks) >= w.Rate() {
			s.divergedTicks = 0
			c.correctBody(i, sim.Body{Pose: s.lastReceived, Asleep: true})
		}
	}
}
