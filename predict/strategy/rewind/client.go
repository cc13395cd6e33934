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

// What a client remembers, in ticks.
const (
	inputHistoryTicks = 1024 // inputs and poses: 17 s
	stateHistoryTicks = 128  // whole worlds to go back to: 2.1 s
	trailTicks        = 160  // of the remembered past that is drawn
	trailStep         = 2
	maxClockJump      = 256 // ticks stepped at once to catch up
)

// maxPlayers is how many players any scene has.
const maxPlayers = 4

// inputRecord is a tick of the player's past.
type inputRecord struct {
	input      sim.Input
	stepInputs [maxPlayers]sim.Input // what the tick was stepped with last, by player
	pose       geom.Pose             // of the player's cube when the tick began
}

type client struct {
	env *predict.Env

	lead              int
	corrections       bool
	contactOrder      int
	stepMode          int
	positionTolerance float64
	rotationTolerance float64
	smoothing         smoothing.Settings
	solver            predict.Solver
	grace             lateInputGrace

	inputSender  input.Sender
	receiver     codec.Receiver
	servo        clock.Servo
	inputHistory history.Ring[inputRecord]
	stateHistory history.Ring[sim.State]
	lastInputs   []sim.Input // what the others do, as far as is known, and the player before the first aim
	stepInputs   []sim.Input // one tick's inputs
	joined       bool        // our inputs are sent
	lastSent     sim.Input   // the newest input that the server will have
	agreedTick   sim.Tick    // of the newest state that agreed, or was taken
	visibleTick  sim.Tick    // of the newest of which smoothing lets anything be seen

	errorOffsets  []smoothing.ErrorOffset
	drawnBefore   []geom.Pose // before a correction
	correctionSum float64     // metres by which corrections moved the watched cube, sum
}

func newClient(env *predict.Env) predict.Client {
	c := &client{
		env:          env,
		inputHistory: history.New[inputRecord](inputHistoryTicks),
		stateHistory: history.New[sim.State](stateHistoryTicks),
		lastInputs:   append([]sim.Input(nil), env.LastInputs...),
		stepInputs:   make([]sim.Input, env.Players),
		errorOffsets: make([]smoothing.ErrorOffset, len(env.World.Bodies())),
	}
	k, m := env.Knobs, env.Counters
	declareStepMode(k, &c.stepMode)
	k.Int(&c.lead, "lead", 5, 0, 60, "ticks by which inputs arrive before they are needed: room for jitter and for repeats after a loss")
	k.Bool(&c.corrections, "corrections", true, "rewind and replay when the server disagrees")
	k.Choice(&c.contactOrder, "contact-order", 0, []string{"same", "reordered"}, "the client solves contacts in the server's order or in another: mispredictions without any loss")
	k.Float(&c.positionTolerance, "position-tolerance", 0.000316, 0, 1, "metres of disagreement that are let pass (the demo's squared 1e-7)")
	k.Float(&c.rotationTolerance, "rotation-tolerance", 0.00001, 0, 1, "1-|dot| of the orientations that is let pass")
	k.Smoothing(&c.smoothing)
	k.Solver(&c.solver)
	c.grace.declare(k)
	c.inputSender.Declare(env)
	m.Declare("corrections", "rewinds because the server disagreed")
	m.Declare("correction_mean_m", "metres by which a correction moved the player's simulated cube, mean")
	m.Declare("correction_max_m", "the same, largest")
	m.Declare("replayed_ticks", "ticks stepped again")
	m.Declare("states_outside_history", "states about ticks that are no longer remembered")
	m.Declare("old_states", "states no newer than the last")
	m.Declare("clock_behind_ticks", "ticks by which the client's clock is behind its aim, now")
	m.Declare("rejected_payloads", "payloads that were no message")
	c.saveState()
	return c
}

