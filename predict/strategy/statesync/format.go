package statesync

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/validation"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// The range of rotation-bits, the bits of each component of a rotation.
const (
	minRotationBits = 9
	maxRotationBits = int(quant.SyncRotation)
)

// grids are the grids of a scene by the precision of positions, from 4096 steps per metre down to
// 512, and by the precision of rotations. Velocities have 4096 steps per m/s and per rad/s.
type grids [4][maxRotationBits - minRotationBits + 1]codec.Grid

// defaultGrids are the grids of scenes with the bounds of Fiedler's program.
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

// gridsFor returns the grids for the bounds of a scene.
func gridsFor(scene *sim.Scene) *grids {
	if scene.HalfWidth == 256 && scene.Height == 32 && scene.MaxLinearSpeed == 32 && scene.MaxAngularSpeed == 16 {
		return defaultGrids
	}
	return newGrids(scene)
}

// format is the wire format of the states in a packet. The packet carries it, so a changed knob
// applies from the next packet on.
type format struct {
	authority     bool // updates carry authorities
	velocities    bool // updates of moving bodies carry velocities
	quantised     bool // numbers are on a grid; otherwise they have 32 bits
	positionSteps int  // index into positionStepChoices
	rotationBits  int  // bits per component
	relative      bool // states may be relative to the players' cubes
	delta         bool // states may be relative to baselines
	deltaBase     int  // if delta: ackedBase, offsetBase or sequenceBase
	reckoning     int  // algorithm by which the receiver extrapolates, or notReckoned

	grids *grids // of the scene; nil: the default ones
}

// grid returns the grid of the format.
func (f *format) grid() *codec.Grid {
	g := f.grids
	if g == nil {
		g = defaultGrids
	}
	return &g[f.positionSteps][f.rotationBits-minRotationBits]
}

// code reads, writes or measures the format.
func (f *format) code(c *quant.Coder) {
	c.Label("authority")
	f.authority = c.Bool(f.authority)
	c.Label("velocities")
	f.velocities = c.Bool(f.velocities)
	c.Label("quantised")
	if f.quantised = c.Bool(f.quantised); !f.quantised {
		f.positionSteps, f.rotationBits, f.relative, f.delta, f.deltaBase = 0, maxRotationBits, false, false, ackedBase
		return
	}
	c.Label("position_steps")
	f.positionSteps = c.Int(f.positionSteps, 0, len(defaultGrids)-1)
	c.Label("rotation_bits")
	f.rotationBits = c.Int(f.rotationBits, minRotationBits, maxRotationBits)
	c.Label("relative")
	f.relative = c.Bool(f.relative)
	c.Label("delta")
	if f.delta = c.Bool(f.delta); !f.delta {
		f.deltaBase = ackedBase
		return
	}
	c.Label("delta_base")
	f.deltaBase = c.Int(f.deltaBase, 0, len(deltaBases)-1)
	if !f.relative {
		c.Fail(predict.ErrMalformed)
	}
}

// bodyBits returns the size in bits of an absolute update, without its body index.
func (f *format) bodyBits(asleep bool) int {
	pose, velocities := (3+4)*32, 6*32
	if f.quantised {
		g := f.grid()
		pose, velocities = g.Position.Bits()+g.Rotation.Bits(), g.Linear.Bits()+g.Angular.Bits()
	}
	if f.hasAccelerations() {
		velocities += accelerationGrid.Bits()
	}
	if asleep || !f.velocities {
		velocities = 0
	}
	return 1 + pose + velocities
}

// codeBody reads, writes or measures an absolute state. When it reads a state that no body of the
// scene can have, c fails.
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
	} else if c.Reading() {
		b.Linear, b.Angular = geom.Vec3{}, geom.Vec3{}
	}
	if c.Reading() && c.Err() == nil && !validation.Body(b, scene) {
		c.Fail(predict.ErrMalformed)
	}
}

// codeVector reads, writes or measures a vector. Components out of the grid's range are clamped.
func (f *format) codeVector(c *quant.Coder, v *geom.Vec3, g *quant.Grid) {
	if !f.quantised {
		v.X, v.Y, v.Z = c.Float(v.X), c.Float(v.Y), c.Float(v.Z)
		return
	}
	n := c.CompressedVector(g.Quantise([3]float32{v.X, v.Y, v.Z}), g)
	v.X, v.Y, v.Z = n[0], n[1], n[2]
}
