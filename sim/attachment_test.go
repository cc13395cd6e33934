package sim_test

import (
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// press steps once with a button and twice without.
func press(w *sim.World, player int, b sim.Buttons) {
	in := make([]sim.Input, w.Scene().Players)
	in[player].Buttons = b
	w.Step(in...)
	stepTicks(w, 2, sim.Input{})
}

// TestVehicle checks that Use enters the nearest vehicle, that the driver then moves with it and drives
// it instead of its own body, that holding Use acts once, and that Use leaves the vehicle at its
// velocity.
func TestVehicle(t *testing.T) {
	w := newWorld(t, "convoy")
	rover := w.Scene().Vehicles[0].Body
	stepTicks(w, 30, sim.Input{})
	stepTicks(w, 10, sim.Input{Buttons: sim.Use})
	if w.Operated(0) != rover {
		t.Fatalf("the player drives body %d, want %d", w.Operated(0), rover)
	}
	seat := w.Scene().Vehicles[0].Seat
	for tick := range 120 {
		w.Step(sim.Input{Buttons: sim.Right | sim.Forward})
		b, v := w.Bodies()[0], w.Bodies()[rover]
		if d := v.Pose.Pos.Add(v.Pose.Rot.Rotate(seat.Pos)).Sub(b.Pose.Pos).Len(); d > 1e-4 {
			t.Fatalf("tick %d: the driver is %v m from its seat", tick, d)
		}
	}
	if way := w.Bodies()[rover].Pose.Pos; way.X < 1 || way.Y < 1 {
		t.Errorf("the rover is at %v", way)
	}
	w.Step(sim.Input{Buttons: sim.Use})
	b, v := w.Bodies()[0], w.Bodies()[rover]
	if w.Operated(0) != 0 || b.Linear.Sub(v.Linear).Len() > 3 {
		t.Errorf("after leaving it drives body %d, at %v beside a rover at %v", w.Operated(0), b.Linear, v.Linear)
	}
	stepTicks(w, 200, sim.Input{Buttons: sim.Left})
	press(w, 0, sim.Use)
	if w.Operated(0) != 0 {
		t.Error("it enters a vehicle that is far away")
	}
}

// TestVehicleHasOneDriver checks that a vehicle that is taken cannot be entered by another player.
func TestVehicleHasOneDriver(t *testing.T) {
	w := newWorld(t, "convoy:players=2")
	b := w.Bodies()[1]
	b.Pose.Pos = geom.Vec3{Y: 2, Z: 0.9} // beside the first rover
	w.SetBody(1, b)
	press(w, 0, sim.Use)
	press(w, 1, sim.Use)
	if a := w.Attachments(); a.Vehicle[0] != 1 || a.Vehicle[1] != 0 {
		t.Fatalf("drivers %v", a.Vehicle)
	}
	press(w, 0, sim.Use)
	press(w, 1, sim.Use)
	if a := w.Attachments(); a.Vehicle[0] != 0 || a.Vehicle[1] != 1 || !a.Valid(w.Scene()) {
		t.Errorf("drivers %v", a.Vehicle)
	}
}

// TestCoupling checks that Couple disconnects the nearest coupling, so that the train parts, and
// connects it again when its ends are near each other.
func TestCoupling(t *testing.T) {
	w := newWorld(t, "convoy")
	rover, wagon := w.Scene().Vehicles[0].Body, w.Scene().Joints[0].B
	press(w, 0, sim.Use)
	stepTicks(w, 120, sim.Input{Buttons: sim.Right})
	gap := func() float32 { a, b := w.JointAnchors(0); return a.Sub(b).Len() }
	if x := w.Bodies()[wagon].Linear.X; x < 1 || gap() > 0.01 {
		t.Fatalf("the wagon moves at %v m/s, its coupling is open by %v m", x, gap())
	}
	press(w, 0, sim.Couple)
	if !w.JointOpen(0) {
		t.Fatal("the coupling is connected")
	}
	stepTicks(w, 60, sim.Input{Buttons: sim.Right})
	if gap() < 1 {
		t.Errorf("the wagon is %v m behind", gap())
	}
	press(w, 0, sim.Couple)
	if !w.JointOpen(0) {
		t.Error("a coupling whose ends are far apart is connected")
	}
	for tick := 0; gap() > 0.4 && tick < 600; tick++ { // back up
		in := sim.Input{}
		if w.Bodies()[rover].Linear.X > -1 {
			in.Buttons = sim.Left
		}
		w.Step(in)
	}
	press(w, 0, sim.Couple)
	stepTicks(w, 60, sim.Input{})
	if w.JointOpen(0) || gap() > 0.01 {
		t.Errorf("the coupling is open: %v, by %v m", w.JointOpen(0), gap())
	}
}

// TestAttachmentsValid checks which attachments from the network are refused: of vehicles, players and
// couplings that do not exist, and two drivers of one vehicle.
func TestAttachmentsValid(t *testing.T) {
	scene := newWorld(t, "convoy:players=2").Scene()
	for _, c := range []struct {
		a    sim.Attachments
		want bool
	}{
		{sim.Attachments{}, true},
		{sim.Attachments{Vehicle: [sim.MaxPlayers]uint8{2, 1}, Open: 1}, true},
		{sim.Attachments{Vehicle: [sim.MaxPlayers]uint8{1, 1}}, false},
		{sim.Attachments{Vehicle: [sim.MaxPlayers]uint8{3}}, false},
		{sim.Attachments{Vehicle: [sim.MaxPlayers]uint8{0, 0, 1}}, false},
		{sim.Attachments{Open: 1 << 8}, false},
	} {
		if c.a.Valid(scene) != c.want {
			t.Errorf("%+v: want %v", c.a, c.want)
		}
	}
}
