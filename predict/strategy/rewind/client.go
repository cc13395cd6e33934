package rewind

import (
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
	others       othersState
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
	lastInputs  []sim.Input // by player: inputs that it was last stepped with
	changed     []int32     // bodies whose received state differs
	posesBefore []geom.Pose // simulated poses before a correction
	drawnBefore []geom.Pose // drawn poses before it
}

// clientCounters are what a client counts.
type clientCounters struct {
	corrections, correctionMean, correctionMax, correctionLargestMean predict.Counter
	replayedTicks, repredictions                                      predict.Counter
	statesOutsideHistory, oldStates                                   predict.Counter
	clockBehindTicks, clockJumps, rejectedPayloads                    predict.Counter
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
	k.In(predict.InputKnobs).Int(&c.lead, "lead", 5, 0, 60, "input lead: ticks by which inputs arrive early, for jitter and repeats")
	c.repeat.Time = repeatTime
	c.repeat.Declare(env)
	group := k.In(predict.CorrectionKnobs)
	group.Bool(&c.corrections, "corrections", true, "rewind and replay when the server's state differs")
	k.NotSearched("off only to show what it is for", "corrections")
	k.ContactOrder(&c.contactOrder)
	group.Float(&c.positionTolerance, "position-tolerance", 0.000316, 0, 1, "position error that causes no correction, m (as in codersblock)")
	group.Float(&c.rotationTolerance, "rotation-tolerance", 0.00001, 0, 1, "rotation error that causes no correction, 1-|dot|")
	k.Smoothing(&c.smoothing)
	k.Solver(&c.solver, env.World)
	c.grace.declare(k)
	declareResync(k, &c.resync.enabled)
	input.DeclareRelay(k, &c.relay)
	c.others.declare(env)
	c.inputSender.Declare(env)
	c.receiver.Declare(env)
	c.counters.corrections = m.New("corrections", "rewinds because the server's state differed").Of(predict.Corrections)
	c.counters.correctionMean = m.New("correction_mean_m", "mean correction of the player's simulated cube, m").Of(predict.MeanCorrection)
	c.counters.correctionMax = m.New("correction_max_m", "largest correction of the player's simulated cube, m")
	c.counters.correctionLargestMean = m.New("correction_largest_mean_m",
		"mean of a correction's largest distance, m").Of(predict.MeanLargestCorrection)
	c.counters.replayedTicks = m.New("replayed_ticks", "ticks that the client resimulated").Of(predict.ReplayedTicks)
	c.counters.repredictions = m.New("repredictions", "replays because other players' inputs have arrived")
	c.counters.statesOutsideHistory = m.New("states_outside_history", "states of forgotten ticks")
	c.counters.oldStates = m.New("old_states", "states no newer than the last")
	c.counters.clockBehindTicks = m.New("clock_behind_ticks", "ticks by which the client's clock is behind, now").Of(predict.ClockBehind)
	c.counters.clockJumps = m.ClockJumps()
	c.counters.rejectedPayloads = m.Rejected()
	c.saveState()
	return c
}

// Tick receives, steps, corrects and sends. It corrects after the step, so that the pose that would
// have been drawn without the correction is known and smoothing can start from it.
func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	began := c.env.Counters.BeginSpan()
	c.contactOrder.Apply(c.env.World)
	c.others.BeginTick()
	c.joined = c.joined || c.clock.Synced() || c.stepMode == onInput
	received, newest := false, packet.Packet{}
	if !c.env.Joined {
		received, newest = c.receive(server)
	} else if received, newest = c.join(server); !received && !c.waitsForInput() {
		c.resync.send(server)
		return
	}
	jump := 0
	if received {
		synced := c.clock.Synced()
		jump = min(c.syncClock(server, &newest), maxClockJumpSeconds*c.env.World.Rate())
		back := c.clock.JumpBack(c.env.World.Rate())
		c.jumpBack(back)
		if synced && (jump > 0 || back > 0) {
			c.counters.clockJumps.Inc()
		}
	}
	c.placeOthers()
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
	c.enterPredicted()
	if c.receiver.HasSnapshot {
		c.stateHistory.ForgetBefore(c.receiver.Tick)
	}
	if c.env.Joined {
		c.env.Joined = false
		clear(c.errorOffsets) // nothing was drawn before
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
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		if c.read(&p, server) {
			received, newest = true, p
		}
	}
	return received, newest
}

