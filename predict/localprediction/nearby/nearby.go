// Package nearby simulates remote bodies in the client's world while the player touches them.
//
// A body that the client does not predict is interpolated, and kinematic in the client's world, so
// the player's cube climbs it. With others=auto, a body that the player is about to touch,
// directly or through others, is simulated from then on. It starts with its interpolated pose and
// velocity, and is corrected by shifts of its history, as the player's body is. Some time after the
// interpolation has caught up with the last contact, it becomes kinematic again and blends to its
// interpolated pose.
//
// In Space Engineers, remote bodies are always kinematic on the client.
package nearby

import (
	"ghostcube/predict"
	"ghostcube/predict/localprediction/correction"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/others"
	"ghostcube/predict/part/playback"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// touchDistance is the distance at which a body is simulated, in metres, in addition to the distance
// that the other body covers in two ticks.
const touchDistance = 0.05

// Neighbours are the remote bodies of one client.
type Neighbours struct {
	mode     others.Choice
	settings settings
	bodies   []body                   // by index
	past     []history.Ring[sim.Body] // by index: a second of states, of those that have been simulated
	count    int                      // simulated bodies
	scratch  scratch
	counters counters
	env      *predict.Env
}

// scratch is memory that no later tick depends on.
type scratch struct {
	found []int32 // bodies near another one
}

// counters are what Bodies count.
type counters struct {
	simulated, starts, corrections predict.Counter
}

type settings struct {
	simulateTime float64 // ms
}

// body is the state of one remote body.
type body struct {
	simulated  bool
	startTick  sim.Tick        // of the simulation
	nearTick   sim.Tick        // when the player was last near
	pending    smoothing.Shift // correction that has not been applied yet
	blendFrom  sim.Body        // the end of the simulation, extrapolated
	blendShare float32         // of blendFrom in its pose, in [0,1]
}

// Declare declares the knobs and counters.
func (n *Neighbours) Declare(env *predict.Env) {
	k, m := env.Knobs, env.Counters
	group := k.In(predict.PredictedBodyKnobs)
	n.mode.Declare(k, "other bodies: interpolated and kinematic; auto: simulated while the player touches them",
		others.Interpolate, others.Auto)
	group.Millis(&n.settings.simulateTime, "simulate-time", 2000, 0, 10000,
		"others=auto: simulation after interpolation has reached the last contact, ms")
	k.Needs("simulate-time", "others", "auto")
	n.counters.simulated = m.New("simulated_bodies", "remote bodies that are drawn as the client simulates them, now")
	n.counters.starts = m.New("simulation_starts", "remote bodies that the client began to draw as it simulates them")
	n.counters.corrections = m.New("remote_corrections", "corrections of simulated remote bodies")
	bodies := len(env.World.Bodies())
	n.bodies, n.past, n.scratch.found = make([]body, bodies), make([]history.Ring[sim.Body], bodies), make([]int32, 0, bodies)
	n.env = env
}

// Dynamic reports whether remote bodies may be simulated.
func (n *Neighbours) Dynamic() bool { return n.mode.Mode() == others.Auto }

// Count returns the number of simulated bodies.
func (n *Neighbours) Count() int { return n.count }

// Simulated reports whether body i is simulated.
func (n *Neighbours) Simulated(i int) bool { return n.bodies[i].simulated }

// Interpolated reports whether body i has its interpolated pose: it is neither simulated nor blends
// back.
func (n *Neighbours) Interpolated(i int) bool {
	return !n.bodies[i].simulated && n.bodies[i].blendShare == 0
}

// Place moves the remote bodies that are not simulated to their interpolated poses, before a step.
// shown is the client tick that the interpolation has reached; blendTicks is the duration of a blend
// back. If simulate is false, all simulations end.
func (n *Neighbours) Place(in *playback.InterpolatedWorld, shown, blendTicks int64, simulate bool) {
	w := n.env.World
	simulate = simulate && n.Dynamic()
	for i := range n.bodies {
		if in.IsExcluded(i) || n.simulatedOn(i, shown, simulate) {
			continue
		}
		if p := n.kinematicPose(i, in.Pose(i), blendTicks); w.Bodies()[i].Pose != p {
			w.SetBody(i, sim.Body{Pose: p, Asleep: true})
		}
	}
	if simulate {
		n.simulateTouched(in)
	}
	n.counters.simulated.Set(float64(n.count))
}

// simulatedOn reports whether the simulation of body i continues. If not, the body becomes kinematic.
func (n *Neighbours) simulatedOn(i int, shown int64, simulate bool) bool {
	b := &n.bodies[i]
	if !b.simulated {
		return false
	}
	if simulate && shown < int64(b.nearTick)+n.ticks(n.settings.simulateTime) {
		return true
	}
	b.simulated = false
	n.BlendBack(i, &n.env.World.Bodies()[i])
	n.count--
	n.env.World.SetKinematic(i, true)
	return false
}

// BlendBack blends body i from a state, extrapolated, to its interpolated pose.
func (n *Neighbours) BlendBack(i int, from *sim.Body) {
	n.bodies[i].blendFrom, n.bodies[i].blendShare = *from, 1
}

// kinematicPose returns the pose of a body that is not simulated: its interpolated pose, or a blend
// to that from the extrapolated end of its simulation.
func (n *Neighbours) kinematicPose(i int, interpolated geom.Pose, blendTicks int64) geom.Pose {
	b := &n.bodies[i]
	if b.blendShare == 0 {
		return interpolated
	}
	b.blendShare = max(b.blendShare-1/float32(max(blendTicks, 1)), 0)
	b.blendFrom.Pose.Pos = b.blendFrom.Pose.Pos.AddScaled(1/float32(n.env.World.Rate()), b.blendFrom.Linear)
	return smoothing.LerpPose(interpolated, b.blendFrom.Pose, smoothing.Smoothstep(b.blendShare))
}

// simulateTouched starts the simulation of bodies near the player's, or near a simulated body that
// moves.
func (n *Neighbours) simulateTouched(in *playback.InterpolatedWorld) {
	n.simulateNear(n.env.World.Operated(n.env.Player), in)
	for i := range n.bodies {
		if n.bodies[i].simulated && !n.env.World.Bodies()[i].Asleep {
			n.simulateNear(i, in)
		}
	}
}

// simulateNear starts the simulation of the bodies near body i.
func (n *Neighbours) simulateNear(i int, in *playback.InterpolatedWorld) {
	w, player := n.env.World, n.env.World.Operated(n.env.Player)
	b := &w.Bodies()[i]
	if b.Asleep {
		return
	}
	n.scratch.found = w.NearbyBodies(i, touchDistance+float32(2*b.Linear.Len())/float32(w.Rate()), n.scratch.found[:0])
	for _, j := range n.scratch.found {
		x := &n.bodies[j]
		if int(j) == player || !x.simulated && !w.IsKinematic(int(j)) {
			continue // the player's body, or one jointed to it
		}
		if i == player || !x.simulated {
			x.nearTick = w.Tick()
		}
		if !x.simulated {
			n.simulate(int(j), in)
		}
	}
}

// simulate starts the simulation of body i.
func (n *Neighbours) simulate(i int, in *playback.InterpolatedWorld) {
	w, b := n.env.World, &n.bodies[i]
	start := in.Body(i)
	start.Pose = w.Bodies()[i].Pose
	b.simulated, b.startTick, b.pending = true, w.Tick(), smoothing.Shift{}
	n.count++
	w.SetKinematic(i, false)
	w.SetBody(i, start)
	n.counters.starts.Inc()
}

// Record remembers the states of the simulated bodies after a step, with their pending corrections
// applied.
func (n *Neighbours) Record() {
	if n.count == 0 {
		return
	}
	w := n.env.World
	for i := range n.bodies {
		x := &n.bodies[i]
		if !x.simulated {
			continue
		}
		b := w.Bodies()[i]
		x.pending.ApplyTo(&b)
		if n.past[i].Size() == 0 {
			n.past[i] = history.New[sim.Body](w.Rate())
		}
		*n.past[i].Insert(w.Tick()) = b
	}
}

// Compare compares the server's bodies with the states of the simulated ones remembered of the
// client tick at, and shifts their histories since. isCurrent reports whether a body's state in server
// is that of this tick; the others are not compared.
func (n *Neighbours) Compare(at sim.Tick, server []sim.Body, isCurrent func(body int) bool, s *correction.Settings) {
	if n.count == 0 {
		return
	}
	for i := range n.bodies {
		x, remembered := &n.bodies[i], n.past[i].Find(at)
		if !x.simulated || at <= x.startTick || remembered == nil || !isCurrent(i) {
			continue
		}
		shift, exceeds := s.Compare(&server[i], remembered)
		if !exceeds {
			continue
		}
		for past := range n.past[i].Between(at, n.env.World.Tick()) {
			shift.ApplyTo(past)
		}
		x.pending.Add(&shift)
		n.counters.corrections.Inc()
	}
}

// Step applies one tick's share of the pending corrections.
func (n *Neighbours) Step(s *correction.Settings) {
	if n.count == 0 {
		return
	}
	w := n.env.World
	share := s.Share(w.Rate())
	for i := range n.bodies {
		x := &n.bodies[i]
		if !x.simulated || x.pending.IsZero() {
			continue
		}
		b := w.Bodies()[i]
		part := x.pending.Take(share)
		part.ApplyTo(&b)
		b.Asleep = false
		w.SetBody(i, b)
	}
}

// ticks converts milliseconds to ticks.
func (n *Neighbours) ticks(millis float64) int64 {
	return int64(float64(millis*float64(n.env.World.Rate()))) / 1000
}

// CopyFrom makes n a copy of o, except for its env.
func (n *Neighbours) CopyFrom(o *Neighbours) {
	n.mode.CopyFrom(&o.mode)
	n.settings, n.count = o.settings, o.count
	copy(n.bodies, o.bodies)
	for i := range n.past {
		n.past[i].CopyFrom(&o.past[i], history.CopyValue[sim.Body])
	}
}
