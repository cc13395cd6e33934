package localprediction

import (
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/localprediction/correction"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// Snapshot returns the newest snapshot, for reading.
func (w *World) Snapshot() *codec.Receiver { return w.Interpolated.Receiver() }

// ServerBody returns the body that the player drives in the newest snapshot, for reading.
func (w *World) ServerBody() *sim.Body { return &w.Snapshot().Bodies[w.vehicle.body] }

// locate returns the client tick that the newest snapshot describes; ok reports whether to compare
// the two. moved reports that the server has repeated or skipped inputs since the last snapshot.
func (w *World) locate(from input.Consumed) (at sim.Tick, moved, ok bool) {
	if at, moved, ok = w.Log.Locate(w.Snapshot().Tick, from); ok {
		w.adoptAttachments(at)
	}
	return at, moved, ok && at <= w.env.World.Tick() && w.settings.correction.Enabled && !w.Chain.TooLong()
}

// CompareOthers compares the other predicted bodies with the newest snapshot, which describes the
// client tick at, and shifts their histories, unless a replay corrects them.
func (w *World) CompareOthers(at sim.Tick) {
	in := w.Snapshot()
	w.Nearby.Compare(at, in.Bodies, in.IsCurrent, &w.settings.correction)
	if !w.replaysTree(at) {
		w.compareChain(at)
	}
}

// compareChain compares the bodies jointed to the player's, and shifts their histories.
func (w *World) compareChain(at sim.Tick) {
	in := w.Snapshot()
	w.Chain.Compare(at, in.Bodies, in.IsCurrent, &w.settings.correction)
}

// Compare compares the server's state of the player's body with the state remembered of the client
// tick at.
func (w *World) Compare(at sim.Tick, server, remembered *sim.Body) (smoothing.Shift, correction.Result) {
	w.Fallback.AddComparison(at)
	shift, result := w.Player.Compare(&w.settings.correction, server, remembered)
	if result == correction.Differs && !shift.Moves() && w.Replay.Tolerates(server, remembered) {
		result = correction.Agrees
	}
	return shift, result
}

// Describe returns the report of a correction by the newest snapshot, without its length.
func (w *World) Describe(from *packet.Packet, why predict.Cause, server, remembered *sim.Body) predict.Correction {
	return w.Log.Describe(from, w.Snapshot().Tick, why, server, remembered)
}

// Report reports a correction that moves the player's body by some metres in total.
func (w *World) Report(fix predict.Correction, metres float32) {
	w.Log.Report(fix, metres)
	w.Fallback.AddCorrection(metres)
}

// Decay decays the error offset of the player's body, and decides whether it falls back.
func (w *World) Decay() {
	w.settings.smooth.Decay(&w.Player.ErrorOffset, w.env.World.Rate())
	w.Fallback.Update()
}

// Correct applies one tick's share of all pending corrections. idleTicks is the number of ticks
// since a button was pressed.
func (w *World) Correct(idleTicks int) {
	s := &w.settings
	w.Player.Step(w.env.World, w.vehicle.body, &s.correction)
	w.Log.SetPending(w.Player.Pending.Pos.Len())
	w.Nearby.Step(&s.correction)
	w.Chain.Step(w.Snapshot().Bodies, w.isSettled(idleTicks), &s.correction, &s.smooth)
}

// isSettled reports whether a body that sleeps in the newest snapshot will stay asleep: no button has
// been pressed since the tick that the snapshot describes.
func (w *World) isSettled(idleTicks int) bool {
	return w.Snapshot().HasSnapshot && w.settings.correction.Enabled && !w.Chain.TooLong() && int64(idleTicks) > w.Log.Ahead()
}

// RestingState returns the server's state of the player's body. differs reports that it sleeps there, will
// stay asleep, and is not the client's state.
func (w *World) RestingState(idleTicks int) (rest sim.Body, differs bool) {
	if !w.isSettled(idleTicks) {
		return rest, false
	}
	rest = *w.ServerBody()
	return rest, rest.Asleep && rest != *w.Body()
}

// secondsAhead returns by how many seconds the client's world is ahead of the newest snapshot.
func (w *World) secondsAhead() float32 {
	return float32(max(w.Log.Ahead(), 0)) / float32(w.env.World.Rate())
}

// extrapolate extrapolates a state of the newest snapshot to the client's tick, above the ground. It also
// resets the bodies jointed to the player's to their extrapolated states.
func (w *World) extrapolate(b sim.Body) sim.Body {
	seconds := w.secondsAhead()
	w.Chain.ResetTo(w.Snapshot().Bodies, seconds, &w.settings.smooth)
	b.Pose.Pos = b.Pose.Pos.AddScaled(seconds, b.Linear)
	b.Pose.Pos.Z = max(b.Pose.Pos.Z, w.env.World.Scene().Boxes[w.vehicle.body].Half.Z)
	return b
}

// Drawn returns the pose at which the player's body is drawn if it does not fall back.
func (w *World) Drawn() geom.Pose { return w.Player.Drawn(w.env.World, w.vehicle.body) }

// absorb makes the error offset absorb a change of the player's pose, which was drawn at drawn.
func (w *World) absorb(drawn geom.Pose) {
	w.settings.smooth.Absorb(&w.Player.ErrorOffset, drawn, w.Body().Pose)
}

// absorbInHandover makes a handover that fades absorb a change of the player's pose, which was drawn at drawn with an
// error offset, instead of that offset: the body is drawn elsewhere anyway, and approaches more gently.
func (w *World) absorbInHandover(drawn geom.Pose, offset smoothing.ErrorOffset) {
	absorbed := w.Player.ErrorOffset
	if w.Player.ErrorOffset = offset; !w.parent.Absorb(drawn, w.Drawn()) {
		w.Player.ErrorOffset = absorbed
	}
}
