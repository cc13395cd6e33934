package predicted

import (
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/part/clock"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/correction"
	"ghostcube/predict/part/fallback"
	"ghostcube/predict/part/frame"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/input"
	"ghostcube/predict/part/jointchain"
	"ghostcube/predict/part/nearby"
	"ghostcube/predict/part/playback"
	"ghostcube/sim"
	"ghostcube/smoothing"
)

const (
	historyLen = 1024 // ticks of the own cube's past: 17 s
	trailTicks = 160  // of them that are drawn
	trailStep  = 2
	maxJump    = 256 // ticks made at once to join
)

// historyEntry is a tick of the own cube's past.
type historyEntry struct {
	sim.Body           // when the tick began, all doses given
	input    sim.Input // what the tick was made with
	parent   int       // whose space the body is in; parent.None: the world's
}

type client struct {
	env          *predict.Env
	correction   correction.Settings
	contactOrder int
	carrierMode  int
	smooth       smoothing.Settings
	solver       predict.Solver

	sender       input.Sender
	interpolated playback.InterpolatedWorld // all but the own cube
	relative     bool
	parent       frame.Parent // to a parent, if the strategy knows any
	lead         clock.Lead
	history      history.Ring[historyEntry]
	initialInput sim.Input            // what the player did before this half began
	stepInputs   []sim.Input          // one tick's inputs
	joined       bool                 // our inputs are sent
	lastInput    sim.Input            // the newest input that the server will have
	idleTicks    int                  // ticks for which no button has been pressed
	header       codec.ConsumedHeader // of the newest state
	own          correction.Player
	log          correction.Log
	fallback     fallback.Policy // when the own body is shown late
	remote       nearby.Bodies   // when others are stepped
	chain        jointchain.Chain
}

// NewClient makes the half that the player looks at.
func NewClient(env *predict.Env) predict.Client { return newClient(env, false) }

// NewRelativeClient makes one that predicts relative to a parent.
func NewRelativeClient(env *predict.Env) predict.Client { return newClient(env, true) }

func newClient(env *predict.Env, relative bool) *client {
	c := &client{
		env: env, history: history.New[historyEntry](historyLen), stepInputs: make([]sim.Input, env.Players),
	}
	k, m := env.Knobs, env.Counters
	c.correction.Declare(k)
	c.log.Declare(env)
	c.chain.Declare(env)
	k.Choice(&c.contactOrder, "contact-order", 0, []string{"same", "reordered"}, "the client solves contacts in the server's order or in another: mispredictions without any loss")
	if c.relative = relative; relative {
		c.parent.Declare(env, &c.interpolated)
	} else {
		declareCarriers(&c.carrierMode, k)
	}
	c.interpolated.Declare(env, env.Player)
	k.Smoothing(&c.smooth)
	k.Solver(&c.solver)
	c.sender.Declare(env)
	m.Declare("states_outside_history", "states of ticks that are no longer remembered")
	m.Declare("resets", "times that the client skipped to the server's time or took the server's state")
	c.lead.Declare(env)
	c.fallback.Declare(env)
	c.remote.Declare(env)
	if p := env.Player; p >= 0 {
		c.initialInput = env.LastInputs[p]
		for i := range env.World.Bodies() {
			env.World.SetKinematic(i, i != p)
		}
		c.record()
	}
	return c
}

// playerBody is the body that the player drives.
func (c *client) playerBody() *sim.Body { return &c.env.World.Bodies()[c.env.Player] }

