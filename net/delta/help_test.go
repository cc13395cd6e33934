package delta

import (
	"pgregory.net/rapid"

	"ghostcube/sim/geom"
)

// drawOrientation returns a random orientation.
func drawOrientation(t *rapid.T) Orientation {
	x := rapid.Float32Range(-1, 1)
	q := geom.Quat{X: x.Draw(t, "x"), Y: x.Draw(t, "y"), Z: x.Draw(t, "z"), W: x.Draw(t, "w")}
	if q.Dot(q) < 1e-6 {
		q = geom.Identity
	}
	k := quantiseOrientation(q.Unit())
	if !k.Valid() {
		t.Fatalf("%v is made of %v", k, q)
	}
	return k
}

// drawCube returns a random cube, sometimes at a corner of the bounds.
func drawCube(t *rapid.T) Cube {
	k := Cube{Orientation: drawOrientation(t), Touched: rapid.Bool().Draw(t, "touched")}
	for i := range k.Pos {
		low, high := MinPosition[i], MaxPosition[i]
		k.Pos[i] = rapid.OneOf(
			rapid.Int32Range(low, high), rapid.Just(low), rapid.Just(high), rapid.Int32Range(0, 2000),
		).Draw(t, "position")
	}
	return k
}

// drawChangedCube returns a possible successor of a cube: the same, moved a little, or
// any.
func drawChangedCube(t *rapid.T, b Cube) Cube {
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return drawCube(t)
	case 1, 2, 3:
		return b
	}
	k := b
	limit := rapid.SampledFrom([]int32{2, 20, 300, 3000}).Draw(t, "limit")
	for i := range k.Pos {
		k.Pos[i] = min(max(k.Pos[i]+rapid.Int32Range(-limit, limit).Draw(t, "change"), MinPosition[i]), MaxPosition[i])
	}
	for i := range k.Smallest {
		k.Smallest[i] = min(max(k.Smallest[i]+int16(rapid.Int32Range(-limit/8, limit/8).Draw(t, "rotation")), 0), MaxComponent)
	}
	if rapid.Bool().Draw(t, "toggle") {
		k.Touched = !k.Touched
	}
	if !k.Valid() {
		k.Orientation = b.Orientation
	}
	return k
}

// drawSnapshots returns a sequence of snapshots of a few cubes.
func drawSnapshots(t *rapid.T, count int) [][]Cube {
	list := make([][]Cube, count)
	for i := range rapid.IntRange(1, 6).Draw(t, "cubes") {
		for f := range list {
			var k Cube
			if f == 0 {
				k = drawCube(t)
			} else {
				k = drawChangedCube(t, list[f-1][i])
			}
			list[f] = append(list[f], k)
		}
	}
	return list
}

// rollingBall returns snapshots of a ball of cubes that rolls over the ground about its
// first cube. It is computed with rotations alone and so is the same on every machine.
func rollingBall(cubes, count int) [][]Cube {
	list := make([][]Cube, count)
	for f := range list {
		time := float32(f) / 60
		centre := geom.Vec3{X: 2 * geom.Sin(time), Y: float32(1.5 * time), Z: 1}
		roll := geom.AxisAngle(geom.Vec3{X: -1}, float32(1.5*time)).Mul(geom.AxisAngle(geom.Vec3{Z: 1}, geom.Sin(time)))
		for i := range cubes {
			a := float32(i) * 2.4
			arm := geom.Vec3{X: geom.Cos(a), Y: geom.Sin(a), Z: float32(i%5)*0.3 - 0.6}.Scale(float32(min(i, 1)))
			k := QuantiseCube(geom.Pose{Pos: centre.Add(roll.Rotate(arm)), Rot: roll.Mul(geom.AxisAngle(geom.Vec3{Y: 1}, a))}, i < cubes/2)
			if i >= cubes/2 && f > 20 { // untouched cubes stop
				k = list[20][i]
			}
			list[f] = append(list[f], k)
		}
	}
	return list
}
