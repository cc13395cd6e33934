package predicted

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/frame"
	"ghostcube/sim"
)

// ride is what a server that tells of parents puts behind the head: how its player's
// cube is as its parent sees it. On the wire it is
//
//	it has a parent, 1 bit
//	and if so: which vessel, as many bits as their number asks for
//	position, rotation and both velocities relative to it, on rideGrid
type ride struct {
	parent int // index of a vessel, or parent.None
	body   sim.Body
}

// rideReach is how far from a vessel's origin what it carries may be, in metres: no
// scene has a larger one. What is farther is told without a parent.
const rideReach = 64

// rideGrid are the numbers of a ride: 4096 steps per metre, per m/s and per rad/s, and
// 15 bits for each component of the rotation.
func rideGrid(scene *sim.Scene) codec.Grid {
	s := *scene
	s.HalfWidth, s.MaxLinear, s.MaxAngular = rideReach, 2*scene.MaxLinear, 2*scene.MaxAngular
	g := codec.GridOf(&s, 4096, quant.SyncRotation)
	g.Position[2] = g.Position[0]
	return g
}

// code reads or writes a ride among so many vessels.
func (r *ride) code(c *quant.Coder, vessels int, g *codec.Grid) {
	c.Name("rides")
	if !c.Bool(r.parent != frame.None) {
		r.parent = frame.None
		return
	}
	c.Name("parent")
	r.parent = c.Int(max(r.parent, 0), 0, max(vessels-1, 1))
	if r.parent >= vessels && c.Err() == nil {
		c.Fail(&quant.Error{Doing: "reading", What: "parent", Bit: c.Processed(), Err: quant.ErrRange})
	}
	p, q := &r.body.Pose.Pos, &r.body.Pose.Rot
	c.Name("place")
	at := c.Reals([3]float32{p.X, p.Y, p.Z}, &g.Position)
	p.X, p.Y, p.Z = at[0], at[1], at[2]
	c.Name("turned")
	rot := c.Rotation([4]float32{q.X, q.Y, q.Z, q.W}, g.Rotation)
	q.X, q.Y, q.Z, q.W = rot[0], rot[1], rot[2], rot[3]
	v, w := &r.body.Linear, &r.body.Angular
	c.Name("linear")
	lin := c.Reals([3]float32{v.X, v.Y, v.Z}, &g.Linear)
	v.X, v.Y, v.Z = lin[0], lin[1], lin[2]
	c.Name("angular")
	ang := c.Reals([3]float32{w.X, w.Y, w.Z}, &g.Angular)
	w.X, w.Y, w.Z = ang[0], ang[1], ang[2]
}

// fits reports whether a place can be told.
func (r *ride) fits(g *codec.Grid) bool {
	p := r.body.Pose.Pos
	return g.Position[0].Contains(p.X) && g.Position[1].Contains(p.Y) && g.Position[2].Contains(p.Z)
}

// carrying is the server's side of it: whom each player's cube is carried by.
type carrying struct {
	on      bool
	rules   frame.Rules
	vessels []sim.ParentCandidate
	grid    codec.Grid
	choices []frame.Choice // by peer
	frames  []frame.Frame  // of the vessels, in this tick
	touches []sim.Touch
	meter   *predict.Counters
}

func (s *carrying) declare(env *predict.Env) {
	s.on, s.vessels, s.grid = true, env.World.Scene().ParentCandidates(), rideGrid(env.World.Scene())
	s.frames = make([]frame.Frame, len(s.vessels))
	s.rules.Declare(env.Knobs)
	env.Counters.Declare("parent_bits", "bits in which the own cube was told relative to its parent, besides the snapshots' own")
	s.meter = env.Counters
}

// stepped chooses after a step of the world.
func (s *carrying) stepped(w *sim.World, peers []predict.Peer) {
	if !s.on || len(s.vessels) == 0 {
		return
	}
	for len(s.choices) < len(peers) {
		s.choices = append(s.choices, frame.Start())
	}
	for i := range s.vessels {
		if v := &s.vessels[i]; v.Carrier >= 0 {
			s.frames[i] = frame.OfCarrier(w, v.Carrier, w.Tick().Moment())
		} else {
			s.frames[i] = frame.OfBody(&w.Bodies()[v.Body])
		}
	}
	for i, peer := range peers {
		if peer.Seat < 0 {
			continue
		}
		s.touches = w.Touches(s.touches[:0], peer.Seat)
		s.choices[i].Step(&s.rules, &frame.Sight{Vessels: s.vessels, Frames: s.frames, Touches: s.touches, Body: &w.Bodies()[peer.Seat]})
	}
}

// code writes the ride of a peer's player.
func (s *carrying) code(c *quant.Coder, w *sim.World, peer, seat int) {
	if !s.on {
		return
	}
	r := ride{parent: frame.None}
	if seat >= 0 && peer < len(s.choices) && s.choices[peer].Now != frame.None {
		r.parent = s.choices[peer].Now
		r.body = s.frames[r.parent].Seen(&w.Bodies()[seat])
		if !r.fits(&s.grid) {
			r.parent = frame.None
		}
	}
	before := c.Processed()
	r.code(c, len(s.vessels), &s.grid)
	s.meter.Add("parent_bits", float64(c.Processed()-before))
}

func (s *carrying) copyFrom(o *carrying) {
	s.rules = o.rules
	s.choices = append(s.choices[:0], o.choices...)
	copy(s.frames, o.frames)
}
