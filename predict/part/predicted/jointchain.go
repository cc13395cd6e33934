package predicted

import (
	"strconv"

	"ghostcube/predict"
	"ghostcube/predict/part/correction"
	"ghostcube/predict/part/frame"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/jointtree"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// What of the bodies that hang on the own cube is predicted.
const (
	predictPlayer = iota
	predictJointTree
)

// chainHistoryLen is for how many ticks the past of each of them is remembered: 4 s.
const chainHistoryLen = 256

// jointChain is the bodies that joints tie to the own cube, directly or over others. Predicted,
// each has a past of its own, and what the server says is off is added to that and, in
// doses, to the body, as with the own cube. That another body has been shifted meanwhile it
// does not know: the joints tell it.
type jointChain struct {
	scope     int
	maxJoints int // joints

	jointCount int         // of the tree of the own cube
	bodies     []chainBody // nearest to the own cube first; none if they are not predicted
	tooLong    bool        // the tree is too long: nothing of it is predicted, the own cube neither
	builtFor   struct{ scope, maxJoints int }
	started    bool
	note       string
}

// chainBody is one of the bodies.
type chainBody struct {
	correction.Body
	index   int
	history history.Ring[sim.Body] // when each tick began, all doses given
}

func (c *jointChain) declare(k *predict.Knobs) {
	k.Choice(&c.scope, "predicted-bodies", predictPlayer, []string{"player", "joint-tree"}, "what is predicted: the own cube alone, or with it all bodies that joints tie to it, directly or over others: then it is predicted in no parent's space")
	k.Int(&c.maxJoints, "chain-joints-max", 0, 0, 512, "joints of the tree of the own cube above which nothing of it is predicted, the own cube neither; 0 is any number")
}

// updateChain brings what is predicted in line with the knobs.
func (c *client) updateChain() {
	h := &c.chain
	p, w := c.env.Player, c.env.World
	if h.started && h.builtFor.scope == h.scope && h.builtFor.maxJoints == h.maxJoints || p < 0 {
		return
	}
	if !h.started {
		h.jointCount = jointtree.JointCount(w.Scene(), p)
	}
	h.started, h.builtFor.scope, h.builtFor.maxJoints = true, h.scope, h.maxJoints
	still := h.maxJoints > 0 && h.jointCount > h.maxJoints
	if still != h.tooLong {
		h.tooLong = still
		c.setPredicted(p, !still)
		c.history.Reset()
		c.own = correction.Body{}
		c.leaveParent()
		c.record()
	}
	if h.note = ""; still {
		h.note = strconv.Itoa(h.jointCount) + " joints: not predicted"
	}
	if linked := h.scope == predictJointTree && !still; linked != (len(h.bodies) > 0) {
		c.predictChain(linked)
	}
}

// predictChain begins to predict the bodies that hang on the own cube, or ends it.
func (c *client) predictChain(on bool) {
	h := &c.chain
	for i := range h.bodies {
		c.setPredicted(h.bodies[i].index, false)
	}
	if h.bodies = nil; !on {
		return
	}
	c.leaveParent()
	w := c.env.World
	for _, i := range jointtree.NewRootedAt(w.Scene(), c.env.Player).Order {
		m := chainBody{index: int(i), history: history.New[sim.Body](chainHistoryLen)}
		c.setPredicted(m.index, true)
		m.record(w)
		h.bodies = append(h.bodies, m)
	}
	if len(h.bodies) > 0 {
		c.env.Counters.Declare("chain_corrections", "corrections of bodies linked to the own cube")
		c.env.Counters.Declare("chain_correction_max_m", "metres that one of them added to a body's history, largest")
	}
}

// setPredicted begins to step a body that was shown, from where the server has had it last, or
// shows it again.
func (c *client) setPredicted(i int, on bool) {
	w := c.env.World
	c.interpolated.SetExcluded(i, on, w.Bodies()[i].Pose)
	if w.SetKinematic(i, !on); !on {
		return
	}
	if in := c.interpolated.Receiver(); in.HasSnapshot {
		w.SetBody(i, in.Bodies[i])
	} else {
		w.SetBody(i, w.Scene().Boxes[i].Start)
	}
}

// leaveParent leaves the parent, if there is one: what hangs on the own cube is not in its
// space.
func (c *client) leaveParent() {
	if c.parent.selector.Current != frame.NoParent {
		c.changeParent(frame.NoParent)
	}
}

// posedByTree reports whether body i is drawn where what it hangs on has it.
func (c *client) posedByTree(i int) bool {
	return c.interpolated.Tree() != nil && !c.interpolated.IsExcluded(i) && c.remote.Interpolated(i)
}

// record notes where the body is, or will be when all doses are given.
func (m *chainBody) record(w *sim.World) {
	*m.history.Insert(w.Tick()) = m.Corrected(&w.Bodies()[m.index])
}

func (c *jointChain) record(w *sim.World) {
	for i := range c.bodies {
		c.bodies[i].record(w)
	}
}

// reconcile looks up what was remembered of the tick that the server's bodies are of, and
// adds what is off to that and to all later ones.
func (c *jointChain) reconcile(at, now sim.Tick, bodies []sim.Body, s *correction.Settings, counters *predict.Counters) {
	for i := range c.bodies {
		m := &c.bodies[i]
		had := m.history.Find(at)
		if had == nil {
			continue
		}
		d, ok := s.Compare(&bodies[m.index], had)
		if !ok {
			continue
		}
		for b := range m.history.Between(at, now) {
			d.ApplyTo(b)
		}
		m.Pending.Add(&d)
		counters.Add("chain_corrections", 1)
		counters.Set("chain_correction_max_m", max(counters.Value("chain_correction_max_m"), float64(d.Pos.Len())))
	}
}

// correctChain gives every body its dose. Where the server says that one sleeps, and no key has
// been pressed since, its state is taken as it is.
func (c *client) correctChain() {
	w := c.env.World
	in := c.interpolated.Receiver()
	quiet := in.HasSnapshot && c.correction.Enabled && int64(c.idleTicks) > c.log.Ahead()
	for i := range c.chain.bodies {
		m := &c.chain.bodies[i]
		c.smooth.Decay(&m.ErrorOffset, w.Rate())
		m.Step(w, m.index, &c.correction)
		if quiet && in.Bodies[m.index].Asleep && w.Bodies()[m.index] != in.Bodies[m.index] {
			c.teleportChainBody(m, in.Bodies[m.index])
		}
	}
}

// teleportChainBody sets a body to a state, with nothing to be added. The picture glides there.
func (c *client) teleportChainBody(m *chainBody, b sim.Body) {
	w := c.env.World
	m.history.Reset()
	m.Teleport(w, m.index, b, &c.smooth)
	m.record(w)
}

// reset sets all bodies to the server's state, and on along their velocities for so many
// seconds.
func (c *client) resetChain(seconds float32) {
	for i := range c.chain.bodies {
		m := &c.chain.bodies[i]
		b := c.interpolated.Receiver().Bodies[m.index]
		b.Pose.Pos = b.Pose.Pos.AddScaled(seconds, b.Linear)
		c.teleportChainBody(m, b)
	}
}

// posePredicted tells where the bodies are that are not shown, for those that hang on them; drawn
// says as they are drawn.
func (c *client) posePredicted(drawn bool) {
	if c.env.Player < 0 {
		return
	}
	for i := range c.env.World.Bodies() {
		if c.interpolated.IsExcluded(i) {
			c.interpolated.SetExcludedPose(i, c.predictedPose(i, drawn))
		}
	}
	if drawn {
		c.interpolated.PoseChildren()
	}
}

// predictedPose is where a body is that is stepped here, or is drawn.
func (c *client) predictedPose(i int, drawn bool) geom.Pose {
	p := c.env.World.Bodies()[i].Pose
	switch {
	case !drawn:
	case i == c.env.Player:
		return c.own.ErrorOffset.Apply(p)
	default:
		for k := range c.chain.bodies {
			if m := &c.chain.bodies[k]; m.index == i {
				return m.ErrorOffset.Apply(p)
			}
		}
	}
	return p
}

// copyFrom makes c an equal of o that shares no memory with it.
func (c *jointChain) copyFrom(o *jointChain) {
	mates := make([]chainBody, len(o.bodies))
	for i := range mates {
		m, from := &mates[i], &o.bodies[i]
		*m = *from
		m.history = history.Ring[sim.Body]{}
		m.history.CopyFrom(&from.history, history.CopyValue[sim.Body])
	}
	*c = *o
	c.bodies = mates
}
