package localreplay

import (
	"ghostcube/predict/localprediction/frame"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// The other bodies whose poses a tick remembers: those within nearReach of the player's body, or
// fewer if there are more than maxNear.
const (
	nearReach = 1 // metres
	maxNear   = 48
)

// step is what one tick was stepped with, other than the state of the player's body.
type step struct {
	input    sim.Input
	start    sim.Body // the player's body, before it was moved along with its parent
	passage  frame.Passage
	carriers sim.Moment // of the pinned carriers
	pinned   bool       // the carriers are pinned
	touched  bool       // the player's body touched a remote body

	nearCount int
	near      [maxNear]placed
}

// placed is the pose of a body that the player's body might touch.
type placed struct {
	body int32
	pose geom.Pose
}

// BeginStep remembers what the client's world is about to be stepped with.
func (r *Replay) BeginStep(in sim.Input) {
	if !r.enabled() {
		r.stop()
		return
	}
	w := r.env.World
	s := r.steps.Insert(w.Tick())
	s.input, s.passage, s.start, s.touched = in, frame.Passage{}, w.Bodies()[r.local.root], false
	if r.parent != nil {
		s.passage, s.start = r.parent.Passage()
	}
	r.scratch.starts = r.scratch.starts[:0]
	for _, i := range r.tree {
		r.scratch.starts = append(r.scratch.starts, w.Bodies()[i])
	}
	s.carriers, s.pinned = w.CarrierMoment(), w.CarriersPinned()
	r.rememberNear(s)
}

// rememberNear remembers the poses of the bodies near the player's.
func (r *Replay) rememberNear(s *step) {
	w, found := r.env.World, r.scratch.found[:0]
	for reach := float32(nearReach); ; reach = float32(reach * 0.5) {
		if found = w.NearbyBodies(r.local.root, reach, found[:0]); len(found) <= maxNear || reach < 0.1 {
			break
		}
	}
	r.scratch.found = found
	s.nearCount = min(len(found), maxNear)
	for k, i := range found[:s.nearCount] {
		s.near[k] = placed{i, w.Bodies()[i].Pose}
	}
}

// EndStep ends a step of the client's world. If the player's body is stepped in an island, that
// decides its state.
func (r *Replay) EndStep() {
	w := r.env.World
	s := r.steps.Find(w.Tick() - 1)
	if r.parent != nil {
		r.parent.EndTick()
	}
	if !r.enabled() || s == nil { // the player has entered or left a vehicle in the step
		r.stop()
		return
	}
	r.scratch.touches = w.AppendContacts(r.scratch.touches[:0], r.local.root)
	for _, c := range r.scratch.touches {
		s.touched = s.touched || c.Body >= 0
	}
	if r.state.live {
		r.stepLive(s)
	}
}
