package localprediction

import (
	"ghostcube/predict/localprediction/correction"
	"ghostcube/predict/part/history"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// attachmentTicks is the number of ticks whose attachments are remembered: 4 s at 60 Hz.
const attachmentTicks = 256

// vehicleState is what the client knows of the vehicle that its player drives. When the player enters a
// vehicle, that becomes dynamic and predicted, with the bodies jointed to it if the joint chain is, and the
// player's own body sits on it; when it leaves, the vehicle becomes kinematic and interpolated again
// (Space Engineers, a talk at GDC). The client predicts both from its input.
type vehicleState struct {
	body        int             // that is predicted
	attachments sim.Attachments // of the client's world, as the prediction follows them
}

// followAttachments resets the joint chain if couplings or drivers have changed in the client's world, and
// reports whether the player drives another body now.
func (w *World) followAttachments() (switched bool) {
	world := w.env.World
	if !world.Scene().HasActions() || w.env.Player < 0 {
		return false
	}
	if a := world.Attachments(); a != w.vehicle.attachments {
		w.vehicle.attachments = a
		w.Chain.Reset()
	}
	return world.Operated(w.env.Player) != w.vehicle.body
}

// switchBody predicts the body that the player drives now, from its newest state, and interpolates the
// vehicle that it has left.
func (w *World) switchBody() {
	world, player := w.env.World, w.env.Player
	before, next := w.vehicle.body, world.Operated(player)
	if before != player {
		w.setPredicted(before, false)
	}
	drawn := world.Bodies()[player].Pose
	if next != player {
		drawn = w.Interpolated.Pose(next)
		w.setPredicted(next, true)
	}
	w.vehicle.body, w.Player = next, correction.Player{}
	w.settings.smooth.Absorb(&w.Player.ErrorOffset, drawn, world.Bodies()[next].Pose)
	w.env.Counters.New("vehicle_switches", "times that the client began to predict another body, because its player entered or left a vehicle").Inc()
}

// recordAttachments remembers the attachments at the beginning of the present tick.
func (w *World) recordAttachments() {
	if w.env.World.Scene().HasActions() {
		*w.attachments.Insert(w.env.World.Tick()) = w.env.World.Attachments()
	}
}

// adoptAttachments compares the attachments of the newest snapshot with those remembered of the client tick
// that it describes, and adopts what differs: what other players did, and what the client predicted wrongly.
func (w *World) adoptAttachments(at sim.Tick) {
	world, server := w.env.World, &w.Snapshot().Attachments
	remembered := w.attachments.Find(at)
	if remembered == nil || *remembered == *server {
		return
	}
	then := *remembered
	adopt := func(a *sim.Attachments) {
		for p := range a.Vehicle {
			if server.Vehicle[p] != then.Vehicle[p] {
				a.Vehicle[p] = server.Vehicle[p]
			}
		}
		different := server.Open ^ then.Open
		a.Open = a.Open&^different | server.Open&different
		if !a.Valid(world.Scene()) {
			*a = *server
		}
	}
	for past := range w.attachments.Between(at, world.Tick()) {
		adopt(past)
	}
	now := world.Attachments()
	adopt(&now)
	world.SetAttachments(now)
}

// seatPose returns where the player sits on its vehicle, if that is drawn at a pose.
func (w *World) seatPose(vehicle geom.Pose) geom.Pose {
	scene := w.env.World.Scene()
	for i := range scene.Vehicles {
		if v := &scene.Vehicles[i]; v.Body == w.vehicle.body {
			return geom.Pose{Pos: vehicle.Pos.Add(vehicle.Rot.Rotate(v.Seat.Pos)), Rot: vehicle.Rot.Mul(v.Seat.Rot).Unit()}
		}
	}
	return vehicle
}

// newAttachmentHistory returns an empty history.
func newAttachmentHistory() history.Ring[sim.Attachments] {
	return history.New[sim.Attachments](attachmentTicks)
}
