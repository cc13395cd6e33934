package statesync

import (
	"ghostcube/predict"
	"ghostcube/predict/part/others"
	"ghostcube/sim"
)

// fillsPerSecond is how often a body that is drawn between states takes a simulated one if none arrives.
const fillsPerSecond = 4

// observed are the bodies as the player sees them. The client's world has all of them in one tick, and steps all. With
// others=interpolate, those that are not the player's are drawn between their received states, a delay behind that
// tick; auto draws those near the player as they are simulated. Bodies under the player's authority are always
// drawn so, and then auto chooses no others: it would show a third moment.
type observed struct {
	others.Observed
	moment sim.Moment // of the server, at which bodies are drawn from states
}

func (o *observed) declare(env *predict.Env) {
	o.Declare(env, "other bodies: as simulated, or between states; auto: as simulated where the player comes near",
		60, "others=interpolate, auto: bodies are drawn this long after the simulation has reached their tick, ms",
		others.Predict, others.Interpolate, others.Auto)
	env.Knobs.Needs("others", "send", "priority")
}

// observe stores the states of a packet in range for the bodies that are drawn between them.
func (c *client) observe(s *message) {
	if !c.observed.Receives() || s.format.reckoning != notReckoned {
		return
	}
	for i := range s.updates[:s.updateCount] {
		if u := &s.updates[i]; !u.missingBaseline {
			c.observed.AddSparse(u.body, s.tick, &u.state, c.observed.moment)
		}
	}
}

// drawObserved ends a tick: it draws bodies between their states, and chooses which.
func (c *client) drawObserved() {
	o := &c.observed
	if drawn, _ := o.Begin(); !drawn {
		return
	}
	t := c.env.World.Tick()
	var claimed func(i int) bool
	if c.mayClaim() {
		claimed = func(i int) bool { return c.bodies[i].claim.active }
	}
	c.fillObserved(claimed)
	o.moment = max(o.moment, t.Moment()-o.InterpolationDelay())
	o.Pose(o.moment, t, &c.settings.smoothing)
	o.Choose(0, claimed)
	o.Leave(func(int) {})
	o.Enter(func(int) {})
}

// fillObserved adds the simulated states of the bodies for which the server has sent none for a while, because
// others are more important, or because the player has authority over them: their states are the client's own.
func (c *client) fillObserved(claimed func(i int) bool) {
	w := c.env.World
	for i := range c.bodies {
		t := w.Tick()
		if claimed != nil && claimed(i) {
			t = c.predictedMoment().Tick()
		} else if c.observed.Since(i, t) < int64(w.Rate()/fillsPerSecond) {
			continue
		}
		c.observed.AddSparse(i, t, &w.Bodies()[i], c.observed.moment)
	}
}

// viewObserved says which bodies are drawn at which moment.
func (c *client) viewObserved(v *predict.View) {
	switch {
	case c.mayClaim():
		v.Own = c.predictedMoment()
	case c.observed.Active():
		v.Own = v.Others // of the client's world
	}
	if c.observed.Active() {
		c.observed.View(v, c.observed.moment)
	} else if c.mayClaim() {
		for i := range c.bodies {
			v.Predicted = append(v.Predicted, c.bodies[i].claim.active)
		}
	}
}

func (o *observed) copyFrom(from *observed) {
	o.moment = from.moment
	o.CopyFrom(&from.Observed)
}
