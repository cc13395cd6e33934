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

// The ways in which a body goes over between a parent, which is interpolated and so in the past,
// and the world, in which it is predicted and so in the future.
const (
	handoverGradual = iota
	handoverSmooth
	handoverReconcile
)

// maxFrameAcceleration is beyond any parent, in m/s2: more is a jump of its interpolation.
const maxFrameAcceleration = 120

// Parent is the client's side: the parent of its player's body. As long as there is one, the body
// is simulated in the frame of the interpolated parent: that stands still in the client's world,
// in the past, the body's velocities are relative to it, and before each tick the body is moved
// along with it. Without one, Frame is the world's.
type Parent struct {
	settings   parentSettings
	state      parentState
	candidates []sim.ParentCandidate
	grid       codec.Grid
	frames     []Frame       // scratch: of the candidates, as they are interpolated
	touches    []sim.Contact // scratch
	others     *playback.InterpolatedWorld
	env        *predict.Env
}

type parentSettings struct {
	rules    Rules
	handover int
	inertia  bool
	predict  bool
}

type parentState struct {
	server      State // of the newest state
	started     bool  // one has arrived
	selector    Selector
	frame       Frame    // of the parent, interpolated, when the body was last moved along
	changedTick sim.Tick // of the client, in which the parent changed
	mismatches  int      // states in a row with another parent
}

// Declare tells env what may be tuned and what is counted. others interpolates the bodies that may
// be parents.
func (p *Parent) Declare(env *predict.Env, others *playback.InterpolatedWorld) {
	k, m, s := env.Knobs, env.Counters, &p.settings
	scene := env.World.Scene()
	p.env, p.others = env, others
	p.candidates, p.grid = scene.ParentCandidates(), Grid(scene)
	p.frames = make([]Frame, len(p.candidates))
	p.state.selector, p.state.server.Parent = NewSelector(), NoParent
	s.rules.Declare(k)
	k.Choice(&s.handover, "handover", handoverGradual, []string{"gradual", "smooth", "reconcile"}, "between a parent's past and the world's future a body goes gradually, at once and smoothed, or corrected")
	k.Bool(&s.inertia, "inertia", true, "a parent that accelerates or turns pushes the body that it carries; off: it moves it along, no more")
	k.Bool(&s.predict, "parent-predict", true, "the client leaves or changes its parent by its own world, before the server's state says so")
	m.Declare("parent", "the parent of the player's cube, counted from 1, now; 0 is none")
	m.Declare("parent_ticks", "ticks in which the player's cube had a parent")
	m.Declare("parent_switches", "changes of the parent")
	m.Declare("parent_predicted_switches", "changes of the parent by the client's own world")
	m.Declare("parent_mismatches", "states of a tick in which the client had another parent than the server")
	m.Declare("handover_max_m", "m between a parent's time and the world's at a change of frame, largest")
	m.Declare("corrections_in_parent_frame", "corrections in the frame of a parent")
	m.Declare("corrections_in_world_frame", "corrections in the world's frame")
}

// Read reads a state from a payload.
func (p *Parent) Read(c *quant.Coder) State {
	s := State{Parent: NoParent}
	s.Code(c, len(p.candidates), &p.grid)
	return s
}

// Receive takes in a state of the newest snapshot.
func (p *Parent) Receive(s *State) { p.state.server = *s }

// Current returns the index of the parent, or NoParent.
func (p *Parent) Current() int { return p.state.selector.Current }

// Frame returns the frame in which the body is predicted.
func (p *Parent) Frame() *Frame { return &p.state.frame }

// Interpolated returns the frame of a candidate as it is interpolated, or the world's.
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

// atServer returns the frame of a candidate in the newest state.
func (p *Parent) atServer(id int) Frame {
	in, v := p.others.Receiver(), &p.candidates[id]
	if v.Carrier >= 0 {
		return OfCarrier(p.env.World, v.Carrier, in.Tick.Moment())
	}
	return OfBody(&in.Bodies[v.Body])
}

