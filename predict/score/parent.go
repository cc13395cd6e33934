package score

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// maxParents is how many vessels are looked at: the largest.
const maxParents = 4

// maxWaitTicks is how many ticks a picture waits for the truth to come to its tick.
const maxWaitTicks = 128

// parentErrors is where the player's cube is as the scene's vessels have it: the true one in
// the true vessels, against the drawn one in the vessels as they are drawn. A picture is
// held against the truth of the tick that it claims to show of the cube, so a client that
// is ahead or late, and its vessels with it, is right.
type parentErrors struct {
	started bool
	parents []sim.ParentCandidate // never written again
	margin  float32               // metres; how far beyond a vessel's box the cube's middle is in it
	history [2 * maxWaitTicks]struct {
		tick  sim.Tick
		used  bool
		poses parentPoses
	}
	pending []pendingPose

	ticks      int // in which the true cube is in a vessel
	wrongTicks int // pictures that have it in other vessels than the truth
	pathError  distanceSums
	errorMax   float64
	pops       [maxParents]*pops
}

// parentPoses is a cube as the vessels have it.
type parentPoses struct {
	relative [maxParents]geom.Pose
	inside   [maxParents]bool
}

// pendingPose is a picture that the truth has not come to.
type pendingPose struct {
	tick   sim.Tick
	waited int
	poses  parentPoses
}

// start finds the vessels.
func (a *parentErrors) start(scene *sim.Scene) {
	a.started = true
	a.parents = scene.ParentCandidates()
	for len(a.parents) > maxParents {
		least := 0
		for i := range a.parents {
			if a.parents[i].Volume() <= a.parents[least].Volume() {
				least = i
			}
		}
		a.parents = append(a.parents[:least], a.parents[least+1:]...)
	}
	for i := range a.parents {
		a.pops[i] = &pops{}
	}
}

// add looks at a tick.
func (a *parentErrors) add(truth *sim.World, v *predict.View, body int, scored bool) {
	if !a.started {
		a.start(truth.Scene())
	}
	if len(a.parents) == 0 {
		return
	}
	a.margin = truth.Scene().Boxes[body].Half.Len()
	now := truth.Tick()
	var there, drawn parentPoses
	for i := range a.parents {
		b := &a.parents[i]
		var p, q geom.Pose
		if b.Carrier >= 0 {
			path := &truth.Scene().Carriers[b.Carrier].Path
			p = path.PoseAt(geom.Pose{Rot: geom.Identity}, now.Moment(), truth.Rate())
			q = path.PoseAt(geom.Pose{Rot: geom.Identity}, v.CarrierMoment(), truth.Rate())
		} else {
			p, q = truth.Bodies()[b.Body].Pose, v.Bodies[b.Body]
		}
		there.set(a, i, &p, &truth.Bodies()[body].Pose)
		drawn.set(a, i, &q, &v.Bodies[body])
		a.pops[i].add(there.relative[i], now, drawn.relative[i], v.TickOf(body), scored && (there.inside[i] || drawn.inside[i]))
	}
	r := &a.history[now%(2*maxWaitTicks)]
	r.tick, r.used, r.poses = now, true, there
	if scored {
		if there.inside != [maxParents]bool{} {
			a.ticks++
		}
		a.pending = append(a.pending, pendingPose{tick: v.TickOf(body), poses: drawn})
	}
	kept := a.pending[:0]
	for _, w := range a.pending {
		w.waited++
		switch {
		case w.tick <= now:
			a.resolve(&w)
		case w.waited < maxWaitTicks:
			kept = append(kept, w)
		}
	}
	a.pending = kept
}

// set notes where a cube at p is as vessel i has it, which is at f.
func (s *parentPoses) set(a *parentErrors, i int, f, p *geom.Pose) {
	back := f.Rot.Inverse()
	s.relative[i] = geom.Pose{Pos: back.Rotate(p.Pos.Sub(f.Pos)), Rot: back.Mul(p.Rot).Unit()}
	s.inside[i] = a.parents[i].Contains(s.relative[i].Pos, a.margin)
}

// resolve holds a picture against the truth of its tick. The error is that in the largest
// vessel that the true cube is in.
func (a *parentErrors) resolve(w *pendingPose) {
	r := &a.history[w.tick%(2*maxWaitTicks)]
	if !r.used || r.tick != w.tick {
		return
	}
	if w.poses.inside != r.poses.inside {
		a.wrongTicks++
	}
	in := -1
	for i := range a.parents {
		if r.poses.inside[i] && (in < 0 || a.parents[i].Volume() > a.parents[in].Volume()) {
			in = i
		}
	}
	if in >= 0 {
		away := float64(w.poses.relative[in].Pos.Sub(r.poses.relative[in].Pos).Len())
		a.pathError.add(away)
		a.errorMax = max(a.errorMax, away)
	}
}

func (a *parentErrors) copyFrom(o *parentErrors) {
	jumps, waiting := a.pops, append(a.pending[:0], o.pending...)
	*a = *o
	a.pending, a.pops = waiting, jumps
	for i := range o.pops {
		if o.pops[i] == nil {
			continue
		}
		if a.pops[i] == nil {
			a.pops[i] = &pops{}
		}
		a.pops[i].copyFrom(o.pops[i])
	}
}

// ParentError is where the player's cube is drawn in a vessel, against where it is in it.
type ParentError struct {
	Ticks      int     // in which the true cube is in a vessel
	WrongTicks int     // ticks in which it is drawn in other vessels than it is in, or in none
	RMS, Max   float64 // metres; the distance between the two places in the vessel
	Pops       int     // jumps of the drawn cube as the drawn vessel has it
	LargestPop float64 // metres
}

// ParentError returns that. ok is false if the true cube has been in no vessel.
func (c *Score) ParentError() (s ParentError, ok bool) {
	a := &c.parents
	if a.ticks == 0 {
		return s, false
	}
	s = ParentError{Ticks: a.ticks, WrongTicks: a.wrongTicks, RMS: a.pathError.rms(), Max: a.errorMax}
	for i := range a.parents {
		s.Pops = max(s.Pops, a.pops[i].count)
		s.LargestPop = max(s.LargestPop, float64(a.pops[i].largest))
	}
	return s, true
}

// parentMeasures appends what is told of it.
func (c *Score) parentMeasures(dst []Measure) []Measure {
	a, ok := c.ParentError()
	rate, minutes := float64(max(c.rate, 1)), float64(max(c.Ticks, 1))/float64(60*max(c.rate, 1))
	return append(dst,
		Measure{"in_parent_s", "in a parent, s", "time that the server's cube spent inside a carrier or a body larger than the cube", float64(a.Ticks) / rate, ok, 2, Neither},
		Measure{"wrong_parent_s", "drawn in wrong parent, s", "time that the cube was drawn inside other parents than the server's cube was in at that tick", float64(a.WrongTicks) / rate, ok, 2, Lower},
		Measure{"path_error_in_parent_rms_m", "path error in parent, RMS, m", "path error of the player's cube in the reference frame of its parent, root mean square", a.RMS, ok, 3, Lower},
		Measure{"path_error_in_parent_max_m", "path error in parent, max, m", "largest path error of the player's cube in the reference frame of its parent", a.Max, ok, 3, Lower},
		Measure{"pops_in_parent_per_minute", "pops in parent, per minute", "pops of the player's cube in the reference frame of a parent, of the parent with the most pops", float64(a.Pops) / minutes, ok, 1, Lower},
		Measure{"largest_pop_in_parent_m", "largest pop in parent, m", "length of the largest pop in the reference frame of any parent", a.LargestPop, ok, 3, Lower},
	)
}
