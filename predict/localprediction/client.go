package localprediction

import (
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/localprediction/frame"
	"ghostcube/predict/part/clock"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
	"ghostcube/smoothing"
)

const (
	historyTicks = 1024 // 17 s at 60 Hz
	maxCatchUp   = 256  // ticks that a joining client steps in one
)

// Client is a client that predicts the body that its player drives, remembers it in the frame of its
// parent, and corrects it. A strategy embeds Client, and its Tick says what happens in which order.
type Client struct {
	World
	Lead   clock.Lead
	Inputs input.Local
	Env    *predict.Env

	state    clientState
	counters clientCounters
	history  history.Ring[Remembered]
}

// clientState is plain data, copied by assignment.
type clientState struct {
	header codec.ConsumedHeader // of the newest snapshot
	placed bool                 // a client that has joined has placed its player's body
}

type clientCounters struct {
	outsideHistory, resets predict.Counter
}

// Remembered is one tick of the player's past.
type Remembered struct {
	Body   sim.Body  // at the beginning of the tick, in the parent's frame, with the pending correction applied
	Parent int       // index of a candidate, or frame.NoParent
	input  sim.Input // of the tick
}

// Declare declares the knobs and counters in the order in which the panel lists them. declareOwn declares
// those of the strategy. parent chooses the frame of the player's body; it is nil for the world's.
func (c *Client) Declare(env *predict.Env, parent *frame.Parent, declareOwn func()) {
	c.Env, c.history = env, history.New[Remembered](historyTicks)
	c.World.declare(env, parent)
	declareOwn()
	c.Interpolated.Declare(env, env.Player)
	c.declareStep()
	c.Inputs.Declare(env)
	c.counters.outsideHistory = env.Counters.New("states_outside_history", "states of forgotten ticks")
	c.counters.resets = env.Counters.New("resets", "times that the client adopted the server's time or state")
	c.Lead.Declare(env)
	c.Fallback.Declare(env)
	c.Nearby.Declare(env)
	c.Replay.Declare(env, parent, &c.Nearby, &c.settings.solver, &c.attachments)
	if env.Player >= 0 {
		c.remember()
	}
}

// ChoosePredicted follows the player into a vehicle and out of it, and applies the knobs that say which
// bodies are predicted. A joint chain is predicted in the world's frame.
func (c *Client) ChoosePredicted() {
	switched := c.followAttachments()
	if switched {
		c.leaveParent()
		c.switchBody()
		c.parent.SetBody(c.vehicle.body)
		c.forget()
	}
	player, chain := c.Chain.Update()
	if player || switched && c.Chain.TooLong() {
		c.switchPlayer()
		c.leaveParent()
		c.forget()
	}
	if chain && c.Chain.Wanted() {
		c.leaveParent()
	}
	if chain {
		c.switchChain()
	}
	if switched || chain {
		c.followBodies()
	}
}

// Receive reads the arrived packets. fresh reports whether they contained a newer snapshot, and
// from is the packet that did.
func (c *Client) Receive(server *packet.Endpoint) (from packet.Packet, fresh bool) {
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		var header codec.ConsumedHeader
		r := c.Snapshot().Begin(p.Payload)
		header.Code(r, c.Env.World.Tick())
		relative := c.parent.Read(r)
		if c.receive(&p, server, &header) {
			from, fresh, c.state.header = p, true, header
			c.parent.Receive(&relative)
		}
	}
	return from, fresh
}

// Sync keeps the client ahead of the server, so that an input is in its playout buffer when its turn
// comes. from is the packet with a fresh snapshot. It returns the number of ticks to catch up.
func (c *Client) Sync(from *packet.Packet, fresh bool, link *packet.Stats) (behind int) {
	if c.Lead.Synced() {
		c.Inputs.Join()
	}
	c.Lead.BeginTick()
	if fresh {
		behind = c.Lead.Sync(c.Snapshot().Tick, from, &c.state.header, link)
	}
	return behind
}

// StepPlayer steps the world and remembers the player's body.
func (c *Client) StepPlayer(in sim.Input) {
	if now := c.history.Find(c.Env.World.Tick()); now != nil {
		now.input = in
	}
	c.step(in)
	c.remember()
}

// remember remembers the present state of the player's body, in the frame of its parent, and of the
// bodies jointed to it.
func (c *Client) remember() {
	b := c.Player.Corrected(c.Body())
	*c.history.Insert(c.Env.World.Tick()) = Remembered{Body: c.parent.Frame().ToLocal(&b), Parent: c.parent.Current()}
	c.Chain.Record()
}

// forget makes the present state the only one that is remembered.
func (c *Client) forget() {
	c.history.Reset()
	c.remember()
}

