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
	handoverGradual = iota
	handoverSmooth
	handoverReconcile
)

// maxFrameAcceleration is above what any vessel does, in m/s2: what is more is a jump of its picture.
const maxFrameAcceleration = 120

// parentFrame is the client's side of parents. As long as the own cube has one, it is
// simulated in the picture of that: the vessel stands still in it, in the past, the cube's
// velocities are relative, and before each tick it is moved as the vessel was.
type parentFrame struct {
	enabled    bool
	rules      frame.Rules
	candidates []sim.ParentCandidate
	grid       codec.Grid
	handover   int
	inertia    bool
	predict    bool

	serverState   parentState    // by the newest state
	started       bool           // one has come
	selector      frame.Selector // of the parent now
	frame         frame.Frame    // of it, as it was shown when the own cube was moved last
	changedTick   sim.Tick       // our tick in which it became the parent
	mismatchCount int            // states in a row that know another one
	frames        []frame.Frame  // of the vessels, as they are shown
	touches       []sim.Contact
	worldBody     sim.Body // the own cube, with the world's velocities: what is chosen by
}

func (c *client) declareParent() {
	r, k, m := &c.parent, c.env.Knobs, c.env.Counters
	scene := c.env.World.Scene()
	r.enabled, r.candidates, r.grid = true, scene.ParentCandidates(), parentGrid(scene)
	r.frames = make([]frame.Frame, len(r.candidates))
	r.selector, r.serverState.parent = frame.NewSelector(), frame.NoParent
	r.rules.Declare(k)
	k.Choice(&r.handover, "handover", handoverGradual, []string{"gradual", "smooth", "reconcile"}, "a parent is seen in the past, the world's own cube is in the future: how it gets from one to the other. By where the parent would be by then, in doses; at once, and the picture by smoothing; or it stays, and the next states find that it is wrong, as in the article")
	k.Bool(&r.inertia, "inertia", true, "what a parent that speeds up or turns does to what it carries is simulated; without, the own cube is moved along and that is all")
	k.Bool(&r.predict, "parent-predict", true, "the client leaves or changes its parent by its own world, before the server's word of it is there; that counts where it stays another one")
	m.Declare("parent", "which parent the own cube has, now, counted from 1; 0 is none")
	m.Declare("parent_ticks", "ticks that the own cube had one")
	m.Declare("parent_switches", "times that it got another one, or none")
	m.Declare("parent_predicted_switches", "of those, the ones by the client's own world")
	m.Declare("parent_mismatches", "states of a tick for which the client had another parent than the server")
	m.Declare("handover_max_m", "metres between a parent's time and the world's where the own cube went from one to the other, most")
	m.Declare("corrections_in_parent_frame", "of the corrections, those in the space of a parent")
	m.Declare("corrections_in_world_frame", "of the corrections, those in the world's")
}

// interpolatedFrame returns the frame of a vessel as it is shown.
func (c *client) interpolatedFrame(id int) frame.Frame {
	if id == frame.NoParent {
		return frame.Frame{}
	}
	v := &c.parent.candidates[id]
	if v.Carrier >= 0 {
		return frame.OfCarrier(c.env.World, v.Carrier, c.interpolated.DisplayMoment())
	}
	b := c.interpolated.Body(v.Body)
	return frame.OfBody(&b)
}

// told returns the server's word of the own cube as a vessel saw it then. If that is the
// parent that the server knows, it is what came; else it is made of where the state has
// the two, and so it is where something sleeps, to the bit.
func (c *client) serverBodyIn(id int) sim.Body {
	in := c.interpolated.Receiver()
	b := in.Bodies[c.env.Player]
	if id == frame.NoParent {
		return b
	}
	if id == c.parent.serverState.parent && !b.Asleep {
		return c.parent.serverState.body
	}
	f := c.serverFrame(id)
	return f.Relative(&b)
}

// serverFrame returns the frame of a vessel in the newest state.
func (c *client) serverFrame(id int) frame.Frame {
	in, v := c.interpolated.Receiver(), &c.parent.candidates[id]
	if v.Carrier >= 0 {
		return frame.OfCarrier(c.env.World, v.Carrier, in.Tick.Moment())
	}
	return frame.OfBody(&in.Bodies[v.Body])
}

// adoptFirstParent takes the first state's word of a parent, and the own cube as it has it: a client
// that begins in a ship under way does not wait to be sure.
func (c *client) adoptFirstParent(news bool) {
	r := &c.parent
	if !r.enabled || r.started || !news {
		return
	}
	if r.started = true; r.serverState.parent != frame.NoParent {
		c.teleport(c.adoptServerParent())
	}
}

