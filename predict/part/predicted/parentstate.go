package predicted

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/frame"
	"ghostcube/sim"
)

// parentState is what a server that tells of parents puts behind the head: how its player's
// cube is as its parent sees it. On the wire it is
//
//	it has a parent, 1 bit
//	and if so: which vessel, as many bits as their number asks for
//	position, rotation and both velocities relative to it, on rideGrid
type parentState struct {
	parent int // index of a vessel, or parent.None
	body   sim.Body
}

// maxParentDistance is how far from a vessel's origin what it carries may be, in metres: no
// scene has a larger one. What is farther is told without a parent.
const maxParentDistance = 64

// parentGrid are the numbers of a ride: 4096 steps per metre, per m/s and per rad/s, and
// 15 bits for each component of the rotation.
func parentGrid(scene *sim.Scene) codec.Grid {
	s := *scene
	s.HalfWidth, s.MaxLinearSpeed, s.MaxAngularSpeed = maxParentDistance, 2*scene.MaxLinearSpeed, 2*scene.MaxAngularSpeed
	g := codec.GridOf(&s, 4096, quant.SyncRotation)
	g.Position[2] = g.Position[0]
	return g
}

// code reads or writes a ride among so many vessels.
func (r *parentState) code(c *quant.Coder, vessels int, g *codec.Grid) {
	c.Label("has_parent")
	if !c.Bool(r.parent != frame.NoParent) {
		r.parent = frame.NoParent
		return
	}
	c.Label("parent")
	r.parent = c.Int(max(r.parent, 0), 0, max(vessels-1, 1))
	if r.parent >= vessels && c.Err() == nil {
		c.Fail(&quant.Error{Op: "reading", Kind: "parent", BitOffset: c.BitsProcessed(), Err: quant.ErrRange})
	}
	p, q := &r.body.Pose.Pos, &r.body.Pose.Rot
	c.Label("position")
	at := c.CompressedVector([3]float32{p.X, p.Y, p.Z}, &g.Position)
	p.X, p.Y, p.Z = at[0], at[1], at[2]
	c.Label("rotation")
	rot := c.Rotation([4]float32{q.X, q.Y, q.Z, q.W}, g.Rotation)
	q.X, q.Y, q.Z, q.W = rot[0], rot[1], rot[2], rot[3]
	v, w := &r.body.Linear, &r.body.Angular
	c.Label("linear")
	lin := c.CompressedVector([3]float32{v.X, v.Y, v.Z}, &g.Linear)
	v.X, v.Y, v.Z = lin[0], lin[1], lin[2]
	c.Label("angular")
	ang := c.CompressedVector([3]float32{w.X, w.Y, w.Z}, &g.Angular)
	w.X, w.Y, w.Z = ang[0], ang[1], ang[2]
}

// inRange reports whether a place can be told.
func (r *parentState) inRange(g *codec.Grid) bool {
	p := r.body.Pose.Pos
	return g.Position[0].Contains(p.X) && g.Position[1].Contains(p.Y) && g.Position[2].Contains(p.Z)
}

// parentSelection is the server's side of it: whom each player's cube is carried by.
type parentSelection struct {
	enabled    bool
	rules      frame.Rules
	candidates []frame.Candidate
	grid       codec.Grid
	selectors  []frame.Selector // by peer
	frames     []frame.Frame    // of the vessels, in this tick
	touches    []sim.Contact
	counters   *predict.Counters
}

func (s *parentSelection) declare(env *predict.Env) {
	s.enabled, s.candidates, s.grid = true, frame.Candidates(env.World.Scene()), parentGrid(env.World.Scene())
	s.frames = make([]frame.Frame, len(s.candidates))
	s.rules.Declare(env.Knobs)
	env.Counters.Declare("parent_bits", "bits in which the own cube was told relative to its parent, besides the snapshots' own")
	s.counters = env.Counters
}

// update chooses after a step of the world.
func (s *parentSelection) update(w *predict.World, peers []predict.Peer) {
	if !s.enabled || len(s.candidates) == 0 {
		return
	}
	for len(s.selectors) < len(peers) {
		s.selectors = append(s.selectors, frame.NewSelector())
	}
	for i := range s.candidates {
		if v := &s.candidates[i]; v.Carrier >= 0 {
			s.frames[i] = frame.OfCarrier(w, v.Carrier, w.Tick().Moment())
		} else {
			s.frames[i] = frame.OfBody(&w.Bodies()[v.Body])
		}
	}
	for i, peer := range peers {
		if peer.Player < 0 {
			continue
		}
		s.touches = w.Contacts(s.touches[:0], peer.Player)
		s.selectors[i].Update(&s.rules, &frame.Surroundings{Candidates: s.candidates, Frames: s.frames, Touches: s.touches, Body: &w.Bodies()[peer.Player]})
	}
}

// code writes the ride of a peer's player.
func (s *parentSelection) code(c *quant.Coder, w *predict.World, peer, seat int) {
	if !s.enabled {
		return
	}
	r := parentState{parent: frame.NoParent}
	if seat >= 0 && peer < len(s.selectors) && s.selectors[peer].Current != frame.NoParent {
		r.parent = s.selectors[peer].Current
		r.body = s.frames[r.parent].Relative(&w.Bodies()[seat])
		if !r.inRange(&s.grid) {
			r.parent = frame.NoParent
		}
	}
	before := c.BitsProcessed()
	r.code(c, len(s.candidates), &s.grid)
	s.counters.Add("parent_bits", float64(c.BitsProcessed()-before))
}

func (s *parentSelection) copyFrom(o *parentSelection) {
	s.rules = o.rules
	s.selectors = append(s.selectors[:0], o.selectors...)
	copy(s.frames, o.frames)
}
