package frame

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/playback"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// The handovers of a body between a parent, which is interpolated and so in the past, and the
// world, in which the body is predicted and so in the future.
const (
	handoverGradual = iota
	handoverSmooth
	handoverReconcile
)

// maxFrameAcceleration is more than that of any parent, in m/s2. A larger one is a jump of the
// interpolation.
const maxFrameAcceleration = 120

// Parent is the client's side: the parent of its player's body. A body with a parent is simulated
// in the frame of the interpolated parent, which is in the past and at rest in the client's world.
// The body's velocities are relative to the parent, and the body is moved along with it before each
// tick. Without a parent, Frame is the world's. A nil *Parent is that of a client that predicts in the
// world's frame: Current is always NoParent, and nothing is read, stored or changed.
type Parent struct {
	settings   parentSettings
	state      parentState
	candidates []Candidate
	grid       codec.Grid
	scratch    scratch // frames of the candidates, as they are interpolated
	counters   parentCounters
	others     *playback.InterpolatedWorld
	env        *predict.Env
}

// parentCounters are what a Parent counts.
type parentCounters struct {
	parent, ticks, switches, predictedSwitches, mismatches, handoverMax predict.Counter
	inParentFrame, inWorldFrame                                         predict.Counter // corrections
}

type parentSettings struct {
	rules    Rules
	handover int
	inertia  bool
	predict  bool
}

type parentState struct {
	body        int   // that the player drives
	server      State // of the newest snapshot
	started     bool  // StartsWithParent has been called
	selector    Selector
	frame       Frame    // of the interpolated parent when the body was last moved along
	before      Frame    // of the same parent, before that
	start       sim.Body // the body, before that
	moved       bool     // since the last EndTick
	handover    float32  // seconds between the two times of the last change of parent
	changedTick sim.Tick // client tick of the last change of parent
	mismatches  int      // snapshots in a row with another parent
}

// Declare declares the knobs and counters. others interpolates the parent candidates.
func (p *Parent) Declare(env *predict.Env, others *playback.InterpolatedWorld) {
	k, m, s := env.Knobs, env.Counters, &p.settings
	scene := env.World.Scene()
	p.env, p.others = env, others
	p.candidates, p.grid = Candidates(scene), Grid(scene)
	p.scratch.frames = make([]Frame, len(p.candidates))
	p.state.selector, p.state.server.Parent, p.state.body = NewSelector(), NoParent, env.Player
	s.rules.Declare(k)
	group := k.In(predict.FrameKnobs)
	group.Choice(&s.handover, "handover", handoverGradual, []string{"gradual", "smooth", "reconcile"},
		"move from a parent's past to the world's future, or back: gradually, smoothed, or by later corrections")
	group.Bool(&s.inertia, "inertia", true, "simulate the forces on a body in an accelerating or rotating parent; off: only move it along")
	group.Bool(&s.predict, "parent-predict", true, "predict from the client's world that the cube leaves or changes its parent, before the server's state arrives")
	p.counters.parent = m.New("parent", "parent of the player's cube, counted from 1, now; 0: none")
	p.counters.ticks = m.New("parent_ticks", "ticks in which the player's cube had a parent")
	p.counters.switches = m.New("parent_switches", "changes of the parent")
	p.counters.predictedSwitches = m.New("parent_predicted_switches", "changes of the parent predicted from the client's world")
	p.counters.mismatches = m.New("parent_mismatches", "snapshots of ticks in which the client had another parent than the server")
	p.counters.handoverMax = m.New("handover_max_m", "distance between a parent's time and the world's at a change of frame, m, largest")
	p.counters.inParentFrame = m.New("corrections_in_parent_frame", "corrections in the frame of a parent")
	p.counters.inWorldFrame = m.New("corrections_in_world_frame", "corrections in the world's frame")
}

// Read reads the player's relative state from a payload.
func (p *Parent) Read(c *quant.Coder) State {
	s := State{Parent: NoParent}
	if p == nil {
		return s
	}
	s.Code(c, len(p.candidates), &p.grid)
	return s
}

// Receive stores the relative state that came with the newest snapshot.
func (p *Parent) Receive(s *State) {
	if p != nil {
		p.state.server = *s
	}
}

