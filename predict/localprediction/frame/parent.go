package frame

import (
	"slices"

	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/playback"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// maxFrameAcceleration is more than that of any parent, in m/s2. A larger one is a jump of the
// interpolation.
const maxFrameAcceleration = 120

// maxExpected is the longest time for which a parent is extrapolated, in seconds.
const maxExpected = 1

// Parent is the client's side: the parent of its player's body. A body with a parent is simulated
// in the frame of the interpolated parent, which is in the past and at rest in the client's world.
// The body's velocities are relative to the parent, and the body is moved along with it before each
// tick. Without a parent, Frame is the world's. A nil *Parent is that of a client that predicts in the
// world's frame: Current is always NoParent, and nothing is read, stored or changed.
type Parent struct {
	settings   parentSettings
	state      parentState
	candidates []Candidate
	motions    []motion // of the candidates, in the snapshots
	driven     []driven // the vehicles of the scene
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
	handover handoverSettings
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
	fade        fade     // of the last change of parent
	tickOffset  int64    // server tick that uses the input of a client tick, minus that
	changedTick sim.Tick // client tick of the last change of parent
	mismatches  int      // snapshots in a row with another parent
}

// Declare declares the knobs and counters. others interpolates the parent candidates.
func (p *Parent) Declare(env *predict.Env, others *playback.InterpolatedWorld) {
	k, m, s := env.Knobs, env.Counters, &p.settings
	scene := env.World.Scene()
	p.env, p.others = env, others
	p.candidates, p.grid = Candidates(scene), Grid(scene)
	p.scratch.frames, p.motions = make([]Frame, len(p.candidates)), make([]motion, len(p.candidates))
	for _, v := range scene.Vehicles {
		p.driven = append(p.driven, newDriven(scene, v, env.World.Rate()))
	}
	p.state.selector, p.state.server.Parent, p.state.body = NewSelector(), NoParent, env.Player
	s.rules.Declare(k)
	group := k.In(predict.FrameKnobs)
	s.handover.declare(k)
	group.Bool(&s.inertia, "inertia", true, "simulate the forces of an accelerating or rotating parent")
	group.Bool(&s.predict, "parent-predict", true, "predict changes of the parent from the client's world")
	p.counters.parent = m.New("parent", "parent of the player's cube, from 1, now; 0: none")
	p.counters.ticks = m.New("parent_ticks", "ticks with a parent")
	p.counters.switches = m.New("parent_switches", "changes of the parent")
	p.counters.predictedSwitches = m.New("parent_predicted_switches", "predicted changes of the parent")
	p.counters.mismatches = m.New("parent_mismatches", "snapshots with another parent than the client's")
	p.counters.handoverMax = m.New("handover_max_m", "largest distance between a parent's time and the world's at a handover, m")
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
	CodeRelayed(c, p.env.World.Scene(), &p.scratch.relayed)
	return s
}

// Receive stores the relative state that came with the newest snapshot.
func (p *Parent) Receive(s *State) {
	if p == nil {
		return
	}
	p.state.server = *s
	in, w := p.others.Receiver(), p.env.World
	for i := range p.motions {
		f := p.atServer(i)
		p.motions[i].add(in.Tick, &f, w.Rate())
	}
	for i := range p.driven {
		d, driver := &p.driven[i], slices.Index(in.Attachments.Vehicle[:], uint8(i+1))
		if driver < 0 || driver == p.env.Player {
			d.end()
			continue
		}
		d.begin(in.Tick, in.Bodies[d.body], in.LastInputs[driver], p.scratch.relayed.Of(driver), w.Settings)
	}
}

// SetBody sets the body that the player drives, its own or a vehicle. A vehicle is never its own parent.
func (p *Parent) SetBody(i int) {
	if p != nil {
		p.state.body = i
	}
}

// SetTickOffset sets the server tick that uses the input of a client tick, minus that tick.
func (p *Parent) SetTickOffset(ticks int64) { p.state.tickOffset = ticks }

// moment returns the server's moment at which the input of a client tick acts.
func (p *Parent) moment(t sim.Tick) sim.Moment {
	return sim.Tick(max(int64(t)+p.state.tickOffset, 0)).Moment()
}

// expected returns the frame that a candidate is expected to have at the moment at which the input of a client tick
// acts.
func (p *Parent) expected(id int, t sim.Tick) Frame {
	if id == NoParent || !p.motions[id].known {
		return p.Interpolated(id)
	}
	m, rate := &p.motions[id], p.env.World.Rate()
	ahead := min(max(p.moment(t)-m.tick.Moment(), 0), maxExpected*sim.Tick(rate).Moment())
	if d := p.drivenParent(id); d != nil {
		return d.at(int(ahead.Tick()))
	}
	return m.at(ahead.Seconds(rate))
}

// drivenParent returns the expectation of a candidate if it is the parent, another player drives it, and the body is
// in its box; otherwise nil. Far from it, a sudden change of the expectation would move the body more than it is worth.
func (p *Parent) drivenParent(id int) *driven {
	if id == NoParent || id != p.Current() {
		return nil
	}
	v, at := &p.candidates[id], p.env.World.Bodies()[p.state.body].Pose.Pos
	for i := range p.driven {
		if d := &p.driven[i]; d.body == v.Body && len(d.frames) > 0 && v.Contains(p.state.frame.LocalPoint(at), insideMargin) {
			return d
		}
	}
	return nil
}

// Replays reports whether the newest snapshot tells inputs of the parent's driver that were not expected. The
// ticks since are to be replayed then, although the server's states do not differ yet.
func (p *Parent) Replays() bool {
	d := p.drivenParent(p.Current())
	return d != nil && d.changed
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

// IsCurrent reports whether a body is the parent.
func (p *Parent) IsCurrent(body int) bool {
	return p.Current() != NoParent && p.candidates[p.Current()].Body == body
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

// Change makes a candidate, or NoParent, the parent. The body's velocities become relative to it, and its pose moves to
// the time of the new frame. The pending correction turns with the body, and absorbs a gradual handover.
// faster is the body's velocity in the picture before the change minus that after it, in m/s.
func (p *Parent) Change(to int, pending *smoothing.Shift) (faster geom.Vec3) {
	w, player := p.env.World, p.state.body
	from, next := p.state.frame, p.Interpolated(to)
	b := w.Bodies()[player]
	moved, turn := p.changed(p.Current(), to, &from, &next, w.Tick(), b)
	*pending = pending.Rotated(turn)
	way := moved.Pose.Pos.Sub(b.Pose.Pos)
	p.counters.handoverMax.Max(float64(way.Len()))
	if p.settings.handover.method == handoverGradual {
		pending.Add(&smoothing.Shift{Pos: way, Rot: turn})
		moved.Pose = b.Pose
	}
	moved.Asleep = false
	w.SetBody(player, moved)
	p.set(to, next)
	p.counters.switches.Inc()
	from.AddVelocity(&b, 1)
	next.AddVelocity(&moved, 1)
	return b.Linear.Sub(moved.Linear)
}

// Fade makes the picture of the body, which was drawn at a pose before a change of parent and would be
// drawn at another after it, move from the one to the other. faster is the result of Change.
func (p *Parent) Fade(before, after geom.Pose, faster geom.Vec3) {
	if p.settings.handover.method == handoverFade {
		rate := p.env.World.Rate()
		p.state.fade.begin(before, after, faster, int(sim.MomentOfMillis(p.settings.handover.time, rate).NearestTick()), rate)
	}
}

// Absorb makes a fading handover absorb that the body, which was to be drawn at a pose, is at another one now. It
// reports false if no handover is fading.
func (p *Parent) Absorb(drawn, now geom.Pose) bool {
	return p != nil && p.state.fade.absorb(drawn, now)
}

// Drawn returns the pose at which a body is drawn that would be drawn at another without a handover.
func (p *Parent) Drawn(at geom.Pose) geom.Pose {
	if p == nil {
		return at
	}
	return p.state.fade.apply(at)
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
func (p *Parent) CopyFrom(o *Parent) {
	p.settings, p.state = o.settings, o.state
	p.motions = append(p.motions[:0], o.motions...)
	for i := range o.driven {
		p.driven[i].copyFrom(&o.driven[i])
	}
}
