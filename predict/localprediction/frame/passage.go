package frame

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// MoveAlong moves the player's body as its parent has moved since the last call, and returns the
// rotation of that motion. With inertia, the body keeps its velocity in the world, so the next step
// applies the acceleration of the parent to its relative velocity; without, it keeps the relative
// one.
func (p *Parent) MoveAlong() (turn geom.Quat) {
	s := &p.state
	s.fade.advance()
	if p.Current() == NoParent {
		return geom.Identity
	}
	s.before, s.frame = s.frame, p.Interpolated(p.Current())
	s.start, s.moved = p.env.World.Bodies()[s.body], true
	return p.moveAlong(p.env.World.World, s.body, &Passage{s.before, s.frame, p.Current()}, p.settings.inertia, true)
}

// moveAlong moves body i of a world as the parent moves in a tick, and returns the rotation of that motion. The
// parent moves as it is drawn, in the past. The forces on a body that it carries are those of the moment at which
// the server makes the tick, and the player's input points as it does then. With inertia the body keeps its velocity in
// the world, otherwise its relative one.
func (p *Parent) moveAlong(w *sim.World, i int, tick *Passage, inertia, isPlayer bool) (turn geom.Quat) {
	b, from, to := w.Bodies()[i], &tick.Before, &tick.During
	start, end := p.expected(tick.parent, w.Tick()), p.expected(tick.parent, w.Tick()+1)
	axes := to.Pose.Rot.Mul(end.Pose.Rot.Inverse()).Unit()
	var motion sim.FrameMotion
	if isPlayer {
		motion.Heading = float32(2 * geom.Atan2(axes.Z, axes.W))
	}
	if *from == *to && (b.Asleep || from.isStillAt(b.Pose.Pos) && start.isStillAt(start.Pose.Pos) && end.isStillAt(end.Pose.Pos)) {
		setFrameMotion(w, i, &motion)
		return geom.Identity
	}
	next := b
	next.Pose, turn = from.MoveAlong(to, b.Pose)
	local, rate := from.ToLocal(&b), float32(w.Rate())
	then := start.ToWorld(&local)
	moved, _ := start.MoveAlong(&end, then.Pose)
	push := start.PointVelocity(then.Pose.Pos).Sub(end.PointVelocity(moved.Pos.AddScaled(1/rate, then.Linear)))
	if inertia && push.Len() < maxFrameAcceleration/rate {
		coriolis := axes.Rotate(end.angular.Cross(then.Linear))
		next.Pose.Pos = next.Pose.Pos.AddScaled(substepShare(w)/(rate*rate), coriolis)
		next.Linear, next.Angular = axes.Rotate(then.Linear), axes.Rotate(then.Angular)
		motion.Linear, motion.Angular = axes.Rotate(end.PointVelocity(moved.Pos)), axes.Rotate(end.angular)
		motion.Acceleration = axes.Rotate(push).Scale(rate)
		motion.AngularAcceleration = axes.Rotate(start.angular.Sub(end.angular)).Scale(rate)
	} else {
		next.Linear, next.Angular = turn.Rotate(next.Linear), turn.Rotate(next.Angular)
	}
	setFrameMotion(w, i, &motion)
	if next != b {
		next.Asleep = false
		w.SetBody(i, next)
	}
	return turn
}

// Passage is how the body's frame changes in one tick, for a replay of that tick.
type Passage struct {
	Before Frame // at the beginning of the tick
	During Frame // of the same parent, after the body was moved along
	parent int   // index of a candidate, or NoParent
}

// Passage returns the passage of the tick that is about to be stepped, and the body before it was
// moved along.
func (p *Parent) Passage() (Passage, sim.Body) {
	s := &p.state
	start := p.env.World.Bodies()[s.body]
	if s.moved {
		start = s.start
	}
	return Passage{s.before, s.frame, p.Current()}, start
}

// EndTick ends a tick. A further one that is stepped at the same moment does not move the body along.
func (p *Parent) EndTick() { p.state.before, p.state.moved = p.state.frame, false }

// Replay moves body i of a world along with the parent, as MoveAlong did in the tick of a passage in
// the frame of a parent.
func (p *Parent) Replay(w *sim.World, i int, tick *Passage) {
	p.moveAlong(w, i, tick, p.settings.inertia, true)
}

// ReplayRider moves another body of a world along with the parent in the tick of a passage. Only one
// body at a time has the forces of a moving frame, so the rider keeps its relative velocity.
func (p *Parent) ReplayRider(w *sim.World, i int, tick *Passage) {
	p.moveAlong(w, i, tick, false, false)
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

// ReplayChange changes a body from the frame of a replayed tick to that of the next one, t, if the parent changed
// between the two.
func (p *Parent) ReplayChange(tick, next *Passage, t sim.Tick, b sim.Body) sim.Body {
	if tick.During == next.Before {
		return b
	}
	b, _ = p.changed(tick.parent, next.parent, &tick.During, &next.Before, t, b)
	b.Asleep = false
	return b
}

// changed changes a body from the frame of a candidate to that of another, at the beginning of a client tick, and
// returns the rotation. Both are drawn in the past, or are the world's, where the body is in the future. So the body
// changes where the two are expected to be then.
func (p *Parent) changed(from, to int, fromShown, toShown *Frame, t sim.Tick, b sim.Body) (sim.Body, geom.Quat) {
	if p.settings.handover.method == handoverReconcile {
		fromShown.AddVelocity(&b, 1)
		toShown.AddVelocity(&b, -1)
		return b, geom.Identity
	}
	left, entered := p.expected(from, t), p.expected(to, t)
	local := fromShown.ToLocal(&b)
	b = left.ToWorld(&local)
	left.AddVelocity(&b, 1)
	local = entered.Relative(&b)
	b = toShown.ToWorld(&local)
	return b, entered.turnTo(toShown).Mul(fromShown.turnTo(&left)).Unit()
}