// ServerBody returns the server's body of the player in the frame of a candidate. Of the server's
// own parent it is what was sent. Otherwise, and where the body sleeps, it follows from the poses
// of both in the snapshot, to the bit.
func (p *Parent) ServerBody(id int) sim.Body {
	b := p.others.Receiver().Bodies[p.env.Player]
	if id == NoParent {
		return b
	}
	if id == p.state.server.Parent && !b.Asleep {
		return p.state.server.Body
	}
	f := p.atServer(id)
	return f.Relative(&b)
}

// First reports, once, that the first state has a parent. The client takes it at once.
func (p *Parent) First() bool {
	if p.state.started {
		return false
	}
	p.state.started = true
	return p.state.server.Parent != NoParent
}

// AdoptServer takes the server's parent, and returns the server's body of the player in the frame
// of that parent as it is interpolated, along the world's axes.
func (p *Parent) AdoptServer() sim.Body {
	id := p.state.server.Parent
	if p.Current() != id {
		p.env.Counters.Add("parent_switches", 1)
	}
	p.set(id, p.Interpolated(id))
	b := p.others.Receiver().Bodies[p.env.Player]
	if id == NoParent {
		return b
	}
	f := p.atServer(id) // and not what was sent: all digits count for what follows
	b = f.Relative(&b)
	return p.state.frame.ToWorld(&b)
}

// set makes a candidate the parent.
func (p *Parent) set(id int, f Frame) {
	s := &p.state
	s.selector.Set(id)
	s.frame, s.changedTick, s.mismatches = f, p.env.World.Tick(), 0
	p.env.Counters.Set("parent", float64(id+1))
}

// AtServerPose reports whether the parent is interpolated where the newest state has it, as the
// world always is. Then what rests there is drawn where the server has it.
func (p *Parent) AtServerPose() bool {
	return p.Current() == NoParent || p.state.frame == p.atServer(p.Current())
}

// Carry moves the player's body along with its parent, as that has moved since the last call, and
// returns by what rotation. The body's velocity in the world stays, so its relative velocity
// changes as the parent's does; with inertia the next step knows that motion.
func (p *Parent) Carry() (turn geom.Quat) {
	if p.Current() == NoParent {
		return geom.Identity
	}
	w, player := p.env.World, p.env.Player
	before := p.state.frame
	p.state.frame = p.Interpolated(p.Current())
	after, b := &p.state.frame, w.Bodies()[player]
	if before == *after && (b.Asleep || before.isStillAt(b.Pose.Pos)) {
		return geom.Identity
	}
	next := b
	next.Pose, turn = before.MoveAlong(after, b.Pose)
	rate := float32(w.Rate())
	push := before.PointVelocity(b.Pose.Pos).Sub(after.PointVelocity(next.Pose.Pos.AddScaled(1/rate, b.Linear)))
	if p.settings.inertia && push.Len() < maxFrameAcceleration/rate {
		w.SetFrameMotion(player, sim.FrameMotion{
			Linear: after.PointVelocity(next.Pose.Pos), Angular: after.angular,
			Acceleration: push.Scale(rate), AngularAcceleration: before.angular.Sub(after.angular).Scale(rate),
		})
	} else {
		next.Linear, next.Angular = turn.Rotate(next.Linear), turn.Rotate(next.Angular)
	}
	if next != b {
		next.Asleep = false
		w.SetBody(player, next)
	}
	return turn
}

// isStillAt reports whether the parent does not move at a point of the world.
func (f *Frame) isStillAt(at geom.Vec3) bool {
	return f.PointVelocity(at) == geom.Vec3{} && f.angular == geom.Vec3{}
}