// SetBody sets the body that the player drives, its own or a vehicle. A vehicle is no parent of itself.
func (p *Parent) SetBody(i int) {
	if p != nil {
		p.state.body = i
	}
}

// Current returns the index of the parent, or NoParent.
func (p *Parent) Current() int {
	if p == nil {
		return NoParent
	}
	return p.state.selector.Current
}

// Frame returns the frame in which the body is predicted.
func (p *Parent) Frame() *Frame {
	if p == nil {
		return &Frame{}
	}
	return &p.state.frame
}

// Interpolated returns the frame of an interpolated candidate; that of NoParent is the world's.
func (p *Parent) Interpolated(id int) Frame {
	if id == NoParent {
		return Frame{}
	}
	v := &p.candidates[id]
	if v.Carrier >= 0 {
		return OfCarrier(p.env.World, v.Carrier, p.others.DisplayMoment())
	}
	b := p.others.Body(v.Body)
	return OfBody(&b)
}

// atServer returns the frame of a candidate in the newest snapshot.
func (p *Parent) atServer(id int) Frame {
	in, v := p.others.Receiver(), &p.candidates[id]
	if v.Carrier >= 0 {
		return OfCarrier(p.env.World, v.Carrier, in.Tick.Moment())
	}
	return OfBody(&in.Bodies[v.Body])
}

// ServerBody returns the server's state of the player's body in the frame of a candidate. In the
// frame of the server's parent that is the received relative state. For any other candidate, and
// for a sleeping body, it is computed from the exact states of both in the snapshot.
func (p *Parent) ServerBody(id int) sim.Body {
	b := p.others.Receiver().Bodies[p.state.body]
	if id == NoParent {
		return b
	}
	if id == p.state.server.Parent && !b.Asleep {
		return p.state.server.Body
	}
	f := p.atServer(id)
	return f.Relative(&b)
}

// StartsWithParent reports, at its first call only, whether the body has a parent at the server.
func (p *Parent) StartsWithParent() bool {
	if p.state.started {
		return false
	}
	p.state.started = true
	return p.state.server.Parent != NoParent
}

// AdoptServer changes to the server's parent, and returns the server's state of the player's body
// relative to the interpolated parent, along the world's axes.
func (p *Parent) AdoptServer() sim.Body {
	id := p.state.server.Parent
	if p.Current() != id {
		p.counters.switches.Inc()
	}
	p.set(id, p.Interpolated(id))
	b := p.others.Receiver().Bodies[p.state.body]
	if id == NoParent {
		return b
	}
	f := p.atServer(id) // exact, unlike the quantised relative state
	b = f.Relative(&b)
	return p.state.frame.ToWorld(&b)
}

// set makes a candidate the parent, with its interpolated frame.
func (p *Parent) set(id int, f Frame) {
	s := &p.state
	s.selector.Set(id)
	s.frame, s.before, s.moved, s.changedTick, s.mismatches = f, f, false, p.env.World.Tick(), 0
	p.counters.parent.Set(float64(id + 1))
}

// AtServerPose reports whether the interpolated parent has the pose of the newest snapshot, which is
// always true of the world. Only then is a body that sleeps on it drawn where the server has it.
func (p *Parent) AtServerPose() bool {
	return p.Current() == NoParent || p.state.frame == p.atServer(p.Current())
}

// MoveAlong moves the player's body as its parent has moved since the last call, and returns the
// rotation of that motion. With inertia, the body keeps its velocity in the world, so the next step
// applies the acceleration of the parent to its relative velocity; without, it keeps the relative
// one.
func (p *Parent) MoveAlong() (turn geom.Quat) {
	if p.Current() == NoParent {
		return geom.Identity
	}
	s := &p.state
	s.before, s.frame = s.frame, p.Interpolated(p.Current())
	s.start, s.moved = p.env.World.Bodies()[s.body], true
	return moveAlong(p.env.World.World, s.body, &s.before, &s.frame, p.settings.inertia)
}

