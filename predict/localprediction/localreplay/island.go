package localreplay

import (
	"ghostcube/predict/localprediction/frame"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// The bodies of an island: those within islandReach of the path of the player's body are simulated,
// those up to borderReach further stay where the server has them and support the others. The reach is
// halved while more bodies are within it than the knob island-max allows, down to minIslandReach.
// Beyond that, there is no island. Bodies that hang together by joints belong to it all or not at all.
const (
	islandReach    = 2    // metres
	borderReach    = 0.75 // metres
	minIslandReach = 0.5  // metres
	rideSpeed      = 2    // m/s, relative to a parent, below which a body in its frame rides it
)

// region is an axis-aligned box.
type region struct{ lower, upper geom.Vec3 }

// include extends the region to a point.
func (r *region) include(p geom.Vec3) {
	r.lower = geom.Vec3{X: min(r.lower.X, p.X), Y: min(r.lower.Y, p.Y), Z: min(r.lower.Z, p.Z)}
	r.upper = geom.Vec3{X: max(r.upper.X, p.X), Y: max(r.upper.Y, p.Y), Z: max(r.upper.Z, p.Z)}
}

// widened returns the region with a margin in metres on all sides.
func (r *region) widened(m float32) region {
	v := geom.Vec3{X: m, Y: m, Z: m}
	return region{r.lower.Sub(v), r.upper.Add(v)}
}

// contains reports whether a ball of a radius in metres overlaps the region, except at its corners.
func (r *region) contains(p geom.Vec3, radius float32) bool {
	return p.X > r.lower.X-radius && p.X < r.upper.X+radius &&
		p.Y > r.lower.Y-radius && p.Y < r.upper.Y+radius &&
		p.Z > r.lower.Z-radius && p.Z < r.upper.Z+radius
}

// islandPossible reports whether the ticks from at on can be replayed in an island: the bodies jointed to the
// player's are predicted, and it had the present frame all the time. In the world's frame, the scene must have
// no carriers, because the client's are in the past, where the bodies of the island are not.
func (r *Replay) islandPossible(at sim.Tick) bool {
	present := r.present()
	if r.state.partial || len(r.tree) > 0 && present.Before.IsParent {
		return false
	}
	if !present.Before.IsParent && len(r.local.scene.Carriers) > 0 {
		return false
	}
	for t := at; t < r.env.World.Tick(); t++ {
		s, next := r.steps.Find(t), &present
		if n := r.steps.Find(t + 1); n != nil && t+1 < r.env.World.Tick() {
			next = &n.passage
		}
		if s == nil || s.passage.During != next.Before {
			return false
		}
	}
	return true
}

// present returns the passage of the tick that will be stepped next, as far as it is known.
func (r *Replay) present() (p frame.Passage) {
	if r.parent != nil {
		p, _ = r.parent.Passage()
	}
	return p
}

// inFrame returns the bodies of a snapshot in the frame of the player's body.
func (r *Replay) inFrame(snapshot []sim.Body) []sim.Body {
	if !r.parent.Frame().IsParent {
		return snapshot
	}
	r.scratch.relative = r.parent.AppendRelative(r.scratch.relative[:0], snapshot)
	return r.scratch.relative
}

// belongs reports whether a body, given in the frame of the player's body, belongs to the island of a
// region. In the frame of a parent only those do that ride it.
func (r *Replay) belongs(g *region, i int, b *sim.Body) bool {
	if r.local.isPlayers(i) || !g.contains(b.Pose.Pos, r.local.scene.Boxes[i].Half.Len()) {
		return false
	}
	if !r.parent.Frame().IsParent {
		return true
	}
	return !r.local.jointed[i] && !r.parent.IsCurrent(i) && b.Linear.LenSq() < rideSpeed*rideSpeed
}

// islandDiffers reports whether the island has to be replayed from tick at, or created. bodies are
// those of the snapshot, in the frame of the player's body.
func (r *Replay) islandDiffers(at sim.Tick, bodies []sim.Body) bool {
	server := bodies[r.local.root].Pose.Pos
	if !r.InIsland() {
		_, _, count, ok := r.regionOf(at, server, bodies)
		return ok && count > len(r.tree)
	}
	past := r.past.Find(at)
	if past == nil || at < r.state.since {
		return true
	}
	f := r.present().Before
	if r.isLeaving(&f) {
		return !r.moveEmpty(at, bodies)
	}
	if s := r.steps.Find(at); s != nil && at < r.env.World.Tick() {
		f = s.passage.Before
	}
	for slot, body := range past.bodies {
		if body == noBody || r.local.isPlayers(slot) || f.IsParent && r.local.world.IsKinematic(slot) {
			continue
		}
		remembered := f.ToLocal(&past.state.Bodies[slot])
		if r.isMoved(&remembered, &bodies[body], r.local.scene.Boxes[body].Half.Len()) {
			return true
		}
	}
	return r.isEntered(bodies)
}

// isLeaving reports whether the player's body, or one jointed to it, is about to leave the region.
func (r *Replay) isLeaving(f *frame.Frame) bool {
	reserve, bodies := r.state.region.widened(float32(-r.state.reach/2)), r.env.World.Bodies()
	if !reserve.contains(f.LocalPoint(bodies[r.local.root].Pose.Pos), 0) {
		return true
	}
	for _, i := range r.tree {
		if !reserve.contains(bodies[i].Pose.Pos, 0) {
			return true
		}
	}
	return false
}

// moveEmpty moves an island without remote bodies along with the player's body. It reports false if
// there are such bodies, here or there, beside those jointed to it.
func (r *Replay) moveEmpty(at sim.Tick, bodies []sim.Body) bool {
	g, reach, count, _ := r.regionOf(at, bodies[r.local.root].Pose.Pos, bodies)
	if r.state.count > len(r.tree) || count > len(r.tree) {
		return false
	}
	r.state.region, r.state.reach = g, reach
	return true
}

// isMoved reports whether a corner of a body of the island, half metres from its centre, is further
// from the server's than the tolerance.
func (r *Replay) isMoved(remembered, server *sim.Body, half float32) bool {
	moved := server.Pose.Pos.Sub(remembered.Pose.Pos).Len()
	if server.Pose.Rot != remembered.Pose.Rot {
		moved += float32(half * server.Pose.Rot.Mul(remembered.Pose.Rot.Inverse()).Angle())
	}
	return moved > float32(r.settings.tolerance)
}

// Tolerates reports whether the velocity of the player's body, remembered of a tick, causes no replay. Snapshots have no
// contacts, so among other bodies it differs a little after each replay, and the next one would be no better. What that does to
// the pose is compared as ever.
func (r *Replay) Tolerates(server, remembered *sim.Body) bool {
	if !r.InIsland() || r.state.count <= len(r.tree) {
		return false
	}
	half := r.local.scene.Boxes[r.local.root].Half.Len()
	difference := server.Linear.Sub(remembered.Linear).Len()
	difference += float32(half * server.Angular.Sub(remembered.Angular).Len())
	return difference <= float32(r.settings.velocity)
}

// isEntered reports whether a body has entered the region of the island since its beginning.
func (r *Replay) isEntered(bodies []sim.Body) bool {
	for i := range bodies {
		if r.local.slotOf[i] == noSlot && !bodies[i].Asleep && r.belongs(&r.state.region, i, &bodies[i]) {
			return true
		}
	}
	return false
}

// path returns the region of the player's body and of those jointed to it from tick at on, in its frame.
func (r *Replay) path(at sim.Tick, server geom.Vec3, bodies []sim.Body) region {
	f, boxes := r.present().Before, r.local.scene.Boxes
	p, half := region{server, server}, boxes[r.local.root].Half.X
	for s := range r.steps.Between(at, r.env.World.Tick()-1) {
		p.include(s.passage.Before.LocalPoint(s.start.Pose.Pos))
	}
	p.include(f.LocalPoint(r.env.World.Bodies()[r.local.root].Pose.Pos))
	for _, i := range r.tree {
		p.include(bodies[i].Pose.Pos)
		p.include(r.env.World.Bodies()[i].Pose.Pos)
		half = max(half, boxes[i].Half.X)
	}
	return p.widened(half)
}

// regionOf returns the region of an island from tick at on, its reach beyond the paths of the player's bodies,
// and how many bodies belong to it besides the one that the player drives. ok is false if they are too many.
// The scratch has these bodies then.
func (r *Replay) regionOf(at sim.Tick, server geom.Vec3, bodies []sim.Body) (g region, reach float32, count int, ok bool) {
	path, inside := r.path(at, server, bodies), r.scratch.inside
	tied := r.local.whole && !r.parent.Frame().IsParent && r.groupBodies(at)
	for reach = islandReach; reach >= minIslandReach; reach = float32(reach * 0.5) {
		g, count = path.widened(reach), 0
		for i := range bodies {
			inside[i] = r.belongs(&g, i, &bodies[i])
		}
		if tied {
			r.includeGroups()
		}
		for i := range inside {
			if inside[i] {
				count++
			}
		}
		if count <= r.settings.maxBodies {
			return g, reach, count, true
		}
	}
	return g, reach, count, false
}

// fillIsland makes the local world contain the bodies of the island's region, dynamic, and those of its
// border, kinematic, without setting their states. Bodies that stay keep their slots.
func (r *Replay) fillIsland(bodies []sim.Body) {
	l, inside := &r.local, r.scratch.inside
	border := r.state.region.widened(borderReach)
	for slot, body := range l.bodies {
		if !l.isPlayers(slot) && body != noBody && !inside[body] && !r.belongs(&border, int(body), &bodies[body]) {
			l.remove(slot)
		}
	}
	r.state.count = 0
	dynamic := 0
	for _, bordering := range [2]bool{false, true} {
		for i := range bodies {
			if inside[i] == bordering || bordering && !r.belongs(&border, i, &bodies[i]) {
				continue
			}
			slot := l.add(int32(i), bodies[i])
			if slot == noSlot {
				continue
			}
			r.state.count++
			moves := !bordering && (l.whole || !l.jointed[i])
			l.world.SetKinematic(slot, !moves)
			if moves {
				dynamic++
			}
		}
	}
	r.counters.islandBodies.Set(float64(dynamic))
}

// runIsland replays the player's body together with the bodies around it, and continues the island
// from there. server and bodies are in the frame of the player's body. ok is false if the island has
// too many bodies.
func (r *Replay) runIsland(at sim.Tick, server *sim.Body, bodies []sim.Body) (b sim.Body, ok bool) {
	now, l := r.env.World.Tick(), &r.local
	g, reach, _, ok := r.regionOf(at, server.Pose.Pos, bodies)
	if !ok {
		r.stop()
		return b, false
	}
	w := l.world
	r.resume(at)
	r.state.island = true
	r.state.region, r.state.reach = g, reach
	r.fillIsland(bodies)
	if !r.attach(at) {
		r.stop()
		return b, false
	}
	f := r.present().Before
	if s := r.steps.Find(at); s != nil && at < now {
		f = s.passage.Before
	}
	for slot, body := range l.bodies {
		if body == noBody || l.isPlayers(slot) {
			continue
		}
		if start := f.ToWorld(&bodies[body]); w.Bodies()[slot] != start {
			w.SetBody(slot, start)
		}
	}
	b = f.ToWorld(server)
	w.SetBody(l.root, b)
	r.save()
	for t := at; t < now; t++ {
		s := r.steps.Find(t)
		r.placeAround(s)
		if !r.stepLocal(s) {
			r.stop()
			return b, false
		}
		b = r.finishTick(t, s)
		r.save()
	}
	return b, true
}