// Tick takes in what has come, shows the others as they were, makes one tick of the
// own cube, and sets right what the server says of its past.
func (c *client) Tick(input sim.Input, server *packet.Endpoint) {
	began := c.env.Counters.BeginSpan()
	c.updateChain()
	c.posePredicted(false)
	c.interpolated.BeginTick()
	news, from := c.receive(server)
	c.interpolated.Advance(server.Stats.RTT)
	if c.env.Player < 0 {
		server.Send(nil) // one who only watches has nothing to predict
		c.env.Counters.EndSpan("client", began)
		return
	}
	c.joined = c.joined || c.lead.Synced()
	c.lead.BeginTick()
	jump := 0
	if news {
		jump = c.lead.Sync(c.interpolated.Receiver().Tick, &from, &c.header, &server.Stats)
	}
	c.placeRemoteBodies()
	c.adoptFirstParent(news)
	c.moveWithParent()
	c.advance(input)
	c.predictParent()
	c.smooth.Decay(&c.own.ErrorOffset, c.env.World.Rate())
	c.fallback.Update()
	if jump > 0 {
		c.jump(jump, from)
	}
	if news {
		c.reconcile(from)
	}
	c.own.Step(c.env.World, c.env.Player, &c.correction)
	c.env.Counters.Set("pending_correction_m", float64(c.own.Pending.Pos.Len()))
	c.remote.Step(&c.correction)
	in := c.interpolated.Receiver()
	c.chain.Step(in.Bodies, in.HasSnapshot && c.correction.Enabled && int64(c.idleTicks) > c.log.Ahead(), &c.correction, &c.smooth)
	c.adoptSleep()
	c.posePredicted(true)
	c.lead.Steer()
	if c.joined {
		c.sender.Send(server, c.header.FirstNeeded())
	} else {
		server.Send(nil) // so that the server's states are acknowledged
	}
	c.env.Counters.EndSpan("client", began)
}

// receive takes in what has come, and tells which packet brought the newest state.
func (c *client) receive(server *packet.Endpoint) (news bool, from packet.Packet) {
	w := c.env.World
	in := c.interpolated.Receiver()
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		var h codec.ConsumedHeader
		r := in.Begin(p.Payload)
		h.Code(r, w.Tick())
		var told frame.State
		if c.relative {
			told = c.parent.Read(r)
		}
		fresh, err := in.Finish(p.Payload, w.Scene(), c.interpolated.ExpectedTick())
		if err != nil {
			c.env.Counters.Add("rejected_payloads", 1)
			continue
		}
		c.interpolated.AddSnapshot(fresh)
		if fresh {
			news, from, c.header = true, p, h
			c.parent.Receive(&told)
		}
	}
	return news, from
}

// placeRemoteBodies puts the others where they are shown, but for those that are loose.
func (c *client) placeRemoteBodies() {
	c.placeCarriers()
	c.remote.Place(&c.interpolated, c.log.OwnTick(c.interpolated.DisplayTick()), c.fallback.BlendTicks(), !c.fallback.Active())
}

// advance makes one tick of the prediction. Before the client has joined the server
// does not hear it, and goes on with what the player held before.
func (c *client) advance(in sim.Input) {
	if c.joined {
		c.sender.Add(c.env.World.Tick(), in)
		in.Shot = sim.Shot{} // nobody repeats it
	} else {
		in = c.initialInput
	}
	c.lastInput = in
	c.step()
}

// step makes a tick with the last input.
func (c *client) step() {
	w := c.env.World
	w.Settings.SolveOrderSeed = uint64(c.contactOrder) * 0x9E3779B97F4A7C15
	c.stepInputs[c.env.Player] = c.lastInput
	c.idleTicks++
	if c.lastInput.Buttons != 0 {
		c.idleTicks = 0
	}
	if e := c.history.Find(w.Tick()); e != nil {
		e.input = c.lastInput
	}
	c.solver.Step(w, c.stepInputs...)
	c.fallback.AddStep(w, c.env.Player)
	c.remote.Record()
	c.record()
}

// record notes where the own cube is, or will be when all doses are given.
func (c *client) record() {
	b := c.own.Corrected(c.playerBody())
	*c.history.Insert(c.env.World.Tick()) = historyEntry{Body: c.frame().ToLocal(&b), parent: c.currentParent()}
	c.chain.Record()
}

// jump brings the client to the server's time. To join it makes the ticks that are
// missing: the server makes them too, with what the player held. Later it leaves them
// out, and takes the server's state.
func (c *client) jump(ticks int, from packet.Packet) {
	w := c.env.World
	if c.log.Located() || ticks > maxJump {
		w.SetTick(w.Tick() + sim.Tick(ticks))
		c.resetToServer(predict.ClockReset, from)
		return
	}
	drawn := c.own.ErrorOffset.Apply(c.playerBody().Pose)
	for range ticks {
		c.step()
	}
	c.smooth.Absorb(&c.own.ErrorOffset, drawn, c.playerBody().Pose)
}

