package frame

import (
	"testing"

	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

// TestDriven checks that a ship whose pilot turns is expected, for a quarter of a second, where it will be if the
// inputs are known; that an unexpected input is noticed, and one that goes on is not; and that a vehicle with joints is not
// expected alone.
func TestDriven(t *testing.T) {
	scene := predicttest.Scene(t, "ship:players=2")
	const pilot, ship, ahead = 1, 2, 15
	w := sim.New(scene, 60)
	fly := func(tick int) (in sim.Input) {
		switch {
		case tick == 5:
			in.Buttons = sim.Use
		case tick > 10:
			in.Buttons = []sim.Buttons{sim.Forward, sim.Forward | sim.Left}[tick/40%2]
		}
		return in
	}
	d, inputs := newDriven(&scene, scene.Vehicles[0], 60), []sim.Input(nil)
	for tick := range 300 {
		inputs = append(inputs, fly(tick))
		w.Step(sim.Input{}, inputs[tick])
	}
	if w.Operated(pilot) != ship {
		t.Fatal("nobody flies the ship")
	}
	for tick := 300; tick < 400; tick++ {
		now, last := sim.Tick(tick), fly(tick-1)
		var next []sim.Input
		for i := range ahead {
			next = append(next, fly(tick+i))
		}
		d.begin(now, w.Bodies()[ship], last, next, w.Settings)
		then := sim.New(scene, 60)
		then.CopyFrom(w)
		for i := range ahead {
			then.Step(sim.Input{}, next[i])
		}
		f, b := d.at(ahead), &then.Bodies()[ship]
		if off, turn := f.Pose.Pos.Sub(b.Pose.Pos).Len(), f.Pose.Rot.Mul(b.Pose.Rot.Inverse()).Angle(); off > 1e-3 || turn > 1e-3 {
			t.Fatalf("tick %d: it is %v m and %v rad off", tick, off, turn)
		}
		w.Step(sim.Input{}, fly(tick))
	}
	for waiting := range 5 {
		for tick := 400; tick < 500; tick++ {
			var next []sim.Input
			for i := range waiting {
				next = append(next, fly(tick+i))
			}
			d.begin(sim.Tick(tick), w.Bodies()[ship], fly(tick-1), next, w.Settings)
			newest := tick + waiting - 1
			if turns := fly(newest) != fly(newest-1); d.changed != turns && tick > 400 {
				t.Errorf("%d inputs wait, tick %d: changed %v, the pilot turns %v", waiting, tick, d.changed, turns)
			}
		}
	}
	convoy := predicttest.Scene(t, "convoy")
	d = newDriven(&convoy, convoy.Vehicles[0], 60)
	if d.begin(1, convoy.Boxes[convoy.Vehicles[0].Body].Start, sim.Input{}, nil, w.Settings); len(d.frames) > 0 {
		t.Error("a rover with wagons is expected alone")
	}
}

// TestDriverStays checks that a driver whose input says to use the vehicle, as one that has just entered it does, goes on
// driving: the snapshot says who drives.
func TestDriverStays(t *testing.T) {
	scene := predicttest.Scene(t, "ship:players=2")
	end := func(first sim.Buttons) Frame {
		d := newDriven(&scene, scene.Vehicles[0], 60)
		d.begin(1, scene.Boxes[scene.Vehicles[0].Body].Start, sim.Input{}, []sim.Input{{Buttons: first}, {Buttons: sim.Forward}}, sim.New(scene, 60).Settings)
		return d.at(30)
	}
	used, held, still := end(sim.Use|sim.Forward), end(sim.Forward), OfBody(&scene.Boxes[scene.Vehicles[0].Body].Start)
	if used != held || held == still {
		t.Errorf("from %v the ship gets to %v, without the action to %v", still.Pose, used.Pose, held.Pose)
	}
}

// TestDrivenCopy checks that a copy knows that inputs have changed, so it replays, too.
func TestDrivenCopy(t *testing.T) {
	var c driven
	if c.copyFrom(&driven{tick: 7, changed: true}); c.tick != 7 || !c.changed {
		t.Errorf("the copy is %+v", c)
	}
}
