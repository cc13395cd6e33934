package clientworld

import (
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/correction"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// Snapshot returns the newest snapshot, for reading.
func (w *World) Snapshot() *codec.Receiver { return w.Interpolated.Receiver() }

// ServerBody returns the player's body in the newest snapshot, for reading.
func (w *World) ServerBody() *sim.Body { return &w.Snapshot().Bodies[w.env.Player] }

// Locate returns the client's tick that the newest snapshot describes, and whether that is to be
// compared. moved reports that the server has repeated or skipped inputs since the last snapshot.
func (w *World) Locate(from input.Consumed) (at sim.Tick, moved, ok bool) {
	at, moved, ok = w.Log.Locate(w.Snapshot().Tick, from)
	return at, moved, ok && at <= w.env.World.Tick() && w.settings.correction.Enabled && !w.Chain.TooLong()
}

// CompareOthers compares the predicted bodies but the player's with the newest snapshot, which
// describes the client's tick at, and shifts their histories.
func (w *World) CompareOthers(at sim.Tick) {
	server := w.Snapshot().Bodies
	w.Nearby.Compare(at, server, &w.settings.correction)
	w.Chain.Compare(at, server, &w.settings.correction)
}

// Compare compares the server's body of the player with what is remembered of the client's tick at.
func (w *World) Compare(at sim.Tick, server, remembered *sim.Body) (smoothing.Shift, correction.Verdict) {
	w.Fallback.AddComparison(at)
	return w.Player.Compare(&w.settings.correction, server, remembered)
}

// Describe returns what a correction by the newest snapshot says of a difference.
func (w *World) Describe(from *packet.Packet, why predict.Cause, server, remembered *sim.Body) predict.Correction {
	return w.Log.Describe(from, w.Snapshot().Tick, why, server, remembered)
}

// Report reports a correction that moves the player's body by some metres, in the end.
func (w *World) Report(fix predict.Correction, metres float32) {
	w.Log.Report(fix, metres)
	w.Fallback.AddCorrection(metres)
}

// Decay lets the error offset of the player's body decay, and decides on its fallback.
func (w *World) Decay() {
	w.settings.smooth.Decay(&w.Player.ErrorOffset, w.env.World.Rate())
	w.Fallback.Update()
}

// Correct applies one tick's part of all pending corrections. idleTicks is for how many ticks no
// button has been pressed.
func (w *World) Correct(idleTicks int) {
	s := &w.settings
	w.Player.Step(w.env.World, w.env.Player, &s.correction)
	w.env.Counters.Set("pending_correction_m", float64(w.Player.Pending.Pos.Len()))
	w.Nearby.Step(&s.correction)
	w.Chain.Step(w.Snapshot().Bodies, w.isSettled(idleTicks), &s.correction, &s.smooth)
}

// isSettled reports whether a body that sleeps in the newest snapshot stays so: no button has been
// pressed since the tick that it describes.
func (w *World) isSettled(idleTicks int) bool {
	return w.Snapshot().HasSnapshot && w.settings.correction.Enabled && !w.Chain.TooLong() && int64(idleTicks) > w.Log.Ahead()
}

// Rest returns the server's body of the player if it sleeps there for good, and reports whether the
// client's is another one.
func (w *World) Rest(idleTicks int) (rest sim.Body, differs bool) {
	if !w.isSettled(idleTicks) {
		return rest, false
	}
	rest = *w.ServerBody()
	return rest, rest.Asleep && rest != *w.Body()
}

// Onward returns the server's body of the player as it will be by the client's tick if it keeps its
// velocity, above the ground. The bodies tied to the player are set to the server's, likewise.
func (w *World) Onward(b sim.Body) sim.Body {
	seconds := float32(max(w.Log.Ahead(), 0)) / float32(w.env.World.Rate())
	w.Chain.ResetTo(w.Snapshot().Bodies, seconds, &w.settings.smooth)
	b.Pose.Pos = b.Pose.Pos.AddScaled(seconds, b.Linear)
	b.Pose.Pos.Z = max(b.Pose.Pos.Z, w.env.World.Scene().Boxes[w.env.Player].Half.Z)
	return b
}

// Teleport sets the player's body to a state and drops its pending correction. Its drawn pose
// glides there.
func (w *World) Teleport(to sim.Body) {
	w.Player.Teleport(w.env.World, w.env.Player, to, &w.settings.smooth)
}

// Drawn returns the pose at which the player's body is drawn without fallback.
func (w *World) Drawn() geom.Pose { return w.Player.Drawn(w.env.World, w.env.Player) }

// Absorb has the error offset take up a change of the player's pose, which was drawn at drawn.
func (w *World) Absorb(drawn geom.Pose) {
	w.settings.smooth.Absorb(&w.Player.ErrorOffset, drawn, w.Body().Pose)
}

// AbsorbAll is Absorb for a change of any length, if corrections are smoothed at all.
func (w *World) AbsorbAll(drawn geom.Pose) {
	if w.settings.smooth.Mode != smoothing.None {
		w.Player.ErrorOffset.Absorb(drawn, w.Body().Pose)
	}
}
