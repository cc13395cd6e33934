package rewind

import (
	"ghostcube/predict"
	"ghostcube/predict/part/playback"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// What a client does with the bodies that are not its player's own. Shooters interpolate them (Bernier,
// Latency Compensating Methods, 2001); Unity calls the two kinds predicted and interpolated ghosts.
const (
	othersPredict = iota
	othersInterpolate
	othersExtrapolate
	othersAuto
)

var othersModes = []string{"predict", "interpolate", "extrapolate", "auto"}

const (
	// maxExtrapolateSeconds is how far a body is extrapolated beyond its newest state. Then it stands.
	maxExtrapolateSeconds = 0.5
	// nearDistance is the distance at which auto predicts a body that does not approach, in metres: a
	// player who stands beside a body may touch it at any time.
	nearDistance = 0.5
	// nearSeconds is for how long auto predicts a body that was near.
	nearSeconds = 1
)

// others decides which bodies the client predicts, and draws the rest from received states. A body that
// is not predicted is kinematic in the client's world, where its newest state takes it by the client's tick. It
// may be drawn elsewhere. A body changes sides in two steps: when it becomes predicted, it is stepped at once,
// from the newest received state, and its picture moves from one pose to the other in the time of a handover;
// when it ends to be, its picture moves first.
type others struct {
	othersSettings
	othersState
	bodies  []otherBody
	scratch othersScratch

	simulated, starts predict.Counter
}

// othersSettings are the knobs.
type othersSettings struct {
	mode               int
	interpolationDelay float64 // ms
	handoverTime       float64 // ms
}

// othersState is plain: it is copied by assignment.
type othersState struct {
	playback.DisplayClock
	started bool // sides have been chosen once
	active  bool // not all bodies are predicted and drawn so
}

// otherBody is the state of one body.
type otherBody struct {
	interpolator playback.Interpolator
	received     sim.Body              // newest state
	receivedTick sim.Tick              // its tick
	offset       smoothing.ErrorOffset // extrapolate: absorbs the difference that a new state makes
	pose         geom.Pose             // interpolated or extrapolated
	predicted    bool                  // stepped in the client's world
	wanted       bool                  // to be predicted
	own          bool                  // the player's, or tied to it
	share        float32               // of the predicted pose in the drawn one, before it is eased, in [0,1]
	nearTick     sim.Tick              // auto: when the player was last near; 0: never
}

// othersScratch is memory that no later tick depends on.
type othersScratch struct{ found []int32 }

func (o *others) declare(env *predict.Env) {
	k, m := env.Knobs, env.Counters
	group := k.In(predict.PredictedBodyKnobs)
	group.Choice(&o.mode, "others", othersPredict, othersModes,
		"bodies that are not the player's: predicted, or drawn from states; auto: predicted where the player comes near")
	group.Millis(&o.interpolationDelay, "interpolation-delay", 60, 0, 1000,
		"others=interpolate, auto: bodies are drawn this long after their states should arrive, ms")
	k.Needs("interpolation-delay", "others", "interpolate", "auto")
	group.Millis(&o.handoverTime, "handover-time", 1200, 0, 5000,
		"others: time in which the picture of a body moves between predicted and interpolated, ms")
	k.Needs("handover-time", "others", "interpolate", "extrapolate", "auto")
	o.simulated = m.New("simulated_bodies", "remote bodies that the client simulates, now")
	o.starts = m.New("simulation_starts", "remote bodies that the client began to simulate")
	o.bodies = make([]otherBody, len(env.World.Bodies()))
	for i := range o.bodies {
		o.bodies[i] = otherBody{predicted: true, wanted: true, share: 1}
	}
	o.Start(env)
}

// predicts reports whether the client steps body i.
func (o *others) predicts(i int) bool { return o.bodies[i].predicted }

// fromPast reports whether bodies are drawn at the display moment, and not at the client's own tick.
func (o *others) fromPast() bool { return o.mode != othersExtrapolate }

// receiveOthers stores a fresh snapshot for the bodies that are drawn from states.
func (c *client) receiveOthers() {
	o, t := &c.others, c.receiver.Tick
	if o.mode == othersPredict && !o.active {
		return
	}
	o.Receive(t, c.env.TickEarly, c.env.World.Rate())
	for i := range c.receiver.Bodies {
		b, now := &o.bodies[i], &c.receiver.Bodies[i]
		b.interpolator.Add(t, now, false)
		if b.receivedTick > 0 && o.mode == othersExtrapolate {
			shown := c.env.World.Tick()
			drawn := b.offset.Apply(c.extrapolate(i, &b.received, b.receivedTick, shown))
			c.smoothing.Absorb(&b.offset, drawn, c.extrapolate(i, now, t, shown))
		}
		b.received, b.receivedTick = *now, t
	}
}

// extrapolate returns the pose to which its velocities take body i from a state to a later tick, above
// the ground.
func (c *client) extrapolate(i int, b *sim.Body, from, to sim.Tick) geom.Pose {
	if b.Asleep || to <= from {
		return b.Pose
	}
	w := c.env.World
	seconds := min(float32(to-from)/float32(w.Rate()), maxExtrapolateSeconds)
	p := smoothing.Extrapolate(b.Pose, b.Linear, b.Angular, seconds)
	p.Pos.Z = max(p.Pos.Z, min(b.Pose.Pos.Z, w.Scene().Boxes[i].Half.Z))
	return p
}

// placeOthers begins a tick, before the step: it draws the bodies that are not predicted, and chooses who
// is. Bodies that have become predicted are so only after enterPredicted.
func (c *client) placeOthers() {
	o, w := &c.others, c.env.World
	if o.mode == othersPredict && !o.active {
		o.started = true
		return
	}
	if !o.active {
		o.active = true
		for i := range o.bodies {
			o.bodies[i].interpolator = playback.NewInterpolator(w.Bodies()[i].Pose)
		}
		if c.receiver.HasSnapshot {
			c.receiveOthers()
		}
	}
	o.Advance(sim.MomentOfMillis(o.interpolationDelay, w.Rate()))
	c.poseOthers(w.Tick() + 1)
	c.chooseOthers()
	settled, simulated := o.mode == othersPredict, 0
	for i := range o.bodies {
		b := &o.bodies[i]
		b.fade(c.handoverStep())
		switch {
		case !o.started:
			b.predicted, b.share = b.wanted, 0
			if b.wanted {
				b.share = 1
			}
		case b.predicted && !b.wanted && b.share == 0:
			b.predicted = false
			c.errorOffsets[i] = smoothing.ErrorOffset{}
		}
		w.SetKinematic(i, !b.predicted)
		settled = settled && b.predicted && b.share == 1
		if b.predicted && !b.own {
			simulated++
		}
	}
	o.simulated.Set(float64(simulated))
	o.started, o.active = true, !settled
}

// poseOthers sets the poses that bodies have without prediction in the client's tick t.
func (c *client) poseOthers(t sim.Tick) {
	o, w := &c.others, c.env.World
	for i := range o.bodies {
		b := &o.bodies[i]
		if o.mode == othersExtrapolate {
			if b.receivedTick == 0 {
				b.pose = w.Bodies()[i].Pose
				continue
			}
			c.smoothing.Decay(&b.offset, w.Rate())
			b.pose = b.offset.Apply(c.extrapolate(i, &b.received, b.receivedTick, t))
			continue
		}
		b.interpolator.Advance(o.DisplayMoment(), sim.Tick(w.Rate()/4).Moment(), w.Rate())
		b.pose = b.interpolator.Pose()
	}
}

// handoverStep returns the share of a handover that a tick is.
func (c *client) handoverStep() float32 {
	ticks := sim.MomentOfMillis(c.others.handoverTime, c.env.World.Rate()).Ticks()
	return float32(1 / max(ticks, 1))
}

// fade moves the picture one step towards the side that the body is on.
func (b *otherBody) fade(step float32) {
	if !b.predicted {
		return
	}
	if b.wanted {
		b.share = min(b.share+step, 1)
	} else {
		b.share = max(b.share-step, 0)
	}
}

// chooseOthers decides which bodies are to be predicted: the player's own, those that auto finds near
// it, and all that are tied to one of these by joints or by driving.
func (c *client) chooseOthers() {
	o, w := &c.others, c.env.World
	for i := range o.bodies {
		o.bodies[i].own = false
	}
	if p := c.env.Player; p >= 0 {
		o.bodies[p].own, o.bodies[w.Operated(p)].own = true, true
	}
	c.spread(func(b *otherBody) *bool { return &b.own })
	if o.mode == othersAuto && c.env.Player >= 0 {
		c.findNear()
	}
	for i := range o.bodies {
		b := &o.bodies[i]
		near := b.nearTick > 0 && w.Tick() < b.nearTick+sim.Tick(nearSeconds*w.Rate())
		b.wanted = b.own || o.mode == othersPredict || o.mode == othersAuto && near
	}
	c.spread(func(b *otherBody) *bool { return &b.wanted })
}

// spread sets a mark of bodies on all bodies that joints and drivers tie to marked ones.
func (c *client) spread(mark func(*otherBody) *bool) {
	w := c.env.World
	scene, bodies := w.Scene(), c.others.bodies
	tie := func(i, j int) (changed bool) {
		a, b := mark(&bodies[i]), mark(&bodies[j])
		changed = *a != *b
		*a, *b = *a || *b, *a || *b
		return changed
	}
	for changed := true; changed; {
		changed = false
		for k := range scene.Joints {
			if j := &scene.Joints[k]; j.A != sim.WorldBody && j.B != sim.WorldBody && !w.JointOpen(k) {
				changed = tie(j.A, j.B) || changed
			}
		}
		for p := range scene.Players {
			if v := w.Operated(p); v != p {
				changed = tie(p, v) || changed
			}
		}
	}
}

// findNear marks the bodies that the player's bodies, or bodies that these move, will touch within the
// lead of the client and a handover.
func (c *client) findNear() {
	o, w := &c.others, c.env.World
	touched := w.TouchedBy()
	for i := range o.bodies {
		b := &o.bodies[i]
		pushed := b.predicted && int(touched[i]) == c.env.Player
		if (b.own || pushed) && !w.Bodies()[i].Asleep {
			c.findNearBody(i)
		}
	}
}

// findNearBody marks the bodies that body i will touch.
func (c *client) findNearBody(i int) {
	o, w := &c.others, c.env.World
	boxes, own := w.Scene().Boxes, &w.Bodies()[i]
	lead := float32(0)
	if c.receiver.HasSnapshot && w.Tick() > c.receiver.Tick {
		lead = float32(w.Tick()-c.receiver.Tick) / float32(w.Rate())
	}
	horizon := lead + float32(o.handoverTime/1000)
	for j := range o.bodies {
		if b := &o.bodies[j]; j != i && !b.own {
			other := w.Bodies()[j]
			if !b.predicted && b.receivedTick > 0 {
				other = b.received
				other.Pose.Pos = other.Pose.Pos.AddScaled(lead, other.Linear)
			}
			reach := boxes[i].Half.Len() + boxes[j].Half.Len() + nearDistance
			if closestApproach(own, &other, horizon) < reach {
				b.nearTick = max(w.Tick(), 1)
			}
		}
	}
	o.scratch.found = w.NearbyBodies(i, nearDistance, o.scratch.found[:0]) // bodies of many boxes
	for _, j := range o.scratch.found {
		o.bodies[j].nearTick = max(w.Tick(), 1)
	}
}

// closestApproach returns the smallest distance between the centres of two bodies within some seconds, if
// both keep their velocities, in metres.
func closestApproach(a, b *sim.Body, seconds float32) float32 {
	d, v := b.Pose.Pos.Sub(a.Pose.Pos), b.Linear.Sub(a.Linear)
	if speed := v.LenSq(); speed > 0 {
		d = d.AddScaled(min(max(-d.Dot(v)/speed, 0), seconds), v)
	}
	return d.Len()
}

// enterPredicted makes the bodies that are to be predicted so, from the newest received state on.
func (c *client) enterPredicted() {
	o, w := &c.others, c.env.World
	if !o.active || !c.receiver.HasSnapshot {
		return
	}
	past := c.stateHistory.Find(c.receiver.Tick)
	if past == nil || c.receiver.Tick > w.Tick() {
		return // nothing to replay from: the client's clock will jump
	}
	entered := false
	for i := range o.bodies {
		if b := &o.bodies[i]; b.wanted && !b.predicted {
			b.predicted, b.share, entered = true, 0, true
			w.SetKinematic(i, false)
			if !b.own {
				o.starts.Inc()
			}
		}
	}
	if !entered {
		return
	}
	c.rewind(past, c.applyReceived)
	for i := range o.bodies {
		if o.bodies[i].share == 0 {
			c.errorOffsets[i] = smoothing.ErrorOffset{} // it is not drawn as predicted yet
		}
	}
}

// placeKinematic moves the bodies that are not predicted to where they collide in the tick that is about to be
// stepped: to which their newest state takes them by then. The received states of the player's body are of
// the server's present. Among bodies in the past, each of them could begin a replay inside one, which throws it out.
func (c *client) placeKinematic() {
	o, w := &c.others, c.env.World
	if !o.active {
		return
	}
	for i := range o.bodies {
		b := &o.bodies[i]
		if b.predicted {
			continue
		}
		p := b.pose
		if b.receivedTick > 0 {
			p = c.extrapolate(i, &b.received, b.receivedTick, w.Tick()+1)
		}
		if w.Bodies()[i].Pose != p {
			w.SetBody(i, sim.Body{Pose: p, Asleep: true})
		}
	}
}

// drawn returns the pose at which body i is drawn.
func (c *client) drawn(i int) geom.Pose {
	p := c.errorOffsets[i].Apply(c.env.World.Bodies()[i].Pose)
	b := &c.others.bodies[i]
	switch {
	case !c.others.active || b.share == 1:
		return p
	case b.share == 0:
		return b.pose
	}
	return smoothing.LerpPose(b.pose, p, smoothing.Smoothstep(b.share))
}

// viewOthers says of each body whether it is drawn at the client's own tick.
func (c *client) viewOthers(v *predict.View) {
	o := &c.others
	if !o.active {
		return
	}
	if o.fromPast() {
		v.Others = o.DisplayMoment()
	}
	for i := range o.bodies {
		b := &o.bodies[i]
		v.Predicted = append(v.Predicted, b.predicted && b.share >= 0.5)
		v.Fallback = append(v.Fallback, b.predicted && !b.own && b.share >= 0.5)
	}
}

func (o *others) copyFrom(from *others) {
	o.othersSettings, o.othersState = from.othersSettings, from.othersState
	for i := range o.bodies {
		b, x := &o.bodies[i], &from.bodies[i]
		interpolator := b.interpolator
		interpolator.CopyFrom(&x.interpolator)
		*b = *x
		b.interpolator = interpolator
	}
}
