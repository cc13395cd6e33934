package predicted

import (
	"strconv"

	"ghostcube/predict"
	"ghostcube/predict/part/frame"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/jointtree"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// What of the bodies that hang on the own cube is predicted.
const (
	ownAlone = iota
	linkedToo
)

// chainRemembered is for how many ticks the past of each of them is remembered: 4 s.
const chainRemembered = 256

// chain is the bodies that joints tie to the own cube, directly or over others. Predicted,
// each has a past of its own, and what the server says is off is added to that and, in
// doses, to the body, as with the own cube. That another body has been shifted meanwhile it
// does not know: the joints tell it.
type chain struct {
	dynamic int
	most    int // joints

	joints int    // of the tree of the own cube
	mates  []mate // nearest to the own cube first; none if they are not predicted
	still  bool   // the tree is too long: nothing of it is predicted, the own cube neither
	made   struct{ dynamic, most int }
	begun  bool
	note   string
}

// mate is one of the bodies.
type mate struct {
	body   int
	doses  offsets
	past   history.Ring[sim.Body] // when each tick began, all doses given
	offset smoothing.Offset
}

func (c *chain) declare(k *predict.Knobs) {
	k.Choice(&c.dynamic, "dynamic", ownAlone, []string{"own", "linked"}, "what is predicted: the own cube alone, or with it all bodies that joints tie to it, directly or over others: then it is predicted in no parent's space")
	k.Int(&c.most, "chain-most", 0, 0, 512, "joints of the tree of the own cube above which nothing of it is predicted, the own cube neither; 0 is any number")
}

// chooseChain brings what is predicted in line with the knobs.
func (c *client) chooseChain() {
	h := &c.chain
	p, w := c.env.Player, c.env.World
	if h.begun && h.made.dynamic == h.dynamic && h.made.most == h.most || p < 0 {
		return
	}
	if !h.begun {
		h.joints = jointtree.Joints(w.Scene(), p)
	}
	h.begun, h.made.dynamic, h.made.most = true, h.dynamic, h.most
	still := h.most > 0 && h.joints > h.most
	if still != h.still {
		h.still = still
		c.letGo(p, !still)
		c.past.Forget()
		c.doses.clear()
		c.offset = smoothing.Offset{}
		c.alone()
		c.remember()
	}
	if h.note = ""; still {
		h.note = strconv.Itoa(h.joints) + " joints: not predicted"
	}
	if linked := h.dynamic == linkedToo && !still; linked != (len(h.mates) > 0) {
		c.link(linked)
	}
}

// link begins to predict the bodies that hang on the own cube, or ends it.
func (c *client) link(on bool) {
	h := &c.chain
	for i := range h.mates {
		c.letGo(h.mates[i].body, false)
	}
	if h.mates = nil; !on {
		return
	}
	c.alone()
	w := c.env.World
	for _, i := range jointtree.From(w.Scene(), c.env.Player).Order {
		m := mate{body: int(i), past: history.New[sim.Body](chainRemembered)}
		m.doses.clear()
		c.letGo(m.body, true)
		m.remember(w)
		h.mates = append(h.mates, m)
	}
	if len(h.mates) > 0 {
		c.env.Counters.Declare("linked_corrections", "corrections of bodies linked to the own cube")
		c.env.Counters.Declare("linked_correction_max_m", "metres that one of them added to a body's history, largest")
	}
}

// letGo begins to step a body that was shown, from where the server has had it last, or
// shows it again.
func (c *client) letGo(i int, on bool) {
	w := c.env.World
	c.shown.LeaveOut(i, on, w.Bodies()[i].Pose)
	if w.SetKinematic(i, !on); !on {
		return
	}
	if in := c.shown.Receiver(); in.Any {
		w.SetBody(i, in.Bodies[i])
	} else {
		w.SetBody(i, w.Scene().Boxes[i].Start)
	}
}

// alone leaves the parent, if there is one: what hangs on the own cube is not in its
// space.
func (c *client) alone() {
	if c.rel.choice.Now != frame.None {
		c.enter(frame.None)
	}
}

// hangs reports whether body i is drawn where what it hangs on has it.
func (c *client) hangs(i int) bool {
	return c.shown.Tree() != nil && !c.shown.Left(i) && !c.others.each[i].loose && c.others.each[i].away == 0
}

// remember notes where the body is, or will be when all doses are given.
func (m *mate) remember(w *sim.World) { *m.past.Put(w.Tick()) = m.doses.whole(&w.Bodies()[m.body]) }

func (c *chain) remember(w *sim.World) {
	for i := range c.mates {
		c.mates[i].remember(w)
	}
}

// compare looks up what was remembered of the tick that the server's bodies are of, and
// adds what is off to that and to all later ones.
func (c *chain) compare(at, now sim.Tick, bodies []sim.Body, own *offsets) {
	for i := range c.mates {
		m := &c.mates[i]
		m.doses.settings = own.settings
		had := m.past.At(at)
		if had == nil {
			continue
		}
		d, ok := m.doses.find(&bodies[m.body], had)
		if !ok {
			continue
		}
		for t := at; t <= now; t++ {
			if b := m.past.At(t); b != nil {
				d.add(b)
			}
		}
		m.doses.take(&d)
		own.meter.Add("linked_corrections", 1)
		own.meter.Set("linked_correction_max_m", max(own.meter.Value("linked_correction_max_m"), float64(d.pos.Len())))
	}
}

// dose gives every body its dose. Where the server says that one sleeps, and no key has
// been pressed since, its state is taken as it is.
func (c *client) dose() {
	w := c.env.World
	in := c.shown.Receiver()
	quiet := in.Any && c.doses.corrections && int64(c.quiet) > int64(w.Tick())-int64(c.at)
	for i := range c.chain.mates {
		m := &c.chain.mates[i]
		c.smooth.Fade(&m.offset, w.Rate())
		if !m.doses.done() {
			w.SetBody(m.body, m.doses.give(&w.Bodies()[m.body], w.Rate()))
		}
		if quiet && in.Bodies[m.body].Asleep && w.Bodies()[m.body] != in.Bodies[m.body] {
			c.put(m, in.Bodies[m.body])
		}
	}
}

// put sets a body to a state, with nothing to be added. The picture glides there.
func (c *client) put(m *mate, b sim.Body) {
	w := c.env.World
	drawn := m.offset.Apply(w.Bodies()[m.body].Pose)
	m.past.Forget()
	m.doses.clear()
	w.SetBody(m.body, b)
	m.remember(w)
	c.smooth.Correct(&m.offset, drawn, b.Pose)
}

// reset sets all bodies to the server's state, and on along their velocities for so many
// seconds.
func (c *client) resetChain(seconds float32) {
	for i := range c.chain.mates {
		m := &c.chain.mates[i]
		b := c.shown.Receiver().Bodies[m.body]
		b.Pose.Pos = b.Pose.Pos.Plus(seconds, b.Linear)
		c.put(m, b)
	}
}

// place tells where the bodies are that are not shown, for those that hang on them; drawn
// says as they are drawn.
func (c *client) place(drawn bool) {
	if c.env.Player < 0 {
		return
	}
	for i := range c.env.World.Bodies() {
		if c.shown.Left(i) {
			c.shown.Put(i, c.pose(i, drawn))
		}
	}
	if drawn {
		c.shown.Hang()
	}
}

// pose is where a body is that is stepped here, or is drawn.
func (c *client) pose(i int, drawn bool) geom.Pose {
	p := c.env.World.Bodies()[i].Pose
	switch {
	case !drawn:
	case i == c.env.Player:
		return c.offset.Apply(p)
	default:
		for k := range c.chain.mates {
			if m := &c.chain.mates[k]; m.body == i {
				return m.offset.Apply(p)
			}
		}
	}
	return p
}

// copyFrom makes c an equal of o that shares no memory with it.
func (c *chain) copyFrom(o *chain) {
	mates := make([]mate, len(o.mates))
	for i := range mates {
		m, from := &mates[i], &o.mates[i]
		*m = *from
		m.past = history.New[sim.Body](chainRemembered)
		m.past.CopyFrom(&from.past, history.Plain[sim.Body])
	}
	*c = *o
	c.mates = mates
}
