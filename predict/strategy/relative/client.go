package relative

import (
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/part/clientworld"
	"ghostcube/predict/part/clock"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/correction"
	"ghostcube/predict/part/frame"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

const (
	historyTicks = 1024 // remembered of the player's cube: 17 s
	trailTicks   = 160  // of them that are drawn
	trailStep    = 2
	maxCatchUp   = 256 // ticks stepped at once to join
)

type client struct {
	state   state
	lead    clock.Lead
	inputs  input.Local
	world   clientworld.World
	parent  frame.Parent
	history history.Ring[remembered]
	env     *predict.Env
}

// state is plain: it is copied by assignment.
type state struct {
	header codec.ConsumedHeader // of the newest snapshot
}

// remembered is one tick of the player's past.
type remembered struct {
	body   sim.Body  // when the tick began, in the parent's frame, with the pending correction applied
	parent int       // index of a candidate, or frame.NoParent
	input  sim.Input // with which it was stepped
}

func newClient(env *predict.Env) predict.Client {
	c := &client{env: env, history: history.New[remembered](historyTicks)}

	// The panel lists knobs and counters in this order.
	c.world.Declare(env)
	c.parent.Declare(env, &c.world.Interpolated)
	c.world.Interpolated.Declare(env, env.Player)
	c.world.DeclareStep()
	c.inputs.Declare(env)
	env.Counters.Declare("states_outside_history", "states of ticks that are no longer remembered")
	env.Counters.Declare("resets", "times that the client skipped to the server's time or took the server's state")
	c.lead.Declare(env)
	c.world.Fallback.Declare(env)
	c.world.Nearby.Declare(env)
	if env.Player >= 0 {
		c.remember()
	}
	return c
}

// Tick receives, moves the player's cube along with its parent and steps it at once, shifts its
// history where the server's state differs, applies the difference gradually, and sends.
func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	began := c.env.Counters.BeginSpan()
	defer c.env.Counters.EndSpan("client", began)
	w := c.env.World

	// Receive. Bodies that the client does not predict are interpolated, in the past.
	c.choosePredicted()
	c.world.BeginTick()
	from, fresh := c.receive(server)
	c.world.Interpolated.Advance(server.Stats.RTT)
	if c.env.Player < 0 {
		server.Send(nil) // a spectator predicts nothing
		return
	}

	// Keep ahead of the server, so that an input arrives when its playout buffer is due to it.
	if c.lead.Synced() {
		c.inputs.Join()
	}
	c.lead.BeginTick()
	late := 0
	if fresh {
		late = c.lead.Sync(c.world.Snapshot().Tick, &from, &c.state.header, &server.Stats)
	}

	// Move the player's cube along with its parent, step it in the parent's frame, and remember it.
	w.PinCarriers(c.world.Interpolated.DisplayMoment())
	c.world.PlaceOthers()
	c.moveWithParent(fresh)
	c.step(c.inputs.Next(w.Tick(), in))
	if to, changed := c.parent.Predict(); changed {
		c.changeParent(to)
	}
	c.world.Decay()
	if late > 0 {
		c.catchUp(late, &from)
	}

	// Find the remembered tick that the server's state describes, and compare in the frame that the
	// cube had then.
	if at, why, ok := c.locate(fresh); ok {
		c.followServer(at)
		c.world.CompareOthers(at)
		if ours := c.find(at); ours != nil {
			theirs := c.parent.ServerBody(ours.parent)
			switch shift, verdict := c.world.Compare(at, &theirs, &ours.body); verdict {
			case correction.Agrees:
				c.world.Log.Agree()
			case correction.Differs:
				// Shift all that is remembered since. The cube itself follows gradually.
				fix := c.world.Describe(&from, why, &theirs, &ours.body)
				c.shift(&shift, ours.parent, at)
				c.world.Report(fix, shift.Pos.Len())
			case correction.Jumped:
				c.resetToServer(why, &from)
			}
		}
	}

	// Apply one tick's part of the pending corrections. A cube that rests takes the server's state.
	c.world.Correct(c.inputs.IdleTicks())
	if rest, differs := c.world.Rest(c.inputs.IdleTicks()); differs && c.parent.AtServerPose() {
		c.teleport(rest)
	}
	c.world.EndTick()

	// Send the inputs that the server may still need.
	c.lead.Steer()
	c.inputs.Send(server, c.state.header.FirstNeeded())
}

// choosePredicted brings the predicted bodies in line with the knobs. A chain is predicted in the
// world's frame.
func (c *client) choosePredicted() {
	player, chain := c.world.Chain.Update()
	if player {
		c.world.SwitchPlayer()
		c.history.Reset()
		c.leaveParent()
		c.remember()
	}
	if chain && c.world.Chain.Wanted() {
		c.leaveParent()
	}
	if chain {
		c.world.SwitchChain()
	}
}

