package others

import (
	"ghostcube/predict"
	"ghostcube/predict/part/playback"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

const (
	// maxExtrapolateSeconds is how far a body is extrapolated beyond its newest state. Then it stands.
	maxExtrapolateSeconds = 0.5
	// nearDistance is the distance at which Auto predicts a body that does not approach, in metres: a
	// player who stands beside a body may touch it at any time.
	nearDistance = 0.5
	// nearSeconds is for how long Auto predicts a body that was near.
	nearSeconds = 1
)

// Observed are all bodies of a client: which it predicts, and where the others are drawn. A body changes sides in
// two steps: when it becomes predicted, its picture moves from one pose to the other in the time of a handover;
// when it ends to be, its picture moves first.
type Observed struct {
	Choice
	settings
	state
	bodies  []body
	scratch scratch

	simulated, starts predict.Counter
	env               *predict.Env
}

// settings are the knobs.
type settings struct {
	interpolationDelay float64 // ms
	handoverTime       float64 // ms
}

// state is plain: it is copied by assignment.
type state struct {
	started bool // sides have been chosen once
	active  bool // not all bodies are predicted and drawn so
}

// body is the state of one body.
type body struct {
	interpolator playback.Interpolator
	received     sim.Body              // newest state
	receivedTick sim.Tick              // its tick
	offset       smoothing.ErrorOffset // Extrapolate: absorbs the difference that a new state makes
	pose         geom.Pose             // interpolated or extrapolated
	predicted    bool                  // stepped in the client's world
	wanted       bool                  // to be predicted
	own          bool                  // the player's, or tied to it
	share        float32               // of the predicted pose in the drawn one, before it is eased, in [0,1]
	nearTick     sim.Tick              // Auto: when the player was last near; 0: never
}

// scratch is memory that no later tick depends on.
type scratch struct{ found []int32 }

// Declare declares the knobs and counters. help is that of the knob others, delayMillis the default of
// interpolation-delay. All bodies begin predicted.
func (o *Observed) Declare(env *predict.Env, help string, delayMillis float64, delayHelp string, modes ...Mode) {
	k, m := env.Knobs, env.Counters
	o.env = env
	o.Choice.Declare(k, help, modes...)
	group := k.In(predict.PredictedBodyKnobs)
	group.Millis(&o.interpolationDelay, "interpolation-delay", delayMillis, 0, 1000, delayHelp)
	k.Needs("interpolation-delay", "others", "interpolate", "auto")
	group.Millis(&o.handoverTime, "handover-time", 1200, 0, 5000,
		"others: time in which the picture of a body moves between predicted and interpolated, ms")
	k.Needs("handover-time", "others", o.names(Interpolate, Extrapolate, Auto)...)
	o.simulated = m.New("simulated_bodies", "remote bodies that are drawn as the client simulates them, now")
	o.starts = m.New("simulation_starts", "remote bodies that the client began to draw as it simulates them")
	o.bodies = make([]body, len(env.World.Bodies()))
	for i := range o.bodies {
		o.bodies[i] = body{predicted: true, wanted: true, share: 1}
	}
}

// Active reports whether not all bodies are predicted and drawn so.
func (o *Observed) Active() bool { return o.active }

// Predicts reports whether the client steps body i.
func (o *Observed) Predicts(i int) bool { return o.bodies[i].predicted }

// FromPast reports whether bodies are drawn at the display moment, and not at the client's own tick.
func (o *Observed) FromPast() bool { return o.Mode() != Extrapolate }

// InterpolationDelay returns how long after their states should arrive bodies are drawn.
func (o *Observed) InterpolationDelay() sim.Moment {
	return sim.MomentOfMillis(o.interpolationDelay, o.env.World.Rate())
}

// Begin reports whether bodies may be drawn from states in this tick. The first time it draws all where they
// stand, and started reports so.
func (o *Observed) Begin() (drawn, started bool) {
	if o.Mode() == Predict && !o.active {
		o.started = true
		return false, false
	}
	if o.active {
		return true, false
	}
	o.active = true
	for i := range o.bodies {
		o.bodies[i].interpolator = playback.NewInterpolator(o.env.World.Bodies()[i].Pose)
	}
	return true, true
}

// Receives reports whether received states are stored.
func (o *Observed) Receives() bool { return o.Mode() != Predict || o.active }

// Add stores the state of body i in a tick. s smooths the difference that it makes to an extrapolated body.
func (o *Observed) Add(i int, t sim.Tick, now *sim.Body, s *smoothing.Settings) {
	b := &o.bodies[i]
	b.interpolator.Add(t, now, false)
	if b.receivedTick > 0 && o.Mode() == Extrapolate {
		shown := o.env.World.Tick()
		drawn := b.offset.Apply(o.extrapolate(i, &b.received, b.receivedTick, shown))
		s.Absorb(&b.offset, drawn, o.extrapolate(i, now, t, shown))
	}
	b.received, b.receivedTick = *now, t
}

// AddSparse is Add where not every tick has a state of every body, and smooths nothing. A body that has reached its
// newest state by the moment m, which is drawn, goes to the next one from where it is.
func (o *Observed) AddSparse(i int, t sim.Tick, now *sim.Body, m sim.Moment) {
	b := &o.bodies[i]
	if drawn := m.Tick() + 1; b.receivedTick > 0 && b.receivedTick.Moment() <= m && drawn < t {
		from := b.received
		from.Pose = b.pose
		b.interpolator.Add(drawn, &from, false)
	}
	b.interpolator.Add(t, now, false)
	b.received, b.receivedTick = *now, t
}

// Since returns how many ticks before t the newest state of body i is.
func (o *Observed) Since(i int, t sim.Tick) int64 { return int64(t) - int64(o.bodies[i].receivedTick) }

// Extrapolated returns the pose to which the newest state of body i takes it by a tick. ok is false without one.
func (o *Observed) Extrapolated(i int, t sim.Tick) (p geom.Pose, ok bool) {
	b := &o.bodies[i]
	if b.receivedTick == 0 {
		return b.pose, false
	}
	return o.extrapolate(i, &b.received, b.receivedTick, t), true
}

func (o *Observed) extrapolate(i int, b *sim.Body, from, to sim.Tick) geom.Pose {
	return Extrapolated(o.env.World, i, b, from, to)
}

// Extrapolated returns the pose to which its velocities take body i of a world from a state to a later tick,
// above the ground.
func Extrapolated(w *predict.World, i int, b *sim.Body, from, to sim.Tick) geom.Pose {
	if b.Asleep || to <= from {
		return b.Pose
	}
	seconds := min(float32(to-from)/float32(w.Rate()), maxExtrapolateSeconds)
	p := smoothing.Extrapolate(b.Pose, b.Linear, b.Angular, seconds)
	p.Pos.Z = max(p.Pos.Z, min(b.Pose.Pos.Z, w.Scene().Boxes[i].Half.Z))
	return p
}

// Pose sets the poses that bodies have without prediction: interpolated at a moment of the server, or extrapolated to
// the client's tick t.
func (o *Observed) Pose(m sim.Moment, t sim.Tick, s *smoothing.Settings) {
	w := o.env.World
	for i := range o.bodies {
		b := &o.bodies[i]
		if o.Mode() == Extrapolate {
			if b.receivedTick == 0 {
				b.pose = w.Bodies()[i].Pose
				continue
			}
			s.Decay(&b.offset, w.Rate())
			b.pose = b.offset.Apply(o.extrapolate(i, &b.received, b.receivedTick, t))
			continue
		}
		b.interpolator.Advance(m, sim.Tick(w.Rate()/4).Moment(), w.Rate())
		b.pose = b.interpolator.Pose()
	}
}

// Choose decides which bodies are to be predicted: the player's own, those that Auto finds near it, or instead those
// that are claimed, and all that are tied to one of these by joints or by driving. claimed is nil where no player
// claims bodies. lead is the time by which the client's world is ahead of the received states, in seconds. Then
// the pictures move.
func (o *Observed) Choose(lead float32, claimed func(i int) bool) {
	w := o.env.World
	for i := range o.bodies {
		o.bodies[i].own = false
	}
	if p := o.env.Player; p >= 0 {
		o.bodies[p].own, o.bodies[w.Operated(p)].own = true, true
	}
	o.spread(func(b *body) *bool { return &b.own })
	if o.Mode() == Auto && claimed == nil && o.env.Player >= 0 {
		o.findNear(lead)
	}
	for i := range o.bodies {
		b := &o.bodies[i]
		near := b.nearTick > 0 && w.Tick() < b.nearTick+sim.Tick(nearSeconds*w.Rate())
		b.wanted = b.own || o.Mode() == Predict || o.Mode() == Auto && near && claimed == nil || claimed != nil && claimed(i)
	}
	o.spread(func(b *body) *bool { return &b.wanted })
	step := o.handoverStep()
	for i := range o.bodies {
		o.bodies[i].fade(step)
	}
}

// Leave ends the prediction of the bodies whose pictures have left it, and calls left for each of them. The first
// time it sets all sides at once.
func (o *Observed) Leave(left func(i int)) {
	settled, simulated := o.Mode() == Predict, 0
	for i := range o.bodies {
		b := &o.bodies[i]
		switch {
		case !o.started:
			b.predicted, b.share = b.wanted, 0
			if b.wanted {
				b.share = 1
			}
		case b.predicted && !b.wanted && b.share == 0:
			b.predicted = false
			left(i)
		}
		settled = settled && b.predicted && b.share == 1
		if b.predicted && !b.own {
			simulated++
		}
	}
	o.simulated.Set(float64(simulated))
	o.started, o.active = true, !settled
}

// Enter makes the bodies that are to be predicted so, calls entered for each of them, and reports whether there are
// any. Their pictures begin where they were.
func (o *Observed) Enter(entered func(i int)) (any bool) {
	for i := range o.bodies {
		if b := &o.bodies[i]; b.wanted && !b.predicted {
			b.predicted, b.share, any = true, 0, true
			entered(i)
			if !b.own {
				o.starts.Inc()
			}
		}
	}
	return any
}

// Unseen reports whether nothing of the predicted pose of body i is drawn.
func (o *Observed) Unseen(i int) bool { return o.bodies[i].share == 0 }

// Drawn returns the pose at which body i is drawn whose predicted one is p.
func (o *Observed) Drawn(i int, p geom.Pose) geom.Pose {
	b := &o.bodies[i]
	switch {
	case !o.active || b.share == 1:
		return p
	case b.share == 0:
		return b.pose
	}
	return smoothing.LerpPose(b.pose, p, smoothing.Smoothstep(b.share))
}

// View says of each body whether it is drawn at the client's own tick. The others are drawn at moment m, unless they
// are extrapolated.
func (o *Observed) View(v *predict.View, m sim.Moment) {
	if !o.active {
		return
	}
	if o.FromPast() {
		v.Others = m
	}
	for i := range o.bodies {
		b := &o.bodies[i]
		v.Predicted = append(v.Predicted, b.predicted && b.share >= 0.5)
		v.Fallback = append(v.Fallback, b.predicted && !b.own && b.share >= 0.5)
	}
}

// CopyFrom makes o a copy of from, except for its env.
func (o *Observed) CopyFrom(from *Observed) {
	o.Choice.CopyFrom(&from.Choice)
	o.settings, o.state = from.settings, from.state
	for i := range o.bodies {
		b, x := &o.bodies[i], &from.bodies[i]
		interpolator := b.interpolator
		interpolator.CopyFrom(&x.interpolator)
		*b = *x
		b.interpolator = interpolator
	}
}

// handoverStep returns the share of a handover that a tick is.
func (o *Observed) handoverStep() float32 {
	ticks := sim.MomentOfMillis(o.handoverTime, o.env.World.Rate()).Ticks()
	return float32(1 / max(ticks, 1))
}

// fade moves the picture one step towards the side that the body is on.
func (b *body) fade(step float32) {
	if !b.predicted {
		return
	}
	if b.wanted {
		b.share = min(b.share+step, 1)
	} else {
		b.share = max(b.share-step, 0)
	}
}
