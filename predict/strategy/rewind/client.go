package rewind

import (
	"time"

	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/part/clock"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// maxClockJumpSeconds is the longest time that a client steps at once to catch up.
const maxClockJumpSeconds = 4

// inputRecord is one tick of the player's past.
type inputRecord struct {
	input      sim.Input                 // the player's
	stepInputs [sim.MaxPlayers]sim.Input // by player: inputs that the tick was last stepped with
	pose       geom.Pose                 // the player's cube at the start of the tick
}

type client struct {
	env *predict.Env
	clientSettings
	clientState
	clientScratch

	grace        lateInputGrace
	resync       resyncClient
	inputSender  input.Sender
	receiver     codec.Receiver
	clock        clock.Follower
	inputHistory history.Ring[inputRecord]
	stateHistory stateHistory
	remote       remoteInputs
	errorOffsets []smoothing.ErrorOffset
	counters     clientCounters
}

// clientSettings are the knobs of a client.
type clientSettings struct {
	lead              int
	repeat            input.Repetition // of the server
	relay             bool
	corrections       bool
	contactOrder      predict.ContactOrder
	stepMode          int
	positionTolerance float64
	rotationTolerance float64
	smoothing         smoothing.Settings
	solver            predict.Solver
}

// clientState is plain: it is copied by assignment.
type clientState struct {
	joined        bool         // the client's inputs are sent
	lastSent      sim.Input    // input that the server repeats if nothing newer arrives
	repeats       int          // ticks in a row, up to now, for which no input is sent
	agreedTick    sim.Tick     // tick of the newest state that agreed or was applied
	header        resyncHeader // of the newest snapshot
	visibleTick   sim.Tick     // tick of the newest state that is visible despite smoothing
	correctionSum float64      // metres by which corrections moved the watched cube, summed
	largestSum    float64      // metres by which corrections moved the body that they moved most, summed

	outsideHistory bool // the newest state is of a tick that is not remembered
}

// clientScratch is memory that no later tick depends on.
type clientScratch struct {
	stepInputs  []sim.Input // by player: inputs of the tick being stepped
	posesBefore []geom.Pose // simulated poses before a correction
	drawnBefore []geom.Pose // drawn poses before it
}

// clientCounters are what a client counts.
type clientCounters struct {
	corrections, correctionMean, correctionMax, correctionLargestMean, replayedTicks, repredictions, statesOutsideHistory, oldStates, clockBehindTicks, rejectedPayloads predict.Counter
}

func newClient(env *predict.Env) predict.Client {
	c := &client{
		env:          env,
		inputHistory: history.New[inputRecord](historySeconds * env.World.Rate()),
		stateHistory: newStateHistory(env.World.Rate()),
		remote: remoteInputs{
			known: history.New[knownInputs](historySeconds * env.World.Rate()),
			last:  append([]sim.Input(nil), env.LastInputs...),
		},
		errorOffsets: make([]smoothing.ErrorOffset, len(env.World.Bodies())),
	}
	c.stepInputs = make([]sim.Input, env.Players)
	if env.Player >= 0 {
		c.lastSent = env.LastInputs[env.Player]
	}
	k, m := env.Knobs, env.Counters
	declareStepMode(k, &c.stepMode)
	k.Int(&c.lead, "lead", 5, 0, 60, "input lead: ticks by which inputs arrive early, as room for jitter and for repeats after a loss")
	c.repeat.Declare(env)
	k.Bool(&c.corrections, "corrections", true, "rewind and replay when the server's state differs")
	k.ContactOrder(&c.contactOrder)
	k.Float(&c.positionTolerance, "position-tolerance", 0.000316, 0, 1, "position error that causes no correction, m (the demo: a squared distance of 1e-7)")
	k.Float(&c.rotationTolerance, "rotation-tolerance", 0.00001, 0, 1, "rotation error that causes no correction, as 1-|dot| of the orientations")
	k.Smoothing(&c.smoothing)
	k.Solver(&c.solver, env.World)
	c.grace.declare(k)
	declareResync(k, &c.resync.enabled)
	declareRelay(k, &c.relay)
	c.inputSender.Declare(env)
	codec.DeclareChecks(env, &c.receiver.Checks)
	if env.Joined {
		c.receiver.Start(env.World)
	}
	c.counters.corrections = m.New("corrections", "times that the client rewound because the server's state differed")
	c.counters.correctionMean = m.New("correction_mean_m", "mean distance by which a correction moved the player's simulated cube, m")
	c.counters.correctionMax = m.New("correction_max_m", "largest distance by which a correction moved the player's simulated cube, m")
	c.counters.correctionLargestMean = m.New("correction_largest_mean_m", "mean distance by which a correction moved the body that it moved most, m")
	c.counters.replayedTicks = m.New("replayed_ticks", "ticks that the client stepped again after corrections")
	c.counters.repredictions = m.New("repredictions", "replays without a correction, because inputs of other players have become known")
	c.counters.statesOutsideHistory = m.New("states_outside_history", "states of ticks that the client no longer remembers")
	c.counters.oldStates = m.New("old_states", "states no newer than the last")
	c.counters.clockBehindTicks = m.New("clock_behind_ticks", "ticks by which the client's clock is behind its target, now")
	c.counters.rejectedPayloads = m.Rejected()
	c.saveState()
	return c
}

// Tick receives, steps, corrects and sends. It corrects after the step, so that the pose that would
// have been drawn without the correction is known and smoothing can start from it.
func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	began := c.env.Counters.BeginSpan()
	c.contactOrder.Apply(c.env.World)
	c.joined = c.joined || c.clock.Synced() || c.stepMode == onInput
	received, newest := c.receive(server)
	jump := 0
	if received {
		jump = c.syncClock(server, newest.ReceivedAt-newest.FirstFragmentAt)
	}
	c.advance(in)
	c.visibleTick = c.agreedTick
	for i := range c.errorOffsets {
		c.smoothing.Decay(&c.errorOffsets[i], c.env.World.Rate())
	}
	if jump > 0 {
		c.saveDrawn()
		for range jump {
			c.advanceSkipped()
		}
		c.absorbCorrection()
	}
	if received && c.corrections {
		c.correct(newest)
	}
	if c.receiver.HasSnapshot {
		c.stateHistory.ForgetBefore(c.receiver.Tick)
	}
	c.env.SlewPPM = c.clock.Tick(c.env.World.Rate())
	if c.stepMode == onInput {
		c.env.SlewPPM = 0
	}
	c.counters.clockBehindTicks.Set(c.clock.Behind().Ticks())
	if c.env.Player >= 0 && c.joined {
		c.inputSender.SendWith(server, c.firstNeededInput(), c.resync.writeAsk)
	} else {
		c.resync.send(server)
	}
	c.env.Counters.EndSpan("client", began)
}

