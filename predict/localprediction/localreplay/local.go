package localreplay

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// maxSlots is the number of bodies that a local world has room for. A scene of no more bodies is
// copied whole, each body in the slot of its index. Of a larger one, the players have their own
// slots, and the others represent whichever bodies are near.
const maxSlots = 256

const (
	noBody = -1
	noSlot = -1
)

// local is a world of a few bodies of the client's world.
type local struct {
	world   *sim.World
	usable  bool    // every body near the player's can be in it
	whole   bool    // each body has the slot of its index
	bodies  []int32 // by slot: body of the client's world, or noBody
	slotOf  []int16 // by body: its slot, or noSlot
	jointed []bool  // by body
	scene   *sim.Scene
	player  int
	root    int      // body that the player drives: its own or a vehicle
	away    sim.Body // where the bodies of unused slots are: in an upper corner of the bounds
}

func (l *local) init(env *predict.Env) {
	l.scene, l.player, l.root, l.usable = env.World.Scene(), env.Player, env.Player, true
	s := *l.scene
	l.jointed = make([]bool, len(s.Boxes))
	for _, j := range s.Joints {
		if l.jointed[j.B] = true; j.A != sim.WorldBody {
			l.jointed[j.A] = true
		}
	}
	l.whole = len(s.Boxes) <= maxSlots
	if !l.whole {
		s.Boxes, s.Joints, s.Vehicles, s.Couplings = nil, nil, nil, nil // there is no replay while the player drives
		for i := range maxSlots {
			s.Boxes = append(s.Boxes, l.scene.Boxes[i])
		}
		for i := range l.scene.Boxes {
			l.usable = l.usable && len(l.scene.Boxes[i].SubShapes) == 0
		}
		if l.usable = l.usable && !l.jointed[l.player]; !l.usable {
			return
		}
	}
	l.world = sim.New(s, env.World.Rate())
	l.world.RunWalkers(false) // the client does not know where others go
	l.away = sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: s.HalfWidth, Y: s.HalfWidth, Z: s.Height}, Rot: geom.Identity}, Asleep: true}
	l.bodies, l.slotOf = make([]int32, len(s.Boxes)), make([]int16, len(l.scene.Boxes))
	for i := range l.slotOf {
		l.slotOf[i] = noSlot
	}
	for slot := range l.bodies {
		l.bodies[slot] = noBody
		if slot != l.player {
			l.world.SetKinematic(slot, true)
			l.world.SetBody(slot, l.away)
		}
	}
	l.bodies[l.player], l.slotOf[l.player] = int32(l.player), int16(l.player)
}

// setRoot makes another body the one that the player drives.
func (l *local) setRoot(body int) {
	before := l.root
	if l.root = body; before == body || !l.whole {
		return
	}
	if before != l.player {
		l.remove(before)
	}
	if body != l.player {
		l.add(int32(body), l.scene.Boxes[body].Start)
		l.world.SetKinematic(body, false)
	}
}

// isPlayers reports whether a slot has the player's own body or the one that it drives.
func (l *local) isPlayers(slot int) bool { return slot == l.player || slot == l.root }

// clear removes all bodies but the player's.
func (l *local) clear() {
	for slot := range l.bodies {
		if !l.isPlayers(slot) && l.bodies[slot] != noBody {
			l.remove(slot)
		}
	}
}

// setAttachments sets those attachments of the client's world whose bodies are in the local world. It reports
// false if a closed joint ties a body that is simulated to one that is not.
func (l *local) setAttachments(a sim.Attachments) bool {
	for p, v := range a.Vehicle {
		if v > 0 && p != l.player && l.slotOf[l.scene.Vehicles[v-1].Body] == noSlot {
			a.Vehicle[p] = 0
		}
	}
	if a == l.world.Attachments() {
		return true
	}
	for k := range l.scene.Joints {
		j := &l.scene.Joints[k]
		if j.A != sim.WorldBody && !l.scene.JointOpen(&a, k) && l.world.IsKinematic(j.A) != l.world.IsKinematic(j.B) {
			return false
		}
	}
	l.world.SetAttachments(a)
	return true
}

// add adds a kinematic body, unless it is there, and returns its slot, or noSlot if none is free.
func (l *local) add(body int32, b sim.Body) int {
	if slot := l.slotOf[body]; slot != noSlot {
		return int(slot)
	}
	slot := int(body)
	if !l.whole {
		if slot = l.freeSlot(body); slot == noSlot {
			return noSlot
		}
		l.world.ReplaceBody(slot, &l.scene.Boxes[body], b)
	} else {
		l.world.SetBody(slot, b)
	}
	l.bodies[slot], l.slotOf[body] = body, int16(slot)
	return slot
}

// freeSlot returns a free slot for a body, or noSlot. Players have their own.
func (l *local) freeSlot(body int32) int {
	if int(body) < l.scene.Players {
		return int(body)
	}
	for slot := l.scene.Players; slot < len(l.bodies); slot++ {
		if l.bodies[slot] == noBody {
			return slot
		}
	}
	return noSlot
}

// remove removes the body in a slot.
func (l *local) remove(slot int) {
	l.slotOf[l.bodies[slot]], l.bodies[slot] = noSlot, noBody
	l.world.SetKinematic(slot, true)
	l.world.SetBody(slot, l.away)
}

func (l *local) copyFrom(o *local) {
	if o.world == nil {
		return
	}
	l.usable, l.whole, l.player, l.root, l.away = o.usable, o.whole, o.player, o.root, o.away
	copy(l.bodies, o.bodies)
	copy(l.slotOf, o.slotOf)
	copy(l.jointed, o.jointed)
	for slot, body := range o.bodies {
		if !l.whole && body != noBody {
			l.world.ReplaceBody(slot, &l.scene.Boxes[body], o.world.Bodies()[slot])
		}
	}
	l.world.CopyFrom(o.world)
}
