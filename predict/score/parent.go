package score

import (
	"ghostcube/predict"
	"ghostcube/predict/localprediction/frame"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

var inParentDefinition = Definition{
	Group: "Joints and parents", Title: "In a parent",
	Measures: []Entry{
		{
			Measure{Name: "wrong_parent_s", Title: "drawn in wrong parent, s", Digits: 2, Better: Lower,
				Help: "time that the drawn cube was inside another parent than the server's cube at that tick"},
			func(c *Score, _ Counts) (float64, bool) {
				return float64(c.parents.wrongTicks) / float64(max(c.rate, 1)), c.parents.ticks > 0
			},
		},
		{
			Measure{Name: "path_error_in_parent_rms_m", Title: "path error in parent, RMS, m", Digits: 3, Better: Lower,
				Help: "path error of the player's cube in the reference frame of its parent, root mean square"},
			func(c *Score, _ Counts) (float64, bool) { return c.parents.pathError.rms(), c.parents.ticks > 0 },
		},
		{
			Measure{Name: "pops_in_parent_per_minute", Title: "pops in parent, per minute", Digits: 1, Better: Lower,
				Help: "pops of the player's cube in the reference frame of a parent, of the parent with the most pops"},
			func(c *Score, _ Counts) (float64, bool) {
				minutes := float64(max(c.Ticks, 1)) / float64(60*max(c.rate, 1))
				return float64(c.parents.mostPops()) / minutes, c.parents.ticks > 0
			},
		},
	},
	Text: `
The player's cube in the reference frame of a ship, a turntable, or any other carrier or body larger than the cube: the
server's cube in the server's ship, the drawn cube in the ship as drawn. A cube is in a parent if its centre is in the
parent's bounding box, widened by half of the cube's diagonal. Each drawn pose is compared with the server's at the tick
that the cube claims to show, so neither a client that is ahead nor a ship that is drawn late is wrong by itself. The
first measure is the time in which the cube is drawn in other parents than the server's. The path error is the distance
between the two positions in the largest parent that the server's cube is in. Pops are those of the cube in the parent's
frame. The four largest possible parents of a scene are measured.`,
	Undefined: "where the cube was in no parent",
	Blind:     "the position of the ship in the world; the lag error has that",
}

// maxParents is how many possible parents are measured: the largest.
const maxParents = 4

// maxWaitTicks is how many ticks a drawn pose waits for the server to reach its tick.
const maxWaitTicks = 128

// parentErrors measures the player's cube in the reference frames of the scene's possible parents:
// the server's cube in the server's parents, against the drawn cube in the drawn parents. Both are
// compared at the tick that the drawn cube claims to show, so a client that draws the cube ahead,
// or the parents late, is right as long as the cube has its place in the parent.
type parentErrors struct {
	started bool
	parents []frame.Candidate // immutable once started
	margin  float32           // metres; a cube whose centre is this close to a parent's box is inside
	history [2 * maxWaitTicks]struct {
		tick  sim.Tick
		used  bool
		poses parentPoses
	}
	pending []pendingPose

	ticks      int // ticks with the server's cube in a parent
	wrongTicks int // ticks in which it is drawn in other parents than it is in
	pathError  distanceSums
	last       float64 // newest path error, metres
	pops       [maxParents]*pops
}

// parentPoses is a cube's pose in each parent's reference frame.
type parentPoses struct {
	relative [maxParents]geom.Pose
	inside   [maxParents]bool
}

// pendingPose is a drawn pose of a tick that the server has not reached.
type pendingPose struct {
	tick   sim.Tick
	waited int
	poses  parentPoses
}

// start finds the largest possible parents of the scene.
func (e *parentErrors) start(scene *sim.Scene) {
	e.started = true
	e.parents = frame.Candidates(scene)
	for len(e.parents) > maxParents {
		smallest := 0
		for i := range e.parents {
			if e.parents[i].Volume() <= e.parents[smallest].Volume() {
				smallest = i
			}
		}
		e.parents = append(e.parents[:smallest], e.parents[smallest+1:]...)
	}
	for i := range e.parents {
		e.pops[i] = &pops{}
	}
}

// add adds a tick.
func (e *parentErrors) add(world *predict.World, v *predict.View, body int, scored bool) {
	if !e.started {
		e.start(world.Scene())
	}
	if len(e.parents) == 0 {
		return
	}
	e.margin = world.Scene().Boxes[body].Half.Len()
	now := world.Tick()
	var server, drawn parentPoses
	for i := range e.parents {
		b := &e.parents[i]
		var p, q geom.Pose
		if b.Carrier >= 0 {
			path := &world.Scene().Carriers[b.Carrier].Path
			p = path.PoseAt(geom.Pose{Rot: geom.Identity}, now.Moment(), world.Rate())
			q = path.PoseAt(geom.Pose{Rot: geom.Identity}, v.Carriers, world.Rate())
		} else {
			p, q = world.Bodies()[b.Body].Pose, v.Bodies[b.Body]
		}
		server.set(e, i, &p, &world.Bodies()[body].Pose)
		drawn.set(e, i, &q, &v.Bodies[body])
		e.pops[i].addServer(server.relative[i], now)
		e.pops[i].add(drawn.relative[i], v.MomentOf(body), scored && (server.inside[i] || drawn.inside[i]))
	}
	r := &e.history[now%(2*maxWaitTicks)]
	r.tick, r.used, r.poses = now, true, server
	if scored {
		if server.inside != [maxParents]bool{} {
			e.ticks++
		}
		e.pending = append(e.pending, pendingPose{tick: v.TickOf(body), poses: drawn})
	}
	waiting := e.pending[:0]
	for _, pose := range e.pending {
		pose.waited++
		switch {
		case pose.tick <= now:
			e.resolve(&pose)
		case pose.waited < maxWaitTicks:
			waiting = append(waiting, pose)
		}
	}
	e.pending = waiting
}

// set sets the pose in parent i, which is at parent, of a cube at p.
func (p *parentPoses) set(a *parentErrors, i int, parent, s *geom.Pose) {
	inverse := parent.Rot.Inverse()
	p.relative[i] = geom.Pose{Pos: inverse.Rotate(s.Pos.Sub(parent.Pos)), Rot: inverse.Mul(s.Rot).Unit()}
	p.inside[i] = a.parents[i].Contains(p.relative[i].Pos, a.margin)
}

// resolve compares a drawn pose with the server's pose of its tick. The path error is measured in
// the largest parent that the server's cube is in.
func (e *parentErrors) resolve(w *pendingPose) {
	r := &e.history[w.tick%(2*maxWaitTicks)]
	if !r.used || r.tick != w.tick {
		return
	}
	if w.poses.inside != r.poses.inside {
		e.wrongTicks++
	}
	parent := -1
	for i := range e.parents {
		if r.poses.inside[i] && (parent < 0 || e.parents[i].Volume() > e.parents[parent].Volume()) {
			parent = i
		}
	}
	if parent >= 0 {
		e.last = float64(w.poses.relative[parent].Pos.Sub(r.poses.relative[parent].Pos).Len())
		e.pathError.add(e.last)
	}
}

func (e *parentErrors) copyFrom(o *parentErrors) {
	trackers, pending := e.pops, append(e.pending[:0], o.pending...)
	*e = *o
	e.pending, e.pops = pending, trackers
	for i := range o.pops {
		if o.pops[i] == nil {
			continue
		}
		if e.pops[i] == nil {
			e.pops[i] = &pops{}
		}
		e.pops[i].copyFrom(o.pops[i])
	}
}

// mostPops returns the pops of the drawn cube in the drawn parent's frame, of the parent with the most pops.
func (e *parentErrors) mostPops() (most int) {
	for i := range e.parents {
		most = max(most, e.pops[i].count)
	}
	return most
}
