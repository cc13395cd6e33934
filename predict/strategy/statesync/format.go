package statesync

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// The precision of a rotation, in bits of a component.
const (
	minRotationBits = 9
	maxRotationBits = int(quant.SyncRotation)
)

// grids are the grids of a scene by the precision of their positions, 4096 steps per
// metre and half as many with each one on, and by that of their rotations. Velocities
// have 4096 per m/s and rad/s in all of them.
type grids [4][maxRotationBits - minRotationBits + 1]codec.Grid

// defaultGrids are the grids of scenes with the bounds of Fiedler's demo.
var defaultGrids = newGrids(&sim.Scene{HalfWidth: 256, Height: 32, MaxLinearSpeed: 32, MaxAngularSpeed: 16})

func newGrids(scene *sim.Scene) *grids {
	t := &grids{}
	for i := range t {
		for j := range t[i] {
			g := &t[i][j]
			*g = codec.GridOf(scene, 4096, quant.SmallestThree(minRotationBits+j))
			g.Position = codec.GridOf(scene, 4096>>i, g.Rotation).Position
		}
	}
	return t
}

// gridsFor returns the grids that the bounds of a scene ask for.
func gridsFor(scene *sim.Scene) *grids {
	if scene.HalfWidth == 256 && scene.Height == 32 && scene.MaxLinearSpeed == 32 && scene.MaxAngularSpeed == 16 {
		return defaultGrids
	}
	return newGrids(scene)
}

// format is how the bodies of a packet are written. The packet itself says so, and
// a knob that is turned concerns the packets from then on.
type format struct {
	authority     bool // who has them is told, too
	velocities    bool // they are sent of bodies that move
	quantised     bool // numbers are on a grid; else they have 32 bits
	positionSteps int  // which of steps
	rotationBits  int  // bits of a component
	relative      bool // states may be relative to the players'
	delta         bool // states may be relative to earlier ones

	grids *grids // of the scene; nil: the usual ones
}

// grid returns the form's grid.
func (f *format) grid() *codec.Grid {
	g := f.grids
	if g == nil {
		g = defaultGrids
	}
	return &g[f.positionSteps][f.rotationBits-minRotationBits]
}

// code reads, writes or measures the form.
func (f *format) code(c *quant.Coder) {
	c.Label("authority")
	f.authority = c.Bool(f.authority)
	c.Label("velocities")
	f.velocities = c.Bool(f.velocities)
	c.Label("quantised")
	if f.quantised = c.Bool(f.quantised); !f.quantised {
		f.positionSteps, f.rotationBits, f.relative, f.delta = 0, maxRotationBits, false, false
		return
	}
	c.Label("position_steps")
	f.positionSteps = c.Int(f.positionSteps, 0, len(defaultGrids)-1)
	c.Label("rotation_bits")
	f.rotationBits = c.Int(f.rotationBits, minRotationBits, maxRotationBits)
	c.Label("relative")
	f.relative = c.Bool(f.relative)
	c.Label("delta")
	if f.delta = c.Bool(f.delta); f.delta && !f.relative {
		c.Fail(predict.ErrMalformed)
	}
}

// bodyBits returns what a body takes, without its number, if it is relative to
// nothing.
func (f *format) bodyBits(asleep bool) int {
	pose, velocities := (3+4)*32, 6*32
	if f.quantised {
		g := f.grid()
		pose, velocities = g.Position.Bits()+g.Rotation.Bits(), g.Linear.Bits()+g.Angular.Bits()
	}
	if asleep || !f.velocities {
		velocities = 0
	}
	return 1 + pose + velocities
}

// codeBody reads, writes or measures a body whole. What is read is a body that the
// scene could hold, or c fails.
func (f *format) codeBody(c *quant.Coder, b *sim.Body, scene *sim.Scene) {
	c.Label("asleep")
	b.Asleep = c.Bool(b.Asleep)
	g := f.grid()
	c.Label("position")
	f.codeVector(c, &b.Pose.Pos, &g.Position)
	c.Label("rotation")
	q := &b.Pose.Rot
	if f.quantised {
		r := c.Rotation([4]float32{q.X, q.Y, q.Z, q.W}, g.Rotation)
		if c.Reading() {
			*q = geom.Quat{X: r[0], Y: r[1], Z: r[2], W: r[3]}
		}
	} else {
		q.X, q.Y, q.Z, q.W = c.Float(q.X), c.Float(q.Y), c.Float(q.Z), c.Float(q.W)
	}
	if f.velocities && !b.Asleep {
		c.Label("linear")
		f.codeVector(c, &b.Linear, &g.Linear)
		c.Label("angular")
		f.codeVector(c, &b.Angular, &g.Angular)
	}
	if c.Reading() && c.Err() == nil && !codec.ValidBody(b, scene) {
		c.Fail(predict.ErrMalformed)
	}
}

// codeVector reads, writes or measures three numbers. What lies outside the grid counts
// as the bound that it is beyond.
func (f *format) codeVector(c *quant.Coder, v *geom.Vec3, g *quant.Grid) {
	if !f.quantised {
		v.X, v.Y, v.Z = c.Float(v.X), c.Float(v.Y), c.Float(v.Z)
		return
	}
	n := c.CompressedVector(g.Quantise([3]float32{v.X, v.Y, v.Z}), g)
	v.X, v.Y, v.Z = n[0], n[1], n[2]
}