// reconcile looks up what was remembered of the tick that the server's state is of, and
// adds what is off to that entry and to all later ones.
func (c *client) reconcile(from packet.Packet) {
	in, now := c.interpolated.Receiver(), c.env.World.Tick()
	at, moved, ok := c.log.Locate(in.Tick, c.header.Consumed)
	if !ok {
		return
	}
	why := c.cause(at, moved)
	if at > now || !c.correction.Enabled || c.chain.TooLong() {
		return
	}
	c.followServerParent(at)
	c.remote.Compare(at, in.Bodies, &c.correction)
	c.chain.Compare(at, in.Bodies, &c.correction)
	had := c.history.Find(at)
	if had == nil {
		c.env.Counters.Add("states_outside_history", 1)
		return
	}
	c.fallback.AddComparison(at)
	word := c.serverBodyIn(had.parent)
	d, verdict := c.own.Compare(&c.correction, &word, &had.Body)
	switch verdict {
	case correction.Jumped:
		c.resetToServer(why, from)
		return
	case correction.Agrees:
		c.log.Agree()
		return
	}
	fix := c.log.Describe(&from, in.Tick, why, &word, &had.Body)
	c.shiftHistory(&d, had.parent, at, now)
	c.report(fix, d.Pos.Len())
}

// cause compares what the player did in the tick that led to the server's state of tick
// at with what that was made with here, and looks whether the server has repeated or
// passed over inputs since the last state: then its ticks are others than ours.
func (c *client) cause(at sim.Tick, moved bool) predict.Cause {
	e, held := c.history.Find(at-1), c.interpolated.Receiver().LastInputs[c.env.Player]
	if moved || e != nil && held != e.input {
		return predict.LocalInput
	}
	return predict.CauseUnknown
}

// report tells of a correction that moves the present, in the end, by so many metres.
func (c *client) report(fix predict.Correction, metres float32) {
	c.log.Report(fix, metres)
	c.fallback.AddCorrection(metres)
}

// resetToServer forgets the history and sets the cube to the server's state, and on along its
// velocity for the time that has passed since.
func (c *client) resetToServer(why predict.Cause, from packet.Packet) {
	w := c.env.World
	was := *c.playerBody()
	next := c.adoptServerParent()
	fix := c.log.Describe(&from, c.interpolated.Receiver().Tick, why, &next, &was)
	passed := float32(max(c.log.Ahead(), 0)) / float32(w.Rate())
	c.chain.ResetTo(c.interpolated.Receiver().Bodies, passed, &c.smooth)
	next.Pose.Pos = next.Pose.Pos.AddScaled(passed, next.Linear)
	next.Pose.Pos.Z = max(next.Pose.Pos.Z, w.Scene().Boxes[c.env.Player].Half.Z)
	c.teleport(next)
	c.env.Counters.Add("resets", 1)
	c.report(fix, next.Pose.Pos.Sub(was.Pose.Pos).Len())
}

// adoptSleep takes the server's word as it is where it says that the own cube sleeps and no
// key has been pressed since: nothing better will come.
func (c *client) adoptSleep() {
	in := c.interpolated.Receiver()
	if !in.HasSnapshot || !c.correction.Enabled || c.chain.TooLong() {
		return
	}
	b, s := c.playerBody(), &in.Bodies[c.env.Player]
	if s.Asleep && c.parentAtServerPose() && int64(c.idleTicks) > c.log.Ahead() && *b != *s {
		c.teleport(*s)
	}
}

// teleport sets the own cube to a state, with nothing to be added. The picture glides
// there.
func (c *client) teleport(b sim.Body) {
	c.history.Reset()
	c.own.Teleport(c.env.World, c.env.Player, b, &c.smooth)
	c.record()
}

func (c *client) setPlayerBody(b sim.Body) { c.env.World.SetBody(c.env.Player, b) }