// moveWithParent moves the own cube as its parent has been moved since the last tick. Its
// velocities stay as they are in the world, so what is relative changes by what the
// parent's change; and the air, which does not go along, blows.
func (c *client) moveWithParent() {
	r := &c.parent
	if r.selector.Current == frame.NoParent {
		return
	}
	was := r.frame
	r.frame = c.interpolatedFrame(r.selector.Current)
	b := *c.playerBody()
	still := geom.Vec3{}
	if was == r.frame && (b.Asleep || was.PointVelocity(b.Pose.Pos) == still && was.AngularVelocity() == still) {
		return
	}
	next := b
	var turn geom.Quat
	next.Pose, turn = was.MoveAlong(&r.frame, b.Pose)
	w := c.env.World
	rate := float32(w.Rate())
	old, now := was.PointVelocity(b.Pose.Pos), r.frame.PointVelocity(next.Pose.Pos.AddScaled(1/rate, b.Linear))
	push := old.Sub(now)
	if r.inertia && push.Len() < maxFrameAcceleration/rate {
		w.SetFrameMotion(c.env.Player, sim.FrameMotion{
			Linear: r.frame.PointVelocity(next.Pose.Pos), Angular: r.frame.AngularVelocity(),
			Acceleration: push.Scale(rate), AngularAcceleration: was.AngularVelocity().Sub(r.frame.AngularVelocity()).Scale(rate),
		})
	} else {
		next.Linear, next.Angular = turn.Rotate(next.Linear), turn.Rotate(next.Angular)
	}
	if next != b {
		next.Asleep = false
		c.setPlayerBody(next)
	}
	if turn != geom.Identity {
		c.own.Pending = c.own.Pending.Rotated(turn)
		c.own.ErrorOffset.Pos = turn.Rotate(c.own.ErrorOffset.Pos)
	}
}

// predictParent leaves or changes the parent by what the client's own world knows. Who has none
// does not choose: others are shown where they were, and the own cube is where it will
// be, so only the server knows who is near whom.
func (c *client) predictParent() {
	r := &c.parent
	if r.selector.Current == frame.NoParent {
		return
	}
	c.env.Counters.Add("parent_ticks", 1)
	if !r.predict {
		return
	}
	for i := range r.candidates {
		r.frames[i] = c.interpolatedFrame(i)
	}
	r.worldBody = *c.playerBody()
	r.frame.AddVelocity(&r.worldBody, 1)
	r.touches = c.env.World.Contacts(r.touches[:0], c.env.Player)
	was := r.selector
	if r.selector.Update(&r.rules, &frame.Surroundings{Candidates: r.candidates, Frames: r.frames, Touches: r.touches, Body: &r.worldBody}) {
		to := r.selector.Current
		r.selector = was
		c.env.Counters.Add("parent_predicted_switches", 1)
		c.changeParent(to)
	}
}

// followServerParent takes the server's word of who the parent is, where that has known for a while
// another one than the client had for the same tick.
func (c *client) followServerParent(at sim.Tick) {
	r := &c.parent
	e := c.history.Find(at)
	if !r.enabled || e == nil || c.chain.Active() {
		return
	}
	if e.parent == r.serverState.parent {
		r.mismatchCount = 0
		return
	}
	c.env.Counters.Add("parent_mismatches", 1)
	if at < r.changedTick || r.serverState.parent == r.selector.Current {
		r.mismatchCount = 0
		return
	}
	if r.mismatchCount++; r.mismatchCount >= r.rules.SwitchTicks {
		c.changeParent(r.serverState.parent)
	}
}