// moveAlong moves body i of a world as the parent moves from one frame to the next.
func moveAlong(w *sim.World, i int, from, to *Frame, inertia bool) (turn geom.Quat) {
	b := w.Bodies()[i]
	if *from == *to && (b.Asleep || from.isStillAt(b.Pose.Pos)) {
		return geom.Identity
	}
	next := b
	next.Pose, turn = from.MoveAlong(to, b.Pose)
	rate := float32(w.Rate())
	push := from.PointVelocity(b.Pose.Pos).Sub(to.PointVelocity(next.Pose.Pos.AddScaled(1/rate, b.Linear)))
	if inertia && push.Len() < maxFrameAcceleration/rate {
		w.SetFrameMotion(i, sim.FrameMotion{
			Linear: to.PointVelocity(next.Pose.Pos), Angular: to.angular,
			Acceleration: push.Scale(rate), AngularAcceleration: from.angular.Sub(to.angular).Scale(rate),
		})
	} else {
		next.Linear, next.Angular = turn.Rotate(next.Linear), turn.Rotate(next.Angular)
	}
	if next != b {
		next.Asleep = false
		w.SetBody(i, next)
	}
	return turn
}

// Passage is how the body's frame changes in one tick, for a replay of that tick.
type Passage struct {
	Before   Frame   // at the beginning of the tick
	During   Frame   // of the same parent, after the body was moved along
	handover float32 // seconds between the two times, if the parent changed before the tick
}

// Passage returns the passage of the tick that is about to be stepped, and the body before it was
// moved along.
func (p *Parent) Passage() (Passage, sim.Body) {
	s := &p.state
	start := p.env.World.Bodies()[s.body]
	if s.moved {
		start = s.start
	}
	return Passage{s.before, s.frame, s.handover}, start
}

// EndTick ends a tick. A further one that is stepped at the same moment does not move the body along.
func (p *Parent) EndTick() { p.state.before, p.state.moved = p.state.frame, false }

// Replay moves body i of a world along with the parent, as MoveAlong did in the tick of a passage in
// the frame of a parent.
func (p *Parent) Replay(w *sim.World, i int, tick *Passage) {
	moveAlong(w, i, &tick.Before, &tick.During, p.settings.inertia)
}

// ReplayRider moves another body of a world along with the parent in the tick of a passage. Only one
// body at a time has the forces of a moving frame, so the rider keeps its relative velocity.
func (p *Parent) ReplayRider(w *sim.World, i int, tick *Passage) {
	moveAlong(w, i, &tick.Before, &tick.During, false)
}

// AppendRelative appends to dst the bodies of the newest snapshot, relative to the present parent at
// the snapshot's tick. A parent that is a body is at rest at the origin.
func (p *Parent) AppendRelative(dst, bodies []sim.Body) []sim.Body {
	f := Frame{}
	if p.Current() != NoParent {
		f = p.atServer(p.Current())
	}
	for i := range bodies {
		dst = append(dst, f.Relative(&bodies[i]))
	}
	return dst
}

// IsCurrent reports whether a body is the parent.
func (p *Parent) IsCurrent(body int) bool {
	return p.Current() != NoParent && p.candidates[p.Current()].Body == body
}

// ReplayChange changes a body from the frame of a replayed tick to that of the next one, if the
// parent changed between the two.
func (p *Parent) ReplayChange(tick, next *Passage, b sim.Body) sim.Body {
	from, to := &tick.During, &next.Before
	if *from == *to {
		return b
	}
	from.AddVelocity(&b, 1)
	if from.IsParent != to.IsParent && p.settings.handover != handoverReconcile {
		b, _ = changeTime(from, to, next.handover, b)
	}
	to.AddVelocity(&b, -1)
	b.Asleep = false
	return b
}

// isStillAt reports whether the parent is at rest at a point of the world.
func (f *Frame) isStillAt(at geom.Vec3) bool {
	return f.PointVelocity(at) == geom.Vec3{} && f.angular == geom.Vec3{}
}

// Predict applies the rules to the client's world after a step, and reports whether the parent
// changes. A body without a parent never gets one here: the candidates are in the past and the
// body is in the future, so only the server knows which of them are near each other.
func (p *Parent) Predict(pending *smoothing.Shift) (to int, changed bool) {
	if p.Current() == NoParent {
		return NoParent, false
	}
	p.counters.ticks.Inc()
	if !p.settings.predict || pending.Pos.Len() > float32(p.settings.rules.Margin) {
		return NoParent, false
	}
	for i := range p.candidates {
		p.scratch.frames[i] = p.Interpolated(i)
	}
	w, player := p.env.World, p.state.body
	b := w.Bodies()[player]
	pending.ApplyTo(&b)
	p.state.frame.AddVelocity(&b, 1)
	p.scratch.touches = w.AppendContacts(p.scratch.touches[:0], player)
	next := p.state.selector
	around := Surroundings{
		Candidates: p.candidates, Frames: p.scratch.frames, Touches: p.scratch.touches,
		Body: &b, BodyIndex: player,
	}
	if !next.Update(&p.settings.rules, &around) {
		p.state.selector = next
		return NoParent, false
	}
	p.counters.predictedSwitches.Inc()
	return next.Current, true
}

