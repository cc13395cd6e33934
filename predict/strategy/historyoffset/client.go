package historyoffset

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
	settings settings
}

type settings struct {
	carriers int
}

func newClient(env *predict.Env) predict.Client {
	c := &client{}
	c.Declare(env, nil, func() { declareCarriers(&c.settings.carriers, env.Knobs) })
	return c
}

// Tick receives, steps the player's cube at once, replays it or shifts its history if the server's
// state differs, applies a shift gradually, and sends.
func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	began := c.Env.Counters.BeginSpan()
	defer c.Env.Counters.EndSpan("client", began)

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

	// Step the player's cube at once, and remember it.
	c.placeCarriers()
	c.PlaceOthers()
	c.StepPlayer(c.Inputs.Next(c.Env.World.Tick(), in))
	c.Decay()
	if behind != 0 {
		c.CatchUp(behind, &from)
	}

	// Locate the remembered tick that the server's state describes, and compare.
	if at, why, ok := c.Locate(fresh); ok {
		c.CompareOthers(at)
		if ours, theirs := c.Find(at), c.ServerBody(); ours != nil {
			switch shift, result := c.Compare(at, theirs, &ours.Body); result {
			case correction.Agrees:
				c.Log.Agree()
				if c.Replays(at) {
					c.ReplayPlayer(at, theirs)
				}
			case correction.Differs:
				// Replay the cube from the server's state, or shift the remembered states since; then
				// the cube itself follows gradually.
				fix := c.Describe(&from, why, theirs, &ours.Body)
				metres, ok := c.ReplayPlayer(at, theirs)
				if !ok {
					metres = shift.Pos.Len()
					c.Shift(&shift, frame.NoParent, at)
				}
				c.Report(fix, metres)
			case correction.Jumped:
				c.ResetToServer(why, &from)
			}
		}
	}

	// Apply one tick's share of the pending corrections. A sleeping cube takes the server's state.
	c.Correct(c.Inputs.IdleTicks())
	if rest, differs := c.RestingState(c.Inputs.IdleTicks()); differs {
		c.Teleport(rest)
	}
	c.EndTick()

	// Send the inputs that the server may still need.
	c.Send(server)
}

// CopyFrom makes c a copy of another client, except for its env.
func (c *client) CopyFrom(from predict.Client) {
	o := from.(*client)
	c.settings = o.settings
	c.Client.CopyFrom(&o.Client)
}
