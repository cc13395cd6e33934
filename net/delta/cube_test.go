package delta

import (
	"bytes"
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ghostcube/sim/geom"
)

// TestQuantiseCube checks that a cube is within half a step of its pose on each axis
// and within 0.55 degrees of its rotation, and that its own pose quantises to the same
// cube.
func TestQuantiseCube(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float32Range(-1, 1)
		q := geom.Quat{X: x.Draw(t, "x"), Y: x.Draw(t, "y"), Z: x.Draw(t, "z"), W: x.Draw(t, "w")}
		if q.Dot(q) < 1e-4 {
			return
		}
		p := geom.Pose{Rot: q.Unit(), Pos: geom.Vec3{
			X: rapid.Float32Range(-255, 255).Draw(t, "px"), Y: rapid.Float32Range(-255, 255).Draw(t, "py"), Z: rapid.Float32Range(0, 31).Draw(t, "pz"),
		}}
		k := QuantiseCube(p, true)
		const half = 0.5/StepsPerMetre + 1e-5
		d := k.Position().Sub(p.Pos)
		if max(geom.Abs(d.X), geom.Abs(d.Y), geom.Abs(d.Z)) > half {
			t.Fatalf("%v is at %v", p.Pos, k.Position())
		}
		if angle := 2 * math.Acos(min(1, math.Abs(float64(k.Rotation().Dot(p.Rot))))); angle > 0.55*math.Pi/180 {
			t.Fatalf("%v is off by %v rad", p.Rot, angle)
		}
		if again := QuantiseCube(geom.Pose{Pos: k.Position(), Rot: k.Rotation()}, true); again.Pos != k.Pos || !again.Valid() {
			t.Fatalf("%v quantises to %v", k, again)
		}
	})
	for _, c := range []struct {
		at   geom.Vec3
		want [3]int32
	}{
		{geom.Vec3{X: -1000, Y: 1000, Z: -1}, [3]int32{MinPosition[0], MaxPosition[1], 0}},
		{geom.Vec3{X: float32(math.NaN()), Y: 0.001, Z: float32(math.Inf(1))}, [3]int32{MinPosition[0], 1, MaxPosition[2]}},
	} {
		if got := QuantiseCube(geom.Pose{Pos: c.at, Rot: geom.Identity}, false); got.Pos != c.want {
			t.Errorf("%v is at %v", c.at, got.Pos)
		}
	}
}

// TestIdentity checks the challenge's grid: the identity omits w and has three
// components of 256, because no value is zero and halves round up.
func TestIdentity(t *testing.T) {
	if k := quantiseOrientation(geom.Identity); k != (Orientation{3, [3]int16{256, 256, 256}}) {
		t.Error(k)
	}
	half := geom.Quat{X: -0.5, Y: 0.5, Z: 0.5, W: 0.5}
	if k := quantiseOrientation(half); k != (Orientation{0, [3]int16{75, 75, 75}}) {
		t.Error(k)
	}
}

// TestFile checks the bytes of a cube in the challenge's file format, and that a value
// out of range is rejected by name.
func TestFile(t *testing.T) {
	k := Cube{Orientation{2, [3]int16{0, 511, 255}}, [3]int32{-1, 300, 102}, true}
	k.Smallest = [3]int16{200, 300, 255}
	b := k.AppendTo(nil)
	if got := hex.EncodeToString(b); got != "02000000c80000002c010000ff000000ffffffff2c0100006600000001000000" {
		t.Error(got)
	}
	if back, err := ParseCube(b); back != k || err != nil {
		t.Error(back, err)
	}
	for at, want := range map[int]string{
		0: "orientation_largest = -1: want 0 to 3", 4: "orientation_a = -1: want 0 to 511", 12: "orientation_c",
		24: "position_z = -1: want 0 to 16383", 28: "interacting = -1: want 0 or 1",
	} {
		c := bytes.Clone(b)
		copy(c[at:], []byte{0xff, 0xff, 0xff, 0xff})
		if _, err := ParseCube(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("byte %d: %v", at, err)
		}
	}
	b[28] = 2
	if _, err := ParseCube(b); err == nil || !strings.Contains(err.Error(), "interacting = 2") {
		t.Error(err)
	}
	far := Cube{Orientation{3, [3]int16{0, 0, 256}}, [3]int32{}, false}
	if _, err := ParseCube(far.AppendTo(nil)); err == nil || !strings.Contains(err.Error(), "leaves nothing") {
		t.Error(err)
	}
}
