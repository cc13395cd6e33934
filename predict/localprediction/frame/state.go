package frame

import (
	"ghostcube/net/quant"
	"ghostcube/predict/part/codec"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// State is a player's body relative to its parent, as a server sends it. Its wire form is
//
//	has_parent, 1 bit; if it is set:
//	parent, the index of a candidate, in as many bits as their number needs
//	position, rotation and both velocities relative to the parent, on Grid
type State struct {
	Parent int // index of a candidate, or NoParent
	Body   sim.Body
}

// maxParentDistance is the largest coordinate of a body relative to its parent, in metres. Every
// parent is smaller; a body that is farther away is sent without one.
const maxParentDistance = 64

// Grid returns the quantisation of a State: 4096 steps per metre, per m/s and per rad/s, and 15 bits
// for each component of the rotation.
func Grid(scene *sim.Scene) codec.Grid {
	s := *scene
	s.HalfWidth, s.MaxLinearSpeed, s.MaxAngularSpeed = maxParentDistance, 2*scene.MaxLinearSpeed, 2*scene.MaxAngularSpeed
	g := codec.GridOf(&s, 4096, quant.SyncRotation)
	g.Position[2] = g.Position[0]
	return g
}

// Code reads or writes the state in a scene with a number of candidates. c fails if a parent that it
// reads is not one of them.
func (s *State) Code(c *quant.Coder, candidates int, g *codec.Grid) {
	c.Label("has_parent")
	if !c.Bool(s.Parent != NoParent) {
		s.Parent = NoParent
		return
	}
	c.Label("parent")
	s.Parent = c.Int(max(s.Parent, 0), 0, max(candidates-1, 1))
	if s.Parent >= candidates && c.Err() == nil {
		c.Fail(&quant.Error{Op: "reading", Kind: "parent", BitOffset: c.BitsProcessed(), Err: quant.ErrRange})
	}
	p, q := &s.Body.Pose.Pos, &s.Body.Pose.Rot
	c.Label("position")
	at := c.CompressedVector([3]float32{p.X, p.Y, p.Z}, &g.Position)
	p.X, p.Y, p.Z = at[0], at[1], at[2]
	c.Label("rotation")
	rot := c.Rotation([4]float32{q.X, q.Y, q.Z, q.W}, g.Rotation)
	q.X, q.Y, q.Z, q.W = rot[0], rot[1], rot[2], rot[3]
	v, w := &s.Body.Linear, &s.Body.Angular
	c.Label("linear")
	linear := c.CompressedVector([3]float32{v.X, v.Y, v.Z}, &g.Linear)
	v.X, v.Y, v.Z = linear[0], linear[1], linear[2]
	c.Label("angular")
	angular := c.CompressedVector([3]float32{w.X, w.Y, w.Z}, &g.Angular)
	w.X, w.Y, w.Z = angular[0], angular[1], angular[2]
}

// clampSpeeds clamps the velocities to the grid, which reaches to twice the scene's largest speeds. A
// step leaves larger ones only if it ends with a collision, and the next step clamps them.
func (s *State) clampSpeeds(g *codec.Grid) {
	v, w := &s.Body.Linear, &s.Body.Angular
	linear, angular := g.Linear.Quantise([3]float32{v.X, v.Y, v.Z}), g.Angular.Quantise([3]float32{w.X, w.Y, w.Z})
	*v, *w = geom.Vec3{X: linear[0], Y: linear[1], Z: linear[2]}, geom.Vec3{X: angular[0], Y: angular[1], Z: angular[2]}
}

// inRange reports whether the position fits the grid.
func (s *State) inRange(g *codec.Grid) bool {
	p := s.Body.Pose.Pos
	return g.Position[0].Contains(p.X) && g.Position[1].Contains(p.Y) && g.Position[2].Contains(p.Z)
}
