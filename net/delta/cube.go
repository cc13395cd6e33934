package delta

import (
	"encoding/binary"
	"fmt"
	"math"

	"ghostcube/sim/geom"
)

// Cube is the state of one cube in the integers of Fiedler's snapshots, the same as in
// the public compression challenge of 2015.
type Cube struct {
	Orientation
	Pos     [3]int32 // steps of 1/512 m, in [MinPosition, MaxPosition]
	Touched bool     // by the player; "interacting" in the challenge
}

// Orientation is a rotation without its largest component, which follows from the
// others.
type Orientation struct {
	Largest  uint8    // omitted component, taken as positive: 0..3 are x, y, z, w
	Smallest [3]int16 // other components in order, in [0, MaxComponent]
}

// Scales of a Cube. A position takes 18, 18 and 14 bits, a rotation 2 and three times
// 9.
const (
	StepsPerMetre = 512
	MaxComponent  = 511
)

// Bounds of positions: 256 m to each side, 32 m high.
var (
	MinPosition = [3]int32{-256 * StepsPerMetre, -256 * StepsPerMetre, 0}
	MaxPosition = [3]int32{256*StepsPerMetre - 1, 256*StepsPerMetre - 1, 32*StepsPerMetre - 1}
)

// componentStep is the distance between two values of a component, which lies in
// +-1/sqrt(2). No value is zero: this is the challenge's grid, whereas package quant's
// has one value fewer and a zero.
const componentStep = 2 * 0.7071067811865476 / MaxComponent

// QuantiseCube returns the cube nearest to a pose, clamped to the bounds.
func QuantiseCube(p geom.Pose, touched bool) Cube {
	return Cube{quantiseOrientation(p.Rot), quantisePosition(p.Pos), touched}
}

// quantiseOrientation returns the orientation nearest to a rotation.
func quantiseOrientation(q geom.Quat) Orientation {
	l := largestComponent(q)
	return Orientation{l, smallestComponents(q, l)}
}

// quantisePosition returns the nearest position on the grid, clamped to the bounds. NaN
// becomes the minimum.
func quantisePosition(v geom.Vec3) (at [3]int32) {
	for i, x := range [3]float32{v.X, v.Y, v.Z} {
		switch n := math.Floor(float64(float64(x)*StepsPerMetre) + 0.5); {
		case !(n > float64(MinPosition[i])):
			at[i] = MinPosition[i]
		case n > float64(MaxPosition[i]):
			at[i] = MaxPosition[i]
		default:
			at[i] = int32(n)
		}
	}
	return at
}

// largestComponent returns the index of the largest component, the first of equals.
func largestComponent(q geom.Quat) (l uint8) {
	v := [4]float32{q.X, q.Y, q.Z, q.W}
	for i := range v {
		if geom.Abs(v[i]) > geom.Abs(v[l]) {
			l = uint8(i)
		}
	}
	return l
}

// smallestComponents returns the components of a rotation except one, which counts as
// positive.
func smallestComponents(q geom.Quat, omitted uint8) (r [3]int16) {
	v := [4]float32{q.X, q.Y, q.Z, q.W}
	k := 0
	for i, x := range v {
		if i == int(omitted) {
			continue
		}
		if v[omitted] < 0 {
			x = -x
		}
		n := math.Floor(float64(x)/componentStep + 0.5*MaxComponent + 0.5)
		if n > 0 {
			r[k] = int16(min(n, MaxComponent))
		}
		k++
	}
	return r
}

// Position returns the position in metres.
func (c *Cube) Position() geom.Vec3 {
	// The conversions keep the compiler from fusing: it turns these quotients into
	// products.
	return geom.Vec3{
		X: float32(float32(c.Pos[0]) / StepsPerMetre), Y: float32(float32(c.Pos[1]) / StepsPerMetre), Z: float32(float32(c.Pos[2]) / StepsPerMetre),
	}
}

// Rotation returns the rotation as a quaternion.
func (o *Orientation) Rotation() geom.Quat {
	v := [4]float32{}
	sum, k := 0.0, 0
	for i := range v {
		if i == int(o.Largest) {
			continue
		}
		x := float64((float64(o.Smallest[k]) - 0.5*MaxComponent) * componentStep)
		sum += float64(x * x)
		v[i] = float32(x)
		k++
	}
	v[o.Largest] = float32(math.Sqrt(max(1-sum, 0)))
	return geom.Quat{X: v[0], Y: v[1], Z: v[2], W: v[3]}
}

// FileBytesPerCube is the size of a cube in a file of the challenge.
const FileBytesPerCube = 8 * 4

// AppendTo appends a cube in the challenge's file format: eight signed 32-bit integers,
// little endian: largest, a, b, c, x, y, z, touched.
func (c *Cube) AppendTo(b []byte) []byte {
	touched := int32(0)
	if c.Touched {
		touched = 1
	}
	for _, n := range [8]int32{int32(c.Largest), int32(c.Smallest[0]), int32(c.Smallest[1]), int32(c.Smallest[2]), c.Pos[0], c.Pos[1], c.Pos[2], touched} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return b
}

// ParseCube reads a cube in the challenge's file format from FileBytesPerCube bytes.
// Its error names the field and the allowed values.
func ParseCube(b []byte) (c Cube, err error) {
	var n [8]int32
	for i := range n {
		n[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
	}
	for i, x := range n[:4] {
		limit := int32(MaxComponent)
		if i == 0 {
			limit = 3
		}
		if x < 0 || x > limit {
			return c, fmt.Errorf("%s = %d: want 0 to %d", fieldNames[i], x, limit)
		}
	}
	for i, x := range n[4:7] {
		if x < MinPosition[i] || x > MaxPosition[i] {
			return c, fmt.Errorf("%s = %d: want %d to %d", fieldNames[4+i], x, MinPosition[i], MaxPosition[i])
		}
	}
	if n[7] < 0 || n[7] > 1 {
		return c, fmt.Errorf("%s = %d: want 0 or 1", fieldNames[7], n[7])
	}
	c = Cube{
		Orientation: Orientation{uint8(n[0]), [3]int16{int16(n[1]), int16(n[2]), int16(n[3])}},
		Pos:         [3]int32{n[4], n[5], n[6]}, Touched: n[7] == 1,
	}
	if !c.Valid() {
		return c, fmt.Errorf("orientation %d, %d, %d leaves nothing for the largest component: want the sum of (2n-%d)^2 over the three below %d",
			n[1], n[2], n[3], MaxComponent, 2*MaxComponent*MaxComponent)
	}
	return c, nil
}

var fieldNames = [8]string{"orientation_largest", "orientation_a", "orientation_b", "orientation_c", "position_x", "position_y", "position_z", "interacting"}

// Valid reports whether o is a rotation: its integers are in range and their squares
// leave something for the largest component.
func (o *Orientation) Valid() bool {
	sum := 0 // of squares, in half steps, which makes them integers
	for _, n := range o.Smallest {
		if n < 0 || n > MaxComponent {
			return false
		}
		half := 2*int(n) - MaxComponent
		sum += half * half
	}
	return o.Largest < 4 && sum < 2*MaxComponent*MaxComponent
}
