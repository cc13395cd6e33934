package rewind

import (
	"ghostcube/predict"
	"ghostcube/predict/part/others"
	"ghostcube/predict/part/playback"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// othersState is what a client knows of the bodies that are not the player's own. A body that is not predicted is
// kinematic in the client's world, where its newest state takes it by the client's tick. It may be drawn elsewhere.
// When a body becomes predicted, it is stepped at once, from the newest received state.
type othersState struct {
	playback.DisplayClock
	others.Observed
}

func (o *othersState) declare(env *predict.Env) {
	o.Observed.Declare(env, "bodies that are not the player's: predicted, or drawn from states; auto: predicted where the player comes near",
		60, "others=interpolate, auto: bodies are drawn this long after their states should arrive, ms",
		others.Predict, others.Interpolate, others.Extrapolate, others.Auto)
	o.Start(env)
}

// receiveOthers stores a fresh snapshot for the bodies that are drawn from states.
func (c *client) receiveOthers() {
	o, t := &c.others, c.receiver.Tick
	if !o.Receives() {
		return
	}
	o.Receive(t, c.env.TickEarly, c.env.World.Rate())
	for i := range c.receiver.Bodies {
		o.Add(i, t, &c.receiver.Bodies[i], &c.smoothing)
	}
}

// placeOthers begins a tick, before the step: it draws the bodies that are not predicted, and chooses who
// is. Bodies that have become predicted are so only after enterPredicted.
func (c *client) placeOthers() {
	o, w := &c.others, c.env.World
	drawn, started := o.Begin()
	if !drawn {
		return
	}
	if started && c.receiver.HasSnapshot {
		c.receiveOthers()
	}
	o.Advance(o.InterpolationDelay())
	o.Pose(o.DisplayMoment(), w.Tick()+1, &c.smoothing)
	lead := float32(0)
	if c.receiver.HasSnapshot && w.Tick() > c.receiver.Tick {
		lead = float32(w.Tick()-c.receiver.Tick) / float32(w.Rate())
	}
	o.Choose(lead, nil)
	o.Leave(func(i int) { c.errorOffsets[i] = smoothing.ErrorOffset{} })
	for i := range c.errorOffsets {
		w.SetKinematic(i, !o.Predicts(i))
	}
}

// enterPredicted makes the bodies that are to be predicted so, from the newest received state on.
func (c *client) enterPredicted() {
	o, w := &c.others, c.env.World
	if !o.Active() || !c.receiver.HasSnapshot {
		return
	}
	past := c.stateHistory.Find(c.receiver.Tick)
	if past == nil || c.receiver.Tick > w.Tick() {
		return // nothing to replay from: the client's clock will jump
	}
	if !o.Enter(func(i int) { w.SetKinematic(i, false) }) {
		return
	}
	c.rewind(past, true, c.applyReceived)
	for i := range c.errorOffsets {
		if o.Unseen(i) {
			c.errorOffsets[i] = smoothing.ErrorOffset{} // it is not drawn as predicted yet
		}
	}
}

// placeKinematic moves the bodies that are not predicted to where they collide in the tick that is about to be
// stepped: to which their newest state takes them by then. The received states of the player's body are of
// the server's present. Among bodies in the past, each of them could begin a replay inside one, which throws it out.
func (c *client) placeKinematic() {
	o, w := &c.others, c.env.World
	if !o.Active() {
		return
	}
	for i := range c.errorOffsets {
		if o.Predicts(i) {
			continue
		}
		if p, _ := o.Extrapolated(i, w.Tick()+1); w.Bodies()[i].Pose != p {
			w.SetBody(i, sim.Body{Pose: p, Asleep: true})
		}
	}
}

// drawn returns the pose at which body i is drawn.
func (c *client) drawn(i int) geom.Pose {
	return c.others.Drawn(i, c.errorOffsets[i].Apply(c.env.World.Bodies()[i].Pose))
}

func (o *othersState) copyFrom(from *othersState) {
	o.DisplayClock = from.DisplayClock
	o.Observed.CopyFrom(&from.Observed)
}
