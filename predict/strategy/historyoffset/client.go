package historyoffset

import (
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/localprediction"
	"ghostcube/predict/localprediction/correction"
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

type client struct {
	settings settings
	state    state
	counters counters
	lead     clock.Lead
	inputs   input.Local
	world    localprediction.World
	history  history.Ring[remembered]
	env      *predict.Env
}

type settings struct {
	carriers int
}

// counters are what the client counts besides its parts.
type counters struct {
	outsideHistory, resets predict.Counter
}

// state is plain data, copied by assignment.
type state struct {
	header codec.ConsumedHeader // of the newest snapshot
}

// remembered is one tick of the player's past.
type remembered struct {
	body  sim.Body  // at the beginning of the tick, with the pending correction applied
	input sim.Input // of the tick
}

func newClient(env *predict.Env) predict.Client {
	c := &client{env: env, history: history.New[remembered](historyTicks)}

	// The panel lists knobs and counters in this order.
	c.world.Declare(env)
	declareCarriers(&c.settings.carriers, env.Knobs)
	c.world.Interpolated.Declare(env, env.Player)
	c.world.DeclareStep()
	c.inputs.Declare(env)
	c.counters.outsideHistory = env.Counters.New("states_outside_history", "snapshots that describe a tick that the client no longer remembers")
	c.counters.resets = env.Counters.New("resets", "times that the client skipped to the server's time or adopted the server's state")
	c.lead.Declare(env)
	c.world.Fallback.Declare(env)
	c.world.Nearby.Declare(env)
	c.world.DeclareReplay(nil)
	if env.Player >= 0 {
		c.remember()
	}
	return c
}

// Tick receives, steps the player's cube at once, replays it or shifts its history if the server's
// state differs, applies a shift gradually, and sends.
func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	began := c.env.Counters.BeginSpan()
	defer c.env.Counters.EndSpan("client", began)
	w := c.env.World

	// Receive. The bodies that the client does not predict are interpolated, in the past.
	c.choosePredicted()
	c.world.BeginTick()
	from, fresh := c.receive(server)
	c.world.Interpolated.Advance(server.Stats.RTT)
	if c.env.Player < 0 {
		server.Send(nil) // a spectator predicts nothing
		return
	}

	// Keep ahead of the server, so that an input is in its playout buffer when its turn comes.
	if c.lead.Synced() {
		c.inputs.Join()
	}
	c.lead.BeginTick()
	behind := 0
	if fresh {
		behind = c.lead.Sync(c.world.Snapshot().Tick, &from, &c.state.header, &server.Stats)
	}

	// Step the player's cube at once, and remember it.
	c.placeCarriers()
	c.world.PlaceOthers()
	c.step(c.inputs.Next(w.Tick(), in))
	c.world.Decay()
	if behind != 0 {
		c.catchUp(behind, &from)
	}

	// Locate the remembered tick that the server's state describes, and compare.
	if at, why, ok := c.locate(fresh); ok {
		c.world.CompareOthers(at)
		if ours, theirs := c.find(at), c.world.ServerBody(); ours != nil {
			switch shift, result := c.world.Compare(at, theirs, &ours.body); result {
			case correction.Agrees:
				c.world.Log.Agree()
				if c.world.Replays(at) {
					c.replay(at, theirs)
				}
			case correction.Differs:
				// Replay the cube from the server's state, or shift the remembered states since; then
				// the cube itself follows gradually.
				fix := c.world.Describe(&from, why, theirs, &ours.body)
				metres, ok := c.replay(at, theirs)
				if !ok {
					metres = shift.Pos.Len()
					c.shift(&shift, at)
				}
				c.world.Report(fix, metres)
			case correction.Jumped:
				c.resetToServer(why, &from)
			}
		}
	}

	// Apply one tick's share of the pending corrections. A sleeping cube takes the server's state.
	c.world.Correct(c.inputs.IdleTicks())
	if rest, differs := c.world.RestingState(c.inputs.IdleTicks()); differs {
		c.teleport(rest)
	}
	c.world.EndTick()

	// Send the inputs that the server may still need.
	c.lead.Steer()
	c.inputs.Send(server, c.state.header.FirstNeeded())
}

// shift adds a difference to the states remembered from a tick on and to the pending correction.
func (c *client) shift(d *smoothing.Shift, from sim.Tick) {
	for past := range c.history.Between(from, c.env.World.Tick()) {
		d.ApplyTo(&past.body)
	}
	c.world.Player.Pending.Add(d)
}

