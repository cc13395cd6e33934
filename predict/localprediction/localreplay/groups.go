package localreplay

import "ghostcube/sim"

// groupBodies groups the bodies that hang together in some tick from at on: by closed joints, and as driver and
// vehicle. It reports false if none do.
func (r *Replay) groupBodies(at sim.Tick) bool {
	scene, now := r.local.scene, r.env.World.Tick()
	if len(scene.Joints)+len(scene.Vehicles) == 0 {
		return false
	}
	for i := range r.scratch.groups {
		r.scratch.groups[i] = int32(i)
	}
	opened := sim.Attachments{Open: ^uint64(0)} // in all of these ticks
	for a := range r.attachments.Between(at+1, now) {
		opened.Open &= a.Open
		for p, v := range a.Vehicle {
			if v > 0 {
				r.group(p, scene.Vehicles[v-1].Body)
			}
		}
	}
	for k := range scene.Joints {
		if j := &scene.Joints[k]; j.A != sim.WorldBody && !scene.JointOpen(&opened, k) {
			r.group(j.A, j.B)
		}
	}
	return true
}

// group merges the groups of two bodies.
func (r *Replay) group(a, b int) {
	x, y := r.groupOf(int32(a)), r.groupOf(int32(b))
	r.scratch.groups[max(x, y)] = min(x, y)
}

// groupOf returns the first body of the group of body i.
func (r *Replay) groupOf(i int32) int32 {
	for r.scratch.groups[i] != i {
		i = r.scratch.groups[i]
	}
	return i
}

// includeGroups makes all bodies belong to the island that hang together with one that does, or with the one
// that the player drives.
func (r *Replay) includeGroups() {
	inside := r.scratch.inside
	inside[r.groupOf(int32(r.local.root))] = true
	for i := range inside {
		if inside[i] {
			inside[r.groupOf(int32(i))] = true
		}
	}
	for i := len(inside) - 1; i >= 0; i-- { // the first body of a group last
		inside[i] = inside[r.groupOf(int32(i))] && !r.local.isPlayers(i)
	}
}