// Locate returns the client tick that a fresh snapshot describes; ok reports whether to compare the
// two. why is LocalInput if the server used another input than the client in the tick before, or
// repeated or skipped inputs.
func (c *Client) Locate(fresh bool) (at sim.Tick, why predict.Cause, ok bool) {
	if !fresh {
		return 0, why, false
	}
	at, moved, ok := c.locate(c.state.header.Consumed)
	before := c.history.Find(at - 1)
	if moved || before != nil && before.input != c.Snapshot().LastInputs[c.Env.Player] {
		why = predict.LocalInput
	}
	return at, why, ok
}

// Find returns the remembered state of a tick that a snapshot describes, or nil.
func (c *Client) Find(at sim.Tick) *Remembered {
	r := c.history.Find(at)
	if r == nil {
		c.counters.outsideHistory.Inc()
	}
	return r
}

// ReplayPlayer steps the player's body again from the server's state of tick at and rewrites its
// history. It returns the distance by which the present body moved, and false if only a shift can
// correct it.
func (c *Client) ReplayPlayer(at sim.Tick, server *sim.Body) (metres float32, ok bool) {
	metres, ok = c.replayPlayer(at, server, func(t sim.Tick, b *sim.Body) {
		if past := c.history.Find(t); past != nil {
			past.Body = *b
		}
	})
	if ok {
		c.history.Find(at).Body = *server
	}
	return metres, ok
}

// Shift adds a difference, given in the frame of a parent, to the states remembered from a tick on
// and to the pending correction. For a tick with another parent it is converted between the two
// frames as they are displayed now.
func (c *Client) Shift(d *smoothing.Shift, parent int, from sim.Tick) {
	f := c.parent.Interpolated(parent)
	world := f.ShiftToWorld(d)
	for past := range c.history.Between(from, c.Env.World.Tick()) {
		if past.Parent == parent {
			d.ApplyTo(&past.Body)
			continue
		}
		other := c.parent.Interpolated(past.Parent)
		local := other.ShiftToLocal(&world)
		local.ApplyTo(&past.Body)
	}
	c.Player.Pending.Add(&world)
}

// CatchUp brings the client to the server's time. A joining client steps the missing ticks with
// the input that the server repeats for it. Later, it skips them and adopts the server's state. Below 0
// it is far ahead and goes back.
func (c *Client) CatchUp(ticks int, from *packet.Packet) {
	w := c.Env.World
	if c.Log.Located() || ticks > maxCatchUp || ticks < 0 {
		w.SetTick(w.Tick() + sim.Tick(ticks))
		c.ResetToServer(predict.ClockReset, from)
		return
	}
	drawn := c.Drawn()
	for range ticks {
		c.StepPlayer(c.Inputs.Repeat())
	}
	c.absorb(drawn)
}

// ResetToServer adopts the server's parent and its state of the player's body, extrapolated to the
// client's tick.
func (c *Client) ResetToServer(why predict.Cause, from *packet.Packet) {
	before, server := *c.Body(), *c.ServerBody()
	if c.parent != nil {
		server = c.parent.AdoptServer()
	}
	fix := c.Describe(from, why, &server, &before)
	server = c.extrapolate(server)
	c.Teleport(server)
	c.counters.resets.Inc()
	c.Report(fix, server.Pose.Pos.Sub(before.Pose.Pos).Len())
}

// Teleport sets the state of the player's body and forgets its history. The error offset hides the jump.
func (c *Client) Teleport(to sim.Body) {
	c.Player.Teleport(c.Env.World, c.vehicle.body, to, &c.settings.smooth)
	c.forget()
}

// Send sends the inputs that the server may still need, and requests the pace of the next tick.
func (c *Client) Send(server *packet.Endpoint) {
	c.Lead.Steer()
	c.Inputs.Send(server, c.state.header.FirstNeeded())
}

// View draws the client's world, and the remembered poses of the player's body as a trail, relative to
// its parents as they are displayed now.
func (c *Client) View(v *predict.View) {
	if c.World.view(v); !c.playerShown() {
		return
	}
	for past := range c.history.Trail(c.Env.World.Tick(), predict.TrailTicks, predict.TrailStep) {
		f := c.parent.Interpolated(past.Parent)
		v.Trail = append(v.Trail, f.ToWorld(&past.Body).Pose)
	}
}

// inspect reports the age of each drawn body's state, the remembered inputs, and the boxes of the parent
// candidates.
func (c *Client) inspect(l *predict.Inspection) {
	c.World.inspect(l)
	needed := c.state.header.FirstNeeded()
	l.AddBuffer(predict.InputHistory, needed, c.Env.World.Tick(), 0, func(t sim.Tick) bool { return c.history.Find(t) != nil })
	c.Inputs.Inspect(l, needed)
	if c.parent != nil && c.Snapshot().HasSnapshot {
		c.parent.Inspect(l)
	}
}

// CopyFrom makes c a copy of o, except for its env and the parent.
func (c *Client) CopyFrom(o *Client) {
	c.state = o.state
	c.World.copyFrom(&o.World)
	c.Lead.CopyFrom(&o.Lead)
	c.Inputs.CopyFrom(&o.Inputs)
	c.history.CopyFrom(&o.history, history.CopyValue[Remembered])
}