// Tick receives, steps, corrects and sends. It corrects after the step, so
// that the pose that would have been drawn is known and can be kept.
func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	began := c.env.Counters.BeginSpan()
	c.setContactOrder()
	c.joined = c.joined || c.servo.Synced() || c.stepMode == onInput
	news, from := c.receive(server)
	jump := 0
	if news {
		jump = c.syncClock(server, from.ReceivedAt-from.FirstFragmentAt)
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
	if news && c.corrections {
		c.correct(from)
	}
	c.env.SlewPPM = c.servo.Tick()
	if c.stepMode == onInput {
		c.env.SlewPPM = 0
	}
	c.env.Counters.Set("clock_behind_ticks", c.servo.Behind())
	if c.env.Player >= 0 && c.joined {
		c.inputSender.Send(server, c.firstNeededInput())
	} else {
		server.Send(nil) // so that the server's states are acknowledged
	}
	c.env.Counters.EndSpan("client", began)
}

// setContactOrder sets the contact order that the knob asks for.
func (c *client) setContactOrder() {
	c.env.World.Settings.SolveOrderSeed = uint64(c.contactOrder) * 0x9E3779B97F4A7C15
}

// receive takes in the newest state, and tells which packet brought it.
func (c *client) receive(server *packet.Endpoint) (news bool, from packet.Packet) {
	w, m := c.env.World, c.env.Counters
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		fresh, err := c.receiver.Read(p.Payload, w.Scene(), w.Tick())
		switch {
		case err != nil:
			m.Add("rejected_payloads", 1)
		case !fresh:
			m.Add("old_states", 1)
		default:
			news, from = true, p
		}
	}
	return news, from
}

// syncClock compares clocks and returns by how many ticks the client has to jump
// ahead: once after the start, and when it has fallen far behind. While the
// state waited for its last fragment the server went on, and the round trip,
// which the first fragment told, does not count that.
func (c *client) syncClock(server *packet.Endpoint, waited time.Duration) int {
	trip := server.Stats.RTT
	if trip == 0 && server.Stats.Acked == 0 {
		return 0 // nothing of ours has been answered yet
	}
	if c.stepMode == onInput {
		return 0 // the server waits for us; there is nothing to aim at
	}
	ahead := c.lead
	if c.env.Player < 0 {
		trip, ahead = trip/2, 0
	}
	return min(maxClockJump, c.servo.Sync(c.receiver.Tick, c.env.World.Tick(), trip+waited, ahead, c.env.World.Rate()))
}

// advance makes one tick of the prediction. Before the client has joined the
// server does not hear it, and goes on with what the player held before.
func (c *client) advance(in sim.Input) {
	t := c.env.World.Tick()
	if p := c.env.Player; p >= 0 {
		if c.joined {
			c.inputSender.Add(t, in)
			in.Shot = sim.Shot{} // nobody repeats or replays it
		} else {
			in = c.lastInputs[p]
		}
		c.lastSent = in
	}
	c.inputHistory.Insert(t).input = in
	c.step()
}

// advanceSkipped makes one tick of a jump. Its input could not come in time and is not
// sent: the server will repeat the last, and so does the prediction.
func (c *client) advanceSkipped() {
	c.inputHistory.Insert(c.env.World.Tick()).input = c.lastSent
	c.step()
}

// step steps the world by its tick, with what was pressed then, and remembers
// both ends of the step.
func (c *client) step() {
	w := c.env.World
	copy(c.stepInputs, c.lastInputs)
	if m := c.inputHistory.Find(w.Tick()); m != nil {
		m.pose = w.Bodies()[c.watchedBody()].Pose
		if p := c.env.Player; p >= 0 {
			c.stepInputs[p] = m.input
		}
		copy(m.stepInputs[:], c.stepInputs)
	}
	c.solver.Step(w, c.stepInputs...)
	c.saveState()
}

// saveState keeps the world as it is now.
func (c *client) saveState() { c.env.World.Save(c.stateHistory.Insert(c.env.World.Tick())) }

// watchedBody is the body that the client cares most about: its own, or that of
// the first player if it only watches.
func (c *client) watchedBody() int { return max(c.env.Player, 0) }

// firstNeededInput is the first tick whose input the server may still need: what made the
// last state that came is spent.
func (c *client) firstNeededInput() sim.Tick {
	if !c.receiver.HasSnapshot {
		return 0
	}
	return c.receiver.Tick
}

