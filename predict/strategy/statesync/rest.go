package statesync

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// declareReliableRest declares the knob of the rest commit (Fiedler, State Synchronization, 2015) that both sides use.
func declareReliableRest(k *predict.Knobs, p *bool) {
	k.In(predict.PriorityKnobs).Bool(p, "reliable-rest", true, "raise the priority of resting bodies until acknowledged; undo the client's pushes of them")
}

// recordRest records whether the newest state of a body is at rest.
func (b *clientBody) recordRest(atRest bool) { b.atRest, b.divergedTicks = atRest, 0 }

// restoreResting moves bodies that rest at the client in another pose than at the server to the
// server's pose. The server repeats the state of a resting body until it is acknowledged. So such a
// body either has been pushed in the client's world alone, or its next state is on the way: a
// second is enough for that.
func (c *client) restoreResting() {
	w := c.env.World
	if !c.settings.reliableRest {
		return
	}
	for i := range w.Bodies() {
		simulated, b := &w.Bodies()[i], &c.bodies[i]
		if !b.atRest || !simulated.Asleep || simulated.Pose == b.lastReceived {
			b.divergedTicks = 0
			continue
		}
		if b.divergedTicks++; int(b.divergedTicks) >= w.Rate() {
			b.divergedTicks = 0
			c.correctBody(i, sim.Body{Pose: b.lastReceived, Asleep: true})
		}
	}
}
