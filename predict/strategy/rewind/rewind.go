// Package rewind predicts the player's cube and corrects it in the past: when the server's state
// differs from the remembered one, the client goes back to that tick, takes over the server's
// state, and replays its own inputs up to the present.
//
// This is the whole of codersblock's "Client-Side Prediction With Physics In Unity" (2018), after
// Fiedler's "Zen of Networked Physics" (2004): state n and input n give state n+1; the client
// remembers 1024 inputs and poses; inputs are repeated in every packet; the drawn cube is smoothed.
//
// The published loop has errors that this one avoids. A replay steps the inputs of the replayed
// ticks, not the present one (TestReplayUsesPastInputs). q and -q are the same orientation
// (TestOppositeQuaternions). A state that is old, repeated, or outside the history is ignored
// (TestRefusesOldStates). Smoothing runs by the session's ticks, not by rendered frames.
//
// In the published program the server steps when input arrives, so a lost packet stops the world.
// Here the server steps every tick on its own clock, and the client runs ahead by an input lead so
// that its inputs arrive in time. The knob server-steps=on-input selects the published way.
package rewind

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// Strategy is client-side prediction with rewind and replay.
var Strategy = &predict.Strategy{
	Name: "rewind",
	Doc: "prediction with rewind and replay\n\n" +
		"The player's cube responds at once, and the server's ghost follows. " +
		"Press F: the server's cube is pushed aside, the trail bends, and the drawn cube glides back.",
	Source:           "Fiedler, Zen of Networked Physics (2004); codersblock, Client-Side Prediction With Physics In Unity (2018)",
	NewServer:        newServer,
	NewClient:        newClient,
	Fields:           fields,
	Inspect:          inspect,
	Latency:          predict.Latency,
	Motion:           predict.PredictedCube,
	TicksMatchServer: true,
	Backlog:          true,
	MaxBodies:        codec.MaxBodies,
	Row: &predict.Row{
		UsualName: "client-side prediction, rewind and replay", Guide: "docs/guides/prediction.md",
		Determinism: "no, but it helps", UseWhen: "a player moves among few bodies",
	},
}

// inspect reports what the sides know of their packets.
func inspect(l *predict.Inspection, s predict.Server, c predict.Client) {
	client := c.(*client)
	if client.env.Player >= 0 {
		s.(*server).Receiver.Inspect(l, 0)
	}
	client.inspect(l)
}

// fields reports the fields of a payload.
func fields(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	switch {
	case len(payload) == 0:
		return nil
	case !up:
		var h resyncHeader
		var relayed input.Relayed
		return codec.FieldsWithHeader(func(c *quant.Coder) {
			h.code(c)
			relayed.Code(c, scene.Players)
		}, payload, scene, see)
	}
	var c quant.Coder
	c.OnField(see)
	c.BeginRead(payload)
	if len(payload) > askPayloadBytes {
		m := input.Message{NewestTick: 1 << input.MaxTickBits} // any tick will do
		m.Code(&c)
	}
	if c.Err() == nil && !c.AtEnd(len(payload)) {
		c.Group("", 0)
		codeAsk(&c, 0, 0)
	}
	if c.Err() == nil && !c.AtEnd(len(payload)) {
		return predict.ErrMalformed
	}
	return c.Err()
}

// repeatTime is the default of repeat-time, ms. The client predicts with its own keys, so in an outage the
// server's guess should stay near them for longer than where no side knows them.
const repeatTime = 170

// When a server steps.
const (
	everyTick = iota
	onInput
)

var stepModes = []string{"every-tick", "on-input"}

// declareStepMode declares the knob that both sides share.
func declareStepMode(k *predict.Knobs, p *int) {
	k.In(predict.InputKnobs).Choice(p, "server-steps", everyTick, stepModes, "the server steps by its clock, or when input arrives, as in codersblock")
	k.NotSearched("a property of the game", "server-steps")
}
