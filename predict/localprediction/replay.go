package localprediction

import "ghostcube/sim"

// followBodies tells the replay which bodies are predicted now.
func (w *World) followBodies() {
	w.scratch.tree = w.Chain.AppendBodies(w.scratch.tree[:0])
	w.Replay.SetBodies(w.vehicle.body, w.scratch.tree, w.Chain.IsPartial())
}

// replaysTree reports whether a replay from the client tick at corrects the bodies jointed to the player's.
func (w *World) replaysTree(at sim.Tick) bool {
	return w.Chain.Active() && w.Replay.IsPossible(at) && w.Chain.All(w.Snapshot().IsCurrent)
}

// Replays reports whether to replay although the player's body agrees with the newest snapshot, which
// describes the client tick at, because bodies jointed to it or around it do not.
func (w *World) Replays(at sim.Tick) bool {
	server := w.Snapshot().Bodies
	if !w.Chain.Active() {
		return w.Replay.Differs(at, server)
	}
	return w.replaysTree(at) && (w.Chain.Differs(at, server, &w.settings.correction) || w.Replay.Differs(at, server))
}

// replayPlayer replays the player's body from the server's state, given in the frame that the body
// had in tick at. It calls remember for each tick since with the body in its frame. The error offset
// hides the change of the drawn pose; what is pending of earlier corrections stays pending. It
// returns the distance by which the body moved, and false if the correction needs another method. The bodies
// jointed to the player's are replayed with it, or shifted if they cannot be.
func (w *World) replayPlayer(at sim.Tick, server *sim.Body, remember func(t sim.Tick, b *sim.Body)) (metres float32, ok bool) {
	if w.Chain.Active() && !w.replaysTree(at) {
		return 0, false // CompareOthers has shifted the chain
	}
	in, smooth := w.Snapshot(), &w.settings.smooth
	b, ok := w.Replay.Run(at, server, in.Bodies, in.LastInputs, remember)
	if !ok {
		w.compareChain(at)
		return 0, false
	}
	before, drawn, offset := w.Player.Corrected(w.Body()), w.Drawn(), w.Player.ErrorOffset
	w.Player.Replace(w.env.World, w.vehicle.body, &b, smooth)
	w.absorbInHandover(drawn, offset)
	w.Chain.Replace(at, w.Replay.Replayed, smooth)
	return b.Pose.Pos.Sub(before.Pose.Pos).Len(), true
}