// correct compares the server's state with the remembered one, and if they
// differ too much goes back, takes the server's word, and replays.
func (c *client) correct(from packet.Packet) {
	w := c.env.World
	fix := predict.Correction{Packet: from.Sequence, Received: from.ReceivedAt, Tick: c.receiver.Tick, Cause: c.cause()}
	for i, in := range c.receiver.LastInputs {
		if i != c.env.Player {
			c.lastInputs[i] = in
		}
	}
	at, now := c.receiver.Tick, w.Tick()
	if at > now {
		c.resetToServer(fix)
		return
	}
	past := c.stateHistory.Find(at)
	if past == nil {
		c.env.Counters.Add("states_outside_history", 1)
		return
	}
	body := c.firstMismatch(past)
	lets := c.grace.allows(at, fix.Cause == predict.LocalInput)
	if body < 0 {
		c.agreedTick = at
		return
	}
	if lets {
		return
	}
	fix.Body, fix.Field, fix.Amount = c.worstMismatch(body, past)
	began := c.env.Counters.BeginSpan()
	c.saveDrawn()
	was := w.Bodies()[c.watchedBody()].Pose.Pos
	w.Load(past) // with the contacts that the client itself had then
	c.applyReceived()
	c.saveState()
	for w.Tick() < now {
		c.step()
	}
	fix.ReplayedTicks = int(now - at)
	c.reportCorrection(fix, was)
	c.absorbCorrection()
	c.env.Counters.EndSpan("replay", began)
}

// resetToServer takes the server's state as it is: the client has fallen behind it
// and has nothing to replay.
func (c *client) resetToServer(fix predict.Correction) {
	w := c.env.World
	c.saveDrawn()
	was := w.Bodies()[c.watchedBody()].Pose.Pos
	c.applyReceived()
	w.SetTick(c.receiver.Tick)
	c.stateHistory.Reset()
	c.saveState()
	fix.Body, fix.Field, fix.Cause = c.watchedBody(), predict.Position, predict.ClockReset
	fix.Amount = w.Bodies()[fix.Body].Pose.Pos.Sub(was).Len()
	c.reportCorrection(fix, was)
	c.absorbCorrection()
}

// firstMismatch returns the first body of which the server's word is too far from
// the remembered state, or -1.
func (c *client) firstMismatch(past *sim.State) int {
	for i := range c.receiver.Bodies {
		if c.exceedsTolerance(i, past) {
			return i
		}
	}
	return -1
}

// exceedsTolerance reports whether the server's word of body i is too far from the
// remembered state: in its position or its orientation, for what the velocities
// are wrong by shows in them a tick later.
func (c *client) exceedsTolerance(i int, past *sim.State) bool {
	a, b := &c.receiver.Bodies[i].Pose, &past.Bodies[i].Pose
	return a.Pos.Sub(b.Pos).LenSq() > float32(float32(c.positionTolerance)*float32(c.positionTolerance)) || 1-geom.Abs(a.Rot.Dot(b.Rot)) > float32(c.rotationTolerance)
}

// worstMismatch returns, of the bodies from first on that are too far from the
// remembered state, the one that is farthest, the field that is to blame, and
// by how much.
func (c *client) worstMismatch(first int, past *sim.State) (body int, field predict.Field, by float32) {
	most := float32(-1)
	seconds := float32(max(int64(c.receiver.Tick)-int64(c.agreedTick), 1)) / float32(c.env.World.Rate())
	for i := first; i < len(c.receiver.Bodies); i++ {
		if !c.exceedsTolerance(i, past) {
			continue
		}
		d := predict.Diff(&c.receiver.Bodies[i], &past.Bodies[i])
		reach := c.env.World.Scene().Boxes[i].Half.Len()
		if n := d.MaxError(reach, seconds); n > most {
			most, body = n, i
			field, by = d.RootField(reach, seconds)
		}
	}
	return body, field, by
}

// cause compares what the players did in the tick before the server's state with
// what that tick was stepped with here.
func (c *client) cause() predict.Cause {
	m := c.inputHistory.Find(c.receiver.Tick - 1)
	if m == nil {
		return predict.CauseUnknown
	}
	for i, in := range c.receiver.LastInputs {
		switch {
		case in == m.stepInputs[i]:
		case i == c.env.Player:
			return predict.LocalInput
		default:
			return predict.RemoteInput
		}
	}
	return predict.CauseUnknown
}

