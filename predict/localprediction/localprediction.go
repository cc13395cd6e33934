// Package localprediction is what strategies share that predict the local player's body alone:
// historyoffset in the world's frame, and relative in that of a parent. They embed Server and Client;
// what happens in a tick, and in which order, is in their Tick.
//
// World is the client's world. It combines what decides where each body's pose comes from: playback
// interpolates most bodies, which are kinematic; jointchain predicts bodies jointed to the player's;
// nearby simulates remote bodies that the player touches; fallback draws the player's body interpolated
// while its prediction fails; localreplay replays the player's body with those jointed to it.
package localprediction

import (
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/localprediction/correction"
	"ghostcube/predict/localprediction/fallback"
	"ghostcube/predict/localprediction/frame"
	"ghostcube/predict/localprediction/jointchain"
	"ghostcube/predict/localprediction/localreplay"
	"ghostcube/predict/localprediction/nearby"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/playback"
	"ghostcube/predict/part/validation"
	"ghostcube/sim"
	"ghostcube/smoothing"
)

// World is the world of one client. A spectator, whose env has no player, interpolates all bodies.
type World struct {
	Interpolated playback.InterpolatedWorld // of all bodies that are not predicted
	Player       correction.Player
	Log          correction.Log
	Chain        jointchain.Chain
	Nearby       nearby.Neighbours
	Fallback     fallback.Policy
	Replay       localreplay.Replay

	parent      *frame.Parent // of the player's body; nil in the world's frame
	settings    settings
	state       state
	vehicle     vehicleState
	attachments history.Ring[sim.Attachments] // of the client's world, by tick
	scratch     scratch
	env         *predict.Env
}

// state is plain: it is copied by assignment.
type state struct {
	clientTicks validation.Ticks // of the inputs that led to the snapshots
}

// scratch is memory that no later tick depends on.
type scratch struct {
	inputs []sim.Input // of one step, by player
	tree   []int32     // bodies jointed to the player's
}

type settings struct {
	correction   correction.Settings
	smooth       smoothing.Settings
	solver       predict.Solver
	contactOrder predict.ContactOrder
}

// declare declares the knobs and counters of the corrections and of the joint chain, and makes all
// bodies kinematic except the player's. The client declares the other parts.
func (w *World) declare(env *predict.Env, parent *frame.Parent) {
	w.parent = parent
	w.env, w.scratch.inputs = env, make([]sim.Input, env.Players)
	w.vehicle.body, w.attachments = env.Player, newAttachmentHistory()
	w.recordAttachments()
	w.settings.correction.Declare(env.Knobs)
	w.Log.Declare(env)
	w.Chain.Declare(env)
	env.Knobs.ContactOrder(&w.settings.contactOrder)
	if env.Player < 0 {
		return
	}
	for i := range env.World.Bodies() {
		env.World.SetKinematic(i, i != env.Player)
	}
}

// declareStep declares the knobs of the error offset and of the solver.
func (w *World) declareStep() {
	w.env.Knobs.Smoothing(&w.settings.smooth)
	w.env.Knobs.Solver(&w.settings.solver, w.env.World)
}

// Body returns the body that the player drives, for reading.
func (w *World) Body() *sim.Body { return &w.env.World.Bodies()[w.vehicle.body] }

// BeginTick begins the client's tick. Bodies that are interpolated relative to predicted ones use
// the simulated poses of those.
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

// switchPlayer predicts the player's body, or interpolates it if its joint chain is too long, and
// drops its pending correction.
func (w *World) switchPlayer() {
	w.setPredicted(w.vehicle.body, !w.Chain.TooLong())
	w.Player.Body = correction.Body{}
}

// switchChain predicts the bodies jointed to the player's, or interpolates them again.
func (w *World) switchChain() {
	if w.Chain.Wanted() {
		w.Chain.Begin(&w.Interpolated, &w.settings.smooth, w.setPredicted)
	} else {
		w.Chain.End(w.setPredicted)
	}
}

// setPredicted predicts body i, starting from its newest state from the server, extrapolated to the client's
// tick, or interpolates it again, blending from its drawn pose.
func (w *World) setPredicted(i int, predicted bool) {
	world, in := w.env.World, w.Snapshot()
	if !predicted {
		b := world.Bodies()[i]
		b.Pose = w.predictedPose(i)
		w.Nearby.BlendBack(i, &b)
	}
	w.Interpolated.SetExcluded(i, predicted)
	world.SetKinematic(i, !predicted)
	if predicted {
		b := world.Scene().Boxes[i].Start
		if in.HasSnapshot {
			b = in.Bodies[i]
			b.Pose.Pos = b.Pose.Pos.AddScaled(w.secondsAhead(), b.Linear)
		}
		world.SetBody(i, b)
	}
}

// receive reads the snapshot in a packet after the client has read the header, adds it to the
// interpolation, and reports whether it is the newest. A snapshot that is malformed or not believed,
// or whose header is, is refused.
func (w *World) receive(p *packet.Packet, server *packet.Endpoint, header *codec.ConsumedHeader) (newest bool) {
	if header.NamesInput() && !w.state.clientTicks.BelieveOwn(header.ClientTick, w.env.World.Tick()) {
		w.Interpolated.Refuse(p, server)
		return false
	}
	newest, err := w.Interpolated.Receiver().Finish(p.Payload, w.env.World.Scene(), w.Interpolated.ExpectedTick())
	if err != nil {
		w.Interpolated.Refuse(p, server)
		return false
	}
	w.Interpolated.AddSnapshot(newest)
	if w.Interpolated.Receiver().Mismatched() {
		w.Interpolated.Refuse(p, server)
	}
	return newest
}

// PlaceOthers moves the bodies that are not predicted to their interpolated poses, before a step.
func (w *World) PlaceOthers() {
	shown := w.Log.OwnTick(w.Interpolated.DisplayTick())
	w.Nearby.Place(&w.Interpolated, shown, w.Fallback.BlendTicks(), !w.Fallback.Active())
}

// step steps the world by one tick with the player's input, and remembers the simulated remote
// bodies.
func (w *World) step(in sim.Input) {
	world := w.env.World
	w.settings.contactOrder.Apply(world)
	w.scratch.inputs[w.env.Player] = in
	w.Replay.BeginStep(in)
	w.settings.solver.Step(world, w.scratch.inputs...)
	w.recordAttachments()
	w.Replay.EndStep()
	if !w.Replay.InIsland() {
		w.Fallback.AddStep(world, w.vehicle.body)
	}
	w.Nearby.Record()
}

// EndTick ends the client's tick. Bodies that are interpolated relative to predicted ones are posed
// relative to the drawn poses of those.
func (w *World) EndTick() {
	for i := range w.env.World.Bodies() {
		if w.Interpolated.IsExcluded(i) {
			w.Interpolated.SetExcludedPose(i, w.predictedPose(i))
		}
	}
	w.Interpolated.PoseChildren()
}

// copyFrom makes w a copy of o, except for its env.
func (w *World) copyFrom(o *World) {
	w.settings, w.state, w.Player, w.vehicle = o.settings, o.state, o.Player, o.vehicle
	w.attachments.CopyFrom(&o.attachments, history.CopyValue[sim.Attachments])
	w.Interpolated.CopyFrom(&o.Interpolated)
	w.Log.CopyFrom(&o.Log)
	w.Chain.CopyFrom(&o.Chain)
	w.Nearby.CopyFrom(&o.Nearby)
	w.Fallback.CopyFrom(&o.Fallback)
	w.Replay.CopyFrom(&o.Replay)
}
