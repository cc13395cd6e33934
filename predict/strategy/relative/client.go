package relative

import (
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/localprediction"
	"ghostcube/predict/localprediction/correction"
	"ghostcube/predict/localprediction/frame"
	"ghostcube/sim"
)

type client struct {
	localprediction.Client
	parent frame.Parent
}

func newClient(env *predict.Env) predict.Client {
	c := &client{}
	c.Declare(env, &c.parent, func() { c.parent.Declare(env, &c.Interpolated) })
	return c
}

// Tick receives, moves the player's cube along with its parent and steps it at once, replays it or
// shifts its history if the server's state differs, applies a shift gradually, and sends.
func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	began := c.Env.Counters.BeginSpan()
	defer c.Env.Counters.EndSpan("client", began)
	w := c.Env.World

	// Receive. The bodies that the client does not predict are interpolated, in the past.
	c.ChoosePredicted()
	c.BeginTick()
	from, fresh := c.Receive(server)
	c.Interpolated.Advance(server.Stats.RTT)
	if c.Joining(fresh, server) {
		return
	}
	if c.Env.Player < 0 {
		server.Send(nil) // a spectator predicts nothing
		return
	}

	// Keep ahead of the server, so that an input is in its playout buffer when its turn comes.
	behind := c.Sync(&from, fresh, &server.Stats)

	// Move the player's cube along with its parent, step it in the parent's frame, and remember it.
	w.PinCarriers(c.Interpolated.DisplayMoment())
	c.PlaceOthers()
	c.moveWithParent(fresh)
	c.StepPlayer(c.Inputs.Next(w.Tick(), in))
	if to, changed := c.parent.Predict(&c.Player.Pending); changed {
		c.ChangeParent(to)
	}
	c.Decay()
	if behind != 0 {
		c.CatchUp(behind, &from)
	}

	// Locate the remembered tick that the server's state describes, and compare in the parent's
	// frame of that tick.
	if at, why, ok := c.Locate(fresh); ok {
		ours := c.Find(at)
		c.followServer(at, ours)
		c.CompareOthers(at)
		if ours != nil {
			theirs := c.parent.ServerBody(ours.Parent)
			switch shift, result := c.Compare(at, &theirs, &ours.Body); result {
			case correction.Agrees:
				c.Log.Agree()
				if c.Replays(at) || c.parent.Replays() {
					c.ReplayPlayer(at, &theirs)
				}
			case correction.Differs:
				// Replay the cube from the server's state, or shift the remembered states since; then
				// the cube itself follows gradually.
				fix := c.Describe(&from, why, &theirs, &ours.Body)
				metres, ok := c.ReplayPlayer(at, &theirs)
				if !ok {
					metres = shift.Pos.Len()
					c.Shift(&shift, ours.Parent, at)
				}
				c.parent.CountCorrection(ours.Parent)
				c.Report(fix, metres)
			case correction.Jumped:
				c.ResetToServer(why, &from)
			}
		}
	}

	// Apply one tick's share of the pending corrections. A sleeping cube takes the server's state.
	c.Correct(c.Inputs.IdleTicks())
	if rest, differs := c.RestingState(c.Inputs.IdleTicks()); differs && c.parent.AtServerPose() {
		c.Teleport(rest)
	}
	c.EndTick()

	// Send the inputs that the server may still need.
	c.Send(server)
}

// CopyFrom makes c a copy of another client, except for its env.
func (c *client) CopyFrom(from predict.Client) {
	o := from.(*client)
	c.Client.CopyFrom(&o.Client)
	c.parent.CopyFrom(&o.parent)
}