// receive reads the packets, and returns the one that carried the newest state, if any is newer
// than before.
func (c *client) receive(server *packet.Endpoint) (received bool, newest packet.Packet) {
	w := c.env.World
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		var h resyncHeader
		payload := c.receiver.Begin(p.Payload)
		h.code(payload)
		c.remote.received.code(payload, c.env.Players)
		fresh, err := c.receiver.Finish(p.Payload, w.Scene(), w.Tick())
		switch {
		case err != nil:
			c.counters.rejectedPayloads.Inc()
			server.Refuse(p.Sequence)
		case !fresh:
			c.counters.oldStates.Inc()
		default:
			received, newest, c.header = true, p, h
			c.remote.newest = c.remote.received
		}
	}
	return received, newest
}

// syncClock adjusts the client's clock to the server's and returns by how many ticks the client has
// to jump ahead: once after the start, and when it has fallen far behind. reassembly is how long
// the state waited for its last fragment. The server went on meanwhile, and the round trip,
// measured by the first fragment, does not include it.
func (c *client) syncClock(server *packet.Endpoint, reassembly time.Duration) int {
	rtt := server.Stats.RTT
	if rtt == 0 && server.Stats.Acked == 0 {
		return 0 // nothing is acknowledged yet: the round trip is unknown
	}
	if c.stepMode == onInput {
		return 0 // the server's clock follows the client's
	}
	lead := c.lead
	if c.env.Player < 0 {
		rtt, lead = rtt/2, 0
	}
	return min(maxClockJumpSeconds*c.env.World.Rate(), c.clock.Sync(c.receiver.Tick, c.env.World.Tick(), rtt+reassembly, lead, c.env.World.Rate()))
}

