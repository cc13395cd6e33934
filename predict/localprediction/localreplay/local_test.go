package localreplay

import (
	"testing"

	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestLocal checks that a body that is added has a slot with its own box until it is removed, that a
// player has the slot of its index, and that a full local world takes no more: in a scene that it
// contains whole and in a larger one.
func TestLocal(t *testing.T) {
	for _, c := range []struct {
		scene string
		room  int // for other bodies
	}{{"two-players", 66}, {"katamari:cubes=900:players=2", maxSlots - 1}} {
		var l local
		l.init(predicttest.NewEnv(predicttest.Scene(t, c.scene), 60, 1))
		if !l.usable || l.world.IsKinematic(1) || !l.world.IsKinematic(0) {
			t.Fatalf("%s: usable %v", c.scene, l.usable)
		}
		added := 0
		for i := range l.scene.Boxes {
			b := sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: float32(i), Z: 5}, Rot: geom.Identity}, Asleep: true}
			slot := l.add(int32(i), b)
			if again := l.add(int32(i), b); again != slot {
				t.Errorf("%s: body %d in slot %d is added again in slot %d", c.scene, i, slot, again)
			}
			if slot == noSlot || i == 1 {
				continue
			}
			added++
			if l.world.Bodies()[slot].Pose != b.Pose || l.world.Scene().Boxes[slot].Half != l.scene.Boxes[i].Half || i == 0 && slot != 0 {
				t.Errorf("%s: body %d is not in slot %d", c.scene, i, slot)
			}
		}
		if added != c.room {
			t.Errorf("%s: %d bodies, want %d", c.scene, added, c.room)
		}
		l.clear()
		for slot := range l.bodies {
			if (l.bodies[slot] != noBody) != (slot == 1) || slot != 1 && l.world.Bodies()[slot].Pose != l.away.Pose {
				t.Errorf("%s: slot %d is in use", c.scene, slot)
			}
		}
	}
}

// TestWalkersStand checks that a local world does not know where the walkers of a crowd go, as a client does
// not know the input of other players.
func TestWalkersStand(t *testing.T) {
	var l local
	l.init(predicttest.NewEnv(predicttest.Scene(t, "crowd:walkers=50"), 60, 0))
	const walker = 1
	slot := l.add(walker, l.scene.Boxes[walker].Start)
	l.world.SetKinematic(slot, false)
	for range 300 {
		if l.world.Step(); l.world.Bodies()[slot].Linear.Len() > 0.1 {
			t.Fatalf("the walker moves: %+v", l.world.Bodies()[slot])
		}
	}
}

// TestRegion checks the regions in which bodies belong to an island.
func TestRegion(t *testing.T) {
	g := region{}
	g.include(geom.Vec3{X: -1, Y: 2})
	g.include(geom.Vec3{X: 3, Z: 1})
	w := g.widened(0.5)
	for _, c := range []struct {
		at     geom.Vec3
		radius float32
		in     bool
	}{
		{geom.Vec3{X: 1, Y: 1, Z: 0.5}, 0, true}, {geom.Vec3{X: -1.4, Y: 2.4, Z: -0.4}, 0, true}, {geom.Vec3{X: -1.6}, 0, false},
		{geom.Vec3{X: -1.6}, 0.2, true}, {geom.Vec3{Y: 2.6}, 0, false}, {geom.Vec3{Z: 1.6}, 0, false}, {geom.Vec3{Z: -0.6}, 0, false},
	} {
		if w.contains(c.at, c.radius) != c.in {
			t.Errorf("%+v", c)
		}
	}
}

// TestAttachments checks that attachments are set whose vehicle is in the local world, and none with which a coupling
// ties a body that is simulated to one that is not.
func TestAttachments(t *testing.T) {
	var l local
	l.init(predicttest.NewEnv(predicttest.Scene(t, "convoy:wagons=1:players=2"), 60, 0))
	const rover, wagon, otherRover = 2, 3, 5
	driven := l.world.Attachments()
	driven.Vehicle = [sim.MaxPlayers]uint8{1, 2}
	apart := driven
	apart.Open = ^uint64(0) >> (64 - len(l.scene.Couplings))
	l.setRoot(rover)
	if l.world.IsKinematic(rover) || !l.isPlayers(0) || !l.isPlayers(rover) || l.isPlayers(wagon) {
		t.Fatal("the rover is not the player's")
	}
	if l.setAttachments(driven) {
		t.Error("the rover is coupled to a wagon that is not simulated")
	}
	if !l.setAttachments(apart) {
		t.Error("a rover without its wagon is refused")
	}
	if a := l.world.Attachments(); a.Vehicle[0] != 1 || a.Vehicle[1] != 0 || a.Open != apart.Open {
		t.Errorf("attachments %+v", a)
	}
	for _, i := range []int{wagon, wagon + 1, otherRover, otherRover + 1} {
		l.world.SetKinematic(l.add(int32(i), l.scene.Boxes[i].Start), false)
	}
	if !l.setAttachments(driven) || l.world.Attachments() != driven {
		t.Errorf("attachments %+v", l.world.Attachments())
	}
	l.setRoot(0)
	if !l.world.IsKinematic(rover) || l.bodies[rover] != noBody || l.world.IsKinematic(0) {
		t.Error("the rover that the player has left is still its own")
	}
}