// read reads a packet, and reports whether it carries a state that is newer than those before.
func (c *client) read(p *packet.Packet, server *packet.Endpoint) (fresh bool) {
	w := c.env.World
	var h resyncHeader
	payload := c.receiver.Begin(p.Payload)
	h.code(payload)
	c.remote.received.Code(payload, c.env.Players)
	c.receiver.Follows = c.stepMode == onInput
	fresh, err := c.receiver.Finish(p.Payload, w.Scene(), w.Tick())
	switch {
	case err != nil:
		c.counters.rejectedPayloads.Inc()
		server.Refuse(p.Sequence)
		return false
	case !fresh:
		c.counters.oldStates.Inc()
		return false
	}
	c.header, c.remote.newest = h, c.remote.received
	c.receiveOthers()
	return true
}

// syncClock adjusts the client's clock to the server's and returns by how many ticks the client has
// to jump ahead: once after the start, and when it has fallen far behind.
func (c *client) syncClock(server *packet.Endpoint, newest *packet.Packet) int {
	if c.stepMode == onInput {
		return 0 // the server's clock follows the client's
	}
	own := c.env.World.Tick()
	if !server.Stats.RTTKnown(newest.ReceivedAt) {
		return c.clock.SyncLater(c.receiver.Tick, own)
	}
	// The server went on while the state waited for its last fragment. The round trip, measured by
	// the first fragment, does not include that.
	reassembly := newest.ReceivedAt - newest.FirstFragmentAt
	rtt, lead := server.Stats.RTT, c.lead
	if c.env.Player < 0 {
		rtt, lead = rtt/2, 0
	}
	return c.clock.Sync(c.receiver.Tick, own, c.env.TickEarly, rtt+reassembly, lead, c.env.World.Rate())
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

// jumpBack returns to a past tick, or to the oldest that is remembered. The inputs from then on replace
// those that wait at the server.
func (c *client) jumpBack(ticks int) {
	if ticks == 0 {
		return
	}
	w := c.env.World
	c.saveDrawn()
	w.Load(c.stateHistory.Find(max(w.Tick()-sim.Tick(ticks), c.stateHistory.oldest)))
	c.absorbCorrection()
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
	record := c.inputHistory.Find(w.Tick())
	if c.chooseInputs(record); record != nil {
		record.pose = w.Bodies()[c.watchedBody()].Pose
	}
	c.placeKinematic()
	c.solver.Step(w, c.stepInputs...)
	c.saveState()
}

// chooseInputs sets the inputs of all players with which the present tick is stepped. record remembers them, and may be
// nil.
func (c *client) chooseInputs(record *inputRecord) {
	for p := range c.stepInputs {
		c.stepInputs[p] = c.remote.at(c.env.World.Tick(), p, c.repeat)
	}
	if record != nil {
		if p := c.env.Player; p >= 0 {
			c.stepInputs[p] = record.input
		}
		copy(record.stepInputs[:], c.stepInputs)
	}
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

// View draws the predicted world with the error offsets.
func (c *client) View(v *predict.View) {
	w := c.env.World
	v.ShowTick(w.Tick())
	for i, b := range w.Bodies() {
		v.Simulated = append(v.Simulated, b.Pose)
		v.Bodies = append(v.Bodies, c.drawn(i))
	}
	c.others.View(v, c.others.DisplayMoment())
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
	first := c.firstNeededInput()
	l.AddBuffer(predict.SnapshotRing, first, w.Tick()+1, 0, func(t sim.Tick) bool { return c.stateHistory.Find(t) != nil })
	l.AddBuffer(predict.InputHistory, first, w.Tick(), 0, func(t sim.Tick) bool { return c.inputHistory.Find(t) != nil })
	c.inputSender.Inspect(l, first)
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
	c.others.copyFrom(&o.others)
	c.errorOffsets = append(c.errorOffsets[:0], o.errorOffsets...)
}