// advance predicts one tick. Before the client has joined, the server does not receive its input
// and repeats the player's last one.
func (c *client) advance(in sim.Input) {
	t := c.env.World.Tick()
	if p := c.env.Player; p >= 0 {
		if c.joined {
			c.inputSender.Add(t, in)
			in.Shot = sim.Shot{} // a shot is neither repeated nor replayed
			c.lastSent, c.repeats = in, 0
		} else {
			in = c.repeatLast()
		}
	}
	c.inputHistory.Insert(t).input = in
	c.step()
}

// repeatLast returns the input that the server repeats in a tick for which none is sent, as
// input.Queue does.
func (c *client) repeatLast() sim.Input {
	if c.inputSender.SampledTick() > 0 {
		c.repeats++
	}
	return c.repeat.Input(c.lastSent, c.repeats)
}

// advanceSkipped predicts one tick of a jump. Its input would be late and is not sent; the server
// repeats the last one, and so does the prediction.
func (c *client) advanceSkipped() {
	c.inputHistory.Insert(c.env.World.Tick()).input = c.repeatLast()
	c.step()
}

// step steps the world with the inputs of its tick and remembers the state on both sides of the
// step.
func (c *client) step() {
	w := c.env.World
	for p := range c.stepInputs {
		c.stepInputs[p] = c.remote.at(w.Tick(), p)
	}
	if record := c.inputHistory.Find(w.Tick()); record != nil {
		record.pose = w.Bodies()[c.watchedBody()].Pose
		if p := c.env.Player; p >= 0 {
			c.stepInputs[p] = record.input
		}
		copy(record.stepInputs[:], c.stepInputs)
	}
	c.solver.Step(w, c.stepInputs...)
	c.saveState()
}

// saveState remembers the present state.
func (c *client) saveState() { c.stateHistory.Save(c.env.World) }

// watchedBody returns the body whose movement corrections are measured by: the player's cube, or
// the first player's for a spectator.
func (c *client) watchedBody() int { return max(c.env.Player, 0) }

// firstNeededInput returns the first tick whose input the server may still need: the last received
// state includes all inputs before its tick.
func (c *client) firstNeededInput() sim.Tick {
	if !c.receiver.HasSnapshot {
		return 0
	}
	return c.receiver.Tick
}

// correct compares the server's state with the remembered one of its tick. If they differ by more
// than the tolerance, the client goes back to that tick, takes over the server's state and replays.
// So it does if the server has dropped its hidden state in that tick.
func (c *client) correct(newest packet.Packet) {
	w := c.env.World
	correction := predict.Correction{Packet: newest.Sequence, Received: newest.ReceivedAt, Tick: c.receiver.Tick, Cause: c.cause()}
	c.remote.update(c.receiver.Tick, c.receiver.LastInputs, c.env.Player)
	stateTick, now := c.receiver.Tick, w.Tick()
	resyncTick, resync := c.resync.announced(c.header, stateTick)
	if stateTick > now {
		c.resetToServer(correction)
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
	} else if !tolerated && correction.Cause == predict.CauseUnknown {
		c.resync.differs(stateTick, w.Rate())
	}
	if !resync && (body < 0 || tolerated) {
		c.repredict(stateTick)
		return
	}
	if body >= 0 {
		correction.Body, correction.Field, correction.Amount = c.worstMismatch(body, past)
	}
	c.rewind(past, func() {
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
			if p == c.env.Player || record.stepInputs[p] == c.remote.at(t, p) {
				continue
			}
			if past := c.stateHistory.Find(t); past != nil {
				c.counters.repredictions.Inc()
				c.rewind(past, func() {})
			}
			return
		}
	}
}

