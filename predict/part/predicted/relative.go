package predicted

import (
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/frame"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// The ways in which the own cube gets from the world's time into a vessel's, and back.
const (
	asDoses = iota
	asGlide
	asFound
)

// mostPush is above what any vessel does, in m/s2: what is more is a jump of its picture.
const mostPush = 120

// relative is the client's side of parents. As long as the own cube has one, it is
// simulated in the picture of that: the vessel stands still in it, in the past, the cube's
// velocities are relative, and before each tick it is moved as the vessel was.
type relative struct {
	on       bool
	rules    frame.Rules
	vessels  []sim.ParentCandidate
	grid     codec.Grid
	handover int
	inertia  bool
	ahead    bool

	heard  ride          // by the newest state
	met    bool          // one has come
	choice frame.Choice  // of the parent now
	frame  frame.Frame   // of it, as it was shown when the own cube was moved last
	since  sim.Tick      // our tick in which it became the parent
	wrong  int           // states in a row that know another one
	frames []frame.Frame // of the vessels, as they are shown
	seen   []sim.Touch
	body   sim.Body // the own cube, with the world's velocities: what is chosen by
}

func (c *client) declareRelative() {
	r, k, m := &c.rel, c.env.Knobs, c.env.Counters
	scene := c.env.World.Scene()
	r.on, r.vessels, r.grid = true, scene.ParentCandidates(), rideGrid(scene)
	r.frames = make([]frame.Frame, len(r.vessels))
	r.choice, r.heard.parent = frame.Start(), frame.None
	r.rules.Declare(k)
	k.Choice(&r.handover, "handover", asDoses, []string{"doses", "glide", "found"}, "a parent is seen in the past, the world's own cube is in the future: how it gets from one to the other. By where the parent would be by then, in doses; at once, and the picture by smoothing; or it stays, and the next states find that it is wrong, as in the article")
	k.Bool(&r.inertia, "inertia", true, "what a parent that speeds up or turns does to what it carries is simulated; without, the own cube is moved along and that is all")
	k.Bool(&r.ahead, "parent-ahead", true, "the client leaves or changes its parent by its own world, before the server's word of it is there; that counts where it stays another one")
	m.Declare("parent", "which parent the own cube has, now, counted from 1; 0 is none")
	m.Declare("parent_ticks", "ticks that the own cube had one")
	m.Declare("parent_switches", "times that it got another one, or none")
	m.Declare("parent_foreseen", "of those, the ones by the client's own world")
	m.Declare("parent_differs", "states of a tick for which the client had another parent than the server")
	m.Declare("handover_max_m", "metres between a parent's time and the world's where the own cube went from one to the other, most")
	m.Declare("corrections_to_parent", "of the corrections, those in the space of a parent")
	m.Declare("corrections_to_world", "of the corrections, those in the world's")
}

// shownFrame returns the frame of a vessel as it is shown.
func (c *client) shownFrame(id int) frame.Frame {
	if id == frame.None {
		return frame.Frame{}
	}
	v := &c.rel.vessels[id]
	if v.Carrier >= 0 {
		return frame.OfCarrier(c.env.World, v.Carrier, c.shown.Moment())
	}
	b := c.shown.Body(v.Body)
	return frame.OfBody(&b)
}

// told returns the server's word of the own cube as a vessel saw it then. If that is the
// parent that the server knows, it is what came; else it is made of where the state has
// the two, and so it is where something sleeps, to the bit.
func (c *client) toldOf(id int) sim.Body {
	in := c.shown.Receiver()
	b := in.Bodies[c.env.Player]
	if id == frame.None {
		return b
	}
	if id == c.rel.heard.parent && !b.Asleep {
		return c.rel.heard.body
	}
	f := c.stateFrame(id)
	return f.Seen(&b)
}

// stateFrame returns the frame of a vessel in the newest state.
func (c *client) stateFrame(id int) frame.Frame {
	in, v := c.shown.Receiver(), &c.rel.vessels[id]
	if v.Carrier >= 0 {
		return frame.OfCarrier(c.env.World, v.Carrier, in.Tick.Moment())
	}
	return frame.OfBody(&in.Bodies[v.Body])
}

// meet takes the first state's word of a parent, and the own cube as it has it: a client
// that begins in a ship under way does not wait to be sure.
func (c *client) meet(news bool) {
	r := &c.rel
	if !r.on || r.met || !news {
		return
	}
	if r.met = true; r.heard.parent != frame.None {
		c.take(c.arrive())
	}
}

// carry moves the own cube as its parent has been moved since the last tick. Its
// velocities stay as they are in the world, so what is relative changes by what the
// parent's change; and the air, which does not go along, blows.
func (c *client) carry() {
	r := &c.rel
	if r.choice.Now == frame.None {
		return
	}
	was := r.frame
	r.frame = c.shownFrame(r.choice.Now)
	b := *c.own()
	still := geom.Vec3{}
	if was == r.frame && (b.Asleep || was.Velocity(b.Pose.Pos) == still && was.Angular() == still) {
		return
	}
	next := b
	var turn geom.Quat
	next.Pose, turn = was.Carry(&r.frame, b.Pose)
	w := c.env.World
	rate := float32(w.Rate())
	old, now := was.Velocity(b.Pose.Pos), r.frame.Velocity(next.Pose.Pos.Plus(1/rate, b.Linear))
	push := old.Sub(now)
	if r.inertia && push.Len() < mostPush/rate {
		w.SetFrameMotion(c.env.Player, sim.FrameMotion{
			Linear: r.frame.Velocity(next.Pose.Pos), Angular: r.frame.Angular(),
			Acceleration: push.Scale(rate), AngularAcceleration: was.Angular().Sub(r.frame.Angular()).Scale(rate),
		})
	} else {
		next.Linear, next.Angular = turn.Rotate(next.Linear), turn.Rotate(next.Angular)
	}
	if next != b {
		next.Asleep = false
		c.set(next)
	}
	if turn != geom.Identity {
		c.doses.turn(turn)
		c.offset.Pos = turn.Rotate(c.offset.Pos)
	}
}

// turn turns what is to be given along with a parent.
func (o *offsets) turn(by geom.Quat) {
	o.pos, o.lin, o.ang = by.Rotate(o.pos), by.Rotate(o.lin), by.Rotate(o.ang)
	if o.rot != geom.Identity {
		o.rot = by.Mul(o.rot).Mul(by.Inverse()).Unit()
	}
}

// choose leaves or changes the parent by what the client's own world knows. Who has none
// does not choose: others are shown where they were, and the own cube is where it will
// be, so only the server knows who is near whom.
func (c *client) choose() {
	r := &c.rel
	if r.choice.Now == frame.None {
		return
	}
	c.env.Counters.Add("parent_ticks", 1)
	if !r.ahead {
		return
	}
	for i := range r.vessels {
		r.frames[i] = c.shownFrame(i)
	}
	r.body = *c.own()
	r.frame.Leave(&r.body, 1)
	r.seen = c.env.World.Touches(r.seen[:0], c.env.Player)
	was := r.choice
	if r.choice.Step(&r.rules, &frame.Sight{Vessels: r.vessels, Frames: r.frames, Touches: r.seen, Body: &r.body}) {
		to := r.choice.Now
		r.choice = was
		c.env.Counters.Add("parent_foreseen", 1)
		c.enter(to)
	}
}

// follow takes the server's word of who the parent is, where that has known for a while
// another one than the client had for the same tick.
func (c *client) follow(at sim.Tick) {
	r := &c.rel
	e := c.past.At(at)
	if !r.on || e == nil || len(c.chain.mates) > 0 {
		return
	}
	if e.parent == r.heard.parent {
		r.wrong = 0
		return
	}
	c.env.Counters.Add("parent_differs", 1)
	if at < r.since || r.heard.parent == r.choice.Now {
		r.wrong = 0
		return
	}
	if r.wrong++; r.wrong >= r.rules.Ticks {
		c.enter(r.heard.parent)
	}
}

// enter makes a vessel the parent, or none: the own cube's velocities become relative to
// it, and its place the one of its time.
func (c *client) enter(to int) {
	r, w := &c.rel, c.env.World
	b := *c.own()
	drawn := c.offset.Apply(b.Pose)
	was, next := r.frame, c.shownFrame(to)
	was.Leave(&b, 1)
	whole := b
	if was.On != next.On && r.handover != asFound {
		vessel, back := was, false
		if next.On {
			vessel, back = next, true
		}
		now := sim.Tick(max(int64(w.Tick())+c.shift, 0)).Moment()
		seconds := float32(float64(now-c.shown.Moment()) / float64(int64(w.Rate())*sim.MomentsPerTick))
		from, later := vessel, vessel.Later(seconds)
		if back {
			from, later = later, from
		}
		var turn geom.Quat
		whole.Pose, turn = from.Carry(&later, b.Pose)
		whole.Linear, whole.Angular = turn.Rotate(b.Linear), turn.Rotate(b.Angular)
		c.doses.turn(turn)
		way := whole.Pose.Pos.Sub(b.Pose.Pos)
		c.env.Counters.Set("handover_max_m", max(c.env.Counters.Value("handover_max_m"), float64(way.Len())))
		if r.handover == asDoses {
			d := difference{pos: way, rot: turn}
			c.doses.take(&d)
			whole.Pose = b.Pose
		}
	}
	next.Leave(&whole, -1)
	whole.Asleep = false
	c.set(whole)
	r.choice.Set(to)
	r.frame, r.since, r.wrong = next, w.Tick(), 0
	c.remember()
	if r.handover == asGlide && c.smooth.Mode != smoothing.None { // however far it is
		c.offset.Absorb(drawn, whole.Pose)
	}
	c.env.Counters.Set("parent", float64(to+1))
	c.env.Counters.Add("parent_switches", 1)
}

// shift adds a difference in the space of a parent to all entries from a tick on. Those
// of another parent get it turned: by how the two are shown now.
func (c *client) shiftPast(d *difference, of int, from, to sim.Tick) {
	f := c.shownFrame(of)
	other := difference{}
	for t := from; t <= to; t++ {
		e := c.past.At(t)
		switch {
		case e == nil:
		case e.parent == of:
			d.add(&e.Body)
		default:
			g := c.shownFrame(e.parent)
			other = d.along(&f).seen(&g)
			other.add(&e.Body)
		}
	}
	all := d.along(&f)
	c.doses.take(&all)
	if !c.rel.on {
		return
	}
	if of == frame.None {
		c.env.Counters.Add("corrections_to_world", 1)
	} else {
		c.env.Counters.Add("corrections_to_parent", 1)
	}
}

// along returns a difference in a vessel's space along the world's axes.
func (d *difference) along(f *frame.Frame) difference {
	if !f.On {
		return *d
	}
	r := f.Pose.Rot
	return d.by(r)
}

// seen undoes along.
func (d difference) seen(f *frame.Frame) difference {
	if !f.On {
		return d
	}
	return d.by(f.Pose.Rot.Inverse())
}

func (d *difference) by(r geom.Quat) difference {
	o := difference{pos: r.Rotate(d.pos), lin: r.Rotate(d.lin), ang: r.Rotate(d.ang), rot: d.rot}
	if d.rot != geom.Identity {
		o.rot = r.Mul(d.rot).Mul(r.Inverse()).Unit()
	}
	return o
}

// arrive returns the server's word of the own cube in the picture of the parent that the
// server knows, which becomes the client's.
func (c *client) arrive() sim.Body {
	r := &c.rel
	if !r.on {
		return c.shown.Receiver().Bodies[c.env.Player]
	}
	if r.choice.Now != r.heard.parent {
		c.env.Counters.Add("parent_switches", 1)
	}
	r.choice.Set(r.heard.parent)
	r.frame, r.since, r.wrong = c.shownFrame(r.choice.Now), c.env.World.Tick(), 0
	c.env.Counters.Set("parent", float64(r.choice.Now+1))
	b := c.shown.Receiver().Bodies[c.env.Player]
	if r.choice.Now == frame.None {
		return b
	}
	f := c.stateFrame(r.choice.Now) // all digits of it: it is the start of what follows
	b = f.Seen(&b)
	return r.frame.World(&b)
}

// lands reports whether the parent is shown where the newest state has it: then what
// rests there is shown where the server has it, too.
func (c *client) lands() bool {
	if c.rel.choice.Now == frame.None {
		return true
	}
	return c.rel.frame == c.stateFrame(c.rel.choice.Now)
}

func (r *relative) copyFrom(o *relative) {
	frames, seen := r.frames, append(r.seen[:0], o.seen...)
	copy(frames, o.frames)
	*r = *o
	r.frames, r.seen = frames, seen
}

// Parents tells of the parent for a picture of it.
func (c *client) lookParents(l *predict.Inspection) {
	r := &c.rel
	for i := range r.vessels {
		f := c.shownFrame(i)
		middle, half := r.rules.Widened(&r.vessels[i], i == r.choice.Now)
		box := predict.ParentBox{Pose: geom.Pose{Pos: f.Pose.Pos.Add(f.Facing(middle)), Rot: f.Pose.Rot}, Half: half, Parent: i == r.choice.Now}
		l.ParentBoxes = append(l.ParentBoxes, box)
	}
}
