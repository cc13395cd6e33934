package snapshot

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// precision is how finely a snapshot describes poses, where its level quantises them but encodes them
// in full. From level delta on the precision is that of package delta, which is the default here.
type precision struct {
	positionSteps int // index into positionStepChoices; level quantised
	rotationBits  int // of each component; levels smallest-three to quantised
}

// positionStepChoices are the precisions of a position, in steps per metre: 64 << index.
var positionStepChoices = []string{"64", "128", "256", "512", "1024", "2048", "4096"}

// The bounds of rotation-bits.
const (
	minRotationBits = 3
	maxRotationBits = 16
)

// defaultPrecision is the article's: 512 steps per metre and nine bits.
var defaultPrecision = precision{positionSteps: 3, rotationBits: int(quant.SnapshotRotation)}

func (p *precision) declare(k *predict.Knobs) {
	*p = defaultPrecision
	group := k.In(predict.PacketKnobs)
	group.Choice(&p.positionSteps, "position-steps", p.positionSteps, positionStepChoices,
		"quantised: steps per metre of a position (from delta on 512)")
	group.Int(&p.rotationBits, "rotation-bits", p.rotationBits, minRotationBits, maxRotationBits,
		"bits of each of three components of a rotation (from delta on 9)")
}

// at returns the precision that matters at a level.
func (p precision) at(level int) precision {
	if level == raw || level > quantised {
		return defaultPrecision
	}
	if level < quantised {
		p.positionSteps = defaultPrecision.positionSteps
	}
	return p
}

// code reads, writes or measures the precision.
func (p *precision) code(c *quant.Coder) {
	c.Label("position_steps")
	p.positionSteps = c.Int(p.positionSteps, 0, len(positionStepChoices)-1)
	c.Label("rotation_bits")
	p.rotationBits = c.Int(p.rotationBits, minRotationBits, maxRotationBits)
}

// grid returns the grid of positions and rotations in a scene.
func (p *precision) grid(scene *sim.Scene) codec.Grid {
	return codec.GridOf(scene, 64<<p.positionSteps, quant.SmallestThree(p.rotationBits))
}

// codePosition reads or writes a quantised position. The grid covers whole metres without their end; a position is clamped to
// it and to the scene.
func codePosition(c *quant.Coder, v geom.Vec3, g *quant.Grid, scene *sim.Scene) geom.Vec3 {
	n := c.CompressedVector(g.Quantise([3]float32{v.X, v.Y, v.Z}), g)
	return geom.Vec3{
		X: geom.Clamp(n[0], -scene.HalfWidth, scene.HalfWidth), Y: geom.Clamp(n[1], -scene.HalfWidth, scene.HalfWidth), Z: geom.Clamp(n[2], 0, scene.Height),
	}
}
