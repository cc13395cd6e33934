// Package rewind predicts the player at once and corrects in the past: when
// the server disagrees with a remembered tick, the client goes back to it,
// takes the server's word, and plays its own inputs again up to now.
//
// This is the whole of codersblock's "Client-Side Prediction With Physics In
// Unity" (2018), after Fiedler's "Zen of Networked Physics" (2004): ticks are
// labelled so that state n with input n gives state n+1; the client remembers
// 1024 inputs and poses; inputs are repeated in every packet; the drawn cube
// is smoothed.
//
// Where the published loop errs, this one does not follow it. A replay steps
// the inputs that were pressed then, and not the present one
// (TestReplayUsesPastInputs). q and -q are the same orientation
// (TestOppositeQuaternions). A state that is old, repeated, or outside what is
// remembered is refused (TestRefusesOldStates). Smoothing runs by the
// session's ticks and not by rendered frames.
//
// And where it lets the server step whenever input arrives, so that a lost
// packet stops the world, here the server steps every tick on its own clock
// and the client runs ahead by a lead, so that its inputs are there in time.
// The published way is the knob server-steps=on-input.
package rewind

import (
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
)

// Strategy is client-side prediction with rewind and replay.
var Strategy = &predict.Strategy{
	Name: "rewind",
	Doc: "prediction with rewind and replay\n\n" +
		"The own cube answers at once; the server's ghost follows. Press F: the server's cube is pushed aside, the trail bends, and the drawn cube glides back.",
	Source:           "Fiedler, Zen of Networked Physics (2004); codersblock, Client-Side Prediction With Physics In Unity (2018)",
	NewServer:        newServer,
	NewClient:        newClient,
	Fields:           codec.InputAndSnapshotFields,
	TicksMatchServer: true,
	MaxBodies:        codec.MaxBodies,
}

// The ways in which a server may step.
const (
	everyTick = iota
	onInput
)

var stepModes = []string{"every-tick", "on-input"}

// declareStepMode declares the knob that both halves look at.
func declareStepMode(k *predict.Knobs, p *int) {
	k.Choice(p, "server-steps", everyTick, stepModes, "the server steps on its own clock, or when input arrives, as in the published demo")
}
