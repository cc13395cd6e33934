// Package clientworld is the world of a client that predicts its player's body and corrects it
// without resimulation. It knows where each body comes from. Most are interpolated, in the past,
// and kinematic; those that joints tie to the player may be predicted with it; remote bodies near
// it may be simulated for a while; and the player's body may fall back to interpolation.
//
// The package steps that world, corrects its bodies and draws them. What is remembered of the
// player's body, in what reference frame, and when it is compared is the strategy's business.
package clientworld

import (
	"ghostcube/predict"
	"ghostcube/predict/part/correction"
	"ghostcube/predict/part/fallback"
	"ghostcube/predict/part/jointchain"
	"ghostcube/predict/part/nearby"
	"ghostcube/predict/part/playback"
	"ghostcube/sim"
	"ghostcube/smoothing"
)

// World is one client's. A spectator's, whose env has no player, is interpolated whole.
type World struct {
	Interpolated playback.InterpolatedWorld // all bodies but the predicted ones
	Player       correction.Player
	Log          correction.Log
	Chain        jointchain.Chain
	Nearby       nearby.Bodies
	Fallback     fallback.Policy

	settings settings
	inputs   []sim.Input // scratch: of one step, by player
	env      *predict.Env
}

type settings struct {
	correction   correction.Settings
	smooth       smoothing.Settings
	solver       predict.Solver
	contactOrder int
}

// reorderSeed has the solver visit contacts in another order than the server's.
const reorderSeed = 0x9E3779B97F4A7C15

// Declare declares the knobs and counters of the corrections and of the joint chain, and makes all
// bodies kinematic except the player's. The other parts are declared by the strategy, which decides
// in what order the panel lists them: Interpolated, DeclareStep, Fallback and Nearby.
func (w *World) Declare(env *predict.Env) {
	w.env, w.inputs = env, make([]sim.Input, env.Players)
	w.settings.correction.Declare(env.Knobs)
	w.Log.Declare(env)
	w.Chain.Declare(env)
	env.Knobs.Choice(&w.settings.contactOrder, "contact-order", 0, []string{"same", "reordered"}, "the client solves contacts in the server's order or in another: mispredictions without any loss")
	if env.Player < 0 {
		return
	}
	for i := range env.World.Bodies() {
		env.World.SetKinematic(i, i != env.Player)
	}
}

// DeclareStep declares the knobs of the error offset and of the solver.
func (w *World) DeclareStep() {
	w.env.Knobs.Smoothing(&w.settings.smooth)
	w.env.Knobs.Solver(&w.settings.solver)
}

// Body returns the player's body, for reading.
func (w *World) Body() *sim.Body { return &w.env.World.Bodies()[w.env.Player] }

// BeginTick begins the client's tick. Bodies that are interpolated relative to predicted ones start
// from where those are simulated.
func (w *World) BeginTick() {
	if w.env.Player >= 0 {
		for i := range w.env.World.Bodies() {
			if w.Interpolated.IsExcluded(i) {
				w.Interpolated.SetExcludedPose(i, w.env.World.Bodies()[i].Pose)
			}
		}
	}
	w.Interpolated.BeginTick()
}

// SwitchPlayer begins to predict the player's body, or interpolates it, as the chain's length asks
// for. Nothing is pending then.
func (w *World) SwitchPlayer() {
	jointchain.SetPredicted(w.env.World, &w.Interpolated, w.env.Player, !w.Chain.TooLong())
	w.Player.Body = correction.Body{}
}

// SwitchChain begins to predict the bodies tied to the player, or interpolates them again.
func (w *World) SwitchChain() {
	if w.Chain.Wanted() {
		w.Chain.Begin(&w.Interpolated)
	} else {
		w.Chain.End(&w.Interpolated)
	}
}

// Receive reads the snapshot of a payload whose reading has begun, behind what the strategy puts
// before it, and adds it to the interpolation. It reports whether it is the newest. A malformed
// payload is counted and dropped.
func (w *World) Receive(payload []byte) (newest bool) {
	newest, err := w.Interpolated.Receiver().Finish(payload, w.env.World.Scene(), w.Interpolated.ExpectedTick())
	if err != nil {
		w.env.Counters.Add("rejected_payloads", 1)
		return false
	}
	w.Interpolated.AddSnapshot(newest)
	return newest
}

// PlaceOthers puts the bodies that are not predicted where they are interpolated, before a step.
func (w *World) PlaceOthers() {
	shown := w.Log.OwnTick(w.Interpolated.DisplayTick())
	w.Nearby.Place(&w.Interpolated, shown, w.Fallback.BlendTicks(), !w.Fallback.Active())
}

// Step makes one tick of the world with the player's input, and remembers the simulated remote
// bodies.
func (w *World) Step(in sim.Input) {
	world := w.env.World
	world.Settings.SolveOrderSeed = uint64(w.settings.contactOrder) * reorderSeed
	w.inputs[w.env.Player] = in
	w.settings.solver.Step(world, w.inputs...)
	w.Fallback.AddStep(world, w.env.Player)
	w.Nearby.Record()
}

// EndTick draws the bodies that are interpolated relative to predicted ones.
func (w *World) EndTick() {
	for i := range w.env.World.Bodies() {
		if w.Interpolated.IsExcluded(i) {
			w.Interpolated.SetExcludedPose(i, w.predictedPose(i))
		}
	}
	w.Interpolated.PoseChildren()
}

// CopyFrom makes w an equal of o, all but its env.
func (w *World) CopyFrom(o *World) {
	w.settings, w.Player = o.settings, o.Player
	w.Interpolated.CopyFrom(&o.Interpolated)
	w.Log.CopyFrom(&o.Log)
	w.Chain.CopyFrom(&o.Chain)
	w.Nearby.CopyFrom(&o.Nearby)
	w.Fallback.CopyFrom(&o.Fallback)
}