// changeParent makes a vessel the parent, or none: the own cube's velocities become relative to
// it, and its place the one of its time.
func (c *client) changeParent(to int) {
	r, w := &c.parent, c.env.World
	b := *c.playerBody()
	drawn := c.own.ErrorOffset.Apply(b.Pose)
	was, next := r.frame, c.interpolatedFrame(to)
	was.AddVelocity(&b, 1)
	whole := b
	if was.IsParent != next.IsParent && r.handover != handoverReconcile {
		vessel, back := was, false
		if next.IsParent {
			vessel, back = next, true
		}
		now := c.log.ServerTick(w.Tick()).Moment()
		seconds := float32(float64(now-c.interpolated.DisplayMoment()) / float64(int64(w.Rate())*sim.MomentsPerTick))
		from, later := vessel, vessel.Extrapolate(seconds)
		if back {
			from, later = later, from
		}
		var turn geom.Quat
		whole.Pose, turn = from.MoveAlong(&later, b.Pose)
		whole.Linear, whole.Angular = turn.Rotate(b.Linear), turn.Rotate(b.Angular)
		c.own.Pending = c.own.Pending.Rotated(turn)
		way := whole.Pose.Pos.Sub(b.Pose.Pos)
		c.env.Counters.Set("handover_max_m", max(c.env.Counters.Value("handover_max_m"), float64(way.Len())))
		if r.handover == handoverGradual {
			d := smoothing.Shift{Pos: way, Rot: turn}
			c.own.Pending.Add(&d)
			whole.Pose = b.Pose
		}
	}
	next.AddVelocity(&whole, -1)
	whole.Asleep = false
	c.setPlayerBody(whole)
	r.selector.Set(to)
	r.frame, r.changedTick, r.mismatchCount = next, w.Tick(), 0
	c.record()
	if r.handover == handoverSmooth && c.smooth.Mode != smoothing.None { // however far it is
		c.own.ErrorOffset.Absorb(drawn, whole.Pose)
	}
	c.env.Counters.Set("parent", float64(to+1))
	c.env.Counters.Add("parent_switches", 1)
}

// shift adds a difference in the space of a parent to all entries from a tick on. Those
// of another parent get it turned: by how the two are shown now.
func (c *client) shiftHistory(d *smoothing.Shift, of int, from, to sim.Tick) {
	f := c.interpolatedFrame(of)
	other := smoothing.Shift{}
	for e := range c.history.Between(from, to) {
		if e.parent == of {
			d.ApplyTo(&e.Body)
			continue
		}
		g := c.interpolatedFrame(e.parent)
		other = toFrame(toWorld(d, &f), &g)
		other.ApplyTo(&e.Body)
	}
	all := toWorld(d, &f)
	c.own.Pending.Add(&all)
	if !c.parent.enabled {
		return
	}
	if of == frame.NoParent {
		c.env.Counters.Add("corrections_in_world_frame", 1)
	} else {
		c.env.Counters.Add("corrections_in_parent_frame", 1)
	}
}

// toWorld returns a difference in a vessel's space along the world's axes.
func toWorld(d *smoothing.Shift, f *frame.Frame) smoothing.Shift {
	if !f.IsParent {
		return *d
	}
	return d.Rotated(f.Pose.Rot)
}

// toFrame undoes along.
func toFrame(d smoothing.Shift, f *frame.Frame) smoothing.Shift {
	if !f.IsParent {
		return d
	}
	return d.Rotated(f.Pose.Rot.Inverse())
}

// adoptServerParent returns the server's word of the own cube in the picture of the parent that the
// server knows, which becomes the client's.
func (c *client) adoptServerParent() sim.Body {
	r := &c.parent
	if !r.enabled {
		return c.interpolated.Receiver().Bodies[c.env.Player]
	}
	if r.selector.Current != r.serverState.parent {
		c.env.Counters.Add("parent_switches", 1)
	}
	r.selector.Set(r.serverState.parent)
	r.frame, r.changedTick, r.mismatchCount = c.interpolatedFrame(r.selector.Current), c.env.World.Tick(), 0
	c.env.Counters.Set("parent", float64(r.selector.Current+1))
	b := c.interpolated.Receiver().Bodies[c.env.Player]
	if r.selector.Current == frame.NoParent {
		return b
	}
	f := c.serverFrame(r.selector.Current) // all digits of it: it is the start of what follows
	b = f.Relative(&b)
	return r.frame.ToWorld(&b)
}

// parentAtServerPose reports whether the parent is shown where the newest state has it: then what
// rests there is shown where the server has it, too.
func (c *client) parentAtServerPose() bool {
	if c.parent.selector.Current == frame.NoParent {
		return true
	}
	return c.parent.frame == c.serverFrame(c.parent.selector.Current)
}

func (r *parentFrame) copyFrom(o *parentFrame) {
	frames, seen := r.frames, append(r.touches[:0], o.touches...)
	copy(frames, o.frames)
	*r = *o
	r.frames, r.touches = frames, seen
}

// Parents tells of the parent for a picture of it.
func (c *client) inspectParents(l *predict.Inspection) {
	r := &c.parent
	for i := range r.candidates {
		f := c.interpolatedFrame(i)
		middle, half := r.rules.WidenedBox(&r.candidates[i], i == r.selector.Current)
		box := predict.ParentBox{Pose: geom.Pose{Pos: f.Pose.Pos.Add(f.WorldVector(middle)), Rot: f.Pose.Rot}, Half: half, IsParent: i == r.selector.Current}
		l.ParentBoxes = append(l.ParentBoxes, box)
	}
}