// applyReceived overwrites the bodies that the server says are otherwise.
func (c *client) applyReceived() {
	w := c.env.World
	for i := range c.receiver.Bodies {
		if w.Bodies()[i] != c.receiver.Bodies[i] {
			w.SetBody(i, c.receiver.Bodies[i])
		}
	}
}

// saveDrawn notes how the bodies would be drawn.
func (c *client) saveDrawn() {
	c.drawnBefore = c.drawnBefore[:0]
	for i, b := range c.env.World.Bodies() {
		c.drawnBefore = append(c.drawnBefore, c.errorOffsets[i].Apply(b.Pose))
	}
}

// absorbCorrection lets the offsets take up what the correction changed.
func (c *client) absorbCorrection() {
	for i, b := range c.env.World.Bodies() {
		c.smoothing.Absorb(&c.errorOffsets[i], c.drawnBefore[i], b.Pose)
	}
}

// reportCorrection tells of a correction. was is where the watched cube was before it.
func (c *client) reportCorrection(fix predict.Correction, was geom.Vec3) {
	m := c.env.Counters
	fix.Shift = c.env.World.Bodies()[c.watchedBody()].Pose.Pos.Sub(was).Len()
	c.agreedTick = fix.Tick
	m.Add("corrections", 1)
	m.Add("replayed_ticks", float64(fix.ReplayedTicks))
	c.correctionSum += float64(fix.Shift)
	m.Set("correction_mean_m", c.correctionSum/m.Value("corrections"))
	m.Set("correction_max_m", max(m.Value("correction_max_m"), float64(fix.Shift)))
	if c.env.OnCorrection != nil {
		c.env.OnCorrection(fix)
	}
}

// View draws the world as it is predicted, with the offsets.
func (c *client) View(v *predict.View) {
	w := c.env.World
	v.Tick = w.Tick()
	for i, b := range w.Bodies() {
		v.Simulated = append(v.Simulated, b.Pose)
		v.Bodies = append(v.Bodies, c.errorOffsets[i].Apply(b.Pose))
	}
	v.TouchedBy = append(v.TouchedBy, w.TouchedBy()...)
	if c.receiver.HasSnapshot {
		v.LastReceived = predict.AppendPoses(v.LastReceived, c.receiver.Bodies)
	}
	for back := trailTicks; back > 0; back -= trailStep {
		// Whole steps of the tick's label, so that the points stand still.
		t := int64(w.Tick())&^(trailStep-1) - int64(back)
		if t < 0 {
			continue
		}
		if m := c.inputHistory.Find(sim.Tick(t)); m != nil {
			v.Trail = append(v.Trail, m.pose)
		}
	}
}

// Inspect tells how far the prediction is beyond the server's last word, which is
// one of all bodies, and whose they are in it.
func (c *client) Inspect(l *predict.Inspection) {
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
	c.lead, c.corrections, c.contactOrder, c.stepMode = o.lead, o.corrections, o.contactOrder, o.stepMode
	c.positionTolerance, c.rotationTolerance, c.smoothing, c.solver = o.positionTolerance, o.rotationTolerance, o.smoothing, o.solver
	c.grace = o.grace
	c.inputSender.CopyFrom(&o.inputSender)
	c.receiver.CopyFrom(&o.receiver)
	c.servo, c.joined, c.lastSent, c.correctionSum = o.servo, o.joined, o.lastSent, o.correctionSum
	c.agreedTick, c.visibleTick = o.agreedTick, o.visibleTick
	c.inputHistory.CopyFrom(&o.inputHistory, history.CopyValue[inputRecord])
	c.stateHistory.CopyFrom(&o.stateHistory, func(dst, src *sim.State) { dst.CopyFrom(src) })
	c.lastInputs = append(c.lastInputs[:0], o.lastInputs...)
	c.errorOffsets = append(c.errorOffsets[:0], o.errorOffsets...)
}