// rewind goes back to a remembered state, changes it, and replays up to the present. The error offsets
// absorb the difference.
func (c *client) rewind(past *predict.State, change func()) {
	w := c.env.World
	now := w.Tick()
	began := c.env.Counters.BeginSpan()
	c.saveDrawn()
	w.Load(past) // with the client's own contact cache of that tick
	change()
	c.saveState()
	for w.Tick() < now {
		c.counters.replayedTicks.Inc()
		c.step()
	}
	c.absorbCorrection()
	c.env.Counters.EndSpan("replay", began)
}

// replayResync drops the hidden state of a past tick, as the server did. The snapshot of that tick has
// not arrived, so the client keeps its own bodies.
func (c *client) replayResync(t sim.Tick) {
	if past := c.stateHistory.Find(t); past != nil {
		c.rewind(past, c.env.World.DropHiddenState)
	}
}

// resetToServer takes over the server's state as it is: the client's clock is behind the server's,
// so there is nothing to replay.
func (c *client) resetToServer(correction predict.Correction) {
	w := c.env.World
	c.saveDrawn()
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
	a, b := &c.receiver.Bodies[i].Pose, &past.Bodies[i].Pose
	return a.Pos.Sub(b.Pos).LenSq() > float32(float32(c.positionTolerance)*float32(c.positionTolerance)) || 1-geom.Abs(a.Rot.Dot(b.Rot)) > float32(c.rotationTolerance)
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

// applyReceived overwrites the attachments, and the bodies whose received state differs.
func (c *client) applyReceived() {
	w := c.env.World
	w.SetAttachments(c.receiver.Attachments)
	w.SetHeldActions(c.receiver.LastInputs)
	for i := range c.receiver.Bodies {
		if w.Bodies()[i] != c.receiver.Bodies[i] {
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

// View draws the predicted world with the error offsets.
func (c *client) View(v *predict.View) {
	w := c.env.World
	v.ShowTick(w.Tick())
	for i, b := range w.Bodies() {
		v.Simulated = append(v.Simulated, b.Pose)
		v.Bodies = append(v.Bodies, c.errorOffsets[i].Apply(b.Pose))
	}
	v.TouchedBy = append(v.TouchedBy, w.TouchedBy()...)
	v.Note = c.note()
	if c.receiver.HasSnapshot {
		v.LastReceived = predict.AppendPoses(v.LastReceived, c.receiver.Bodies)
	}
	for past := range c.inputHistory.Trail(w.Tick(), predict.TrailTicks, predict.TrailStep) {
		v.Trail = append(v.Trail, past.pose)
	}
}

// note says that the client cannot correct, and why.
func (c *client) note() string {
	switch {
	case !c.outsideHistory:
		return ""
	case c.stateHistory.LimitedByMemory():
		return "no corrections: no memory for so long a round trip"
	}
	return "no corrections: a round trip of more than 16 s"
}

// inspect reports by how many ticks the prediction is ahead of the last received state, which
// contains all bodies, and who owns the bodies.
func (c *client) inspect(l *predict.Inspection) {
	w := c.env.World
	for i := range w.Bodies() {
		if c.receiver.HasSnapshot {
			l.Age = append(l.Age, int32(max(int64(w.Tick())-int64(c.receiver.Tick), 0)))
		}
		l.Moving = append(l.Moving, !w.Bodies()[i].Asleep)
	}
	l.Owner = append(l.Owner, w.Owners()...)
}

func (c *client) CopyFrom(from predict.Client) {
	o := from.(*client)
	c.clientSettings, c.clientState = o.clientSettings, o.clientState
	c.grace, c.clock = o.grace, o.clock
	c.resync.enabled, c.resync.resyncClientState = o.resync.enabled, o.resync.resyncClientState
	c.inputSender.CopyFrom(&o.inputSender)
	c.receiver.CopyFrom(&o.receiver)
	c.inputHistory.CopyFrom(&o.inputHistory, history.CopyValue[inputRecord])
	c.stateHistory.CopyFrom(&o.stateHistory)
	c.remote.copyFrom(&o.remote)
	c.errorOffsets = append(c.errorOffsets[:0], o.errorOffsets...)
}