// Follow compares the server's parent with the one remembered of the client tick at, and reports
// whether to adopt the server's, because it has differed in several snapshots in a row.
func (p *Parent) Follow(at sim.Tick, remembered int) (to int, changed bool) {
	s := &p.state
	if remembered == s.server.Parent {
		s.mismatches = 0
		return NoParent, false
	}
	p.counters.mismatches.Inc()
	if at < s.changedTick || s.server.Parent == p.Current() {
		s.mismatches = 0
		return NoParent, false
	}
	s.mismatches++
	return s.server.Parent, s.mismatches >= p.settings.rules.SwitchTicks
}

// Change makes a candidate, or NoParent, the parent. The body's velocities become relative to it,
// and its pose moves to the time of the new frame. present is the server's moment that the body is
// predicted for. The pending correction turns with the body, and absorbs a gradual handover. smooth
// reports that the error offset has to hide the change.
func (p *Parent) Change(to int, present sim.Moment, pending *smoothing.Shift) (smooth bool) {
	w, player, mode := p.env.World, p.state.body, p.settings.handover
	from, next := p.state.frame, p.Interpolated(to)
	b := w.Bodies()[player]
	from.AddVelocity(&b, 1)
	moved := b
	if from.IsParent != next.IsParent && mode != handoverReconcile {
		var turn geom.Quat
		p.state.handover = (present - p.others.DisplayMoment()).Seconds(w.Rate())
		moved, turn = changeTime(&from, &next, p.state.handover, b)
		*pending = pending.Rotated(turn)
		way := moved.Pose.Pos.Sub(b.Pose.Pos)
		p.counters.handoverMax.Max(float64(way.Len()))
		if mode == handoverGradual {
			pending.Add(&smoothing.Shift{Pos: way, Rot: turn})
			moved.Pose = b.Pose
		}
	}
	next.AddVelocity(&moved, -1)
	moved.Asleep = false
	w.SetBody(player, moved)
	p.set(to, next)
	p.counters.switches.Inc()
	return mode == handoverSmooth
}

// changeTime moves a body along with a parent by the seconds between the moment of the interpolation
// and the present: forward if the body leaves the parent, back if it enters.
func changeTime(from, to *Frame, seconds float32, b sim.Body) (sim.Body, geom.Quat) {
	var turn geom.Quat
	if from.IsParent {
		now := from.Extrapolate(seconds)
		b.Pose, turn = from.MoveAlong(&now, b.Pose)
	} else {
		now := to.Extrapolate(seconds)
		b.Pose, turn = now.MoveAlong(to, b.Pose)
	}
	b.Linear, b.Angular = turn.Rotate(b.Linear), turn.Rotate(b.Angular)
	return b, turn
}

// CountCorrection counts a correction in the frame of a candidate or of NoParent.
func (p *Parent) CountCorrection(id int) {
	if id == NoParent {
		p.counters.inWorldFrame.Inc()
	} else {
		p.counters.inParentFrame.Inc()
	}
}

// Inspect appends the widened boxes of the candidates.
func (p *Parent) Inspect(l *predict.Inspection) {
	for i := range p.candidates {
		f, isParent := p.Interpolated(i), i == p.Current()
		middle, half := p.settings.rules.WidenedBox(&p.candidates[i], isParent)
		pose := geom.Pose{Pos: f.Pose.Pos.Add(f.WorldVector(middle)), Rot: f.Pose.Rot}
		l.ParentBoxes = append(l.ParentBoxes, predict.ParentBox{Pose: pose, Half: half, IsParent: isParent})
	}
}

// CopyFrom makes p a copy of o, except for its env.
func (p *Parent) CopyFrom(o *Parent) { p.settings, p.state = o.settings, o.state }
