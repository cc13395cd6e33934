package rewind

import (
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// correct compares the server's state with the remembered one of its tick. If they differ by more
// than the tolerance, a misprediction, the client goes back to that tick, takes over the server's state and replays.
// So it does if the server has dropped its hidden state in that tick.
func (c *client) correct(newest packet.Packet) {
	w := c.env.World
	correction := predict.Correction{Packet: newest.Sequence, Received: newest.ReceivedAt, Tick: c.receiver.Tick, Cause: c.cause()}
	c.remote.update(c.receiver.Tick, w.Tick(), c.receiver.LastInputs, c.env.Player)
	stateTick, now := c.receiver.Tick, w.Tick()
	c.adoptPast(stateTick)
	resyncTick, resync := c.resync.announced(c.header, stateTick)
	if stateTick > now {
		c.resetToServer(correction, resyncTick, resync)
		if resync && resyncTick == stateTick {
			w.DropHiddenState()
			c.saveState()
		}
		return
	}
	if resync && resyncTick < stateTick {
		c.replayResync(resyncTick)
	}
	resync = resync && resyncTick == stateTick
	past := c.stateHistory.Find(stateTick)
	if c.outsideHistory = past == nil; c.outsideHistory {
		c.counters.statesOutsideHistory.Inc()
		return
	}
	body := c.firstMismatch(past)
	if body < 0 && past.Attachments() != c.receiver.Attachments {
		body = c.watchedBody() // another vehicle or coupling: it will differ soon
	}
	tolerated := c.grace.tolerates(stateTick, correction.Cause == predict.LocalInput)
	if body < 0 {
		c.agreedTick = stateTick
	} else if !tolerated && correction.Cause == predict.CauseUnknown && !c.others.Active() && c.resync.differs(stateTick, w.Rate()) {
		correction.Cause = predict.Again
	}
	if !resync && (body < 0 || tolerated) {
		c.repredict(stateTick)
		return
	}
	if body >= 0 {
		correction.Body, correction.Field, correction.Amount = c.worstMismatch(body, past)
	}
	c.rewind(past, !resync, func() {
		c.applyReceived()
		if resync {
			w.DropHiddenState()
		}
	})
	if body >= 0 {
		correction.ReplayedTicks = int(now - stateTick)
		c.reportCorrection(correction)
	}
}

// repredict replays from the first tick after a received state that was stepped with another input of a
// remote player than the one that is known now.
func (c *client) repredict(from sim.Tick) {
	w := c.env.World
	for t := from; c.relay && t < w.Tick(); t++ {
		record := c.inputHistory.Find(t)
		if record == nil {
			continue
		}
		for p := range c.stepInputs {
			if p == c.env.Player || !c.others.Predicts(w.Operated(p)) || record.stepInputs[p] == c.remote.at(t, p, c.repeat) {
				continue
			}
			if past := c.stateHistory.Find(t); past != nil {
				c.counters.repredictions.Inc()
				c.rewind(past, false, nil)
			}
			return
		}
	}
}

// rewind goes back to a remembered state, changes it, and replays up to the present. The error offsets
// absorb the difference. received says that change does nothing but to take over the received state. Without a change
// or with that one, only the bodies are stepped that can differ.
func (c *client) rewind(past *predict.State, received bool, change func()) {
	w := c.env.World
	now := w.Tick()
	began := c.env.Counters.BeginSpan()
	c.saveDrawn()
	if !(received || change == nil) || !c.replaySelected(past, received) {
		w.Load(past) // with the client's own contact cache of that tick
		if change != nil {
			change()
		}
		c.saveState()
		for w.Tick() < now {
			c.counters.replayedTicks.Inc()
			c.step()
		}
	}
	c.absorbCorrection()
	c.env.Counters.EndSpan("replay", began)
}

// replaySelected steps only what can differ from the remembered states, after the client has taken over the received one
// if that is set. It reports false if that is not possible.
func (c *client) replaySelected(past *predict.State, received bool) bool {
	w := c.env.World
	first, now := past.Tick, w.Tick()
	if first == now || c.others.Active() || c.solver.DropCacheEvery > 0 {
		return false
	}
	for t := first; t < now; t++ {
		if c.stateHistory.Find(t+1) == nil || c.inputHistory.Find(t) == nil {
			return false
		}
	}
	c.solver.Apply(w.World)
	c.changed = c.changed[:0]
	for i := range c.receiver.Bodies {
		if received && c.others.Predicts(i) && past.Bodies[i] != c.receiver.Bodies[i] {
			c.changed = append(c.changed, int32(i))
		}
	}
	if len(c.changed) == 0 && !w.BeginReplay(&past.State) ||
		len(c.changed) > 0 && !w.ReplayBodies(past, c.stateHistory.Find(first+1), c.changed, c.receiver.Bodies) {
		return false
	}
	for t := first; t < now; t++ {
		c.counters.replayedTicks.Inc()
		record := c.inputHistory.Find(t)
		c.lastInputs = append(c.lastInputs[:0], record.stepInputs[:len(c.stepInputs)]...)
		c.chooseInputs(record)
		if watched := c.watchedBody(); w.Replays(watched) {
			record.pose = w.Bodies()[watched].Pose
		}
		w.Replay(c.stateHistory.Find(t), c.stateHistory.Find(t+1), c.lastInputs, c.stepInputs)
		c.stateHistory.Changed(t + 1)
	}
	w.EndReplay()
	return true
}

// replayResync drops the hidden state of a past tick, as the server did. The snapshot of that tick has
// not arrived, so the client keeps its own bodies.
func (c *client) replayResync(t sim.Tick) {
	if past := c.stateHistory.Find(t); past != nil {
		c.rewind(past, false, c.env.World.DropHiddenState)
	}
}

// resetToServer takes over the server's state as it is: the client's clock is behind the server's,
// so there is nothing to replay. If it has just joined, it keeps the server's contacts.
func (c *client) resetToServer(correction predict.Correction, dropped sim.Tick, drops bool) {
	w := c.env.World
	c.saveDrawn()
	if c.remote.newest.Past(c.env.Player) > 0 {
		c.stepTo(dropped, drops)
	}
	c.applyReceived()
	w.SetTick(c.receiver.Tick)
	c.stateHistory.Reset()
	c.saveState()
	correction.Body, correction.Field, correction.Cause = c.watchedBody(), predict.Position, predict.ClockReset
	correction.Amount = c.shift(correction.Body)
	c.reportCorrection(correction)
	c.absorbCorrection()
}

// firstMismatch returns the first body whose received state differs from the remembered one by more
// than the tolerance, or -1.
func (c *client) firstMismatch(past *predict.State) int {
	for i := range c.receiver.Bodies {
		if c.exceedsTolerance(i, past) {
			return i
		}
	}
	return -1
}

// exceedsTolerance reports whether the received pose of body i differs from the remembered one by
// more than the tolerance. Velocity errors show in the pose a tick later.
func (c *client) exceedsTolerance(i int, past *predict.State) bool {
	if !c.others.Predicts(i) {
		return false
	}
	a, b := &c.receiver.Bodies[i].Pose, &past.Bodies[i].Pose
	return a.Pos.Sub(b.Pos).LenSq() > float32(float32(c.positionTolerance)*float32(c.positionTolerance)) ||
		1-geom.Abs(a.Rot.Dot(b.Rot)) > float32(c.rotationTolerance)
}

// worstMismatch returns, among the bodies from first on that exceed the tolerance, the one with the
// largest error, the field that explains it, and that field's error.
func (c *client) worstMismatch(first int, past *predict.State) (body int, field predict.Field, amount float32) {
	largest := float32(-1)
	seconds := float32(max(int64(c.receiver.Tick)-int64(c.agreedTick), 1)) / float32(c.env.World.Rate())
	for i := first; i < len(c.receiver.Bodies); i++ {
		if !c.exceedsTolerance(i, past) {
			continue
		}
		difference := predict.Diff(&c.receiver.Bodies[i], &past.Bodies[i])
		reach := c.env.World.Scene().Boxes[i].Half.Len()
		if n := difference.MaxError(reach, seconds); n > largest {
			largest, body = n, i
			field, amount = difference.RootField(reach, seconds)
		}
	}
	return body, field, amount
}

// cause compares the inputs that the server stepped the tick before its state with to those that
// the client stepped that tick with.
func (c *client) cause() predict.Cause {
	record := c.inputHistory.Find(c.receiver.Tick - 1)
	if record == nil {
		return predict.CauseUnknown
	}
	for i, in := range c.receiver.LastInputs {
		switch {
		case in == record.stepInputs[i]:
		case i == c.env.Player:
			return predict.LocalInput
		default:
			return predict.RemoteInput
		}
	}
	return predict.CauseUnknown
}

// applyReceived overwrites the attachments, and the predicted bodies whose received state differs.
func (c *client) applyReceived() {
	w := c.env.World
	w.SetAttachments(c.receiver.Attachments)
	w.SetHeldActions(c.receiver.LastInputs)
	for i := range c.receiver.Bodies {
		if c.others.Predicts(i) && w.Bodies()[i] != c.receiver.Bodies[i] {
			w.SetBody(i, c.receiver.Bodies[i])
		}
	}
}

// saveDrawn remembers the simulated and the drawn poses.
func (c *client) saveDrawn() {
	c.posesBefore, c.drawnBefore = c.posesBefore[:0], c.drawnBefore[:0]
	for i, b := range c.env.World.Bodies() {
		c.posesBefore = append(c.posesBefore, b.Pose)
		c.drawnBefore = append(c.drawnBefore, c.errorOffsets[i].Apply(b.Pose))
	}
}

// absorbCorrection sets the error offsets so that the drawn poses do not jump.
func (c *client) absorbCorrection() {
	for i, b := range c.env.World.Bodies() {
		c.smoothing.Absorb(&c.errorOffsets[i], c.drawnBefore[i], b.Pose)
	}
}

// shift returns by how many metres body i has moved since saveDrawn.
func (c *client) shift(i int) float32 {
	return c.env.World.Bodies()[i].Pose.Pos.Sub(c.posesBefore[i].Pos).Len()
}

// reportCorrection counts and reports a correction.
func (c *client) reportCorrection(correction predict.Correction) {
	correction.Shift = c.shift(c.watchedBody())
	largest := float32(0)
	for i := range c.posesBefore {
		largest = max(largest, c.shift(i))
	}
	c.agreedTick = correction.Tick
	c.counters.corrections.Inc()
	c.correctionSum += float64(correction.Shift)
	c.counters.correctionMean.Set(c.correctionSum / c.counters.corrections.Value())
	c.counters.correctionMax.Max(float64(correction.Shift))
	c.largestSum += float64(largest)
	c.counters.correctionLargestMean.Set(c.largestSum / c.counters.corrections.Value())
	if c.env.OnCorrection != nil {
		c.env.OnCorrection(correction)
	}
}