// Predict looks after a step whether the client's own world leaves or changes the parent, and
// returns to which. A body without a parent never gets one so: the candidates are interpolated,
// in the past, and the body is in the future, so only the server knows which are near each other.
func (p *Parent) Predict() (to int, changed bool) {
	if p.Current() == NoParent {
		return NoParent, false
	}
	p.env.Counters.Add("parent_ticks", 1)
	if !p.settings.predict {
		return NoParent, false
	}
	for i := range p.candidates {
		p.frames[i] = p.Interpolated(i)
	}
	w, player := p.env.World, p.env.Player
	b := w.Bodies()[player]
	p.state.frame.AddVelocity(&b, 1)
	p.touches = w.Contacts(p.touches[:0], player)
	next := p.state.selector
	if !next.Update(&p.settings.rules, &Surroundings{Candidates: p.candidates, Frames: p.frames, Touches: p.touches, Body: &b}) {
		p.state.selector = next
		return NoParent, false
	}
	p.env.Counters.Add("parent_predicted_switches", 1)
	return next.Current, true
}

// Follow compares the server's parent with the one that the client had in its tick at, and reports
// whether to take the server's: when it has been another one for some states in a row.
func (p *Parent) Follow(at sim.Tick, remembered int) (to int, changed bool) {
	s := &p.state
	if remembered == s.server.Parent {
		s.mismatches = 0
		return NoParent, false
	}
	p.env.Counters.Add("parent_mismatches", 1)
	if at < s.changedTick || s.server.Parent == p.Current() {
		s.mismatches = 0
		return NoParent, false
	}
	s.mismatches++
	return s.server.Parent, s.mismatches >= p.settings.rules.SwitchTicks
}

// Change makes a candidate, or none, the parent: the body's velocities become relative to it, and
// its pose that of its time. present is the server's moment that the body is predicted for. The
// body's pending correction turns with the body and takes up a gradual handover; smooth reports
// that the error offset is to hide the change.
func (p *Parent) Change(to int, present sim.Moment, pending *smoothing.Shift) (smooth bool) {
	w, player, mode := p.env.World, p.env.Player, p.settings.handover
	from, next := p.state.frame, p.Interpolated(to)
	b := w.Bodies()[player]
	from.AddVelocity(&b, 1)
	moved := b
	if from.IsParent != next.IsParent && mode != handoverReconcile {
		var turn geom.Quat
		moved, turn = p.changeTime(&from, &next, present, b)
		*pending = pending.Rotated(turn)
		way := moved.Pose.Pos.Sub(b.Pose.Pos)
		p.env.Counters.Set("handover_max_m", max(p.env.Counters.Value("handover_max_m"), float64(way.Len())))
		if mode == handoverGradual {
			pending.Add(&smoothing.Shift{Pos: way, Rot: turn})
			moved.Pose = b.Pose
		}
	}
	next.AddVelocity(&moved, -1)
	moved.Asleep = false
	w.SetBody(player, moved)
	p.set(to, next)
	p.env.Counters.Add("parent_switches", 1)
	return mode == handoverSmooth
}

// changeTime moves a body along with a parent between the moment at which that is interpolated and
// the present: forward if it leaves the parent, back if it enters.
func (p *Parent) changeTime(from, to *Frame, present sim.Moment, b sim.Body) (sim.Body, geom.Quat) {
	seconds := float32(float64(present-p.others.DisplayMoment()) / float64(int64(p.env.World.Rate())*sim.MomentsPerTick))
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

// CountCorrection counts a correction in the frame of a candidate, or the world's.
func (p *Parent) CountCorrection(id int) {
	if id == NoParent {
		p.env.Counters.Add("corrections_in_world_frame", 1)
	} else {
		p.env.Counters.Add("corrections_in_parent_frame", 1)
	}
}

// Inspect appends the boxes in which the player's body is looked for.
func (p *Parent) Inspect(l *predict.Inspection) {
	for i := range p.candidates {
		f, isParent := p.Interpolated(i), i == p.Current()
		middle, half := p.settings.rules.WidenedBox(&p.candidates[i], isParent)
		pose := geom.Pose{Pos: f.Pose.Pos.Add(f.WorldVector(middle)), Rot: f.Pose.Rot}
		l.ParentBoxes = append(l.ParentBoxes, predict.ParentBox{Pose: pose, Half: half, IsParent: isParent})
	}
}

// CopyFrom makes p an equal of o, all but its env.
func (p *Parent) CopyFrom(o *Parent) { p.settings, p.state = o.settings, o.state }
