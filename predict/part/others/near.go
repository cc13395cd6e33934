package others

import "ghostcube/sim"

// spread sets a mark of bodies on all bodies that joints and drivers tie to marked ones.
func (o *Observed) spread(mark func(*body) *bool) {
	w := o.env.World
	scene := w.Scene()
	tie := func(i, j int) (changed bool) {
		a, b := mark(&o.bodies[i]), mark(&o.bodies[j])
		changed = *a != *b
		*a, *b = *a || *b, *a || *b
		return changed
	}
	for changed := true; changed; {
		changed = false
		for k := range scene.Joints {
			if j := &scene.Joints[k]; j.A != sim.WorldBody && j.B != sim.WorldBody && !w.JointOpen(k) {
				changed = tie(j.A, j.B) || changed
			}
		}
		for p := range scene.Players {
			if v := w.Operated(p); v != p {
				changed = tie(p, v) || changed
			}
		}
	}
}

// findNear marks the bodies that the player's bodies, or bodies that these move, will touch within the
// lead of the client and a handover.
func (o *Observed) findNear(lead float32) {
	w := o.env.World
	touched := w.TouchedBy()
	for i := range o.bodies {
		b := &o.bodies[i]
		pushed := b.predicted && int(touched[i]) == o.env.Player
		if (b.own || pushed) && !w.Bodies()[i].Asleep {
			o.findNearBody(i, lead)
		}
	}
}

// findNearBody marks the bodies that body i will touch.
func (o *Observed) findNearBody(i int, lead float32) {
	w := o.env.World
	boxes, own := w.Scene().Boxes, &w.Bodies()[i]
	horizon := lead + float32(o.handoverTime/1000)
	for j := range o.bodies {
		if b := &o.bodies[j]; j != i && !b.own {
			other := w.Bodies()[j]
			if !b.predicted && b.receivedTick > 0 {
				other = b.received
				other.Pose.Pos = other.Pose.Pos.AddScaled(lead, other.Linear)
			}
			reach := boxes[i].Half.Len() + boxes[j].Half.Len() + nearDistance
			if closestApproach(own, &other, horizon) < reach {
				b.nearTick = max(w.Tick(), 1)
			}
		}
	}
	o.scratch.found = w.NearbyBodies(i, nearDistance, o.scratch.found[:0]) // bodies of many boxes
	for _, j := range o.scratch.found {
		o.bodies[j].nearTick = max(w.Tick(), 1)
	}
}

// closestApproach returns the smallest distance between the centres of two bodies within some seconds, if
// both keep their velocities, in metres.
func closestApproach(a, b *sim.Body, seconds float32) float32 {
	d, v := b.Pose.Pos.Sub(a.Pose.Pos), b.Linear.Sub(a.Linear)
	if speed := v.LenSq(); speed > 0 {
		d = d.AddScaled(min(max(-d.Dot(v)/speed, 0), seconds), v)
	}
	return d.Len()
}