// receive takes in what has arrived, and returns the packet that brought the newest snapshot, if
// one did.
func (c *client) receive(server *packet.Endpoint) (from packet.Packet, fresh bool) {
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		var header codec.ConsumedHeader
		r := c.world.Snapshot().Begin(p.Payload)
		header.Code(r, c.env.World.Tick())
		relative := c.parent.Read(r)
		if c.world.Receive(p.Payload) {
			from, fresh, c.state.header = p, true, header
			c.parent.Receive(&relative)
		}
	}
	return from, fresh
}

// step steps the world and remembers the player's cube.
func (c *client) step(in sim.Input) {
	if now := c.history.Find(c.env.World.Tick()); now != nil {
		now.input = in
	}
	c.world.Step(in)
	c.remember()
}

// remember remembers the cube, in the frame of its parent, and the bodies tied to it, as they are.
func (c *client) remember() {
	b := c.world.Player.Corrected(c.world.Body())
	*c.history.Insert(c.env.World.Tick()) = remembered{body: c.parent.Frame().ToLocal(&b), parent: c.parent.Current()}
	c.world.Chain.Record()
}

// locate returns the tick of ours that a fresh snapshot describes, and why the cube may be
// elsewhere there: the server has not used our input of the tick before, or has repeated or skipped
// inputs.
func (c *client) locate(fresh bool) (at sim.Tick, why predict.Cause, ok bool) {
	if !fresh {
		return 0, why, false
	}
	at, moved, ok := c.world.Locate(c.state.header.Consumed)
	before := c.history.Find(at - 1)
	if moved || before != nil && before.input != c.world.Snapshot().LastInputs[c.env.Player] {
		why = predict.LocalInput
	}
	return at, why, ok
}

// find returns what is remembered of a tick that a snapshot describes, or nil.
func (c *client) find(at sim.Tick) *remembered {
	r := c.history.Find(at)
	if r == nil {
		c.env.Counters.Add("states_outside_history", 1)
	}
	return r
}

// catchUp brings the client to the server's time. To join it steps the missing ticks with the
// input that the server repeats meanwhile. Later it skips them and takes the server's state.
func (c *client) catchUp(ticks int, from *packet.Packet) {
	w := c.env.World
	if c.world.Log.Located() || ticks > maxCatchUp {
		w.SetTick(w.Tick() + sim.Tick(ticks))
		c.resetToServer(predict.ClockReset, from)
		return
	}
	drawn := c.world.Drawn()
	for range ticks {
		c.step(c.inputs.Repeat())
	}
	c.world.Absorb(drawn)
}

// resetToServer takes the server's parent, and its state of the cube as it would be by now.
func (c *client) resetToServer(why predict.Cause, from *packet.Packet) {
	before, server := *c.world.Body(), c.parent.AdoptServer()
	fix := c.world.Describe(from, why, &server, &before)
	server = c.world.Onward(server)
	c.teleport(server)
	c.env.Counters.Add("resets", 1)
	c.world.Report(fix, server.Pose.Pos.Sub(before.Pose.Pos).Len())
}

// teleport sets the cube to a state and forgets its history.
func (c *client) teleport(to sim.Body) {
	c.history.Reset()
	c.world.Teleport(to)
	c.remember()
}

// View draws the client's world, and the cube's past as a trail: where it would be in its parents as
// they are displayed now.
func (c *client) View(v *predict.View) {
	if c.world.View(v); !c.world.PlayerShown() {
		return
	}
	for past := range c.history.Trail(c.env.World.Tick(), trailTicks, trailStep) {
		f := c.parent.Interpolated(past.parent)
		v.Trail = append(v.Trail, f.ToWorld(&past.body).Pose)
	}
}

// Inspect reports how old the state of each drawn body is, and the boxes of possible parents.
func (c *client) Inspect(l *predict.Inspection) {
	c.world.Inspect(l)
	if c.world.Snapshot().HasSnapshot {
		c.parent.Inspect(l)
	}
}

// CopyFrom makes c an equal of another client, all but its env.
func (c *client) CopyFrom(from predict.Client) {
	o := from.(*client)
	c.state = o.state
	c.lead.CopyFrom(&o.lead)
	c.inputs.CopyFrom(&o.inputs)
	c.world.CopyFrom(&o.world)
	c.parent.CopyFrom(&o.parent)
	c.history.CopyFrom(&o.history, history.CopyValue[remembered])
}
