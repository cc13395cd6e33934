// Package jointchain predicts the bodies jointed to the player's, directly or through other bodies.
// Where a replay steps the whole joint tree again, it corrects them. Otherwise each has its own
// history and its own correction by offset; the joints transmit the effect of a correction to the
// neighbours.
//
// Prediction errors add up along a chain. So a client can stop predicting a long one, the player's
// body included (chain-joints-max; Space Engineers, a talk at GDC).
package jointchain

import (
	"slices"
	"strconv"

	"ghostcube/predict"
	"ghostcube/predict/localprediction/correction"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/jointtree"
	"ghostcube/predict/part/playback"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

const (
	predictPlayer = iota
	predictJointTree
)

// historyTicks is the number of remembered ticks: 4 s at 60 Hz.
const historyTicks = 256

// Chain is the bodies jointed to the player's body of one client.
type Chain struct {
	settings settings
	state    state
	links    []link // nearest to the player first; empty while they are not predicted
	env      *predict.Env
}

type settings struct {
	scope     int
	maxJoints int
}

type state struct {
	applied    settings // by the last Update
	started    bool     // Update has been called
	jointCount int      // of the player's joint tree
	tooLong    bool     // the tree has too many joints to predict any of its bodies
	note       string
}

// link is one body of the chain.
type link struct {
	correction.Body
	index   int
	history history.Ring[sim.Body] // at the beginning of a tick, with the pending correction applied
}

// Declare declares the knobs. The counters are declared when a chain is first predicted.
func (c *Chain) Declare(env *predict.Env) {
	c.env = env
	group := env.Knobs.In(predict.PredictedBodyKnobs)
	group.Choice(&c.settings.scope, "predicted-bodies", predictJointTree, []string{"player", "joint-tree"},
		"predict what the player drives alone, or with all bodies jointed to it")
	group.Int(&c.settings.maxJoints, "chain-joints-max", 0, 0, 512, "most joints of a predicted joint tree; 0: no limit")
}

// Update applies the knobs. player reports that the prediction of the player's body starts or, if
// TooLong, ends; chain reports that that of the bodies jointed to it starts or changes, if Wanted, or
// ends.
func (c *Chain) Update() (player, chain bool) {
	s := &c.state
	if s.started && s.applied == c.settings || c.env.Player < 0 {
		return false, false
	}
	rebuild := !s.started
	if rebuild {
		a := c.env.World.Attachments()
		s.jointCount = jointtree.JointCount(c.env.World.Scene(), &a, c.env.World.Operated(c.env.Player))
	}
	s.started, s.applied = true, c.settings
	tooLong := c.settings.maxJoints > 0 && s.jointCount > c.settings.maxJoints
	player = tooLong != s.tooLong
	s.tooLong, s.note = tooLong, ""
	if tooLong {
		s.note = strconv.Itoa(s.jointCount) + " joints: not predicted"
	}
	return player, rebuild || c.Wanted() != c.Active()
}

// Reset makes Update report a change, because the joint tree or the body that the player drives has changed.
func (c *Chain) Reset() { c.state.started = false }

// TooLong reports whether the joint tree has too many joints to predict any of its bodies.
func (c *Chain) TooLong() bool { return c.state.tooLong }

// Wanted reports whether there are bodies jointed to the player's that are to be predicted.
func (c *Chain) Wanted() bool {
	return c.settings.scope == predictJointTree && !c.state.tooLong && c.state.jointCount > 0
}

// IsPartial reports whether the player's body is predicted without the bodies jointed to it.
func (c *Chain) IsPartial() bool { return !c.Active() && c.state.jointCount > 0 }

// AppendBodies appends the predicted bodies jointed to the player's to dst.
func (c *Chain) AppendBodies(dst []int32) []int32 {
	for i := range c.links {
		dst = append(dst, int32(c.links[i].index))
	}
	return dst
}

// Active reports whether any of them is predicted.
func (c *Chain) Active() bool { return len(c.links) > 0 }

// Note says why nothing is predicted; it is empty unless TooLong.
func (c *Chain) Note() string { return c.state.note }

// Begin starts the prediction of the bodies jointed to the player's. Those that are predicted already continue,
// and that of others, which are not jointed to the player's any more, ends. setPredicted begins or ends the
// prediction of one body.
func (c *Chain) Begin(others *playback.InterpolatedWorld, smooth *smoothing.Settings, setPredicted func(body int, predicted bool)) {
	w := c.env.World
	a := w.Attachments()
	tree := jointtree.NewRootedAt(w.Scene(), &a, w.Operated(c.env.Player))
	c.release(setPredicted, func(body int) bool { return tree.Nodes[body].Root == jointtree.None })
	links := c.links
	c.links = nil
	for _, i := range tree.Order {
		if k := slices.IndexFunc(links, func(l link) bool { return l.index == int(i) }); k >= 0 {
			c.links = append(c.links, links[k])
			continue
		}
		l, drawn := link{index: int(i), history: history.New[sim.Body](historyTicks)}, others.Pose(int(i))
		setPredicted(l.index, true)
		smooth.Absorb(&l.ErrorOffset, drawn, w.Bodies()[i].Pose)
		l.record(w)
		c.links = append(c.links, l)
	}
	if c.Active() {
		c.counters()
	}
}

// release ends the prediction of the bodies that fulfil a condition.
func (c *Chain) release(setPredicted func(body int, predicted bool), condition func(body int) bool) {
	for i := range c.links {
		if condition(c.links[i].index) {
			setPredicted(c.links[i].index, false)
		}
	}
}

// counters returns the handles of the counters, which exist once a chain has been active. It is called
// for each use, because a copied chain may never have been active itself.
func (c *Chain) counters() (corrections, correctionMax predict.Counter) {
	m := c.env.Counters
	corrections = m.New("chain_corrections", "corrections of bodies jointed to the player's cube")
	correctionMax = m.New("chain_correction_max_m", "distance by which a correction shifted the history of such a body, m, largest")
	return corrections, correctionMax
}

// End interpolates the bodies again. setPredicted ends the prediction of one of them.
func (c *Chain) End(setPredicted func(body int, predicted bool)) {
	c.release(setPredicted, func(body int) bool { return body != c.env.World.Operated(c.env.Player) })
	c.links = nil
}

// Record remembers the present state of each body, with its pending correction applied.
func (c *Chain) Record() {
	for i := range c.links {
		c.links[i].record(c.env.World)
	}
}

func (l *link) record(w *predict.World) {
	*l.history.Insert(w.Tick()) = l.Corrected(&w.Bodies()[l.index])
}

// All reports whether each of the bodies fulfils a condition.
func (c *Chain) All(condition func(body int) bool) bool {
	for i := range c.links {
		if !condition(c.links[i].index) {
			return false
		}
	}
	return true
}

// Differs reports whether one of the server's bodies differs from the state remembered of the client tick at.
func (c *Chain) Differs(at sim.Tick, server []sim.Body, s *correction.Settings) bool {
	for i := range c.links {
		l := &c.links[i]
		if remembered := l.history.Find(at); remembered != nil {
			if _, exceeds := s.Compare(&server[l.index], remembered); exceeds {
				return true
			}
		}
	}
	return false
}

// Replace replaces the states since the client tick at by those of a replay, in which replayed finds a
// body at the beginning of a tick. The error offsets hide the change, and what is pending stays pending.
func (c *Chain) Replace(at sim.Tick, replayed func(t sim.Tick, body int) *sim.Body, smooth *smoothing.Settings) {
	w := c.env.World
	for i := range c.links {
		l := &c.links[i]
		for t := at; t <= w.Tick(); t++ {
			if past := l.history.Find(t); past != nil {
				*past = *replayed(t, l.index)
			}
		}
		l.Body.Replace(w, l.index, replayed(w.Tick(), l.index), smooth)
	}
}

// Compare compares the server's bodies with the states remembered of the client tick at, and shifts
// the histories since. isCurrent reports whether a body's state in server is that of this tick; the others
// are not compared.
func (c *Chain) Compare(at sim.Tick, server []sim.Body, isCurrent func(body int) bool, s *correction.Settings) {
	for i := range c.links {
		l := &c.links[i]
		remembered := l.history.Find(at)
		if remembered == nil || !isCurrent(l.index) {
			continue
		}
		shift, exceeds := s.Compare(&server[l.index], remembered)
		if !exceeds {
			continue
		}
		for past := range l.history.Between(at, c.env.World.Tick()) {
			shift.ApplyTo(past)
		}
		l.Pending.Add(&shift)
		corrections, correctionMax := c.counters()
		corrections.Inc()
		correctionMax.Max(float64(shift.Pos.Len()))
	}
}

// Step applies one tick's share of the pending corrections and decays the error offsets. If settled
// is true, bodies that sleep at the server will stay asleep, and adopt their states there.
func (c *Chain) Step(server []sim.Body, settled bool, s *correction.Settings, smooth *smoothing.Settings) {
	w := c.env.World
	for i := range c.links {
		l := &c.links[i]
		smooth.Decay(&l.ErrorOffset, w.Rate())
		l.Body.Step(w, l.index, s)
		if settled && server[l.index].Asleep && w.Bodies()[l.index] != server[l.index] {
			l.teleport(w, server[l.index], smooth)
		}
	}
}

// ResetTo sets the bodies to the server's states, extrapolated by some seconds.
func (c *Chain) ResetTo(server []sim.Body, seconds float32, smooth *smoothing.Settings) {
	for i := range c.links {
		l := &c.links[i]
		b := server[l.index]
		b.Pose.Pos = b.Pose.Pos.AddScaled(seconds, b.Linear)
		l.teleport(c.env.World, b, smooth)
	}
}

// teleport sets the state of a body and clears its history.
func (l *link) teleport(w *predict.World, to sim.Body, smooth *smoothing.Settings) {
	l.history.Reset()
	l.Teleport(w, l.index, to, smooth)
	l.record(w)
}

// Drawn returns the pose at which body i is drawn; ok is false if it is not in the chain.
func (c *Chain) Drawn(i int) (p geom.Pose, ok bool) {
	for k := range c.links {
		if l := &c.links[k]; l.index == i {
			return l.Body.Drawn(c.env.World, i), true
		}
	}
	return geom.Pose{}, false
}

// CopyFrom makes c a copy of o, except for its env.
func (c *Chain) CopyFrom(o *Chain) {
	c.settings, c.state = o.settings, o.state
	links := make([]link, len(o.links))
	for i := range links {
		l, from := &links[i], &o.links[i]
		l.Body, l.index = from.Body, from.index
		l.history.CopyFrom(&from.history, history.CopyValue[sim.Body])
	}
	c.links = links
}
