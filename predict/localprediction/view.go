package localprediction

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// view draws all bodies: the interpolated ones behind the server, the predicted ones ahead of it.
func (w *World) view(v *predict.View) {
	in, bodies := &w.Interpolated, w.env.World.Bodies()
	v.Others, v.Note = in.DisplayMoment(), in.Note()
	v.Carriers = max(w.carrierMoment(), 0)
	for i := range bodies {
		simulated := bodies[i].Pose
		drawn := simulated
		switch {
		case w.env.Player < 0 || w.isPosedByTree(i):
			simulated = in.Pose(i)
			drawn = simulated
		case in.IsExcluded(i):
			drawn = w.Fallback.Blend(w.predictedPose(i), in.InterpolatedPose(i))
		}
		v.Simulated, v.Bodies = append(v.Simulated, simulated), append(v.Bodies, drawn)
	}
	in.AppendOutside(v)
	if w.Snapshot().HasSnapshot {
		v.LastReceived = predict.AppendPoses(v.LastReceived, w.Snapshot().Bodies)
	}
	if v.Note == "" {
		v.Note = w.Chain.Note()
	}
	if w.env.Player >= 0 {
		w.markPredicted(v)
	}
}

// isPosedByTree reports whether body i is drawn relative to its parent in the joint tree.
func (w *World) isPosedByTree(i int) bool {
	return w.Interpolated.Tree() != nil && !w.Interpolated.IsExcluded(i) && w.Nearby.Interpolated(i)
}

// predictedPose returns the pose at which a predicted body is drawn if it does not fall back.
func (w *World) predictedPose(i int) geom.Pose {
	if p, ok := w.Chain.Drawn(i); ok {
		return p
	}
	if i == w.env.Player && i != w.vehicle.body {
		if w.env.World.Operated(i) == i { // it has left the vehicle in this tick
			return w.env.World.Bodies()[i].Pose
		}
		return w.seatPose(w.parent.Drawn(w.Drawn()))
	}
	return w.parent.Drawn(w.Drawn())
}

// carrierMoment returns the server's moment at which carriers are drawn: that at which they stand
// in the stepped world.
func (w *World) carrierMoment() sim.Moment {
	if w.env.Player < 0 {
		return w.Interpolated.DisplayMoment()
	}
	return w.env.World.CarrierMoment()
}

// markPredicted marks the bodies that are drawn predicted, and those for which that is not the usual
// choice, with a note that says why.
func (w *World) markPredicted(v *predict.View) {
	v.Own = w.Log.ServerTick(w.env.World.Tick()).Moment()
	active := w.Fallback.Active()
	for i := range w.env.World.Bodies() {
		predicted, simulated := w.Interpolated.IsExcluded(i), w.Nearby.Simulated(i)
		v.Predicted = append(v.Predicted, predicted && !active || simulated)
		if w.Fallback.Enabled() || w.Nearby.Dynamic() {
			v.Fallback = append(v.Fallback, predicted && active || simulated)
		}
	}
	if active {
		v.Note = w.Fallback.Note()
	} else if w.Nearby.Count() > 0 && v.Note == "" {
		v.Note = "touched bodies are simulated here"
	}
}

// playerShown reports whether the player's body is drawn predicted, so that its remembered poses
// match the drawn ones.
func (w *World) playerShown() bool { return w.env.Player >= 0 && !w.Fallback.Active() }

// inspect reports the age of each drawn body's state.
func (w *World) inspect(l *predict.Inspection) {
	w.Interpolated.Inspect(l)
	if !w.Snapshot().HasSnapshot {
		return
	}
	w.Interpolated.AppendIntervals(l)
	for i := range w.env.World.Bodies() {
		if w.Interpolated.IsExcluded(i) && !w.Fallback.Active() {
			l.Age = append(l.Age, int32(max(w.Log.Ahead(), 0)))
			l.Moving = append(l.Moving, !w.env.World.Bodies()[i].Asleep)
			continue
		}
		l.Age = append(l.Age, w.Interpolated.Age(i))
		l.Moving = append(l.Moving, w.Interpolated.IsMoving(i))
	}
}

// progress reports the newest input sampled, and the newest states received and drawn. A predicted
// player shows an input at once, an interpolated one with the state that it led to. sampled is the
// tick after the newest input.
func (w *World) progress(to *predict.InputProgress, sampled sim.Tick) {
	to.Sampled, to.StateReceived = sampled, w.Snapshot().Tick
	if !w.playerShown() || w.Chain.TooLong() {
		to.Shown = w.Interpolated.NewestDisplayedTick()
		return
	}
	to.Shown, to.Predicted, to.Predicts = to.StateReceived, sampled, true
}
