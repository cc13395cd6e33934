package localprediction

import "ghostcube/sim"

// Replays reports whether to replay although the player's body agrees with the newest snapshot, which
// describes the client tick at, because bodies around it do not.
func (w *World) Replays(at sim.Tick) bool {
	return !w.Chain.Active() && w.vehicle.body == w.env.Player && w.Replay.Differs(at, w.Snapshot().Bodies)
}

// replayPlayer replays the player's body from the server's state, given in the frame that the body
// had in tick at. It calls remember for each tick since with the body in its frame. The error offset
// hides the change of the drawn pose; what is pending of earlier corrections stays pending. It
// returns the distance by which the body moved, and false if the correction needs another method, as
// while the player drives a vehicle.
func (w *World) replayPlayer(at sim.Tick, server *sim.Body, remember func(t sim.Tick, b *sim.Body)) (metres float32, ok bool) {
	if w.Chain.Active() || w.vehicle.body != w.env.Player {
		return 0, false
	}
	in := w.Snapshot()
	b, ok := w.Replay.Run(at, server, in.Bodies, in.LastInputs, remember)
	if !ok {
		return 0, false
	}
	drawn, before := w.Drawn(), w.Player.Corrected(w.Body())
	if to := w.Player.Uncorrected(&b); to != *w.Body() {
		w.env.World.SetBody(w.env.Player, to)
		w.absorbAll(drawn)
	}
	return b.Pose.Pos.Sub(before.Pose.Pos).Len(), true
}