// replay steps the cube again from the server's state of tick at and rewrites its history. It returns
// the distance by which the present cube moved, and false if only a shift can correct it.
func (c *client) replay(at sim.Tick, server *sim.Body) (metres float32, ok bool) {
	metres, ok = c.world.ReplayPlayer(at, server, func(t sim.Tick, b *sim.Body) {
		if past := c.history.Find(t); past != nil {
			past.body = *b
		}
	})
	if ok {
		c.history.Find(at).body = *server
	}
	return metres, ok
}

// choosePredicted follows the player into a vehicle and out of it, and applies the knobs that say which
// bodies are predicted.
func (c *client) choosePredicted() {
	switched := c.world.FollowAttachments()
	if switched {
		c.world.SwitchBody()
		c.history.Reset()
		c.remember()
	}
	player, chain := c.world.Chain.Update()
	if player || switched && c.world.Chain.TooLong() {
		c.world.SwitchPlayer()
		c.history.Reset()
		c.remember()
	}
	if chain {
		c.world.SwitchChain()
	}
}

// receive reads the arrived packets. fresh reports whether they contained a newer snapshot, and
// from is the packet that did.
func (c *client) receive(server *packet.Endpoint) (from packet.Packet, fresh bool) {
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		var header codec.ConsumedHeader
		header.Code(c.world.Snapshot().Begin(p.Payload), c.env.World.Tick())
		if c.world.Receive(&p, server, &header) {
			from, fresh, c.state.header = p, true, header
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

// remember remembers the present state of the cube and of the bodies jointed to it.
func (c *client) remember() {
	*c.history.Insert(c.env.World.Tick()) = remembered{body: c.world.Player.Corrected(c.world.Body())}
	c.world.Chain.Record()
}

// locate returns the client tick that a fresh snapshot describes. why is LocalInput if the server
// used another input than the client in the tick before, or repeated or skipped inputs.
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

// find returns the remembered state of a tick that a snapshot describes, or nil.
func (c *client) find(at sim.Tick) *remembered {
	r := c.history.Find(at)
	if r == nil {
		c.counters.outsideHistory.Inc()
	}
	return r
}

// catchUp brings the client to the server's time. A joining client steps the missing ticks with
// the input that the server repeats for it. Later, it skips them and adopts the server's state. Below 0
// it is far ahead and goes back.
func (c *client) catchUp(ticks int, from *packet.Packet) {
	w := c.env.World
	if c.world.Log.Located() || ticks > maxCatchUp || ticks < 0 {
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

// resetToServer adopts the server's state of the cube, extrapolated to the client's tick.
func (c *client) resetToServer(why predict.Cause, from *packet.Packet) {
	before, server := *c.world.Body(), *c.world.ServerBody()
	fix := c.world.Describe(from, why, &server, &before)
	server = c.world.Extrapolate(server)
	c.teleport(server)
	c.counters.resets.Inc()
	c.world.Report(fix, server.Pose.Pos.Sub(before.Pose.Pos).Len())
}

// teleport sets the state of the cube and clears its history.
func (c *client) teleport(to sim.Body) {
	c.history.Reset()
	c.world.Teleport(to)
	c.remember()
}

// View draws the client's world, and the remembered poses of the cube as a trail.
func (c *client) View(v *predict.View) {
	if c.world.View(v); !c.world.PlayerShown() {
		return
	}
	for past := range c.history.Trail(c.env.World.Tick(), predict.TrailTicks, predict.TrailStep) {
		v.Trail = append(v.Trail, past.body.Pose)
	}
}

// inspect reports the age of each drawn body's state.
func (c *client) inspect(l *predict.Inspection) {
	c.world.Inspect(l)
	needed := c.state.header.FirstNeeded()
	l.AddBuffer(predict.InputHistory, needed, c.env.World.Tick(), 0, func(t sim.Tick) bool { return c.history.Find(t) != nil })
	c.inputs.Inspect(l, needed)
}

// CopyFrom makes c a copy of another client, except for its env.
func (c *client) CopyFrom(from predict.Client) {
	o := from.(*client)
	c.settings, c.state = o.settings, o.state
	c.lead.CopyFrom(&o.lead)
	c.inputs.CopyFrom(&o.inputs)
	c.world.CopyFrom(&o.world)
	c.history.CopyFrom(&o.history, history.CopyValue[remembered])
}
