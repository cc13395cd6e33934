package localreplay

import (
	"ghostcube/sim"
)

// past is the local world at the beginning of a tick. It has the contacts of that tick, which a
// snapshot does not contain.
type past struct {
	bodies []int32 // by slot
	state  sim.State
}

func (p *past) copyFrom(o *past) {
	p.bodies = append(p.bodies[:0], o.bodies...)
	p.state.CopyFrom(&o.state)
}

// resume sets the local world to tick at: to what it was then if it is remembered, otherwise to no
// contacts and no bodies but the player's. The player's body is stepped in it from now on.
func (r *Replay) resume(at sim.Tick) {
	l, w, p := &r.local, r.local.world, r.past.Find(at)
	w.Settings = r.env.World.Settings
	r.counters.ticks.Add(float64(r.env.World.Tick() - at))
	r.scratch.results = r.scratch.results[:0]
	if p == nil || !r.state.live || at < r.state.since {
		w.DropCache()
		w.SetTick(at)
		l.clear()
		r.state.live, r.state.since = true, at+1
		return
	}
	w.Load(&p.state)
	for slot, body := range p.bodies {
		if body == l.bodies[slot] {
			continue
		}
		w.DropContacts(slot)
		if l.bodies[slot] == noBody {
			w.SetBody(slot, l.away)
		}
	}
}

// save remembers the local world at the beginning of its present tick.
func (r *Replay) save() {
	p := r.past.Insert(r.local.world.Tick())
	p.bodies = append(p.bodies[:0], r.local.bodies...)
	r.local.world.Save(&p.state)
}

// stop ends the use of the local world for steps.
func (r *Replay) stop() {
	if r.state.live {
		r.state.live, r.state.island = false, false
		r.counters.islandBodies.Set(0)
	}
}

// stepLive steps the local world by the tick that the client's world has just been stepped by, from
// the same state of the player's body. Its result replaces that of the client's world, because its
// contacts are those that the replay left.
func (r *Replay) stepLive(s *step) {
	w, root := r.local.world, r.local.root
	if r.env.World.Tick() != w.Tick()+1 || r.state.island && !r.islandPossible(w.Tick()) {
		r.stop()
		return
	}
	r.placeAround(s)
	if w.Bodies()[root] != s.start {
		w.SetBody(root, s.start)
	}
	for k, i := range r.tree {
		if start := r.scratch.starts[k]; w.Bodies()[i] != start {
			w.SetBody(int(i), start)
		}
	}
	if !r.stepLocal(s) {
		r.stop()
		return
	}
	r.save()
	r.copyToClient(root)
	for _, i := range r.tree {
		r.copyToClient(int(i))
	}
}

// copyToClient sets a body of the client's world to what it is in the local one.
func (r *Replay) copyToClient(body int) {
	if b := r.local.world.Bodies()[body]; r.env.World.Bodies()[body] != b {
		r.env.World.SetBody(body, b)
	}
}

// runAlone replays the player's body among the remembered poses of the others. ok is false if it
// touches one and the knob says that a replay may not decide then.
func (r *Replay) runAlone(at sim.Tick, server *sim.Body) (b sim.Body, ok bool) {
	now, w, root := r.env.World.Tick(), r.local.world, r.local.root
	r.resume(at)
	if r.state.island {
		r.local.clear()
		r.state.island = false
		r.counters.islandBodies.Set(0)
	}
	if !r.attach(at) {
		r.stop()
		return b, false
	}
	b = r.steps.Find(at).passage.Before.ToWorld(server)
	for t := at; t < now; t++ {
		s := r.steps.Find(t)
		r.placeAround(s)
		if w.Bodies()[root] != b {
			w.SetBody(root, b)
		}
		if !r.stepLocal(s) || r.touch() == touchOffset && r.touchesRemote() {
			r.stop()
			return b, false
		}
		b = r.finishTick(t, s)
		r.save()
	}
	return b, true
}

// placeAround makes the local world contain the bodies that a tick remembers, besides those that it
// simulates. An island in the world's frame has a border instead.
func (r *Replay) placeAround(s *step) {
	if r.state.island && !s.passage.During.IsParent {
		return
	}
	l, wanted := &r.local, r.scratch.wanted
	for slot := range wanted {
		wanted[slot] = !l.world.IsKinematic(slot)
	}
	for i := range s.near[:s.nearCount] {
		if slot := l.slotOf[s.near[i].body]; slot != noSlot {
			wanted[slot] = true
		}
	}
	for slot := range l.bodies {
		if l.bodies[slot] != noBody && !wanted[slot] {
			l.remove(slot)
		}
	}
	for i := range s.near[:s.nearCount] {
		n := &s.near[i]
		if l.isPlayers(int(n.body)) {
			continue
		}
		slot := l.add(n.body, sim.Body{Pose: n.pose, Asleep: true})
		if slot != noSlot && l.world.IsKinematic(slot) && l.world.Bodies()[slot].Pose != n.pose {
			l.world.SetBody(slot, sim.Body{Pose: n.pose, Asleep: true})
		}
	}
}

// attach gives the local world the attachments of tick t. It reports false if they are forgotten, or tie a body
// that is simulated to one that is not.
func (r *Replay) attach(t sim.Tick) bool {
	if !r.local.world.Scene().HasActions() {
		return true
	}
	a := r.attachmentsIn(t)
	return a != nil && r.local.setAttachments(*a)
}

// stepLocal steps the local world as the client's world was stepped in a tick. The other players give
// the inputs of the newest snapshot. It reports false, and does not step, if the attachments do not allow it.
func (r *Replay) stepLocal(s *step) bool {
	w, root := r.local.world, r.local.root
	inputs := r.scratch.inputs
	copy(inputs, r.state.inputs[:])
	inputs[r.env.Player] = s.input
	if !r.attach(w.Tick()) {
		return false
	}
	for p := range inputs { // the attachments say what actions have led to
		inputs[p].Buttons &^= sim.ActionButtons
	}
	w.PinCarriers(s.carriers)
	if s.passage.During.IsParent {
		for slot := range r.local.bodies {
			if !r.local.isPlayers(slot) && !w.IsKinematic(slot) {
				r.parent.ReplayRider(w, slot, &s.passage)
			}
		}
		r.parent.Replay(w, root, &s.passage)
	}
	r.settings.solver.Apply(w)
	w.Step(inputs...)
	return true
}

// touchesRemote reports whether the player's body touches another body in the local world.
func (r *Replay) touchesRemote() bool {
	r.scratch.touches = r.local.world.AppendContacts(r.scratch.touches[:0], r.local.root)
	for _, c := range r.scratch.touches {
		if c.Body >= 0 {
			return true
		}
	}
	return false
}

// finishTick returns the player's body after the replay of tick t, in the frame of the next tick and
// along the world's axes, and adds it to the results.
func (r *Replay) finishTick(t sim.Tick, s *step) sim.Body {
	b := r.local.world.Bodies()[r.local.root]
	next := r.present()
	if n := r.steps.Find(t + 1); n != nil && t+1 < r.env.World.Tick() {
		next = n.passage
	}
	b = r.parent.ReplayChange(&s.passage, &next, t+1, b)
	r.scratch.results = append(r.scratch.results, next.Before.ToLocal(&b))
	return b
}
