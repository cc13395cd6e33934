package localreplay

import (
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/localprediction/nearby"
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

// TestTolerates checks which errors of the player's velocity cause no replay: small ones of the corners of its cube in
// an island with other bodies.
func TestTolerates(t *testing.T) {
	env, r := predicttest.NewEnv(predicttest.Scene(t, "tower"), 60, 0), &Replay{}
	r.Declare(env, nil, &nearby.Neighbours{}, &predict.Solver{}, nil)
	among := state{live: true, island: true, count: 1}
	for _, c := range []struct {
		state
		linear, spin float32 // m/s, of the centre and of the corners about it
		want         bool
	}{
		{among, 0.19, 0, true}, {among, 0.21, 0, false}, {among, 0, 0.19, true}, {among, 0, 0.21, false}, {among, 0.11, 0.11, false},
		{state{live: true, island: true}, 0.1, 0, false}, {state{live: true, count: 1}, 0.1, 0, false}, {state{island: true, count: 1}, 0.1, 0, false},
	} {
		r.state = c.state
		server := sim.Body{Linear: geom.Vec3{X: 3}, Angular: geom.Vec3{Z: 1}}
		remembered := sim.Body{Linear: geom.Vec3{X: 3, Y: c.linear}, Angular: geom.Vec3{Z: 1 - c.spin/r.local.scene.Boxes[0].Half.Len()}}
		if r.Tolerates(&server, &remembered) != c.want {
			t.Errorf("%v and %v m/s, live %v, island %v, %d bodies: want %v", c.linear, c.spin, c.live, c.island, c.count, c.want)
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

// TestChangedSlotHasNoContacts checks that a replay from a tick at which a slot had another body, or one that is
// gone, does not begin with that body's contacts, whose impulses would push the player's.
func TestChangedSlotHasNoContacts(t *testing.T) {
	for _, scene := range []string{"two-players", "katamari:cubes=900"} { // copied whole, and larger than the local world
		env, r := predicttest.NewEnv(predicttest.Scene(t, scene), 60, 0), &Replay{}
		r.Declare(env, nil, &nearby.Neighbours{}, &predict.Solver{}, nil)
		l, w := &r.local, r.local.world
		beside := func(body int) sim.Body {
			b := w.Bodies()[0]
			b.Pose.Pos.X += l.scene.Boxes[0].Half.X + l.scene.Boxes[body].Half.X - 0.01
			return b
		}
		const first, second = 40, 41
		slot := l.add(first, beside(first))
		w.Step(sim.Input{Buttons: sim.Right})
		r.state.live, r.state.since = true, 0
		at := w.Tick()
		r.save()
		contacts := func() int { return len(w.AppendContacts(nil, slot)) }
		if r.resume(at); contacts() == 0 {
			t.Fatalf("%s: the body beside the player's does not touch it", scene)
		}
		l.remove(slot)
		if r.resume(at); contacts() != 0 {
			t.Errorf("%s: the replay begins with %d contacts of a body that is gone", scene, contacts())
		}
		if l.whole {
			continue
		}
		if again := l.add(second, beside(second)); again != slot {
			t.Fatalf("%s: another body is in slot %d, want %d", scene, again, slot)
		}
		if r.resume(at); contacts() != 0 {
			t.Errorf("%s: the replay begins with %d contacts of another body", scene, contacts())
		}
	}
}
