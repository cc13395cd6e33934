package lab_test

import (
	"fmt"
	"testing"

	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// boardingTape is the tape of that name over a link.
func boardingTape(t testing.TB, weather string) *tape.Tape {
	t.Helper()
	tape := builtInTape(t, "boarding")
	if err := tape.Config.Network.Parse(weather); err != nil {
		t.Fatal(err)
	}
	return tape
}

// playTicks makes the ticks of a tape in [from, to).
func playTicks(t testing.TB, l *Lab, tape *tape.Tape, from, to int) {
	t.Helper()
	for _, e := range tape.Entries[from:to] {
		if err := l.Tick(Entry{Inputs: e.Inputs}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRelativeConformance says that the same boarding twice gives the same bits, and that a
// copy taken on the way, between two parents, goes the same way as its model and apart
// from it: with every way to go from one time to the other.
func TestRelativeConformance(t *testing.T) {
	tape := boardingTape(t, "latency=75ms,jitter=20ms,loss=10%,duplicate=5%,reorder=5%,reorder-delay=40ms")
	for _, spec := range []string{"relative", "relative:handover=smooth:inertia=off", "relative:handover=reconcile:parent-predict=off", "historyoffset", "historyoffset:carriers=predicted"} {
		a, b := open(t, tape.Config, spec), open(t, tape.Config, spec)
		playTicks(t, a, tape, 0, 1080)
		playTicks(t, b, tape, 0, 1080)
		f := a.Fork()
		if a.Hash() != b.Hash() || f.Hash() != a.Hash() {
			t.Fatalf("%s: the same session twice gives two", spec)
		}
		playTicks(t, a, tape, 1080, 1500)
		if f.Hash() != b.Hash() {
			t.Errorf("%s: the copy moved with its model", spec)
		}
		playTicks(t, f, tape, 1080, 1500)
		if f.Hash() != a.Hash() {
			t.Errorf("%s: the copy went another way", spec)
		}
	}
}

// TestBoarding says where on the tape boarding the cube is in the client's ship, along its
// way, against where it is in the server's when its inputs are used: nowhere else while it
// stands, on the tender and in the ship, at up to 50 m/s; within three metres
// while it tumbles through the door and in the ship, which no offset to a history foretells
// (a digit that differs makes it one or two); and without a parent it is six metres beside,
// which is more than half of the ship.
func TestBoarding(t *testing.T) {
	tape := boardingTape(t, "latency=100ms,loss=2%")
	l := open(t, tape.Config, "relative", "historyoffset")
	var worst [2]float32
	var shown [2]map[sim.Tick]float32 // by the server's tick that the own cube's picture is of
	for p := range shown {
		shown[p] = map[sim.Tick]float32{}
	}
	path := &l.Panes[0].ServerWorld.Scene().Carriers[0].Path
	aboard := func(x float32, m sim.Moment) float32 { return x - path.PoseAt(geom.Pose{}, m, 60).Pos.X }
	for i := range tape.Entries {
		playTicks(t, l, tape, i, i+1)
		for p := range shown {
			v, truth := &l.Panes[p].Clients[0].View, l.Panes[p].ServerWorld
			shown[p][v.PredictedTick] = aboard(v.Bodies[0].Pos.X, v.CarrierMoment())
			if then, ok := shown[p][truth.Tick()]; ok && i > 900 && i < 1700 {
				off := then - aboard(truth.Bodies()[0].Pose.Pos.X, truth.Tick().Moment())
				worst[p] = max(worst[p], geom.Abs(off))
				if p == 0 && (i < 1000 || i > 1560) && geom.Abs(off) > 0.005 {
					t.Errorf("tick %d: it stands, and is %v m beside", i, off)
				}
			}
		}
	}
	t.Logf("beside its place in the ship, along its way: %.2f m, without a parent %.2f m", worst[0], worst[1])
	if worst[0] > 3 || worst[1] < 4.5 {
		t.Errorf("beside its place in the ship: %v m, without a parent %v m", worst[0], worst[1])
	}
	a, b := l.Panes[0].Counters, l.Panes[1].Counters
	if a.Value("correction_max_m") > 0.4 || b.Value("correction_max_m") < 2*a.Value("correction_max_m") {
		t.Error(fmt.Sprint("largest corrections: ", a.Value("correction_max_m"), ", without a parent ", b.Value("correction_max_m")))
	}
}

// TestRelativeAllocatesNothing says that riding costs no memory.
func TestRelativeAllocatesNothing(t *testing.T) {
	allocatesNothing(t, "ship:distance=530:platform=1", AtClient, "relative")
	allocatesNothing(t, "trailer", AtClient, "relative:handover=smooth")
}

// TestSwitchInMovingShip says that a client that begins in a ship under way is told of its
// parent, and a second later stands where it stands in the server's; and that the truth
// does not feel it.
func TestSwitchInMovingShip(t *testing.T) {
	tape := boardingTape(t, "latency=100ms,loss=2%")
	l, plain := open(t, tape.Config, "rewind"), open(t, tape.Config, "rewind")
	playTicks(t, plain, tape, 0, 1500)
	playTicks(t, l, tape, 0, 1350)
	if err := l.Tick(Entry{Inputs: tape.Entries[1350].Inputs, Commands: []Command{{Verb: "switch", Pane: 0, Name: "relative"}}}); err != nil {
		t.Fatal(err)
	}
	playTicks(t, l, tape, 1351, 1500)
	if a, b := l.Panes[0].ServerWorld.Bodies()[0], plain.Panes[0].ServerWorld.Bodies()[0]; a != b {
		t.Errorf("the truth is at %v, without a switch at %v", a.Pose.Pos, b.Pose.Pos)
	}
	v, truth := &l.Panes[0].Clients[0].View, l.Panes[0].ServerWorld
	path := &truth.Scene().Carriers[0].Path
	drawn := v.Bodies[0].Pos.X - path.PoseAt(geom.Pose{}, v.CarrierMoment(), 60).Pos.X
	true1 := truth.Bodies()[0].Pose.Pos.X - path.Pose(geom.Pose{}, truth.Tick(), 60).Pos.X
	if off := geom.Abs(drawn - true1); off > 0.02 || l.Panes[0].Counters.Value("parent") != 1 {
		t.Errorf("%v m beside its place, parent %v", off, l.Panes[0].Counters.Value("parent"))
	}
}
