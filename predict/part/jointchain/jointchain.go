// Package jointchain predicts the bodies that joints tie to the player's, directly or over others,
// together with it. Each has a history and a correction of its own, as the player's body has; the
// joints pass on what a shift of one does to the next.
//
// Errors add up along a chain, so a long one is better not predicted at all, the player's body
// included (Space Engineers, a talk at GDC): chain-joints-max.
package jointchain

import (
	"strconv"

	"ghostcube/predict"
	"ghostcube/predict/part/correction"
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

// historyTicks is for how many ticks each body is remembered: 4 s.
const historyTicks = 256

// Chain is the bodies tied to one client's player.
type Chain struct {
	settings settings
	state    state
	links    []link // nearest to the player first; none if they are not predicted
	env      *predict.Env
}

type settings struct {
	scope     int
	maxJoints int
}

type state struct {
	applied    settings // that were applied last
	started    bool     // some were
	jointCount int      // of the player's tree
	tooLong    bool     // nothing of the tree is predicted, the player's body included
	note       string
}

// link is one of the bodies.
type link struct {
	correction.Body
	index   int
	history history.Ring[sim.Body] // by tick: when it began, with the pending correction applied
}

// Declare tells env what may be tuned. The counters are declared with the first chain that is
// predicted.
func (c *Chain) Declare(env *predict.Env) {
	c.env = env
	env.Knobs.Choice(&c.settings.scope, "predicted-bodies", predictPlayer, []string{"player", "joint-tree"}, "predict the player's cube alone, or with it, in no parent's frame, all bodies that joints tie to it")
	env.Knobs.Int(&c.settings.maxJoints, "chain-joints-max", 0, 0, 512, "a joint tree of more joints is not predicted, nor the player's cube in it; 0 is any number")
}

// Update applies the knobs. It reports whether the player's body begins or ceases to be predicted,
// which TooLong says, and whether the bodies tied to it do, which Wanted says.
func (c *Chain) Update() (player, chain bool) {
	s := &c.state
	if s.started && s.applied == c.settings || c.env.Player < 0 {
		return false, false
	}
	if !s.started {
		s.jointCount = jointtree.JointCount(c.env.World.Scene(), c.env.Player)
	}
	s.started, s.applied = true, c.settings
	tooLong := c.settings.maxJoints > 0 && s.jointCount > c.settings.maxJoints
	player = tooLong != s.tooLong
	s.tooLong, s.note = tooLong, ""
	if tooLong {
		s.note = strconv.Itoa(s.jointCount) + " joints: not predicted"
	}
	return player, c.Wanted() != c.Active()
}

// TooLong reports whether the tree has too many joints to predict any of it.
func (c *Chain) TooLong() bool { return c.state.tooLong }

// Wanted reports whether the bodies tied to the player are to be predicted.
func (c *Chain) Wanted() bool { return c.settings.scope == predictJointTree && !c.state.tooLong }

// Active reports whether any is.
func (c *Chain) Active() bool { return len(c.links) > 0 }

// Note says in a few words why nothing is predicted; it is empty if something is.
func (c *Chain) Note() string { return c.state.note }

// SetPredicted begins to predict body i, from the server's newest state of it, or interpolates it
// again.
func SetPredicted(w *sim.World, others *playback.InterpolatedWorld, i int, predicted bool) {
	others.SetExcluded(i, predicted, w.Bodies()[i].Pose)
	w.SetKinematic(i, !predicted)
	if !predicted {
		return
	}
	if in := others.Receiver(); in.HasSnapshot {
		w.SetBody(i, in.Bodies[i])
	} else {
		w.SetBody(i, w.Scene().Boxes[i].Start)
	}
}

// Begin predicts the bodies tied to the player.
func (c *Chain) Begin(others *playback.InterpolatedWorld) {
	w, m := c.env.World, c.env.Counters
	for _, i := range jointtree.NewRootedAt(w.Scene(), c.env.Player).Order {
		l := link{index: int(i), history: history.New[sim.Body](historyTicks)}
		SetPredicted(w, others, l.index, true)
		l.record(w)
		c.links = append(c.links, l)
	}
	if c.Active() {
		m.Declare("chain_corrections", "corrections of bodies that joints tie to the player's cube")
		m.Declare("chain_correction_max_m", "m that a correction added to the history of such a body, largest")
	}
}

// End interpolates them again.
func (c *Chain) End(others *playback.InterpolatedWorld) {
	for i := range c.links {
		SetPredicted(c.env.World, others, c.links[i].index, false)
	}
	c.links = nil
}

// Record remembers all of them as they are, with their pending corrections applied.
func (c *Chain) Record() {
	for i := range c.links {
		c.links[i].record(c.env.World)
	}
}

func (l *link) record(w *sim.World) {
	*l.history.Insert(w.Tick()) = l.Corrected(&w.Bodies()[l.index])
}

// Compare takes in the server's bodies of the client's tick at, and shifts the histories since.
func (c *Chain) Compare(at sim.Tick, server []sim.Body, s *correction.Settings) {
	m := c.env.Counters
	for i := range c.links {
		l := &c.links[i]
		remembered := l.history.Find(at)
		if remembered == nil {
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
		m.Add("chain_corrections", 1)
		m.Set("chain_correction_max_m", max(m.Value("chain_correction_max_m"), float64(shift.Pos.Len())))
	}
}

// Step applies one tick's part of the pending corrections and lets the error offsets decay. With
// settled, which says that the server's state is the last for now, a body that sleeps there takes
// that state.
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

// ResetTo sets all of them to the server's bodies, and on along their velocities for some seconds.
func (c *Chain) ResetTo(server []sim.Body, seconds float32, smooth *smoothing.Settings) {
	for i := range c.links {
		l := &c.links[i]
		b := server[l.index]
		b.Pose.Pos = b.Pose.Pos.AddScaled(seconds, b.Linear)
		l.teleport(c.env.World, b, smooth)
	}
}

// teleport sets a body to a state and forgets what is remembered of it.
func (l *link) teleport(w *sim.World, to sim.Body, smooth *smoothing.Settings) {
	l.history.Reset()
	l.Teleport(w, l.index, to, smooth)
	l.record(w)
}

// Drawn returns the pose at which body i is drawn; ok is false if it is none of them.
func (c *Chain) Drawn(i int) (p geom.Pose, ok bool) {
	for k := range c.links {
		if l := &c.links[k]; l.index == i {
			return l.Body.Drawn(c.env.World, i), true
		}
	}
	return geom.Pose{}, false
}

// CopyFrom makes c an equal of o, all but its env.
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
