package frame

import (
	"slices"
	"testing"

	"ghostcube/predict/predicttest"
	"ghostcube/sim/geom"
)

// TestCandidates checks that the candidates are the carriers, with the bounding box of all their boxes,
// and the bodies whose bounding box is larger than a player's cube.
func TestCandidates(t *testing.T) {
	for _, c := range []struct {
		spec      string
		carriers  int
		bodies    []int
		low, high geom.Vec3 // of the first
	}{
		{"plain", 0, nil, geom.Vec3{}, geom.Vec3{}},
		{"katamari:cubes=9", 0, nil, geom.Vec3{}, geom.Vec3{}},
		{"turntable", 1, nil, geom.Vec3{X: -6, Y: -6, Z: -0.88}, geom.Vec3{X: 6, Y: 6, Z: 0.12}},
		{"ship", 1, nil, geom.Vec3{X: -5, Y: 2.5, Z: -0.88}, geom.Vec3{X: 5, Y: 9.5, Z: 1.12}},
		{"ship:platform=1", 2, nil, geom.Vec3{X: -5, Y: 2.5, Z: -0.88}, geom.Vec3{X: 5, Y: 9.5, Z: 1.12}},
		{"trailer", 0, []int{1}, geom.Vec3{X: -1.6, Y: -0.6, Z: -0.28}, geom.Vec3{X: 1.6, Y: 0.6, Z: 0.82}},
	} {
		s := predicttest.Scene(t, c.spec)
		list := Candidates(&s)
		var bodies []int
		for i, v := range list {
			if i >= c.carriers {
				bodies = append(bodies, v.Body)
			} else if v.Carrier != i || v.Body != -1 {
				t.Errorf("%s: candidate %d is %+v", c.spec, i, v)
			}
		}
		for _, b := range c.bodies {
			if !slices.Contains(bodies, b) {
				t.Errorf("%s: body %d is not a candidate, %v are", c.spec, b, bodies)
			}
		}
		if len(c.bodies) == 0 && len(list) != c.carriers {
			t.Errorf("%s: %d candidates", c.spec, len(list))
		}
		if len(list) > 0 {
			if v := list[0]; v.Lower.Sub(c.low).Len() > 1e-4 || v.Upper.Sub(c.high).Len() > 1e-4 {
				t.Errorf("%s: from %v to %v", c.spec, v.Lower, v.Upper)
			}
		}
	}
}

// TestContains checks that a bounding box contains its faces and nothing beyond them, with a margin on
// each side.
func TestContains(t *testing.T) {
	v := Candidate{Lower: geom.Vec3{X: -1, Y: -2, Z: -3}, Upper: geom.Vec3{X: 4, Y: 5, Z: 6}}
	const margin = 0.5
	inside := geom.Vec3{X: 1, Y: 1, Z: 1}
	for axis := range 3 {
		for _, c := range []struct {
			at   float32 // along the axis
			want bool
		}{
			{[]float32{-1, -2, -3}[axis] - margin, true}, {[]float32{-1, -2, -3}[axis] - margin - 0.01, false},
			{[]float32{4, 5, 6}[axis] + margin, true}, {[]float32{4, 5, 6}[axis] + margin + 0.01, false},
		} {
			at := inside
			*[]*float32{&at.X, &at.Y, &at.Z}[axis] = c.at
			if got := v.Contains(at, margin); got != c.want {
				t.Errorf("%v: %v", at, got)
			}
		}
	}
}