// View draws the others late and the own cube ahead.
func (c *client) View(v *predict.View) {
	v.Tick, v.TickFraction, v.Note = c.interpolated.DisplayTick(), c.interpolated.DisplayTickFraction(), c.interpolated.Note()
	v.CarrierOffset = c.carrierMoment() - v.Tick.Moment()
	if v.Note == "" {
		v.Note = c.chain.Note()
	}
	w, p := c.env.World, c.env.Player
	for i := range w.Bodies() {
		switch {
		case p < 0 || c.posedByTree(i):
			v.Simulated = append(v.Simulated, c.interpolated.Pose(i))
			v.Bodies = append(v.Bodies, v.Simulated[i])
		case !c.interpolated.IsExcluded(i):
			v.Simulated = append(v.Simulated, w.Bodies()[i].Pose)
			v.Bodies = append(v.Bodies, v.Simulated[i])
		default:
			v.Simulated = append(v.Simulated, c.predictedPose(i, false))
			v.Bodies = append(v.Bodies, c.fallback.Blend(c.predictedPose(i, true), c.interpolated.InterpolatedPose(i)))
		}
	}
	if in := c.interpolated.Receiver(); in.HasSnapshot {
		v.LastReceived = predict.AppendPoses(v.LastReceived, in.Bodies)
	}
	if p < 0 {
		return
	}
	v.PredictedTick = c.log.ServerTick(w.Tick())
	if c.markFallback(v); c.fallback.Active() {
		return // what is remembered is of a body that is not shown
	}
	for e := range c.history.Trail(w.Tick(), trailTicks, trailStep) {
		f := c.interpolatedFrame(e.parent)
		v.Trail = append(v.Trail, f.ToWorld(&e.Body).Pose)
	}
}

// markFallback says which bodies are shown ahead, which are treated otherwise than usual, and
// why the own one is.
func (c *client) markFallback(v *predict.View) {
	ahead := !c.fallback.Active()
	for i := range c.env.World.Bodies() {
		v.Predicted = append(v.Predicted, c.interpolated.IsExcluded(i) && ahead || c.remote.Simulated(i))
		if c.fallback.Enabled() || c.remote.Dynamic() {
			v.Fallback = append(v.Fallback, c.interpolated.IsExcluded(i) && !ahead || c.remote.Simulated(i))
		}
	}
	if !ahead {
		v.Note = c.fallback.Note()
	} else if c.remote.Count() > 0 && v.Note == "" {
		v.Note = "what is touched is stepped here"
	}
}

// Inspect tells how far the own cube is beyond what the server has told of it, and the
// others beyond their newest positions.
func (c *client) Inspect(l *predict.Inspection) {
	c.interpolated.Inspect(l)
	if !c.interpolated.Receiver().HasSnapshot {
		return
	}
	w := c.env.World
	for i := range w.Bodies() {
		if c.interpolated.IsExcluded(i) && !c.fallback.Active() {
			l.Age = append(l.Age, int32(max(c.log.Ahead(), 0)))
			l.Moving = append(l.Moving, !w.Bodies()[i].Asleep)
			continue
		}
		l.Age = append(l.Age, c.interpolated.Age(i))
		l.Moving = append(l.Moving, c.interpolated.IsMoving(i))
	}
	if c.relative {
		c.parent.Inspect(l)
	}
}

func (c *client) CopyFrom(from predict.Client) {
	o := from.(*client)
	c.contactOrder, c.carrierMode, c.smooth, c.solver = o.contactOrder, o.carrierMode, o.smooth, o.solver
	c.correction, c.own = o.correction, o.own
	c.log.CopyFrom(&o.log)
	c.fallback.CopyFrom(&o.fallback)
	c.remote.CopyFrom(&o.remote)
	c.sender.CopyFrom(&o.sender)
	c.interpolated.CopyFrom(&o.interpolated)
	c.parent.CopyFrom(&o.parent)
	c.history.CopyFrom(&o.history, history.CopyValue[historyEntry])
	c.lead.CopyFrom(&o.lead)
	c.initialInput, c.joined, c.lastInput, c.idleTicks = o.initialInput, o.joined, o.lastInput, o.idleTicks
	c.chain.CopyFrom(&o.chain)
	c.header = o.header
}
