package localreplay

import (
	"slices"
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/localprediction/frame"
	"ghostcube/predict/localprediction/nearby"
	"ghostcube/predict/part/history"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

// The bodies of the scene of newConvoy, besides the players.
const (
	testRover = 2
	testWagon = 3
)

// newConvoy returns the replay of a player who drives a rover with a wagon in an island around the rover, and the bodies
// of a snapshot, in which all others are far away.
func newConvoy(t *testing.T) (*Replay, []sim.Body) {
	env, r := predicttest.NewEnv(predicttest.Scene(t, "convoy:wagons=1:players=2"), 60, 0), &Replay{}
	attachments := history.New[sim.Attachments](8)
	r.Declare(env, nil, &nearby.Neighbours{}, &predict.Solver{}, &attachments)
	env.World.SetTick(10)
	r.SetBodies(testRover, []int32{testWagon}, false)
	at := env.World.Bodies()[testRover].Pose.Pos
	r.state = state{live: true, island: true, region: region{at, at}, reach: islandReach, count: 1}
	r.state.region = r.state.region.widened(20)
	bodies := slices.Clone(env.World.Bodies())
	for i := range bodies {
		if i != testRover && i != testWagon {
			bodies[i].Pose.Pos.X += 100
		}
	}
	return r, bodies
}

// TestWagonLeavesIsland checks that an island ends where a wagon leaves it, although the rover is still well inside, and
// that the region of a new one contains both where a snapshot has a wagon and where the client has it.
func TestWagonLeavesIsland(t *testing.T) {
	r, bodies := newConvoy(t)
	if r.isLeaving(&frame.Frame{}) {
		t.Error("rover and wagon leave the region in the middle of it")
	}
	wagon := r.env.World.Bodies()[testWagon]
	wagon.Pose.Pos.X += 30
	r.env.World.SetBody(testWagon, wagon)
	if !r.isLeaving(&frame.Frame{}) {
		t.Error("a wagon 30 m away does not leave a region of 20 m")
	}
	g := r.path(10, bodies[testRover].Pose.Pos, bodies)
	if !g.contains(bodies[testWagon].Pose.Pos, 0) || !g.contains(wagon.Pose.Pos, 0) {
		t.Errorf("the path %+v lacks a place of the wagon", g)
	}
}

// TestMoveEmpty checks that an island moves along with the player only while nothing else is in it, at the client and in
// the snapshot.
func TestMoveEmpty(t *testing.T) {
	for _, c := range []struct {
		what         string
		here         int // remote bodies in the client's island; the wagon is one
		there, moved bool
	}{{"the wagon alone", 1, false, true}, {"a body at the client", 2, false, false}, {"a body in the snapshot", 1, true, false}} {
		r, bodies := newConvoy(t)
		before := r.state.region
		if r.state.count = c.here; c.there {
			bodies[len(bodies)-1].Pose.Pos = bodies[testRover].Pose.Pos
		}
		if r.moveEmpty(10, bodies) != c.moved || (r.state.region != before) != c.moved {
			t.Errorf("%s: want moved %v", c.what, c.moved)
		}
	}
}

// TestSleepingBodyDoesNotEnter checks that a body that sleeps at the edge of an island causes no replay, unlike one that
// moves there.
func TestSleepingBodyDoesNotEnter(t *testing.T) {
	r, bodies := newConvoy(t)
	for i := range bodies {
		if i != testRover {
			bodies[i].Pose.Pos.X += 100
		}
	}
	b := &bodies[len(bodies)-1]
	b.Pose.Pos = bodies[testRover].Pose.Pos
	for _, b.Asleep = range []bool{true, false} {
		if r.isEntered(bodies) == b.Asleep {
			t.Errorf("asleep %v: entered %v", b.Asleep, !b.Asleep)
		}
	}
}

// TestReplayBeforeIsland checks that a replay from a tick before the local world was in use begins without bodies and
// contacts, although those of an earlier use are remembered.
func TestReplayBeforeIsland(t *testing.T) {
	r := &Replay{}
	r.Declare(predicttest.NewEnv(predicttest.Scene(t, "two-players"), 60, 0), nil, &nearby.Neighbours{}, &predict.Solver{}, nil)
	l, w := &r.local, r.local.world
	const other = 40
	beside := w.Bodies()[0]
	beside.Pose.Pos.X += l.scene.Boxes[0].Half.X + l.scene.Boxes[other].Half.X - 0.01
	slot := l.add(other, beside)
	w.Step(sim.Input{Buttons: sim.Right})
	at := w.Tick()
	r.save()
	for _, before := range []bool{false, true} {
		if r.state.live, r.state.since = true, at; before {
			r.state.since = at + 1
		}
		r.resume(at)
		if contacts := w.AppendContacts(nil, slot); before != (len(contacts) == 0) || before != (l.bodies[slot] == noBody) {
			t.Errorf("before the island %v: %d contacts, the slot has body %d", before, len(contacts), l.bodies[slot])
		}
	}
}

// TestReplayRepeatsNoActions checks that a driver who has just entered the rover stays in it when the tick is replayed:
// the attachments say so, and to use it once more would be to leave it.
func TestReplayRepeatsNoActions(t *testing.T) {
	r, bodies := newConvoy(t)
	l := &r.local
	for _, i := range []int{testWagon, testWagon + 1} {
		l.world.SetKinematic(l.add(int32(i), bodies[i]), false)
	}
	entered := r.env.World.Attachments()
	entered.Vehicle[0] = 1
	*r.attachments.Insert(l.world.Tick() + 1) = entered
	if !r.stepLocal(&step{input: sim.Input{Buttons: sim.Use}}) || l.world.Attachments() != entered {
		t.Errorf("attachments %+v, want %+v", l.world.Attachments(), entered)
	}
}
